"""The recipes of CONTRIBUTING.md, each followed with a toy."""

from dataclasses import replace

import numpy as np
import pytest

from agents.arena import play_pair
from agents.base import BOTS, load_bot
from agents.random_bot import RandomBot
from agents.views import observe_views
from tarock_env.actions import CONTRACT_IDS, ITEM_IDS
from tarock_env.aec import raw_env
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.rules import load_rules, own, register_rules
from tarock_env.rules.schema import Bonus


class HighestCard:
    """A toy bot: the legal action with the highest id."""

    name = "highest"

    def act(self, deals, tables, rng):
        return 255 - observe_views(deals, tables)[1][:, ::-1].argmax(axis=1)


def load(argument=""):
    return HighestCard()


def test_a_bot_is_a_class_and_one_registry_line(monkeypatch):
    monkeypatch.setitem(BOTS, "highest", f"{__name__}:load")
    bot = load_bot("highest")
    assert bot.name == "highest"
    points = play_pair(bot, RandomBot(), load_rules("juegatu"), 20, seed=1).points
    assert points.shape == (20,)


@pytest.fixture
def _nothing_stays_registered(monkeypatch):
    monkeypatch.setattr(own, "_KNOWN", {})


@pytest.mark.usefixtures("_nothing_stays_registered")
def test_a_rule_system_is_data():
    """Wiener rules with a Dreier that pays ten: registered, it deals, plays and pays like every other."""
    wiener = load_rules("wiener")
    contracts = tuple(replace(contract, value=10) if contract.name == "dreier" else contract for contract in wiener.contracts)
    register_rules(replace(wiener, id="toy", title="Toy", contracts=contracts))
    rules = load_rules("toy")
    play = CoveragePlay(rules, 2000)
    play.play(new_streams(1, 2000))
    dreier = play.deals[play.deals["contract"] == CONTRACT_IDS["dreier"]]
    assert len(dreier) > 20
    game = raw_env("toy")
    game.reset(seed=1)
    assert game.rules.contract("dreier").value == 10


@pytest.mark.usefixtures("_nothing_stays_registered")
def test_a_bonus_is_a_line_in_the_rules():
    """The last two steps of the recipe: a bonus whose predicate exists, given to a system that lacks it."""
    wiener = load_rules("wiener")
    contracts = tuple(
        replace(contract, bonuses=(*contract.bonuses, "mondfang")) if "trull" in contract.bonuses else contract
        for contract in wiener.contracts
    )
    bonus = Bonus(name="mondfang", silent=3, announced=0, announcer=load_rules("juegatu").bonus("mondfang").announcer)
    register_rules(replace(wiener, id="toy", title="Toy", contracts=contracts, bonuses=(*wiener.bonuses, bonus)))
    play = CoveragePlay(load_rules("toy"), 2000)
    play.play(new_streams(1, 2000))
    item = ITEM_IDS["mondfang"]
    caught = play.deals["item_payoffs"][:, item][play.deals["settled"][:, item] == 1]
    assert len(caught) > 20
    assert set(np.unique(np.abs(caught))) <= {3 * 6, 3 * 6 * 3, 3 * 6 * 2, 3 * 6 * 6}
