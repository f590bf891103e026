"""What a view says about the cards that its seat cannot place: how many lie where, and which cards may lie where.

The places are the hands of the four seats, the untouched talon, and the hidden discards of the four seats. Every rule here is
exact: it follows from a legal course of the auction, the exchange, the announcements and the play (rules text 1.4, 1.7, 1.8, 3).
"""

from __future__ import annotations

import numpy as np

from tarock_env.actions import CALLS, ITEM_IDS
from tarock_env.engine.bits import (
    ALL_CARDS,
    KINGS,
    SUIT_CARDS,
    SUIT_MASKS,
    T1,
    T21,
    T22,
    TAROCKS,
    TRULL,
    ZERO,
    bit,
    lowest,
    size,
    suit_of,
)  # fmt: skip
from tarock_env.engine.exchange import restricted_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import beating_cards, must_beat
from tarock_env.engine.seats import next_seat, seat_after, with_declarer
from tarock_env.engine.state import ANNOUNCE, DISCARD, KONTRA, PLAY, RAISE
from tarock_env.engine.view import hand_visible, talon_known
from tarock_env.rules.schema import Announcer, Calls, Goal, Play, Talon

TALON = 4  # place: the talon cards that nobody took; 0..3 are the hands of the seats
DISCARDS = 5  # places 5..8: hidden discards of seats 0..3
NUM_PLACES = 9
FOURTH = CALLS.index("fourth")
FIRST_QUEEN, XIX_CALL, XIX = CALLS.index("HQ"), CALLS.index("T19"), 18
PAGAT_ITEM, ULTIMO_ITEM = ITEM_IDS["pagat"], ITEM_IDS["king_ultimo"]
HOLDER = int(Announcer.HOLDER)
CALLS_TAROCK = int(Calls.TAROCK)
FEWEST_POINTS = int(Goal.FEWEST_POINTS)
COLOUR, NEGATIVE = int(Play.COLOUR), int(Play.NEGATIVE)
UNUSED, ALL_OPEN, ALL_HIDDEN, DUTY, STAGED = (
    int(Talon.UNUSED), int(Talon.ALL_OPEN), int(Talon.ALL_HIDDEN), int(Talon.DUTY), int(Talon.STAGED),
)  # fmt: skip


@kernel
def exchanged(view):
    """Whether the talon cards have been taken."""
    return view.phase == DISCARD or view.phase == RAISE or view.phase == ANNOUNCE or view.phase == KONTRA or view.phase == PLAY


@kernel
def cards_taken(view, rules, seat):
    """How many talon cards a seat has taken so far."""
    if view.contract < 0 or not exchanged(view) or view.declarer < 0:
        return 0
    # After a raise the exchange of the bid contract stands in talon_taken, which was open.
    if view.raised:
        return size(view.talon_taken) if seat == view.declarer else 0
    kind = rules.talon[view.contract]
    if kind == UNUSED:
        return 0
    if kind == DUTY:
        after = seat - view.declarer if seat >= view.declarer else seat - view.declarer + view.num_seats
        return 4 if after == 0 else 1 if after <= 2 else 0
    if seat != view.declarer:
        return 0
    if kind in (ALL_OPEN, ALL_HIDDEN):
        return 6
    return 3 if kind == STAGED else rules.talon_group[view.contract]


@kernel
def unplaced_cards(view, rules):
    """Cards that the viewing (acting) seat cannot place."""
    viewer = view.seat
    placed = view.discards[viewer] | view.discards_shown | (talon_known(view, viewer) & ~view.talon_taken)
    for seat in range(view.num_seats):
        placed |= view.played[seat]
        if hand_visible(view, rules, viewer, seat):
            placed |= view.hands[seat]
    return ALL_CARDS & ~placed


@kernel
def count_places(view, rules, counts):
    """How many unplaced cards lie in each place, into counts (NUM_PLACES,)."""
    viewer = view.seat
    counts[:] = 0
    taken = 0
    for seat in range(view.num_seats):
        mine = cards_taken(view, rules, seat)
        taken += mine
        if seat == viewer:
            continue
        if not hand_visible(view, rules, viewer, seat):
            counts[seat] = rules.hand_size + view.owed[seat] - size(view.played[seat])
        counts[DISCARDS + seat] = mine - view.owed[seat] - size(view.discards[seat])
    counts[TALON] = 6 - taken - size(talon_known(view, viewer) & ~view.talon_taken)


@kernel
def allow(view, rules, allowed):
    """Which unplaced cards may lie in each place, into allowed (NUM_PLACES,) uint64."""
    viewer = view.seat
    allowed[:] = ALL_CARDS
    for seat in range(view.num_seats):
        for suit in range(5):
            if view.voids[seat] >> suit & 1:
                allowed[seat] &= ~SUIT_MASKS[suit]
    if view.contract < 0:
        bar_unbid(view, rules, allowed)
        return
    if view.declarer >= 0:
        allow_exchange(view, rules, allowed)
        allow_called(view, rules, viewer, allowed)
        allow_announced(view, rules, allowed)
    bar_unbid(view, rules, allowed)
    if rules.play[view.contract] != Play.TAROCK:
        bar_unplayed(view, rules, allowed)


@kernel
def only_at(allowed, card, place):
    """A card lies in this place and nowhere else."""
    for other in range(NUM_PLACES):
        if other != place:
            allowed[other] &= ~bit(card)


@kernel
def allow_exchange(view, rules, allowed):
    """Discards: what may be hidden, what a shown one proves; open talon cards went to the declarer."""
    declarer = view.declarer
    # A raised contract was exchanged for as the tarock game that was bid.
    restricted = TAROCKS if view.raised else restricted_cards(view, rules)
    kept = KINGS | TRULL
    if view.called >= 0:
        kept |= bit(view.called)
    for seat in range(view.num_seats):
        hidden = ALL_CARDS & ~kept
        if seat == declarer and bid_bird(view, rules) > 0:
            hidden &= ~bit(bid_bird(view, rules) - PAGAT_ITEM)
        if not rules.free_tarock_discards:
            hidden &= ~restricted
        allowed[DISCARDS + seat] &= hidden
        if view.owed[seat] == 0 and view.discards[seat] & view.discards_shown and seat != view.seat:
            allowed[seat] &= ~hidden
    took = view.talon_taken & view.talon_open
    for place in range(NUM_PLACES):
        if place != declarer and place != DISCARDS + declarer:
            allowed[place] &= ~took


@kernel
def bid_bird(view, rules):
    """The item of the bird that the declarer's bid announced, or 0."""
    bird = rules.bird[view.contract]
    if bird >= 0:
        return bird
    for item in range(PAGAT_ITEM, ULTIMO_ITEM):
        if view.announced_by[item] == view.declarer:
            return item
    return 0


@kernel
def allow_called(view, rules, viewer, allowed):
    """Where the called card may lie, and which cards its call proves with the declarer."""
    declarer = view.declarer
    if view.call < 0 or (declarer == viewer and view.called >= 0 and view.hands[viewer] & bit(view.called)):
        return
    if FIRST_QUEEN <= view.call < XIX_CALL:
        for card in range(54):
            if KINGS & bit(card):
                only_at(allowed, card, declarer)
    if view.call > XIX_CALL:
        for card in range(XIX - (view.call - XIX_CALL) + 1, XIX + 1):
            only_at(allowed, card, declarer)
    if view.called < 0:
        return
    called = view.called
    own = rules.own_king_callable == 1 or rules.calls[view.contract] == CALLS_TAROCK
    if not own and not view.talon_taken & bit(called):
        allowed[declarer] &= ~bit(called)
    for seat in range(view.num_seats):
        known = view.sides_public >> seat & 1 == 1 or seat == viewer
        if seat != declarer and known:
            if with_declarer(view, seat):
                only_at(allowed, called, seat)
            else:
                allowed[seat] &= ~bit(called)


@kernel
def allow_announced(view, rules, allowed):
    """Birds and the called king that their holders announced or bid."""
    for item in range(PAGAT_ITEM, ULTIMO_ITEM + 1):
        by = view.announced_by[item]
        if by < 0:
            continue
        card = item - PAGAT_ITEM if item < ULTIMO_ITEM else view.called
        if card >= 0 and (rules.announcer[item] == HOLDER or (by == view.declarer and bid_bird(view, rules) == item)):
            only_at(allowed, card, by)


@kernel
def bar_unbid(view, rules, allowed):
    """Seats that bid a bird game hold, or held, the bird."""
    for seat in range(view.num_seats):
        for bird in range(4):
            if view.bids[seat] & rules.needs_bird[bird]:
                for place in range(NUM_PLACES):
                    if place != seat and place != DISCARDS + seat:
                        allowed[place] &= ~bit(bird)


@kernel
def bar_unplayed(view, rules, allowed):
    """Replay the tricks of a colour or negative game: cards that a seat would have had to play instead are not in its hand."""
    contract = view.contract
    play, emperor = rules.play[contract], rules.emperor[contract]
    leader = view.declarer if rules.declarer_leads[contract] else view.forehand
    for trick in range(view.trick_number + 1):
        cards, led, best_seat = ZERO, -1, leader
        seat = leader
        for index in range(view.num_seats):
            card = played_in(view, seat, trick)
            if card < 0:
                break
            if index == 0:
                bar_leads(rules, contract, seat, card, allowed)
                led = card
            else:
                if play == NEGATIVE:
                    bar_follows(view, rules, seat, card, cards, led, allowed)
                winners = beating_cards(cards, led, play, emperor)
                if winners & bit(card):
                    best_seat = seat
            cards |= bit(card)
            if index > 0 and cards & TRULL == TRULL and emperor > 0:
                best_seat = emperor_seat(view, leader, trick, best_seat, cards, led, play, emperor)
            seat = next_seat(view, seat)
        leader = best_seat


@kernel
def emperor_seat(view, leader, trick, best_seat, cards, led, play, emperor):
    """Who is winning a trick with the whole Trull in it."""
    if emperor == 2 and led >= 22:
        return best_seat
    for steps in range(view.num_seats):
        seat = seat_after(view, leader, steps)
        if view.played[seat] & T1 and view.trick_of[0] == trick:
            return seat
    return best_seat


@kernel
def played_in(view, seat, trick):
    """The card that a seat played to a trick, -1 where it has not."""
    cards = view.played[seat]
    while cards:
        card = lowest(cards)
        if view.trick_of[card] == trick:
            return card
        cards &= cards - np.uint64(1)
    return -1


@kernel
def bar_leads(rules, contract, seat, card, allowed):
    """What a lead proves: tarocks led in colour games, Pagat or guarded Mond led in negative ones."""
    play = rules.play[contract]
    if play == COLOUR and card < 22 and not rules.colour_leads_free:
        allowed[seat] &= ~SUIT_CARDS
    if play == NEGATIVE and card == 0:
        allowed[seat] &= ZERO if rules.pagat_waits_for_all else ~TAROCKS
    if rules.mond_guard and rules.goal[contract] == FEWEST_POINTS and card == 20:
        allowed[seat] &= ~TAROCKS | T1


@kernel
def bar_follows(view, rules, seat, card, cards, led, allowed):
    """What a card played to a trick of a negative game proves about cards that would have been forced."""
    contract = view.contract
    emperor = rules.emperor[contract]
    suit = suit_of(card)
    both = emperor > 0 and cards & (T21 | T22) == T21 | T22
    if card == 0 and not both:
        allowed[seat] &= ~TAROCKS
    if rules.mond_guard and rules.goal[contract] == FEWEST_POINTS and card == 20 and cards & T22:
        allowed[seat] &= ~TAROCKS | T1
    if not must_beat(view, rules):
        return
    winners = beating_cards(cards, led, rules.play[contract], emperor)
    if winners & bit(card):
        return
    # The seat could follow with this suit (or owed tarocks) and did not beat: it held no card of it that would have won, but for a
    # Pagat that was barred by another tarock, or a guarded Mond.
    could = winners & (SUIT_MASKS[suit] if suit == suit_of(led) or suit == 0 else TAROCKS)
    if not both:
        could &= ~T1
    if rules.mond_guard:
        could &= ~T21
    allowed[seat] &= ~could
