"""No bot sees hidden cards: moved where the seat cannot notice, they change nothing that any registered bot does."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from agents.arena import play_pair
from agents.base import BOTS, load_bot
from agents.random_bot import RandomBot
from tarock_env.batch import DealBatch
from tarock_env.engine.chance import new_streams
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import DEAL
from tarock_env.engine.view import fill_views, make_views
from tarock_env.rules import SYSTEMS, load_rules
from tests.hidden_cards import move_hidden

PRETRAINED = Path(__file__).parents[2] / "agents" / "pretrained" / "all.safetensors"
SPECS = {
    "random": "random",
    "rule": "rule",
    "file": f"file:{PRETRAINED}",
    "run": "run:{tmp}",
    "pimc": "pimc:3",
    "level": "level:5",
    "search": f"search:file:{PRETRAINED}@worlds=2,history=3",
}
DEALS = 54 if JIT else 9
SLOW = {"search": 7}  # looked at in every seventh round of decisions, with nine deals


def test_every_registered_bot_is_looked_at() -> None:
    assert set(SPECS) == set(BOTS)


@pytest.mark.parametrize("kind", SPECS)
def test_moving_hidden_cards_changes_no_decision(kind: str, tmp_path: Path) -> None:
    """All nine systems to the end, the bot's own play and random play mixed.

    The same generator gives the same actions, and views come back as they were.
    """
    (tmp_path / "bots").mkdir()
    shutil.copy(PRETRAINED, tmp_path / "bots" / "actor_1.safetensors")
    bot = load_bot(SPECS[kind].format(tmp=tmp_path), rules="juegatu")
    count = 9 if kind in SLOW else DEALS
    batch = DealBatch(count, [load_rules(system) for system in SYSTEMS], seed=4)
    batch.force_contracts(0.7)
    batch.reset()
    streams, names, kinds = new_streams(5, count), np.zeros(54, np.int64), np.zeros(count, np.int64)
    step, moved_cards = 0, 0
    while not batch.finished.all():
        step += 1
        if step % SLOW.get(kind, 1):
            batch.step(batch.random_actions())
            continue
        rows = np.flatnonzero(~batch.finished)
        moved = batch.deals.copy()
        move_hidden(moved, batch.tables, batch.deals["seat"].astype(np.int64), kinds, streams, names)
        moved_cards += int((kinds[rows] > 0).sum())
        views, untouched = make_views(batch.deals, batch.tables, rows), make_views(batch.deals, batch.tables, rows)
        actions = bot.act(views, batch.tables, np.random.default_rng(step))
        others = bot.act(make_views(moved, batch.tables, rows), batch.tables, np.random.default_rng(step))
        assert (actions == others).all()
        assert all((views[name] == untouched[name]).all() for name in DEAL.names)
        played = batch.random_actions()
        played[rows[::2]] = actions[::2]  # every other deal goes on as the bot would have it
        batch.step(played)
    assert moved_cards > 3 * count


class Blindfolded(RandomBot):
    """Notes whether what it is given is blanked already."""

    def __init__(self) -> None:
        self.seen = 0

    def act(self, deals, tables, rng):  # type: ignore[no-untyped-def]
        blanked = deals.copy()
        fill_views(deals, tables, np.arange(len(deals)), blanked)
        assert all((blanked[name] == deals[name]).all() for name in DEAL.names)
        self.seen += len(deals)
        return super().act(deals, tables, rng)


@pytest.mark.parametrize("system", ["juegatu", "slovenian3"])
def test_the_arena_hands_out_views(system: str) -> None:
    bot = Blindfolded()
    play_pair(bot, RandomBot(), load_rules(system), 3, seed=1)
    assert bot.seen > 50
