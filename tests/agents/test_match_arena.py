import numpy as np
import pytest

from agents import match_arena
from agents.arena import make_seatings
from agents.match_arena import play_match_pair, play_match_pairs, play_matches
from agents.random_bot import RandomBot
from tarock_env.aec import raw_env
from tarock_env.cards import mask_cards
from tarock_env.engine.chance import deal_cards, new_streams, random_below
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import SIXTHS, new_deals
from tarock_env.match import ring_settlement
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.table import rules_table
from tests.agents.test_arena import FirstLegal

DEALS = 4 if JIT else 2
PAIR = (FirstLegal(), FirstLegal(highest=True))


@pytest.fixture(autouse=True)
def _few_at_once_without_the_jit(monkeypatch):
    if not JIT:
        monkeypatch.setattr(match_arena, "AT_ONCE", 5)


def the_deals(rules, stream, count):
    """Forehand of the first deal, and (hands, talon, redealt) of all, as the stream gives them."""
    deals, tables, streams = new_deals(1), rules_table(rules), np.array([stream], np.uint64)
    forehand = random_below(streams, 0, rules.players)
    dealt = []
    for _ in range(count):
        deal_cards(deals, 0, tables[0], streams, 0, 0)
        deal = deals[0]
        hands = [mask_cards(deal.hands[seat]) for seat in range(rules.players)]
        dealt.append((hands, deal.talon.tolist(), bool(deal.forced)))
    return forehand, dealt


class Dealt(raw_env):
    """The match environment with given cards; all the rest, totals and rings and what they set, is its own."""

    def __init__(self, rules, dealt):
        super().__init__(rules, deals=len(dealt))
        self.cards = iter(dealt)

    def _dealt(self, rng, options, totals=(), rings=()):
        hands, talon, redealt = next(self.cards)
        forced = redealt or options.get("forced", False)
        return super()._dealt(rng, {**options, "hands": hands, "talon": talon, "forced": forced}, totals, rings)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_environment_gives_the_same_totals_and_settlements(system):
    rules = load_rules(system)
    seatings = make_seatings(rules.players)
    streams = new_streams(3, 2)
    totals, settlements = play_matches(PAIR, rules, streams, DEALS, [np.random.default_rng(0)] * 2)
    assert totals.shape == settlements.shape == (2 * len(seatings), rules.players)
    for row in (0, len(seatings) - 1, len(seatings) + 1):
        match, seating = divmod(row, len(seatings))
        forehand, dealt = the_deals(rules, streams[match], DEALS)
        env = Dealt(rules, dealt)
        env.reset(options={"forehand": forehand})
        while not all(env.terminations.values()):
            seat = env.possible_agents.index(env.agent_selection)
            legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
            env.step(int(legal[-1] if seatings[seating, seat] else legal[0]))
        assert totals[row].tolist() == [env.infos[agent]["match_sixths"] for agent in env.possible_agents]
        assert settlements[row].tolist() == ring_settlement(rules, env.rings)


def test_open_rings_are_paid_for_and_totals_set_contracts():
    """All Beggars, which the lowest bids come to, gives everybody a ring; the next bid that is won takes the winner's."""
    rules = load_rules("slovenian4")
    _, settlements = play_matches(PAIR, rules, new_streams(1, 8), 3, [np.random.default_rng(0)] * 2)
    assert settlements.any()
    assert (settlements.sum(axis=1) == 0).all()
    assert (settlements % (100 * SIXTHS) == 0).all()


def test_a_bot_without_chance_scores_exactly_zero_against_itself():
    assert (play_match_pair(FirstLegal(), FirstLegal(), load_rules("slovenian3"), 5, 1, match=3).points == 0).all()


@pytest.mark.skipif(not JIT, reason="hundreds of matches need compiled kernels")
@pytest.mark.parametrize("system", ["slovenian3", "kaerntner"])
def test_fewer_matches_are_the_first_ones_with_chance_too(system):
    rules = load_rules(system)
    points = play_match_pair(RandomBot(), FirstLegal(), rules, 150, 5, match=2).points
    assert len(points) == 150
    np.testing.assert_array_equal(points[:100], play_match_pair(RandomBot(), FirstLegal(), rules, 100, 5, match=2).points)
    np.testing.assert_array_equal(points[:7], play_match_pair(RandomBot(), FirstLegal(), rules, 7, 5, match=2).points)
    assert (points != play_match_pair(RandomBot(), FirstLegal(), rules, 150, 6, match=2).points).any()


def test_the_report_counts_matches():
    reported = []
    rules = load_rules("slovenian4")
    result = play_match_pairs(
        [("first", PAIR[0]), ("last", PAIR[1])], rules, 5, 2, seed=2, report=lambda done, total: reported.append((done, total))
    )
    pair = result["pairs"][0]
    assert result["match"] == 2
    assert (pair["matches"], pair["deals"]) == (5, 10)
    assert pair["low_per_match"] <= pair["points_per_match"] <= pair["high_per_match"]
    for key in ("points", "low", "high"):
        assert pair[f"{key}_per_match"] == pytest.approx(2 * pair["points_per_deal" if key == "points" else key])
    declared = sum(row["deals"] for contracts in result["contracts"].values() for row in contracts.values())
    assert declared == 10 * 8
    assert reported == [(5, 5)]
    with pytest.raises(ValueError, match="a match of 1 deals: it takes at least two"):
        play_match_pairs([("first", PAIR[0]), ("last", PAIR[1])], rules, 5, 1, seed=2)
