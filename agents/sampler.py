"""The belief sampler: complete deals that a view allows, uniformly.

`beliefs` says how many unplaced cards lie in each place and which may. A first assignment is found by placing the most
constrained cards first, with exchanges where one gets stuck; then a Markov chain of exchanges between two places, whose
proposals are symmetric, walks to the uniform distribution over all assignments.
"""

from __future__ import annotations

import numpy as np

from agents.beliefs import (
    DISCARDS,
    FOURTH,
    NUM_PLACES,
    TALON,
    allow,
    cards_taken,
    count_places,
    exchanged,
    only_at,
    unplaced_cards,
)  # fmt: skip
from tarock_env.engine.auction import qualified_bids
from tarock_env.engine.bits import KINGS, TAROCKS, ZERO, bit, lowest, nth, size, without_lowest
from tarock_env.engine.chance import new_streams, random_below
from tarock_env.engine.exchange import talon_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import Deals, new_deals

TRIES = 40  # first assignments before a view counts as impossible
MOVES_PER_CARD = 6  # exchanges proposed for each unplaced card
WORLD_TRIES = 32  # samples that may break a rule about whole hands; before the exchange a view then counts as impossible


@kernel
def first_assignment(unplaced, counts, allowed, streams, stream, place_of):
    """Put every unplaced card into a place that may hold it; False where that failed.

    place_of: (54,) int8, overwritten: the place of each unplaced card.
    """
    left = counts.copy()
    cards = unplaced
    while cards:
        card, options = most_constrained(cards, left, allowed, streams, stream)
        cards &= ~bit(card)
        if options == 0:
            if not make_room(card, unplaced & ~cards & ~bit(card), left, allowed, place_of):
                return False
            continue
        pick = random_below(streams, stream, options)
        for place in range(NUM_PLACES):
            if left[place] > 0 and allowed[place] & bit(card):
                if pick < left[place]:
                    place_of[card] = place
                    left[place] -= 1
                    break
                pick -= left[place]
    return True


@kernel
def most_constrained(cards, left, allowed, streams, stream):
    """The card with the fewest free slots in places that may hold it (ties at random), and their number."""
    best, fewest, ties = -1, 1 << 20, 0
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        places, options = 0, 0
        for place in range(NUM_PLACES):
            if left[place] > 0 and allowed[place] & bit(card):
                places += 1
                options += left[place]
        if places < fewest:
            fewest, ties = places, 0
        if places == fewest:
            ties += 1
            if random_below(streams, stream, ties) == 0:
                best = card
    options = 0
    for place in range(NUM_PLACES):
        if left[place] > 0 and allowed[place] & bit(best):
            options += left[place]
    return best, options


@kernel
def make_room(card, placed, left, allowed, place_of):
    """Move one placed card out of the way, directly or through a second one; False where neither helps."""
    for place in range(NUM_PLACES):
        if not allowed[place] & bit(card):
            continue
        movable = placed
        while movable:
            other = lowest(movable)
            movable = without_lowest(movable)
            if place_of[other] == place and move_on(other, place, placed, left, allowed, place_of):
                place_of[card] = place
                return True
    return False


@kernel
def move_on(card, source, placed, left, allowed, place_of):
    """Move a card from `source` to a place with a free slot, or in exchange for a card that can go on to one."""
    for place in range(NUM_PLACES):
        if place != source and left[place] > 0 and allowed[place] & bit(card):
            place_of[card] = place
            left[place] -= 1
            return True
    for place in range(NUM_PLACES):
        if place == source or not allowed[place] & bit(card):
            continue
        movable = placed
        while movable:
            other = lowest(movable)
            movable = without_lowest(movable)
            if place_of[other] != place:
                continue
            for free in range(NUM_PLACES):
                if free != place and left[free] > 0 and allowed[free] & bit(other):
                    place_of[other] = free
                    place_of[card] = place
                    left[free] -= 1
                    return True
    return False


@kernel
def mix(unplaced, allowed, moves, streams, stream, place_of):
    """Propose exchanges of two cards between their places, and of three around; keep those that the places allow."""
    count = size(unplaced)
    if count < 2:
        return
    for _ in range(moves):
        a = nth(unplaced, random_below(streams, stream, count))
        b = nth(unplaced, random_below(streams, stream, count))
        pa, pb = place_of[a], place_of[b]
        if random_below(streams, stream, 4) > 0 or count < 3:
            if pa != pb and allowed[pb] & bit(a) and allowed[pa] & bit(b):
                place_of[a], place_of[b] = pb, pa
            continue
        c = nth(unplaced, random_below(streams, stream, count))
        pc = place_of[c]
        if a != b and b != c and a != c and allowed[pb] & bit(a) and allowed[pc] & bit(b) and allowed[pa] & bit(c):
            place_of[a], place_of[b], place_of[c] = pb, pc, pa


@kernel
def choose_fourth(view, rules, unplaced, allowed, streams, stream):
    """Where the fourth king is called and not known: draw which unplaced king it is; the others are the declarer's."""
    if view.call != FOURTH or view.called >= 0:
        return
    kings = unplaced & KINGS
    if not kings:
        return
    view.called = nth(kings, random_below(streams, stream, size(kings)))
    others = kings & ~bit(view.called)
    while others:
        only_at(allowed, lowest(others), view.declarer)
        others = without_lowest(others)
    if not rules.own_king_callable:
        allowed[view.declarer] &= ~bit(view.called)
    for seat in range(view.num_seats):
        if seat == view.seat or (seat != view.declarer and view.sides_public >> seat & 1 and seat != view.partner):
            allowed[seat] &= ~bit(view.called)


@kernel
def fill_world(world, rules, unplaced, place_of, streams, stream):
    """Write an assignment into a copy of the view: hands, discards, talon, and what follows from them."""
    viewer = world.seat
    hidden_talon = ZERO
    cards = unplaced
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        place = place_of[card]
        if place == TALON:
            hidden_talon |= bit(card)
        elif place < TALON:
            world.hands[place] |= bit(card)
        else:
            world.discards[place - DISCARDS] |= bit(card)
    if world.called >= 0 and world.declarer >= 0:
        for seat in range(world.num_seats):
            if seat != world.declarer and (world.hands[seat] | world.played[seat]) & bit(world.called):
                world.partner = seat
    fill_talon(world, rules, viewer, hidden_talon, streams, stream)
    world.king_in_talon = 0
    if world.called >= 0:
        world.king_in_talon = talon_cards(world) & bit(world.called) != ZERO


@kernel
def fill_talon(world, rules, viewer, hidden, streams, stream):
    """Fill the unseen positions of the talon: with untaken cards in random order, then with cards of those who took the rest."""
    taken = ZERO
    for seat in range(world.num_seats):
        if seat != viewer:
            unknown = cards_taken(world, rules, seat) - size(world.drawn[seat])
            held = (world.hands[seat] | world.discards[seat] | world.played[seat]) & ~world.drawn[seat]
            for _ in range(unknown):
                card = nth(held, random_below(streams, stream, size(held)))
                held &= ~bit(card)
                taken |= bit(card)
                world.drawn[seat] |= bit(card)
    world.talon_taken |= taken
    # In a staged or dealt-out talon the taken cards stand first; elsewhere only one of the two sets is not empty.
    for index in range(6):
        if world.talon[index] < 0:
            source = taken if taken else hidden
            card = nth(source, random_below(streams, stream, size(source)))
            taken &= ~bit(card)
            hidden &= ~bit(card)
            world.talon[index] = card


@kernel
def hands_possible(world, rules):
    """Whether every other seat was dealt a hand that may bid what it bid, and that was not thrown in (docs/rules)."""
    for seat in range(world.num_seats):
        if seat == world.seat:
            continue
        dealt = (world.hands[seat] | world.played[seat] | world.discards[seat]) & ~world.drawn[seat]
        if world.bids[seat] & ~(qualified_bids(rules, dealt) | ~rules.offered):
            return False
        if rules.rings and not world.forced and dealt & TAROCKS == ZERO:
            return False
    return True


@kernel
def sample_world(views, row, rules, worlds, target, streams, stream):
    """worlds[target] = a complete deal that views[row] allows; False where none was found. The acting seat is the viewer."""
    counts = np.zeros(NUM_PLACES, np.int64)
    allowed = np.zeros(NUM_PLACES, np.uint64)
    place_of = np.zeros(54, np.int8)
    for attempt in range(WORLD_TRIES):
        worlds[target] = views[row]
        world = worlds[target]
        unplaced = unplaced_cards(world, rules)
        count_places(world, rules, counts)
        allow(world, rules, allowed)
        choose_fourth(world, rules, unplaced, allowed, streams, stream)
        found = False
        for _ in range(TRIES):
            if first_assignment(unplaced, counts, allowed, streams, stream, place_of):
                found = True
                break
        if not found:
            return False
        mix(unplaced, allowed, MOVES_PER_CARD * size(unplaced), streams, stream, place_of)
        fill_world(world, rules, unplaced, place_of, streams, stream)
        # Once the talon is taken nothing asks what was bid on: there a world is rather taken as it is than none found.
        if hands_possible(world, rules) or (attempt == WORLD_TRIES - 1 and exchanged(world)):
            return True
    return False


@kernel
def _sample_rows(views, row, tables, worlds, streams):
    for target in range(len(worlds)):
        if not sample_world(views, row, tables[views[row].rules_id], worlds, target, streams, 0):
            return target
    return len(worlds)


def sample_worlds(views: Deals, row: int, tables: np.recarray, count: int, seed: int | np.random.SeedSequence) -> Deals:
    """(count,) complete deals that the view `views[row]` allows, independent and uniform.

    Raises ValueError where no deal fits, which only a view that never came from a deal can bring about.
    """
    worlds = new_deals(count)
    found = _sample_rows(views, row, tables, worlds, new_streams(seed, 1))
    if found < count:
        raise ValueError("no deal fits this view: its cards, voids, announcements and bids contradict each other")
    return worlds
