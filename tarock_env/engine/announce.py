"""Announcements and kontras: a repeated round of turns (rules text 3.1, 3.3, 1.8)."""

from __future__ import annotations

import numpy as np

from tarock_env.actions import (
    ANNOUNCE, GOOD, ITEM_IDS, KONTRA as KONTRA_ACTION, KONTRA_SEAT, MELD, MELDS, NUM_CALLABLE_ITEMS,
)  # fmt: skip
from tarock_env.engine.bits import FIVES, KINGS, T1, TAROCKS, TRULL, ZERO, bit, lowest, size
from tarock_env.engine.exchange import WORD_3
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import next_seat, reveal, seat_after, with_declarer
from tarock_env.engine.state import ANNOUNCE as ANNOUNCE_PHASE, KONTRA as KONTRA_PHASE
from tarock_env.rules.schema import Announcer, Kontra

GAME = 0
PAGAT_ITEM = ITEM_IDS["pagat"]
QUAPIL_ITEM = ITEM_IDS["quapil"]
ULTIMO_ITEM = ITEM_IDS["king_ultimo"]
VALAT_ITEM = ITEM_IDS["valat"]
NO_ITEMS = np.uint32(0)
VALAT_BIT = np.uint32(1 << VALAT_ITEM)
MAX_KONTRA = 3
NUM_MELDS = len(MELDS)
TRUMPS_MELD, FEW_TRUMPS_MELD, TRULL_MELD = (MELDS.index(name) for name in ("trumps", "few_trumps", "trull"))
HOLDER = int(Announcer.HOLDER)
DECLARERS = int(Announcer.DECLARERS)
NO_KONTRA = int(Kontra.NONE)
EACH_OPPONENT = int(Kontra.EACH_OPPONENT)


@kernel
def item_bit(item):
    """The set holding one item."""
    return np.uint32(1) << np.uint32(item)


@kernel
def begin_announcements(deal, rules):
    """Start the round with the declarer; False where nobody could ever say anything."""
    if rules.kontra[deal.contract] == NO_KONTRA and not rules.announceable[deal.contract]:
        return False
    deal.phase = ANNOUNCE_PHASE
    deal.seat = deal.declarer
    return True


@kernel
def item_card(deal, item):
    """The card that an item is about (birds, the called card), or -1."""
    if PAGAT_ITEM <= item <= QUAPIL_ITEM:
        return item - PAGAT_ITEM
    return deal.called if item == ULTIMO_ITEM else -1


@kernel
def announced_items(deal):
    """The set of bonuses that somebody has announced."""
    items = NO_ITEMS
    for item in range(1, NUM_CALLABLE_ITEMS):
        items |= np.uint32(deal.announced_by[item] >= 0) << np.uint32(item)  # no branch: it would be a coin flip
    return items


@kernel
def announced_by_side(deal, announced, side):
    """Those of the announced items that the declarer's side (True) or the other side announced."""
    items = NO_ITEMS
    while announced:
        item = lowest(announced)
        if with_declarer(deal, deal.announced_by[item]) == side:
            items |= item_bit(item)
        announced = without_lowest_item(announced)
    return items


@kernel
def without_lowest_item(items):
    """A non-empty set of items less its lowest."""
    return items & (items - np.uint32(1))


@kernel
def may_announce(deal, rules, item):
    """Whether the acting seat is one of those who may announce this bonus."""
    who = rules.announcer[item]
    if who == HOLDER:
        card = item_card(deal, item)
        return card >= 0 and deal.hands[deal.seat] & bit(card) != ZERO
    return who != DECLARERS or with_declarer(deal, deal.seat)


@kernel
def announceable_items(deal, rules, announced):
    """The set of bonuses of this contract that the acting seat may announce now. announced: the set of those that are."""
    waiting = rules.announceable[deal.contract] & ~announced
    if rules.valat_excludes and announced:
        own = announced_by_side(deal, announced, with_declarer(deal, deal.seat))
        if own & rules.valat_excludes:
            waiting &= ~VALAT_BIT
        if own & VALAT_BIT:
            waiting &= ~rules.valat_excludes
    items = NO_ITEMS
    while waiting:
        item = lowest(waiting)
        if may_announce(deal, rules, item):
            items |= item_bit(item)
        waiting = without_lowest_item(waiting)
    return items


@kernel
def items_to_double(deal, rules, announced):
    """The game and those of the announced bonuses whose kontra the acting seat may raise: sides alternate, three steps, in time.

    One pass without branches: on the deals of random play each of them would be a coin flip, which costs more than all the rest.
    """
    mine = with_declarer(deal, deal.seat)
    seen = deal.turn_clock[deal.seat]
    items = NO_ITEMS
    for item in range(NUM_CALLABLE_ITEMS):
        by, steps = deal.announced_by[item], deal.kontra[item]
        declarers = (by == deal.declarer) | (by == deal.partner) | (item == GAME)  # the game always is the declarer's (1.8.1)
        turn = (declarers == mine) == (steps & 1 == 1)
        fresh = (deal.item_clock[item] > seen) | (rules.kontra_any_turn != 0)
        items |= np.uint32(turn & fresh & (steps < MAX_KONTRA)) << np.uint32(item)
    return items & (announced | item_bit(GAME))


@kernel
def may_double_seat(deal, rules, opponent):
    """The same where every opponent doubles for himself: `opponent` is the one whose kontra is at stake."""
    steps = deal.seat_kontra[opponent]
    if steps >= MAX_KONTRA or (deal.seat == opponent) != (steps & 1 == 0):
        return False
    return rules.kontra_any_turn or deal.seat_clock[opponent] > deal.turn_clock[deal.seat]


@kernel
def legal_announcements(deal, rules):
    """Word 3: announcements, kontras, melds and `good`."""
    seat = deal.seat
    legal = bit(GOOD - WORD_3)
    for meld in range(NUM_MELDS):
        if not deal.melds[seat] >> meld & 1 and meld_units(rules, deal.hands[seat], meld) > 0:
            legal |= bit(MELD + meld - WORD_3)
    announced = announced_items(deal)
    if rules.announce_any_turn or deal.turns[seat] == 0:
        items = announceable_items(deal, rules, announced)
        legal |= np.uint64(items) << np.uint64(ANNOUNCE - 1 - WORD_3)  # item 1 is the first to announce
    if rules.separate_kontra_round:
        return legal
    return legal | legal_kontras(deal, rules, announced)


@kernel
def legal_kontras(deal, rules, announced):
    """Word 3: kontras. announced: the set of bonuses that are."""
    seat = deal.seat
    legal = ZERO
    kind = rules.kontra[deal.contract]
    if kind == EACH_OPPONENT:
        if seat != deal.declarer:
            if may_double_seat(deal, rules, seat):
                legal |= bit(KONTRA_ACTION - WORD_3)
        else:
            for steps in range(1, deal.num_seats):
                if may_double_seat(deal, rules, seat_after(deal, seat, steps)):
                    legal |= bit(KONTRA_SEAT + steps - 1 - WORD_3)
    elif kind != NO_KONTRA:
        legal |= np.uint64(items_to_double(deal, rules, announced)) << np.uint64(KONTRA_ACTION - WORD_3)
    return legal


@kernel
def meld_units(rules, hand, meld):
    """What a meld of this twelve-card hand is worth, 0 where the hand does not have it (3.6)."""
    value = rules.meld_value[meld]
    if value == 0:
        return 0
    tarocks = size(hand & TAROCKS)
    if meld == TRUMPS_MELD:
        return 0 if tarocks < 8 else value if tarocks < 10 else 2 * value
    if meld == FEW_TRUMPS_MELD:
        if tarocks > 2:
            return 0
        return 2 * value if tarocks == 0 or hand & TAROCKS == T1 else value
    if meld == TRULL_MELD:
        return value if hand & TRULL == TRULL else 0
    if hand & KINGS == KINGS:
        return 2 * value
    return value if size(hand & FIVES) >= 4 else 0


@kernel
def begin_kontra_round(deal, rules):
    """Start a separate round of kontras with the player after the declarer; False where the rules have none."""
    if not rules.separate_kontra_round:
        return False
    deal.phase = KONTRA_PHASE
    deal.seat = next_seat(deal, deal.declarer)
    deal.quiet_turns = 0
    return True


@kernel
def announce(deal, seat, item):
    """Record that a seat announced a bonus."""
    deal.announced_by[item] = seat
    deal.item_clock[item] = deal.clock


@kernel
def apply_announcement(deal, rules, action):
    """One announcement action; True when the round is over.

    A turn is any number of calls and then `good`. The round ends when all others had an empty turn after the last turn with a
    call, or every seat had one where nobody called (X1).
    """
    seat = deal.seat
    if action != GOOD:
        deal.clock += 1
        deal.turn_calls += 1
        deal.called_out = 1
        if action >= MELD:
            deal.melds[seat] |= 1 << (action - MELD)
        elif ANNOUNCE <= action < KONTRA_ACTION:
            announce(deal, seat, action - ANNOUNCE + 1)
            reveal(deal, rules, seat)
        elif rules.kontra[deal.contract] == EACH_OPPONENT:
            opponent = seat if action == KONTRA_ACTION else seat_after(deal, seat, action - KONTRA_SEAT + 1)
            deal.seat_kontra[opponent] += 1
            deal.seat_clock[opponent] = deal.clock
        else:
            item = action - KONTRA_ACTION
            deal.kontra[item] += 1
            deal.item_clock[item] = deal.clock
            reveal(deal, rules, seat)
        return False
    deal.turns[seat] += 1
    deal.turn_clock[seat] = deal.clock
    deal.quiet_turns = 0 if deal.turn_calls else deal.quiet_turns + 1
    deal.turn_calls = 0
    deal.seat = next_seat(deal, seat)
    if deal.phase == KONTRA_PHASE:
        return deal.quiet_turns >= deal.num_seats
    if not rules.repeated_announcements:
        return deal.turns[deal.seat] > 0
    return deal.quiet_turns >= deal.num_seats - (1 if deal.called_out else 0)
