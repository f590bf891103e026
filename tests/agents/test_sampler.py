"""The belief sampler: the true deal is always possible, every world looks the same to its seat, and worlds are uniform."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from agents.beliefs import DISCARDS, NUM_PLACES, TALON, allow, count_places, unplaced_cards
from agents.sampler import sample_worlds
from agents.views import observe_views
from tarock_env.actions import CONTRACT_IDS
from tarock_env.batch import DealBatch
from tarock_env.cards import CARD_NAMES, mask_cards
from tarock_env.engine.bits import size
from tarock_env.engine.exchange import talon_cards
from tarock_env.engine.jit import JIT
from tarock_env.engine.lockstep import step_rows
from tarock_env.engine.state import AUCTION, DONE, PLAY, Deals
from tarock_env.engine.view import make_views
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.schema import ANY_BIRD, Calls
from tests.agents.test_solver import endgames

SEEN = ("hands", "played", "talon", "called", "partner", "discards", "legal", "drawn", "talon_taken", "king_in_talon")


def places(view: np.record, rules: np.record) -> tuple[int, np.ndarray, np.ndarray]:
    counts, allowed = np.zeros(NUM_PLACES, np.int64), np.zeros(NUM_PLACES, np.uint64)
    count_places(view, rules, counts)
    allow(view, rules, allowed)
    return unplaced_cards(view, rules), counts, allowed


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_truth_is_possible_and_worlds_look_alike(system: str) -> None:
    batch = DealBatch(60, load_rules(system), seed=3)
    batch.force_contracts(0.7)
    batch.reset()
    checked = 0
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)[::5]
        views = make_views(batch.deals, batch.tables, rows)
        for index, row in enumerate(rows):
            deal = batch.deals[row]
            unplaced, counts, allowed = places(views[index], batch.tables[0])
            assert counts.min() >= 0
            assert counts.sum() == size(unplaced)
            for seat in range(deal.num_seats):
                if seat != deal.seat:
                    assert deal.hands[seat] & unplaced & ~allowed[seat] == 0
                    assert deal.discards[seat] & unplaced & ~allowed[DISCARDS + seat] == 0
            assert talon_cards(deal) & ~deal.talon_taken & unplaced & ~allowed[TALON] == 0
            worlds = sample_worlds(views, index, batch.tables, 2, seed=checked)
            again = make_views(worlds, batch.tables)
            for name in SEEN:
                assert (again[name] == views[index : index + 1][name]).all(), name
            checked += 1
        batch.step(batch.random_actions())
    assert checked > 50


def enumerate_worlds(unplaced: int, counts: np.ndarray, allowed: np.ndarray) -> set[tuple[int, ...]]:
    """Every assignment of the unplaced cards to places, as one set of cards a place."""
    found: set[tuple[int, ...]] = set()

    def fill(place: int, left: int, chosen: tuple[int, ...]) -> None:
        if place == NUM_PLACES:
            found.add(chosen)
            return
        for cards in combinations(mask_cards(left & int(allowed[place])), int(counts[place])):
            taken = sum(1 << card for card in cards)
            fill(place + 1, left & ~taken, (*chosen, taken))

    fill(0, int(unplaced), ())
    return found


def test_worlds_are_uniform_over_all_that_fit() -> None:
    """Chi-square against full enumeration, in late positions where that is small."""
    batch = endgames("steirisch", tricks_left=2, count=400, seed=4)
    rows = np.flatnonzero((batch.deals.phase == PLAY) & (batch.deals.call != 4))
    views = make_views(batch.deals, batch.tables, rows)
    samples, tested = 600, 0
    for index in range(len(rows)):
        unplaced, counts, allowed = places(views[index], batch.tables[0])
        if counts[TALON] or not 4 <= size(unplaced) <= 9:
            continue
        possible = enumerate_worlds(int(unplaced), counts, allowed)
        if not 3 <= len(possible) <= 60:
            continue
        seen = dict.fromkeys(possible, 0)
        for world in sample_worlds(views, index, batch.tables, samples, seed=index):
            key = [int(world.hands[seat]) & int(unplaced) for seat in range(4)] + [0]
            key += [int(world.discards[seat]) & int(unplaced) for seat in range(4)]
            seen[tuple(key)] += 1
        expected = samples / len(possible)
        chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
        freedom = len(possible) - 1
        assert chi_square < freedom + 5 * np.sqrt(2 * freedom) + 10, (index, seen)
        tested += 1
        if tested == 12:
            break
    assert tested >= 5


def test_same_seed_same_worlds() -> None:
    batch = DealBatch(1, load_rules("juegatu"), seed=9)
    views = make_views(batch.deals, batch.tables)
    first, second, other = (sample_worlds(views, 0, batch.tables, 4, seed=seed).hands for seed in (5, 5, 6))
    assert (first == second).all()
    assert (first != other).any()


def dealt_hands(worlds: Deals) -> list[list[set[int]]]:
    """Of each world and seat the cards that it was dealt, as far as no talon has been taken."""
    return [[set(mask_cards(int(hand))) for hand in world.hands[: world.num_seats]] for world in worlds]


@pytest.mark.parametrize("system", SYSTEMS)
def test_hands_of_an_auction_allow_what_was_bid_and_can_be_played_on(system: str) -> None:
    """The highest bidder's too: a bird for whoever bid on one, no four kings behind a called king."""
    rules = load_rules(system)
    count = 300 if JIT else 3
    batch = DealBatch(count, rules, seed=6)
    worlds, bids_seen = [], 0
    for _ in range(8):
        rows = np.flatnonzero((batch.deals.phase == AUCTION) & (batch.deals.bids > 0).any(axis=1))
        views = make_views(batch.deals, batch.tables, rows)
        worlds += [sample_worlds(views, index, batch.tables, 6, seed=index) for index in range(len(rows))]
        batch.step(batch.random_actions())
    together = np.concatenate(worlds).view(np.recarray)
    for world, hands in zip(together, dealt_hands(together), strict=True):
        for seat, hand in enumerate(hands):
            names = {CARD_NAMES[card] for card in hand}
            assert not rules.rings or world.forced or any(name[0] == "T" for name in names)
            for contract in rules.contracts:
                if world.bids[seat] >> CONTRACT_IDS[contract.name] & 1:
                    bids_seen += 1
                    if contract.bird == ANY_BIRD:
                        assert names & {"T1", "T2", "T3", "T4"}
                    if contract.calls == Calls.KING and not rules.own_king_callable:
                        queens = {"HQ", "DQ", "SQ", "CQ"} if rules.queens_with_four_kings else set()
                        assert not names >= {"HK", "DK", "SK", "CK"} | queens
    assert bids_seen > count
    rng = np.random.default_rng(1)
    for _ in range(200):
        going = np.flatnonzero(together.phase != DONE)
        if not len(going):
            break
        deals = together[going].view(np.recarray)
        _, mask = observe_views(deals, batch.tables)
        assert mask.any(axis=1).all()
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        step_rows(deals, batch.tables, actions, 0, len(deals), True)
        together[going] = deals
    assert (together.phase == DONE).all()
