"""The rule bot in the systems that count points over half: Slovenian Tarok for four and three, Neunzehnerrufen."""

import numpy as np
import pytest

from agents.arena import count_contracts, play_pair
from agents.intervals import bootstrap_mean
from agents.random_bot import RandomBot
from agents.rule_bot import RuleBot
from tarock_env.actions import CONTRACT_IDS, CONTRACTS, EXPOSE, MELD, RETURN, TAKE
from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import ANNOUNCE, PHASES, PLAY, SIXTHS, STAGED
from tarock_env.engine.step import update_legal
from tarock_env.engine.view import make_views
from tarock_env.rules import load_rules
from tests.agents.test_rule_bot import RNG, play_out, thousands

SYSTEMS = ("slovenian4", "slovenian3", "czech19")
RANDOM_MARGIN = {"slovenian4": 20, "slovenian3": 20, "czech19": 5}  # points a deal, far below what it wins by


@pytest.mark.parametrize("forced", [0.0, 1.0])
def test_plays_legal_actions_in_every_phase(forced):
    batch = DealBatch(3000 if JIT else 60, [load_rules(system) for system in SYSTEMS], seed=5)
    batch.force_contracts(forced)
    batch.reset()
    met = set()
    play_out(batch, RuleBot(), lambda rows, views: met.update(np.unique(views["phase"]).tolist()))
    names = {PHASES[phase] for phase in met}
    assert {"discard", "announce", "kontra", "play"} <= names
    if JIT:
        assert {"call", "talon", "staged", "raise"} <= names
        assert forced or {"auction", "warsaw"} <= names


@pytest.mark.parametrize("system", SYSTEMS)
def test_plays_legal_actions_under_every_option(system):
    for option in load_rules(system).options:
        for value in option.values[1:]:
            batch = DealBatch(120 if JIT else 6, load_rules(system, {option.name: value}), seed=6)
            batch.force_contracts(0.5)
            batch.reset()
            play_out(batch, RuleBot())


@pytest.mark.parametrize("system", SYSTEMS)
def test_opponents_that_play_anything_do_not_upset_it(system):
    play_pair(RuleBot(), RandomBot(), load_rules(system), 150 if JIT else 5, seed=3)


@thousands
@pytest.mark.parametrize("system", SYSTEMS)
def test_beats_random_by_a_wide_margin(system):
    result = play_pair(RuleBot(), RandomBot(), load_rules(system), 400, seed=6)
    _, low, _ = bootstrap_mean(result.points, 6)
    assert low > RANDOM_MARGIN[system]


@pytest.fixture(scope="module", params=SYSTEMS)
def own_game(request):
    """4000 deals among rule bots, and what each contract did."""
    if not JIT:
        pytest.skip("shares of contracts take thousands of deals, and those need compiled kernels")
    batch = DealBatch(4000, load_rules(request.param), seed=4)
    play_out(batch, RuleBot())
    contracts = ({}, {})
    count_contracts(contracts, batch.deals, np.zeros((batch.num_deals, 4), np.int8))
    return request.param, batch, {CONTRACTS[contract]: count for contract, count in contracts[0].items()}


def test_wins_most_of_the_games_that_it_bids(own_game):
    _, _, counts = own_game
    decided = [count for count in counts.values() if count.decided]
    assert sum(count.made for count in decided) / sum(count.decided for count in decided) > 0.55
    for name, count in counts.items():
        if count.decided >= 100:
            assert count.made / count.decided > 0.45, name


def test_bids_many_contracts_and_none_too_often(own_game):
    system, batch, counts = own_game
    shares = {name: count.deals / batch.num_deals for name, count in counts.items()}
    assert max(shares.values()) < 0.8, shares
    assert len([name for name, share in shares.items() if share > 0.01]) >= 4, shares
    for name in ("slam_without", "colour_slam_without", "colour_slam"):
        assert shares.get(name, 0.0) < 0.01, (system, shares)


def test_melds_whatever_pays():
    batch = DealBatch(600 if JIT else 40, load_rules("czech19"), seed=12)
    bot, meldable = RuleBot(), 0

    def look(rows, views):
        nonlocal meldable
        announcing = views[views["phase"] == ANNOUNCE].view(np.recarray)
        if not len(announcing):
            return
        melds = announcing["legal"][:, 3] >> np.uint64(MELD - 192) & np.uint64(15)
        actions = bot.act(announcing, batch.tables, RNG)
        assert (actions[melds != 0] >= MELD).all()
        meldable += int((melds != 0).sum())

    play_out(batch, bot, look)
    assert meldable > (100 if JIT else 3)


@thousands
def test_looks_on_in_a_dreier_and_takes_all_three_ways():
    batch = DealBatch(3000, load_rules("czech19"), seed=13)
    batch.force_contracts(1.0)
    batch.reset()
    met = set()
    bot = RuleBot()

    def look(rows, views):
        staged = views[views["phase"] == STAGED].view(np.recarray)
        if len(staged):
            met.update(bot.act(staged, batch.tables, RNG).tolist())

    play_out(batch, bot, look)
    assert met == {TAKE, EXPOSE, RETURN}


@thousands
@pytest.mark.parametrize(("system", "contract"), [("slovenian4", "all_beggars"), ("slovenian3", "all_beggars"), ("czech19", "warsaw")])
def test_all_against_all_costs_it_less_than_those_who_play_anything(system, contract):
    rules = load_rules(system)
    start = DealBatch(1500, rules, seed=21)
    for row in range(start.num_deals):
        deal = start.deals[row]
        deal.contract, deal.declarer, deal.phase = CONTRACT_IDS[contract], -1, PLAY
        deal.sides_public, deal.leader, deal.seat = (1 << rules.players) - 1, deal.forehand, deal.forehand
        update_legal(deal, start.tables[0])
    gains = []
    for seat in range(rules.players):
        batch = DealBatch(1500, rules, seed=21)
        batch.deals[:] = start.deals
        play_with_one(batch, seat)
        payoffs = batch.payoffs[:, : rules.players]
        gains.append((payoffs[:, seat] - payoffs.mean(axis=1)) / SIXTHS)
    by_deal = np.mean(gains, axis=0)
    assert by_deal.mean() - 2.58 * by_deal.std() / np.sqrt(len(by_deal)) > 0, by_deal.mean()  # the whole 99% interval


def play_with_one(batch, seat):
    """Rule bot in one seat, random players in the others."""
    actions = np.zeros(batch.num_deals, np.int64)
    rng = np.random.default_rng(1)
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        mine = batch.seats[acting] == seat
        for bot, rows in ((RuleBot(), acting[mine]), (RandomBot(), acting[~mine])):
            if len(rows):
                actions[rows] = bot.act(make_views(batch.deals, batch.tables, rows), batch.tables, rng)
        batch.step(actions)
