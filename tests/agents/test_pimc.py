"""PIMC(n): the rule bot until the last four tricks, from there the card with the highest sum over sampled worlds."""

from __future__ import annotations

import numpy as np
import pytest

from agents.arena import play_pair
from agents.base import check_spec, load_bot
from agents.intervals import bootstrap_mean
from agents.pimc import ENDGAME_TRICKS, best_card
from agents.rule_bot import RuleBot
from agents.sampler import sample_worlds
from agents.solver import solve
from tarock_env.batch import DealBatch
from tarock_env.engine.state import PLAY
from tarock_env.engine.view import make_views
from tarock_env.rules import SYSTEMS, load_rules


def test_spec() -> None:
    assert check_spec("pimc:20") == ("pimc", "20")
    assert load_bot("pimc:20").name == "pimc:20"


@pytest.mark.parametrize(
    ("spec", "message"), [("pimc", "write pimc:WORLDS"), ("pimc:0", "number of worlds"), ("pimc:x", "number of worlds")]
)
def test_a_wrong_spec_is_one_line(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        load_bot(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("system", SYSTEMS)
def test_legal_deterministic_and_the_rule_bot_until_the_endgame(system: str) -> None:
    """The same generator gives the same actions; only choices in the last four tricks differ from the rule bot's."""
    rules = load_rules(system)
    batch, bot, rule = DealBatch(24, rules, seed=2), load_bot("pimc:5"), RuleBot()
    batch.force_contracts(0.5)
    batch.reset()
    late, differing, step = 0, 0, 0
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        views = make_views(batch.deals, batch.tables, rows)
        actions = bot.act(views, batch.tables, np.random.default_rng(step))
        assert (actions == bot.act(views, batch.tables, np.random.default_rng(step))).all()
        plain = rule.act(views, batch.tables)
        endgame = (views.phase == PLAY) & (views.trick_number >= rules.hand_size - ENDGAME_TRICKS)
        assert (actions == plain)[~endgame].all()
        late += int(endgame.sum())
        differing += int((actions != plain).sum())
        chosen = np.zeros(len(batch.deals), np.int64)
        chosen[rows] = actions
        batch.step(chosen)  # raises on an illegal action
        step += 1
    assert late > 20
    assert differing > 0


def test_ties_go_to_the_preferred_card_then_to_the_lowest() -> None:
    totals = np.zeros(54, np.int64)
    legal = np.uint64(0b10110)
    assert best_card(legal, totals, 2) == 2
    assert best_card(legal, totals, 0) == 1
    totals[4] = 1
    assert best_card(legal, totals, 2) == 4


def late_views(system: str, tricks_left: int, count: int):
    """Views and deals at a lead with so many tricks left, after play of the rule bot."""
    batch, bot = DealBatch(count, load_rules(system), seed=6), RuleBot()
    views = []
    while not batch.finished.all():
        at = (batch.deals.phase == PLAY) & (batch.deals.trick_number == batch.rules[0].hand_size - tricks_left) & ~batch.finished
        rows = np.flatnonzero(at & (batch.deals.trick_size == 0))
        if len(rows):
            views.append(make_views(batch.deals, batch.tables, rows))
        actions = np.zeros(count, np.int64)
        rows = np.flatnonzero(~batch.finished)
        actions[rows] = bot.act(make_views(batch.deals, batch.tables, rows), batch.tables)
        batch.step(actions)
    return np.concatenate(views).view(np.recarray), batch.tables


def test_the_card_is_best_on_average_over_worlds() -> None:
    """Against the mean over many worlds drawn apart, cards chosen with 100 worlds lose next to nothing, the rule bot's much more."""
    views, tables = late_views("juegatu", 3, 40)
    lost = {"pimc:100": 0.0, "rule": 0.0}
    for row in range(len(views)):
        worlds = sample_worlds(views, row, tables, 200, seed=row)
        values = solve(worlds, tables).mean(axis=0)
        for spec in lost:
            card = load_bot(spec).act(views[row : row + 1], tables, np.random.default_rng(row))[0]
            lost[spec] += float(values.max() - values[card])
    assert lost["pimc:100"] < 0.1 * lost["rule"]


def test_pimc_gains_on_the_rule_bot() -> None:
    points = play_pair(load_bot("pimc:8"), RuleBot(), load_rules("juegatu"), 120, seed=8).points
    assert bootstrap_mean(points, 1)[1] > -0.5
