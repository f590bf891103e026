"""Between auction and announcements: naming a bird, terms of a Trischaken, the call, the talon, the discards (rules text 3)."""

from __future__ import annotations

import numpy as np

from tarock_env.actions import (
    ANNOUNCE, CALL, CHOOSE_BEAT as BEAT, CHOOSE_FREE as FREE, CHOOSE_TALON_FIRST, CHOOSE_TALON_LAST, CONCEDE, DISCARD,
    CALLS, EXPOSE, ITEM_IDS, RETURN, TAKE, TALON as TALON_ACTION,
)  # fmt: skip
from tarock_env.cards import KING_IDS, QUEEN_IDS
from tarock_env.engine.bits import KINGS, SUIT_CARDS, TAROCKS, TRULL, ZERO, bit, size
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import next_seat, reveal_all
from tarock_env.engine.state import CALL as CALL_PHASE
from tarock_env.engine.state import CHOOSE_BEAT, CHOOSE_TALON, DISCARD as DISCARD_PHASE, NAME_BIRD, STAGED as STAGED_PHASE, TALON
from tarock_env.rules.schema import Calls, Play, TalonTricks
from tarock_env.rules.schema import Talon as TalonKind

WORD_3 = 192
PAGAT_ITEM = ITEM_IDS["pagat"]
FOURTH = 4
KING_CALLS = np.array(KING_IDS, np.int64)
QUEEN_CALLS = np.array(QUEEN_IDS, np.int64)
COLOUR = int(Play.COLOUR)
CALLS_TAROCK = int(Calls.TAROCK)
XIX, XIX_CALL = 18, CALLS.index("T19")
UNUSED = int(TalonKind.UNUSED)
STAGED, DUTY = int(TalonKind.STAGED), int(TalonKind.DUTY)
ALL_OPEN = int(TalonKind.ALL_OPEN)
ALL_HIDDEN = int(TalonKind.ALL_HIDDEN)
FOREHAND_CHOOSES = int(TalonTricks.FOREHAND_CHOOSES)


@kernel
def talon_cards(deal):
    """The six talon cards as a set."""
    cards = ZERO
    for card in deal.talon:
        cards |= bit(card)
    return cards


@kernel
def talon_part(deal, group, count):
    """The cards of talon group `group` (0-based) where a group has `count` cards."""
    cards = ZERO
    for index in range(group * count, (group + 1) * count):
        cards |= bit(deal.talon[index])
    return cards


@kernel
def legal_name_bird(deal):
    """Word 3: the birds that the declarer of a Besserrufer holds."""
    legal = ZERO
    for bird in range(4):
        if deal.hands[deal.declarer] & bit(bird):
            legal |= bit(ANNOUNCE + bird - WORD_3)
    return legal


@kernel
def legal_call(deal, rules):
    """Word 3: cards that the declarer may call."""
    hand = deal.hands[deal.declarer]
    if rules.calls[deal.contract] == CALLS_TAROCK:
        return callable_tarocks(hand)
    held = size(hand & KINGS)
    legal = ZERO
    for suit in range(4):
        if rules.own_king_callable or not hand & bit(KING_CALLS[suit]):
            legal |= bit(CALL + suit - WORD_3)
    if held == 3:
        legal |= bit(CALL + FOURTH - WORD_3)
    if held == 4 and not rules.own_king_callable:
        for suit in range(4):
            if not hand & bit(QUEEN_CALLS[suit]):
                legal |= bit(CALL + FOURTH + 1 + suit - WORD_3)
    return legal


@kernel
def callable_tarocks(hand):
    """Word 3: XIX; where it is held, also the highest of XVIII, XVII, XVI that is missing below held ones (3.6)."""
    legal = bit(CALL + XIX_CALL - WORD_3)
    for index in range(4):
        if not hand & bit(XIX - index):
            return legal | bit(CALL + XIX_CALL + index - WORD_3)
    return legal


@kernel
def apply_call(deal, call):
    """Name the called card (`call` indexes actions.CALLS) and find the partner, who may be nobody."""
    hand = deal.hands[deal.declarer]
    card = 0
    if call < FOURTH:
        card = KING_CALLS[call]
    elif call == FOURTH:
        for suit in range(4):
            if not hand & bit(KING_CALLS[suit]):
                card = KING_CALLS[suit]
    elif call < XIX_CALL:
        card = QUEEN_CALLS[call - FOURTH - 1]
    else:
        card = XIX - (call - XIX_CALL)
    deal.call = call
    deal.called = card
    deal.king_in_talon = talon_cards(deal) & bit(card) != 0
    find_partner(deal)


@kernel
def find_partner(deal):
    """The other holder of the called card is the partner."""
    for seat in range(deal.num_seats):
        if seat != deal.declarer and deal.hands[seat] & bit(deal.called):
            deal.partner = seat


@kernel
def begin_call(deal, rules):
    """The phase between auction and talon that this contract starts with; False where it has none."""
    deal.seat = deal.declarer
    if rules.bird[deal.contract] < 0 and not birds_named(deal):
        deal.phase = NAME_BIRD
    elif rules.calls[deal.contract]:
        deal.phase = CALL_PHASE
    else:
        return False
    return True


@kernel
def birds_named(deal):
    """Whether the bid's bird is known."""
    for item in range(PAGAT_ITEM, PAGAT_ITEM + 4):
        if deal.announced_by[item] >= 0:
            return True
    return False


@kernel
def begin_choices(deal, rules):
    """Start P0's choices before an all-against-all game; False where there are none."""
    if not rules.fewest_chooses_beat and rules.fewest_talon != FOREHAND_CHOOSES:
        return False
    deal.seat = deal.forehand
    deal.phase = CHOOSE_BEAT if rules.fewest_chooses_beat else CHOOSE_TALON
    return True


@kernel
def legal_choice(deal):
    """Word 3: must-beat or not; talon to the first tricks or to the last."""
    if deal.phase == CHOOSE_BEAT:
        return bit(BEAT - WORD_3) | bit(FREE - WORD_3)
    return bit(CHOOSE_TALON_FIRST - WORD_3) | bit(CHOOSE_TALON_LAST - WORD_3)


@kernel
def apply_choice(deal, rules, action):
    """Take a choice; True when all are made."""
    if deal.phase == CHOOSE_BEAT:
        deal.must_beat = action == BEAT
        if rules.fewest_talon == FOREHAND_CHOOSES:
            deal.phase = CHOOSE_TALON
            return False
        return True
    deal.talon_tricks = TalonTricks.FIRST_SIX if action == CHOOSE_TALON_FIRST else TalonTricks.LAST
    return True


@kernel
def begin_talon(deal, rules):
    """Expose or hand over the talon; False where the contract leaves it alone."""
    kind = rules.talon[deal.contract]
    if kind == UNUSED:
        return False
    deal.seat = deal.declarer
    cards = talon_cards(deal)
    if kind == STAGED:
        deal.peeked = talon_part(deal, 0, 3)
        deal.phase = STAGED_PHASE
    elif kind == DUTY:
        hand_out(deal)
    elif kind == ALL_HIDDEN:
        take_cards(deal, cards)
    else:
        deal.talon_open = cards
        if deal.king_in_talon:
            reveal_all(deal)
        if kind == ALL_OPEN:
            take_cards(deal, cards)
        else:
            deal.phase = TALON
    return True


@kernel
def hand_out(deal):
    """Four talon cards to the declarer, one each to the next two players; they discard in that order (3.6)."""
    take_cards(deal, talon_part(deal, 0, 4))
    seat = deal.declarer
    for index in range(4, 6):
        seat = next_seat(deal, seat)
        card = bit(deal.talon[index])
        deal.hands[seat] |= card
        deal.drawn[seat] = card
        deal.talon_taken |= card
        deal.owed[seat] = 1
    find_partner(deal)


@kernel
def legal_staged(deal):
    """Word 3: take what was looked at, or expose it; after the second look, take it or return to the first group."""
    first = talon_part(deal, 0, 3)
    return bit(TAKE - WORD_3) | bit((RETURN if deal.talon_open & first else EXPOSE) - WORD_3)


@kernel
def apply_staged(deal, action):
    """One step of the staged talon; the level stands in `talon_choice` (0, 1, 2)."""
    first, second = talon_part(deal, 0, 3), talon_part(deal, 1, 3)
    if action == EXPOSE:
        deal.talon_open |= first
        deal.peeked |= second
    elif action == RETURN:
        deal.talon_open |= second
        deal.talon_choice = 2
        take_cards(deal, first)
    else:
        deal.talon_choice = 1 if deal.talon_open else 0
        take_cards(deal, second if deal.talon_open else first)


@kernel
def take_cards(deal, cards):
    """Move talon cards into the declarer's hand; as many must be discarded."""
    deal.talon_taken = cards
    deal.drawn[deal.declarer] = cards
    deal.hands[deal.declarer] |= cards
    deal.owed[deal.declarer] = size(cards)
    deal.phase = DISCARD_PHASE


@kernel
def legal_talon(deal, rules):
    """Word 3: the groups to take, and conceding where the called card lies in the talon."""
    count = rules.talon_group[deal.contract]
    legal = ZERO
    for group in range(6 // count):
        legal |= bit(TALON_ACTION + group - WORD_3)
    if rules.may_concede and deal.called >= 0 and deal.king_in_talon:
        legal |= bit(CONCEDE - WORD_3)
    return legal


@kernel
def apply_talon(deal, rules, action):
    """Take a group, or concede; True when the deal is over."""
    if action == CONCEDE:
        deal.conceded = 1
        return True
    deal.talon_choice = action - TALON_ACTION
    take_cards(deal, talon_part(deal, deal.talon_choice, rules.talon_group[deal.contract]))
    return False


@kernel
def kept_cards(deal, seat):
    """Cards that may not be discarded: kings, Trull, the called card, a bird announced by the bid (1.8.5, 1.8.13)."""
    kept = KINGS | TRULL
    if deal.called >= 0:
        kept |= bit(deal.called)
    for bird in range(4):
        if deal.announced_by[PAGAT_ITEM + bird] == seat:
            kept |= bit(bird)
    return kept


@kernel
def restricted_cards(deal, rules):
    """Cards that may be discarded only where the free ones do not suffice."""
    if rules.play[deal.contract] == COLOUR:
        return SUIT_CARDS
    return ZERO if rules.free_tarock_discards else TAROCKS


@kernel
def legal_discards(deal, rules):
    """Word 1. A restricted card is legal only while fewer free cards are left than discards owed (1.8.5)."""
    seat = deal.seat
    hand = deal.hands[seat] & ~kept_cards(deal, seat)
    restricted = restricted_cards(deal, rules)
    free = hand & ~restricted
    return hand if size(free) < deal.owed[seat] else free


@kernel
def apply_discard(deal, rules, action):
    """Lay one card away; True when nobody owes any more. Restricted cards are shown where tarocks are not free."""
    seat = deal.seat
    card = bit(action - DISCARD)
    deal.hands[seat] &= ~card
    deal.discards[seat] |= card
    if not rules.free_tarock_discards and card & restricted_cards(deal, rules):
        deal.discards_shown |= card
    deal.owed[seat] -= 1
    if deal.owed[seat] == 0:
        deal.seat = next_seat(deal, seat)
    return deal.owed[deal.seat] == 0
