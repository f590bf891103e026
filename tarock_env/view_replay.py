"""The actions of a view, played by the engine on a deal of which only a part is known (for tarock_env/view_text.py).

Known are the viewer's hand, the talon cards that he has seen, and, of every other hand, the cards that it plays later on. That is enough,
because the engine's steps ask a hidden hand for nothing that the viewer does not learn: who is whose partner stands in `sides`, hidden
cards are stood for by bits that are no card. The replay ends at the first thing that cannot be: one of the faults below.
"""

import numpy as np

from tarock_env.actions import BID, CALL, CALLS, DISCARD, NUM_CONTRACT_SLOTS
from tarock_env.cards import CARD_IDS, NUM_CARDS
from tarock_env.engine.bits import ALL_CARDS, KINGS, ZERO, bit, highest, size
from tarock_env.engine.exchange import restricted_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.sides import known_and_with_declarer
from tarock_env.engine.state import CALL as CALL_PHASE
from tarock_env.engine.state import DISCARD as DISCARD_PHASE
from tarock_env.engine.state import DONE, MAX_SEATS, PLAY
from tarock_env.engine.step import begin_deal, is_legal, step
from tarock_env.engine.view import hand_visible, talon_known
from tarock_env.view_check import UNSEEN_TALON, allowed, card_without_place, kept_free_card, needed_cards, possible_hand
from tarock_env.view_hands import some_hand

HIDDEN_DISCARD = DISCARD + 63  # an action of no card: a discard that the viewer does not see
NO_ACTION = -1
# What ends a replay; `facts.number` is the action, `facts.detail` what stands in brackets.
(
    NONE, DEAL_OVER, OTHERS_TURN, UNKNOWN, NOT_LEGAL, DISCARD_SHOWN, NOT_HELD, NOT_ALLOWED, CARD_MISSING, THREE_KINGS, HIGH_TAROCKS,
    FOUR_KINGS, NOT_TOGETHER, NOBODY_ACTS, NOT_THE_VIEWERS, TALON_SEEN, TALON_UNSEEN, HAND_HIDDEN, WRONG_SIDES, NO_HAND, KEPT_FREE,
    NO_PLACE,
) = range(22)  # fmt: skip
# CARD_MISSING, KEPT_FREE, NO_PLACE (card); TALON_SEEN, TALON_UNSEEN (index); HAND_HIDDEN, NO_HAND (seat). From NOBODY_ACTS on: after all
# actions.
CALLED_CARDS = np.array([CARD_IDS.get(call, -1) for call in CALLS], np.int64)
FOURTH, FIRST_QUEEN, XIX_CALL = CALLS.index("fourth"), CALLS.index("HQ"), CALLS.index("T19")
XIX = CARD_IDS["T19"]


@kernel
def replay_view(deals, tables, known, seats, actions):
    """Play a view's actions; returns its fault, NONE where it is the view of some deal.

    deals: (1,) DEAL, blank. tables: (1,) RULES. known: (1,) FACTS. seats, actions: (N,); NO_ACTION for a name that is none.
    """
    deal, rules, facts = deals[0], tables[0], known[0]
    deal_known(deal, rules, facts, seats, actions)
    for number in range(len(actions)):
        facts.number = number
        fault = take(deal, rules, facts, int(seats[number]), int(actions[number]))
        if fault != NONE:
            return fault
    return end_fault(deal, rules, facts)


@kernel
def deal_known(deal, rules, facts, seats, actions):
    """The deal before its first action; `facts.plays`, in which a card counts where it is met first."""
    met = facts.own
    for number in range(len(actions)):
        seat, action = seats[number], actions[number]
        if 0 <= action < NUM_CARDS and seat != facts.viewer and not met & bit(action):
            facts.plays[seat] |= bit(action)
            met |= bit(action)
    deal.num_seats, deal.forehand, deal.forced = rules.num_seats, facts.forehand, facts.forced
    for seat in range(MAX_SEATS):
        deal.hands[seat] = facts.hands[seat] if facts.given[seat] else facts.plays[seat] & ~facts.seen
        deal.totals[seat], deal.rings[seat] = facts.totals[seat], facts.rings[seat]
    deal.dealt[facts.viewer] = facts.own
    for index in range(6):
        deal.talon[index] = facts.talon[index]
    begin_deal(deal, rules)


@kernel
def take(deal, rules, facts, seat, action):
    """One action, checked: exactly where it is the viewer's, as far as his knowledge goes where it is another seat's. Returns its fault."""
    if deal.phase == DONE:
        return DEAL_OVER
    if seat != deal.seat:
        return OTHERS_TURN
    own = seat == facts.viewer
    if action == NO_ACTION or (action == HIDDEN_DISCARD and (own or deal.phase != DISCARD_PHASE)):
        return UNKNOWN
    if own:
        if not is_legal(deal, action):
            return NOT_LEGAL
        if deal.phase == CALL_PHASE:
            missing = KINGS & ~deal.hands[seat]
            called = CALLED_CARDS[action - CALL]
            if action == CALL + FOURTH and missing:
                called = highest(missing)
            seat_partner(deal, facts, called)
    elif action != HIDDEN_DISCARD:
        fault = other_fault(deal, rules, facts, seat, action)
        if fault != NONE:
            return fault
    asks = deal.phase == CALL_PHASE or BID <= action < BID + NUM_CONTRACT_SLOTS  # something of the hand that was dealt
    step(deal, rules, action)
    if not own and CALL <= action < CALL + len(CALLED_CARDS):  # a card that it could not hold then may have come with the talon
        deal.hands[seat] = (deal.hands[seat] & ~facts.guessed & ALL_CARDS) | (facts.plays[seat] & ~facts.seen)
        if facts.guessed and deal.partner >= 0:  # he has the fourth king, whichever it is
            deal.hands[deal.partner] &= ~bit(deal.called)
    return NOT_TOGETHER if asks and not own and not some_hand(deal, rules, facts, seat) else NONE


@kernel
def other_fault(deal, rules, facts, seat, action):
    """What another seat cannot have done, whatever it holds; the cards that its action proves are put into its hand."""
    possible = possible_hand(deal, facts, seat)
    if deal.phase == DISCARD_PHASE:
        shown = ZERO if rules.free_tarock_discards else restricted_cards(deal, rules)
        if not DISCARD <= action < DISCARD + NUM_CARDS or not shown & bit(action - DISCARD):
            return DISCARD_SHOWN
        if not possible & bit(action - DISCARD):
            return NOT_HELD
    elif deal.phase == PLAY and action < NUM_CARDS and not deal.hands[seat] & bit(action):
        return NOT_HELD
    if deal.phase == CALL_PHASE:
        fault = call_fault(deal, rules, facts, seat, action, possible)
        if fault != NONE:
            return fault
    elif not allowed(deal, rules, facts, seat, action, possible):
        return NOT_ALLOWED
    needed = needed_cards(deal, rules, action)
    if needed & ~possible:
        facts.detail = highest(needed & ~possible)
        return CARD_MISSING
    if deal.called >= 0 and needed & bit(deal.called) and seat != deal.declarer:
        deal.partner = seat  # whatever `sides` says
        if facts.guessed:
            needed &= ~bit(deal.called)
    deal.hands[seat] |= needed
    return NONE


@kernel
def call_fault(deal, rules, facts, seat, action, possible):
    """Give the declarer's hidden hand the kings that the call proves, so that the engine finds the called card and its holder."""
    hand, called, call = deal.hands[seat], -1, action - CALL
    if call == FOURTH:
        called, shown = fourth_king(deal, facts, seat)
        if called < 0 or (KINGS & ~bit(called)) & ~possible:
            return THREE_KINGS
        three = KINGS & ~bit(called)
        if not shown:
            facts.guessed = three & ~hand
        hand = (hand & ~KINGS) | three
    elif 0 <= call < len(CALLED_CARDS):
        called = CALLED_CARDS[call]
        if call >= XIX_CALL:  # the declarer may have been given the called one since
            higher = ZERO
            for card in range(called + 1, XIX + 1):
                higher |= bit(card)
            if higher:
                hand = (hand | higher) & ~bit(called)
            if higher & ~possible:
                return HIGH_TAROCKS
        elif call >= FIRST_QUEEN:
            hand |= KINGS
            if KINGS & ~possible:
                return FOUR_KINGS
    deal.hands[seat] = hand
    if not allowed(deal, rules, facts, seat, action, hand):
        return NOT_ALLOWED
    seat_partner(deal, facts, called)
    return NONE


@kernel
def fourth_king(deal, facts, declarer):
    """(the king that a declarer with three calls, whether it shows itself): else one that nobody has seen; -1 where no card fits."""
    others = facts.own | facts.seen
    for seat in range(MAX_SEATS):
        if seat != declarer and seat != facts.viewer:
            others |= facts.plays[seat]
    outside = others & KINGS
    unseen = KINGS & ~deal.hands[declarer] & ~outside
    if size(outside) > 1 or not outside | unseen:
        return -1, outside != ZERO
    return highest(outside if outside else unseen), outside != ZERO


@kernel
def seat_partner(deal, facts, called):
    """Where the partner is known, by `sides` or otherwise, and nobody has seen the called card, he holds it."""
    if called < 0 or (facts.own | facts.seen) & bit(called):
        return
    for seat in range(MAX_SEATS):
        if deal.hands[seat] & bit(called):
            return
    for seat in range(MAX_SEATS):
        declaring = facts.declaring >> seat & 1 or seat == facts.partner
        if declaring and seat != deal.declarer and seat != facts.viewer:
            deal.hands[seat] |= bit(called)


@kernel
def end_fault(deal, rules, facts):
    """The viewer is to act, and knows what the view says: the talon, open hands, sides; and some deal fits it."""
    viewer = int(facts.viewer)
    if deal.phase == DONE:
        return NOBODY_ACTS
    if deal.seat != viewer:
        return NOT_THE_VIEWERS
    seen = talon_known(deal, viewer)
    for index in range(6):
        known = seen & bit(deal.talon[index]) != ZERO
        facts.detail = index
        if known and facts.talon[index] >= UNSEEN_TALON:
            return TALON_SEEN
        if not known and facts.talon[index] < UNSEEN_TALON:
            return TALON_UNSEEN
    for seat in range(deal.num_seats):
        facts.detail = seat
        if facts.given[seat] and not hand_visible(deal, rules, viewer, seat):
            return HAND_HIDDEN
    calls_somebody = deal.contract >= 0 and rules.calls[deal.contract] != 0
    known, declaring = known_and_with_declarer(deal, calls_somebody, rules.own_king_callable != 0, viewer)
    if known != facts.known or declaring & known != facts.declaring:
        return WRONG_SIDES
    for seat in range(deal.num_seats):
        facts.detail = seat
        if seat != viewer and not some_hand(deal, rules, facts, seat):
            return NO_HAND
    facts.detail = kept_free_card(deal, rules, viewer)
    if facts.detail >= 0:
        return KEPT_FREE
    facts.detail = card_without_place(deal, rules, facts)
    return NONE if facts.detail < 0 else NO_PLACE
