"""Can one hand explain all that a seat said and played? (for tarock_env/view_replay.py)

tarock_env/view_check.py looks at one action at a time. Each may have its hand, and yet no hand allows both: a bid that four kings bar, and
a call that needs them. Here the hand that a seat was dealt is looked for: with the cards that it must have had, without those that others
have, and right for every bid and for the call. Cards that it may have drawn from the hidden part of the talon need not be in it.
"""

import numpy as np

from tarock_env.actions import CALLS
from tarock_env.cards import CARD_IDS, KING_IDS, NUM_SUITS, QUEEN_IDS
from tarock_env.engine.bits import ALL_CARDS, BIRDS, KINGS, QUEENS, SUIT_CARDS, SUIT_MASKS, TAROCKS, TRULL, ZERO, bit, size
from tarock_env.engine.exchange import restricted_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import DISCARD as DISCARD_PHASE

FOURTH, FIRST_QUEEN, XIX_CALL = CALLS.index("fourth"), CALLS.index("HQ"), CALLS.index("T19")
XIX = CARD_IDS["T19"]
COURT = KINGS | QUEENS
COURT_IDS = np.array(KING_IDS + QUEEN_IDS, np.int64)
COURT_HANDS = 1 << len(COURT_IDS)


@kernel
def some_hand(deal, rules, facts, seat):
    """Whether there is a hand that the seat can have been dealt. The deal is a view's, replayed as far as it goes."""
    drawn = cards_drawn_unseen(deal, facts, seat)
    sure = sure_cards(deal, rules, seat)
    shown = (sure | cards_had(deal, seat)) & ~facts.seen  # of these the seat may have drawn `drawn` that are not sure
    possible = possible_dealt(deal, rules, facts, seat, shown)
    if facts.given[seat]:
        possible, shown = facts.hands[seat], facts.hands[seat]
        drawn = 0
    if seat == deal.declarer and deal.call > XIX_CALL:  # it did not hold the called tarock, but may have been given it since
        drawn -= size(shown & bit(deal.called))
        shown, possible = shown & ~bit(deal.called), possible & ~bit(deal.called)
    if sure & ~possible:
        return False
    for choice in range(COURT_HANDS):
        court = court_cards(choice)
        if court & ~possible or sure & COURT & ~court or not court_fits(deal, rules, seat, court):
            continue
        left = drawn - size(shown & COURT & ~court)
        if left >= 0 and rest_fits(deal, rules, facts, seat, court | (shown & ~COURT), sure, court | (possible & ~COURT), left):
            return True
    return False


@kernel
def cards_drawn_unseen(deal, facts, seat):
    """How many cards that the viewer has not seen the seat drew, or may draw yet."""
    if deal.phase < DISCARD_PHASE:
        count = 0
        for card in facts.talon:
            count += bit(card) & ALL_CARDS == ZERO
        return count
    return size(deal.drawn[seat] & ~ALL_CARDS)


@kernel
def cards_had(deal, seat):
    """Every card that the view shows the seat to have had."""
    return (deal.hands[seat] | deal.played[seat] | (deal.discards[seat] & deal.discards_shown)) & ALL_CARDS


@kernel
def sure_cards(deal, rules, seat):
    """Cards that its bids and its call prove in the hand that it was dealt."""
    cards = ZERO
    for bird in range(4):
        if deal.bids[seat] & rules.needs_bird[bird]:
            cards |= bit(bird)
    if seat == deal.declarer and deal.call >= 0:
        if FIRST_QUEEN <= deal.call < XIX_CALL:
            cards |= KINGS
        if deal.call > XIX_CALL:
            for card in range(deal.called + 1, XIX + 1):
                cards |= bit(card)
    return cards


@kernel
def possible_dealt(deal, rules, facts, seat, shown):
    """Every card that the seat may have been dealt."""
    gone = facts.own | facts.seen
    for other in range(deal.num_seats):
        if other != seat and other != facts.viewer:
            gone |= facts.hands[other] if facts.given[other] else cards_had(deal, other)
    possible = ALL_CARDS & ~gone
    lacked = ZERO
    for suit in range(NUM_SUITS):
        if deal.voids[seat] >> suit & 1:
            lacked |= SUIT_MASKS[suit]
    if size(deal.discards[seat] & ~deal.discards_shown) > 0:  # it may have laid them away
        lacked &= KINGS | TRULL | (ZERO if rules.free_tarock_discards or deal.raised else restricted_cards(deal, rules))
    return possible & ~(lacked & ~shown)


@kernel
def court_cards(choice):
    """Kings and queens as a set, from a set of their places in COURT_IDS."""
    cards = ZERO
    for index in range(len(COURT_IDS)):
        if choice >> index & 1:
            cards |= bit(COURT_IDS[index])
    return cards


@kernel
def court_fits(deal, rules, seat, court):
    """Whether these kings and queens, no more and no less, allow the seat's bids and its call."""
    if deal.bids[seat] & rules.calls_king and court & KINGS == KINGS and not rules.own_king_callable:
        if not rules.queens_with_four_kings or court & QUEENS == QUEENS:
            return False
    if seat != deal.declarer or deal.call < 0 or deal.call >= XIX_CALL:
        return True
    if deal.call == FOURTH:
        return size(court & KINGS) == 3
    if deal.call < FOURTH and rules.own_king_callable:
        return True
    return not court & bit(deal.called)


@kernel
def rest_fits(deal, rules, facts, seat, held, sure, possible, drawn):
    """Whether the other cards can make it a hand of the right size.

    held: cards of the hand, of which `drawn` may be left out that are not sure and no court cards. possible: all that may be in it.
    """
    loose = held & ~sure & ~COURT
    if size(possible) < rules.hand_size or size(held) - min(drawn, size(loose)) > rules.hand_size:
        return False
    if rules.rings and not facts.forced and not room_for(rules, held, loose, possible, drawn, TAROCKS, 1):
        return False  # a hand without tarocks is thrown in
    if deal.bids[seat] & rules.needs_any_bird and not room_for(rules, held, loose, possible, drawn, BIRDS, 1):
        return False
    least = 0
    for contract in range(48):
        if deal.bids[seat] & rules.minimum_suit_bids & bit(contract):
            least = max(least, rules.minimum_suit[contract])
    if rules.any_suit_minimum or least == 0:
        return room_for(rules, held, loose, possible, drawn, SUIT_CARDS, least)
    for suit in range(1, NUM_SUITS):
        if room_for(rules, held, loose, possible, drawn, SUIT_MASKS[suit], least):
            return True
    return False


@kernel
def room_for(rules, held, loose, possible, drawn, kind, count):
    """Whether the hand can have at least `count` cards of a kind."""
    outside = size(held & ~kind)
    outside -= min(drawn, size(loose & ~kind))
    return size(possible & kind) >= count and outside + count <= rules.hand_size
