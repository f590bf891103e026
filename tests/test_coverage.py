"""Coverage play reaches everything, and every deal that it plays keeps the books in order."""

import numpy as np
import pytest

from tarock_env.coverage import CoveragePlay
from tarock_env.engine.bits import card_groups
from tarock_env.engine.chance import new_streams
from tarock_env.engine.exchange import talon_cards
from tarock_env.engine.jit import JIT
from tarock_env.occurrences import count_deals, expected
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.schema import FewestPoints
from tarock_env.sample import write_sample

ALL_CARDS = np.uint64((1 << 54) - 1)
CHUNK = 4096
FEW = 1000 if JIT else 50


def chunks(play, seed, num_deals):
    streams = new_streams(seed, num_deals)
    for start in range(0, num_deals, CHUNK):
        yield play.deals[: play.play(streams[start : start + CHUNK])]


def everything_once(*sets):
    """Whether the card sets of each deal are disjoint and together the deck. sets: (B,) or (B, n) uint64."""
    columns = np.concatenate([part.reshape(len(part), -1) for part in sets], axis=1)
    # Disjoint sets add up to what they are together.
    return (columns.sum(axis=1, dtype=np.uint64) == ALL_CARDS) & (np.bitwise_or.reduce(columns, axis=1) == ALL_CARDS)


def check_cards(deals):
    """Every card is in exactly one place: in a hand, won in a trick, discarded, or left in the talon."""
    talon = np.array([talon_cards(deal) for deal in deals], np.uint64)
    assert everything_once(deals["dealt"], talon).all()
    placed = deals["hands"] | deals["won"] | deals["discards"]
    in_trick = np.zeros(len(deals), np.uint64)
    for index in range(4):
        card = deals["trick"][:, index]
        in_trick |= np.where(card >= 0, np.uint64(1) << np.maximum(card, 0).astype(np.uint64), np.uint64(0))
    left = ALL_CARDS & ~(np.bitwise_or.reduce(placed, axis=1) | in_trick)
    assert everything_once(deals["hands"], deals["won"], deals["discards"], left, in_trick).all()
    assert (left & ~talon == 0).all()


def check_payments(deals, rules):
    """Payments add up to nothing, items add up to payments, and only seats that exist are paid."""
    payoffs = deals["payoffs"].astype(np.int64)
    melds = deals["meld_units"].any(axis=(1, 2))
    assert (deals["item_payoffs"].sum(axis=1)[~melds] == deals["payoffs"][~melds]).all()
    own_points = rules.all_against_all.scheme == FewestPoints.OWN_POINTS
    alone = deals["declarer"] < 0
    zero_sum = payoffs.sum(axis=1) == 0
    assert zero_sum[~(alone & own_points)].all()
    if rules.players == 3:
        assert (deals["payoffs"][:, 3] == 0).all()


def check_points(deals):
    """The two piles of a deal count 70 points in groups, whoever has the cards (rules.md 1.2)."""
    for deal in deals[:200]:
        pile = deal.won[0] | deal.won[1] | deal.discards[0] | deal.discards[1]
        assert card_groups(pile) + card_groups(ALL_CARDS & ~pile) == 70


def check_ends(deals, rules):
    """A finished deal has no actor, no legal action, and as many tricks as were played."""
    assert (deals["seat"] == -1).all()
    assert (deals["legal"] == 0).all()
    assert (deals["tricks_won"].sum(axis=1) == deals["trick_number"]).all()
    assert (deals["trick_number"] <= rules.hand_size).all()


def survey(system, num_deals, seed=1):
    """Play, check every deal, and count what occurred."""
    rules = load_rules(system)
    play = CoveragePlay(rules, min(CHUNK, num_deals))
    counts = dict.fromkeys(expected(rules), 0)
    for deals in chunks(play, seed, num_deals):
        check_cards(deals)
        check_payments(deals, rules)
        check_points(deals)
        check_ends(deals, rules)
        count_deals(deals, rules, counts)
    return counts


def too_rare(counts, contracts, others):
    """What occurred too seldom, contracts counted as played; an announcement must be made and lost so often."""
    return {name: count for name, count in counts.items() if count < (contracts if name.startswith("contract ") else others)}


NEEDS_JIT = pytest.mark.skipif(not JIT, reason="rare things need thousands of deals, and those need compiled kernels")


@NEEDS_JIT
@pytest.mark.parametrize("system", SYSTEMS)
def test_five_thousand_deals_show_everything(system):
    assert too_rare(survey(system, 5000), contracts=50, others=20) == {}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_keeps_its_books(system):
    counts = survey(system, FEW)
    assert not JIT or all(counts[name] > 0 for name in counts if name.startswith("contract "))


@pytest.mark.full
@NEEDS_JIT
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_hundred_thousand_deals_show_everything(system, capsys):
    counts = survey(system, 100_000, seed=7)
    with capsys.disabled():
        print(f"\n{system}, 100,000 coverage deals:")
        for name, count in counts.items():
            print(f"  {name:<40}{count:>8}")
    assert too_rare(counts, contracts=1000, others=300) == {}


@NEEDS_JIT
@pytest.mark.parametrize(
    ("system", "option", "value", "events"),
    [
        ("slovenian4", "kontra", True, ["game subkontra", "pagat kontra", "valat rekontra"]),
        ("wiener", "silent_bird_loss", True, ["silent pagat beaten", "silent quapil beaten"]),
        ("tiroler", "emperor_trick", True, ["emperor trick"]),
        ("steirisch", "forehand_may_hold", True, ["bid held"]),
        ("slovenian3", "solo_without", True, ["contract solo_without", "solo_without won"]),
    ],
)
def test_an_option_brings_its_events(system, option, value, events):
    rules = load_rules(system, {option: value})
    without = expected(load_rules(system))
    play = CoveragePlay(rules, 2000)
    counts = dict.fromkeys(expected(rules), 0)
    for deals in chunks(play, 1, 2000):
        count_deals(deals, rules, counts)
    for event in events:
        assert event not in without
        assert counts[event] >= 4


def test_deal_k_of_a_seed_is_always_the_same_deal(tmp_path):
    rules = load_rules("juegatu")
    write_sample(tmp_path / "a", rules, 30, seed=3, legal=True)
    write_sample(tmp_path / "b", rules, 1300 if JIT else 40, seed=3, legal=True)
    first, second = ((tmp_path / name).read_text().splitlines() for name in "ab")
    assert first == second[:30]
    write_sample(tmp_path / "c", rules, 30, seed=4, legal=True)
    assert not set(first) & set((tmp_path / "c").read_text().splitlines())
