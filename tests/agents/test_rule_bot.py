import numpy as np
import pytest

from agents.arena import play_pair
from agents.audit import audit, audit_text, forced_contracts
from agents.base import load_bot
from agents.intervals import bootstrap_mean
from agents.random_bot import RandomBot
from agents.rule_bot import RuleBot
from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import PHASES
from tarock_env.engine.view import make_views
from tarock_env.rules import load_rules
from tarock_env.rules.schema import Goal

SYSTEMS = ("juegatu", "oberoesterreichisch", "steirisch", "kaerntner", "wiener", "tiroler")
MAIN = SYSTEMS[:2]
RNG = np.random.default_rng(0)
thousands = pytest.mark.skipif(not JIT, reason="strength shows in thousands of deals, and those need compiled kernels")


def play_out(batch, bot, look=None):
    """Play all deals; `look(acting rows, views)` sees every round. DealBatch.step raises on an illegal action."""
    actions = np.zeros(batch.num_deals, np.int64)
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        views = make_views(batch.deals, batch.tables, acting)
        if look:
            look(acting, views)
        actions[acting] = bot.act(views, batch.tables, RNG)
        batch.step(actions)


def test_the_registry_knows_it():
    assert load_bot("rule").name == "rule"


@pytest.mark.parametrize("forced", [0.0, 1.0])
def test_plays_legal_actions_in_every_phase_of_every_system(forced):
    batch = DealBatch(1500 if JIT else 60, [load_rules(system) for system in SYSTEMS], seed=5)
    batch.force_contracts(forced)
    batch.reset()
    met = set()
    play_out(batch, RuleBot(), lambda rows, views: met.update(np.unique(views["phase"]).tolist()))
    names = {PHASES[phase] for phase in met}
    assert {"talon", "discard", "announce", "play"} <= names
    if JIT:
        assert {"call", "choose_beat"} <= names
        assert not forced or "name_bird" in names


@pytest.mark.parametrize("system", MAIN)
def test_opponents_that_play_anything_do_not_upset_it(system):
    play_pair(RuleBot(), RandomBot(), load_rules(system), 200 if JIT else 5, seed=3)


def test_the_same_view_gets_the_same_action_whatever_its_neighbours():
    batch = DealBatch(300 if JIT else 12, [load_rules(system) for system in SYSTEMS], seed=8)
    bot = RuleBot()

    def look(rows, views):
        order = RNG.permutation(len(views))
        actions = bot.act(views, batch.tables, RNG)
        np.testing.assert_array_equal(actions[order], RuleBot().act(views[order].view(np.recarray), batch.tables, RNG))

    play_out(batch, bot, look)


@pytest.fixture(scope="module", params=MAIN)
def audited(request):
    if not JIT:
        pytest.skip("an audit takes thousands of deals, and those need compiled kernels")
    return audit(RuleBot(), load_rules(request.param), 6000, seed=4)


def test_loses_no_mond_to_the_skues_and_does_not_overtrump_its_partner(audited):
    for name in ("mond", "mond_seen", "overtrump"):
        assert audited["mistakes"][name]["opportunities"] > 100, name
        assert audited["mistakes"][name]["count"] == 0, name


def test_gives_nothing_away(audited):
    assert audited["mistakes"]["feed"]["rate"] < 0.02
    assert audited["mistakes"]["pagat"]["rate"] < 0.1
    assert audited["mistakes"]["smear"]["rate"] < 0.25


def test_wins_most_of_the_games_that_it_bids(audited):
    rows = [row for row in audited["contracts"].values() if row["won"] is not None]
    assert sum(row["won"] * row["deals"] for row in rows) / sum(row["deals"] for row in rows) > 0.55
    for name, row in audited["contracts"].items():
        if row["won"] is not None:  # no game is lost more often than won, at the 99% level
            assert row["won"] + 2.58 * np.sqrt(0.25 / row["deals"]) > 0.5, name


def test_bids_many_contracts(audited):
    often = [name for name, row in audited["contracts"].items() if row["share"] > 0.01]
    assert len(often) >= 6, often


@pytest.mark.parametrize(
    ("system", "names"),
    [
        ("juegatu", "rufer trischaken sechserdreier"),
        ("wiener", "rufer trischaken sechserdreier"),
        ("slovenian4", "all_beggars call_three"),
        ("slovenian3", "all_beggars"),
        ("czech19", "first_duty warsaw"),
    ],
)
def test_what_forehand_falls_back_on_shows_no_will_to_play(system, names):
    assert forced_contracts(load_rules(system)) == set(names.split())


def test_the_audit_prints_every_contract_and_how_many_deals_are_above_the_fallbacks(audited):
    text = audit_text(audited)
    fallbacks = forced_contracts(load_rules(audited["rules"]))
    above = sum(row["deals"] for name, row in audited["contracts"].items() if name not in fallbacks) / audited["deals"]
    assert 0 < above < 1
    assert audited["above_forced"] == pytest.approx(above)
    assert f"{above:.1%} of the deals above" in text
    for name in audited["contracts"]:
        assert name in text


@thousands
def test_the_audit_finds_the_mistakes_of_a_bot_that_makes_them():
    mistakes = audit(RandomBot(), load_rules("juegatu"), 800, seed=4)["mistakes"]
    assert mistakes["overtrump"]["rate"] > 0.2
    assert mistakes["mond_seen"]["count"] > 0
    assert mistakes["feed"]["rate"] > 0.3


@thousands
@pytest.mark.parametrize("system", MAIN)
def test_beats_random_by_a_wide_margin(system):
    result = play_pair(RuleBot(), RandomBot(), load_rules(system), 400, seed=6)
    _, low, _ = bootstrap_mean(result.points, 6)
    assert low > 10


FORCED_DEALS = 24_000  # some hundred of the rarest contract: a Trischaken swings by several units a deal


@thousands
@pytest.mark.parametrize("system", MAIN)
def test_beats_random_in_every_contract(system):
    """The same deals with the contract forced: a declarer does better with the rule bot's play, and so do the defenders."""
    rules = load_rules(system)
    start = DealBatch(FORCED_DEALS, rules, seed=11)
    start.force_contracts(1.0)
    start.reset()
    results = {}
    for declaring in ("rule", "random"):
        for defending in ("rule", "random"):
            batch = DealBatch(FORCED_DEALS, rules, seed=11)
            batch.deals[:] = start.deals
            play_seats(batch, {"declarer": load_bot(declaring), "others": load_bot(defending)})
            results[declaring, defending] = batch.deals.copy()
    contracts = start.deals["contract"]
    declarers = np.where(start.deals["declarer"] >= 0, start.deals["declarer"], start.deals["forehand"])
    rows = np.arange(len(contracts))
    for contract in np.unique(contracts):
        chosen = contracts == contract
        if chosen.sum() < 60:
            continue

        def gain(better, worse, chosen=chosen):
            return np.mean([(results[k]["payoffs"][rows, declarers] * s)[chosen].mean() for k, s in ((better, 1), (worse, -1))])

        assert gain(("rule", "rule"), ("random", "rule")) > 0, contract
        if start.tables[0].goal[contract] != Goal.FEWEST_POINTS:
            assert gain(("rule", "random"), ("rule", "rule")) > 0, contract


def play_seats(batch, bots):
    actions = np.zeros(batch.num_deals, np.int64)
    rng = np.random.default_rng(1)
    while not batch.finished.all():
        acting = np.flatnonzero(~batch.finished)
        deals = batch.deals[acting]
        declares = deals["seat"] == np.where(deals["declarer"] >= 0, deals["declarer"], deals["forehand"])
        for name, rows in (("declarer", acting[declares]), ("others", acting[~declares])):
            if len(rows):
                actions[rows] = bots[name].act(make_views(batch.deals, batch.tables, rows), batch.tables, rng)
        batch.step(actions)
