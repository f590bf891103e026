"""What a seat can tell from its view: unseen cards, who may hold them, who is probably a friend.

One KNOW record is filled per decision. Chances are simple: every card is taken to lie with the seats that may still hold it, in
proportion to the cards they hold.
"""

from __future__ import annotations

import numpy as np

from tarock_env.engine.bits import ALL_CARDS, SUIT_MASKS, TAROCKS, ZERO, above, bit, size, suit_of
from tarock_env.engine.jit import kernel, record_dtype
from tarock_env.engine.play import followers, must_tarock, trick_cards, winning_card
from tarock_env.engine.seats import seat_after, seats_from, side_known, with_declarer
from tarock_env.engine.view import hand_visible, talon_known
from tarock_env.rules.schema import Goal, Play, Talon

COLOUR, NEGATIVE = int(Play.COLOUR), int(Play.NEGATIVE)
FEWEST_POINTS = int(Goal.FEWEST_POINTS)
UNUSED, DUTY = int(Talon.UNUSED), int(Talon.DUTY)
RETAKE = 0.6  # a friend's chance to beat a card that an opponent has already played over ours, against that card itself
DRAWN = 0.1  # chance that the declarer drew the called card himself

KNOW = record_dtype(
    [
        ("unseen", "u8"),  # cards whose place the seat does not know
        ("may_hold", "u8", (4,)),  # what each other seat may hold; its very hand where that lies open
        ("share", "f8", (4, 5)),  # chance that an unseen card of a suit lies with a seat that may hold it
        ("friend", "f8", (4,)),  # chance that a seat is on the own side
        ("open", "i1", (4,)),
        ("count", "i1", (4,)),  # cards in hand
        ("in_talon", "f8"),  # chance that the called card lies in the unseen talon
    ],
)  # fmt: skip


def new_knowledge() -> np.recarray:
    """(1,) blank KNOW record."""
    know: np.recarray = np.zeros(1, KNOW).view(np.recarray)
    return know


@kernel
def fill_knowledge(view, rules, know):
    """Fill `know` for the acting seat of a view."""
    me = view.seat
    seen = view.hands[me]
    left = ZERO
    if (view.contract >= 0 and rules.talon[view.contract] != UNUSED) or view.talon_open:
        left = talon_known(view, me) & ~view.talon_taken
    seen |= left
    for seat in range(view.num_seats):
        seen |= view.played[seat] | view.discards[seat]
    know.unseen = ALL_CARDS & ~seen
    hidden = size(know.unseen)
    for seat in range(view.num_seats):
        know.open[seat] = seat != me and hand_visible(view, rules, me, seat)
        know.count[seat] = rules.hand_size - size(view.played[seat])
        if seat != me:
            hidden -= know.count[seat]
    hold_cards(view, rules, know, me)
    fill_shares(view, rules, know, me, max(hidden, 0))
    fill_friends(view, rules, know, me)


@kernel
def hold_cards(view, rules, know, me):
    """Which cards each other seat may hold."""
    taken = view.talon_taken if me != view.declarer else ZERO
    open_cards = ZERO
    for seat in range(view.num_seats):
        if know.open[seat]:
            open_cards |= view.hands[seat]
    for seat in range(view.num_seats):
        if know.open[seat]:
            know.may_hold[seat] = view.hands[seat]
            continue
        cards = know.unseen & ~open_cards
        for suit in range(5):
            if view.voids[seat] >> suit & 1:
                cards &= ~SUIT_MASKS[suit]
        if seat != view.declarer:
            cards &= ~taken
        if view.called >= 0 and seat != me and (seat == view.declarer or side_known(view, me, seat)) and seat != view.partner:
            cards &= ~bit(view.called)
        know.may_hold[seat] = cards


@kernel
def fill_shares(view, rules, know, me, hidden):
    """Chances by seat and suit. Hidden cards that no seat holds are talon cards, or discards: these are hardly ever tarocks."""
    discards = view.contract >= 0 and rules.talon[view.contract] != UNUSED
    for suit in range(5):
        places = 0.0 if discards and suit == 0 else float(hidden)
        for seat in range(view.num_seats):
            if seat != me and know.may_hold[seat] & SUIT_MASKS[suit]:
                places += know.count[seat]
        for seat in range(view.num_seats):
            holds = seat != me and know.may_hold[seat] & SUIT_MASKS[suit] != ZERO
            know.share[seat, suit] = min(know.count[seat] / places, 1.0) if holds and places > 0 else 0.0


@kernel
def fill_friends(view, rules, know, me):
    """Chance of each seat to be on the own side. A seat that cannot hold the called card is no partner."""
    know.in_talon = 0.0
    for seat in range(view.num_seats):
        know.friend[seat] = 1.0 if seat == me else 0.0
    if view.declarer < 0:
        return
    mine = with_declarer(view, me)
    open_questions = 0
    for seat in range(view.num_seats):
        if seat == me:
            continue
        if seat == view.declarer or (view.called < 0 and view.call < 0) or side_known(view, me, seat):
            know.friend[seat] = 1.0 if with_declarer(view, seat) == mine else 0.0
        elif may_be_partner(view, know, seat):
            open_questions += 1
        else:
            know.friend[seat] = 0.0 if mine else 1.0
    if not open_questions:
        return
    if not view.talon_open:
        know.in_talon = 6.0 / (6 + 12 * open_questions)
    if rules.talon[view.contract] == DUTY:  # no card stays there; the declarer may have drawn it
        know.in_talon = 0.0 if mine else DRAWN
    chance = (1.0 - know.in_talon) / open_questions
    for seat in range(view.num_seats):
        if seat != me and seat != view.declarer and not side_known(view, me, seat) and may_be_partner(view, know, seat):
            know.friend[seat] = chance if mine else 1.0 - chance


@kernel
def may_be_partner(view, know, seat):
    """Whether a seat of unknown side may hold the called card, as far as the viewer knows which one it is."""
    return view.called < 0 or know.may_hold[seat] & bit(view.called) != ZERO


@kernel
def some_of(chance, count):
    """Chance that at least one of `count` cards lies at a place where each lies with `chance`."""
    missing = 1.0
    for _ in range(count):
        missing *= 1.0 - chance
    return 1.0 - missing


@kernel
def beat_chance(view, rules, know, seat, best, led):
    """Chance that a seat behind can beat the winning card `best` of a trick in which `led` was led."""
    play = rules.play[view.contract]
    cards = know.may_hold[seat]
    if know.open[seat]:
        cards = followers(cards, led, must_tarock(view, rules))
        return 1.0 if winning_card(cards | bit(best), led, play, 0) != best else 0.0
    suit = suit_of(led)
    own = cards & SUIT_MASKS[suit]
    higher = own & above(best) if suit_of(best) == suit else ZERO
    chance = some_of(know.share[seat, suit], size(higher))
    if play != COLOUR and suit != 0:
        tarocks = cards & TAROCKS
        if best < 22:
            tarocks &= above(best)
        void = 1.0 - some_of(know.share[seat, suit], size(own))
        chance += void * some_of(know.share[seat, 0], size(tarocks))
    return chance


@kernel
def seat_of_trick(view, card):
    """Who played a card of the current trick; the acting seat for any other card."""
    for index in range(view.trick_size):
        if view.trick[index] == card:
            return seat_after(view, view.leader, index)
    return view.seat


@kernel
def outlook(view, rules, know, card):
    """Playing `card` now: chance that the own side wins the trick, and that the card itself wins it."""
    me = view.seat
    led = view.trick[0] if view.trick_size else card
    contract = view.contract
    yields = 0.0 if rules.play[contract] == NEGATIVE else 0.9
    best = winning_card(trick_cards(view) | bit(card), led, rules.play[contract], rules.emperor[contract])
    owner = seat_of_trick(view, best)
    good = know.friend[owner]
    itself = 1.0 if owner == me else 0.0
    for steps in range(view.trick_size + 1, view.num_seats):
        seat = seat_after(view, view.leader, steps)
        beats = beat_chance(view, rules, know, seat, best, led)
        friend = know.friend[seat]
        good += (1.0 - good) * friend * beats * RETAKE - good * (1.0 - friend) * beats
        itself *= 1.0 - beats * (1.0 - yields * friend)
    return good, itself


@kernel
def behind(view, seat):
    """Whether a seat still has to play to the current trick after the acting seat."""
    return seats_from(view, view.leader, seat) > view.trick_size
