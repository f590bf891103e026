"""Nothing that a seat cannot know reaches it: neither its observation, nor its legal actions, nor its view.

At every decision of coverage deals, for the acting seat and for one of the others, hidden cards are moved (tests/hidden_cards.py).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tarock_env.batch import observe_rows
from tarock_env.cards import card_mask
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.bits import lowest
from tarock_env.engine.chance import new_streams
from tarock_env.engine.jit import JIT, kernel
from tarock_env.engine.state import DEAL, PLAY, new_deals
from tarock_env.engine.view import blank_hidden, make_view, make_views
from tarock_env.observation import OBSERVATION_SIZE, SLICES
from tarock_env.replay import known_sides, record_of, replay, view_of
from tarock_env.rules import SYSTEMS, load_rules
from tests.hidden_cards import RECALLED, REDISCARDED, RELABELLED, move_hidden, restart, step_all

DEALS, FULL_DEALS, CHUNK = 400 if JIT else 4, 20_000, 400


def encode(deals, tables):
    """(B, F) observation rows and (B, A) masks of the acting seats."""
    rows, mask = np.zeros((len(deals), OBSERVATION_SIZE), np.uint8), np.zeros((len(deals), 256), bool)
    observe_rows(deals, tables, rows, mask, 0, len(deals))
    return rows, mask


@kernel
def blank_for(deals, tables, viewers):
    for row in range(len(deals)):
        if deals[row].seat >= 0:
            blank_hidden(deals[row], tables[deals[row].rules_id], viewers[row])


def views_for(deals, tables, viewers):
    """What each deal's viewer knows."""
    views = deals.copy()
    blank_for(views, tables, viewers)
    return views


def differing(left, right):
    """Names of the fields in which records differ."""
    return [name for name in DEAL.names if not np.array_equal(left[name], right[name])]


def check_decision(rules, deals, tables, streams, number, seen):
    """One decision of every deal. Returns what differs for the acting seats and for a random other seat's view."""
    names = np.zeros(54, np.int64)
    kinds = np.zeros(len(deals), np.int64)
    acting = deals["seat"].astype(np.int64)
    moved = deals.copy()
    move_hidden(moved, tables, acting, kinds, streams, names)
    for kind in (RELABELLED, REDISCARDED, RECALLED):
        seen[kind] += int((kinds & kind > 0).sum())
    found = []
    rows, mask = encode(deals, tables)
    moved_rows, moved_mask = encode(moved, tables)
    for name, place in SLICES.items():
        if not np.array_equal(rows[:, place], moved_rows[:, place]):
            found.append(f"observation {name}")
    if not np.array_equal(mask, moved_mask):
        found.append("legal actions")
    views = make_views(deals, tables)
    found += [f"view {name}" for name in differing(views, make_views(moved, tables))]
    view_rows, view_mask = encode(views, tables)
    if not (np.array_equal(view_rows, rows) and np.array_equal(view_mask, mask)):
        found.append("observation of a view")
    others = np.where(acting >= 0, (acting + 1 + streams.astype(np.int64) % (deals["num_seats"] - 1)) % deals["num_seats"], -1)
    moved = deals.copy()
    move_hidden(moved, tables, others, kinds, streams, names)
    found += [f"view of another seat {name}" for name in differing(views_for(deals, tables, others), views_for(moved, tables, others))]
    for row in np.flatnonzero(acting >= 0)[number % 97 :: 97]:
        if known_sides(deals[row], rules, others[row]) != known_sides(moved[row], rules, others[row]):
            found.append("known sides")
    seen["decisions"] += int((acting >= 0).sum())
    seen["decisions in play"] += int((deals["phase"] == PLAY).sum())
    return found


def check_deals(system, count, seed):
    """Coverage deals, decision by decision; returns what was found and counts of what was moved."""
    rules = load_rules(system)
    play = CoveragePlay(rules, min(count, CHUNK))
    all_streams = new_streams(seed, count)
    seen: Counter = Counter()
    found: set[str] = set()
    for start in range(0, count, CHUNK):
        streams = all_streams[start : start + CHUNK]
        done = play.play(streams)
        deals = new_deals(done)
        restart(play.deals[:done], play.tables, play.rings[:done], deals)
        for number in range(int(play.counts[:done].max())):
            found.update(check_decision(rules, deals, play.tables, streams, number, seen))
            step_all(deals, play.tables, play.actions[:done, number])
        assert (deals["phase"] == play.deals[:done]["phase"]).all()
    return found, seen


@pytest.mark.parametrize("system", SYSTEMS)
def test_hidden_cards_change_nothing_that_a_seat_sees(system):
    found, seen = check_deals(system, DEALS, seed=1)
    assert found == set()
    assert seen["decisions"] > 20 * DEALS
    assert seen[RELABELLED] > 0.8 * seen["decisions"]
    assert not JIT or seen[REDISCARDED] > 1000
    assert not JIT or seen[RECALLED] > 100 or not any(contract.calls for contract in load_rules(system).contracts)


@pytest.mark.full
@pytest.mark.parametrize("system", SYSTEMS)
def test_hidden_cards_change_nothing_in_many_deals(system):
    found, _ = check_deals(system, FULL_DEALS, seed=2)
    assert found == set()


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_view_of_a_record_shows_what_the_view_of_the_deal_shows(system):
    """Talon cards and discards of a record's view, at every few decisions, for every seat."""
    rules = load_rules(system)
    play = CoveragePlay(rules, 12)
    play.play(new_streams(4, 12))
    compared = 0
    for row, final in enumerate(play.deals):
        moves = list(zip(play.seats[row].tolist(), play.actions[row].tolist(), strict=True))[: play.counts[row]]
        whole = replace(record_of(final, rules, moves), rings=tuple(play.rings[row, : rules.players].tolist()), result=None)
        for length in range(0, len(moves), 5):
            record = replace(whole, actions=whole.actions[:length])
            single = replay(record)
            for viewer in range(rules.players):
                view, text = make_view(single.deals, single.tables, 0, viewer)[0], view_of(record, viewer)
                assert [-1 if card is None else card for card in text.talon] == view.talon.tolist()
                assert [hand is not None for hand in text.hands] == [seat == viewer for seat in range(rules.players)]
                for seat in range(rules.players):
                    laid = [name for who, name in text.actions if who == seat and name.startswith("discard:") and name != "discard:?"]
                    assert card_mask(name.removeprefix("discard:") for name in laid) == view.discards[seat]
                compared += 1
    assert compared > 100


@kernel
def leak_a_card(deals, rows, start):
    """A deliberate fault: the lowest card of the next seat's hand in the observation."""
    for row in range(len(deals)):
        deal = deals[row]
        if deal.seat >= 0:
            hand = deal.hands[(deal.seat + 1) % deal.num_seats]
            if hand:
                rows[row, start] = lowest(hand)


@pytest.mark.parametrize(
    ("leak", "what"),
    [
        ("card", "observation reserved"),
        ("partner", "view partner"),
        ("discards", "view discards"),
        ("talon", "view talon"),
        ("legal", "legal actions"),
    ],
)
def test_a_deliberate_leak_is_found(leak, what, monkeypatch):
    """The check fails where something hidden does reach the seat."""
    honest_encode, honest_views = encode, make_views

    def leaky_encode(deals, tables):
        rows, mask = honest_encode(deals, tables)
        if leak == "card":
            leak_a_card(deals, rows, SLICES["reserved"].start)
        if leak == "legal":
            mask[:, 0] ^= deals["hands"].sum(axis=1) % 3 == 0
        return rows, mask

    def leaky_views(deals, tables):
        views = honest_views(deals, tables)
        if leak in ("partner", "discards", "talon"):
            views[leak] = deals[leak]
        return views

    monkeypatch.setattr("tests.test_no_leak.encode", leaky_encode)
    monkeypatch.setattr("tests.test_no_leak.make_views", leaky_views)
    found, _ = check_deals("juegatu", 60, seed=3)
    assert what in found
    assert what.startswith("view") or {name for name in found if name.startswith("view")} == set()
