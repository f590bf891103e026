"""What cannot be in a view: actions that no hand allows, cards in two places, cards that nobody can hold (for tarock_env/view_replay.py).

Every check is of the kind "whatever the hidden cards are, this cannot be", so a view that play led to passes all of them.
`deal` is the view's deal as far as it is replayed, with the known part of every hand; `facts` what the view says (a FACTS record).
"""

import numpy as np

from tarock_env.actions import ANNOUNCE as ANNOUNCE_ACTION
from tarock_env.actions import BID, CALLS, DISCARD, ITEM_IDS, KONTRA, MELD, MELDS, NUM_CONTRACT_SLOTS
from tarock_env.cards import NUM_CARDS, NUM_SUITS
from tarock_env.engine.bits import ALL_CARDS, KINGS, QUEENS, SUIT_MASKS, TAROCKS, TRULL, ZERO, bit, lowest, size
from tarock_env.engine.exchange import restricted_cards
from tarock_env.engine.jit import kernel, record_dtype
from tarock_env.engine.state import ANNOUNCE, AUCTION, MAX_SEATS, NAME_BIRD, PLAY
from tarock_env.engine.state import DISCARD as DISCARD_PHASE
from tarock_env.engine.step import is_legal, update_legal
from tarock_env.rules.schema import SINGLE_BIRDS, Announcer

FACTS = record_dtype(
    [
        ("viewer", "i1"), ("forehand", "i1"), ("forced", "i1"),
        ("own", "u8"),  # the viewer's hand as dealt
        ("seen", "u8"),  # talon cards that he has seen
        ("talon", "i1", (6,)),  # card ids, UNSEEN_TALON + index for unseen ones
        ("given", "i1", (MAX_SEATS,)), ("hands", "u8", (MAX_SEATS,)),  # whether a hand stands in the view, and which
        ("known", "i1"), ("declaring", "i1"),  # `sides`: seats whose side it names, those with the declarer
        ("partner", "i1"),  # -1, or the seat that must be the partner because the deal went on
        ("totals", "i4", (MAX_SEATS,)), ("rings", "i1", (MAX_SEATS,)),
        # what the replay finds out
        ("plays", "u8", (MAX_SEATS,)),  # cards that each other seat plays in the whole view
        ("guessed", "u8"),  # kings that the caller of an unknown fourth king was given for the call
        ("number", "i4"), ("detail", "i4"),  # where a fault is: the action from 0; a card, seat or talon index
    ],
)  # fmt: skip
UNSEEN_TALON = NUM_CARDS  # + index: bits that are no card stand for talon cards that the viewer has not seen
HOLDER = int(Announcer.HOLDER)
LAST_BIRD = ITEM_IDS[SINGLE_BIRDS[-1]]  # items 1..4 are the birds, cards 0..3
TRULL_MELD = MELD + MELDS.index("trull")
XIX_CALL = CALLS.index("T19")
PLACES = 2 * MAX_SEATS + 1  # where unseen cards can lie: a hand and hidden discards for each seat, then the rest of the talon


@kernel
def possible_hand(deal, facts, seat):
    """Every card that another seat may hold now, as a set: what it is known to hold, and what nobody else has or had."""
    gone = facts.own | facts.seen | deal.discards_shown
    for other in range(MAX_SEATS):
        gone |= deal.played[other]
        if other != seat:
            gone |= deal.hands[other]
    return (ALL_CARDS & ~gone) | deal.hands[seat]


@kernel
def allows(deal, rules, seat, action, hand):
    """Whether a seat's hand allows the action. The hand stays in the deal."""
    deal.hands[seat] = hand
    update_legal(deal, rules)
    return is_legal(deal, action)


@kernel
def allowed(deal, rules, facts, seat, action, possible):
    """Whether some hand allows another seat its action. The deal is left as it was, but for its legal words.

    What the rules ask of a hand is either to have cards, which the largest hand fulfils, or to lack some (a led suit, a fourth king),
    which the smallest fulfils: what the seat plays later on. Between them kings and queens matter to bids, which both have and lack.
    """
    held, partner = deal.hands[seat], deal.partner
    later = held & facts.plays[seat]
    if deal.phase == PLAY:
        hand = held if facts.given[seat] else later
        found = allows(deal, rules, seat, action, hand)
        if not found and partner < 0 and deal.called >= 0 and seat != deal.declarer and not deal.sides_public >> seat & 1:
            deal.partner = seat  # it may be the partner, whose announced cards bind it
            found = allows(deal, rules, seat, action, hand)
            deal.partner = partner
    elif deal.phase == DISCARD_PHASE:
        found = allows(deal, rules, seat, action, later | bit(action - DISCARD))
    else:  # (what it drew it may have laid away)
        found = allows(deal, rules, seat, action, possible)
        found = found or allows(deal, rules, seat, action, held) or allows(deal, rules, seat, action, later)
        if not found and deal.phase == AUCTION:  # four kings bar some bids, unless four queens are beside them
            found = allows(deal, rules, seat, action, possible & ~(KINGS & ~held))
            found = found or allows(deal, rules, seat, action, possible & ~((KINGS | QUEENS) & ~held))
            if not found and unseen_talon(facts) > 0:  # kings that it plays may come to it with the talon
                found = allows(deal, rules, seat, action, possible & ~KINGS)
    deal.hands[seat] = held
    return found


@kernel
def unseen_talon(facts):
    """How many talon cards the viewer has not seen."""
    count = 0
    for card in facts.talon:
        count += card >= UNSEEN_TALON
    return count


@kernel
def needed_cards(deal, rules, action):
    """The cards that a legal action proves its seat to hold, as a set."""
    if BID <= action < BID + NUM_CONTRACT_SLOTS:
        bird = rules.bird[action - BID]
        return bit(bird - 1) if bird > 0 else ZERO
    if action == TRULL_MELD:
        return TRULL
    if not ANNOUNCE_ACTION <= action < KONTRA:
        return ZERO
    item = action - ANNOUNCE_ACTION + 1
    if deal.phase == NAME_BIRD:
        return bit(item - 1)
    if deal.phase != ANNOUNCE or rules.announcer[item] != HOLDER:
        return ZERO
    return bit(item - 1) if item <= LAST_BIRD else bit(deal.called)


@kernel
def card_without_place(deal, rules, facts):
    """-1, or a card that no deal has room for: the cards that the viewer cannot place must fit into the places that he cannot see.

    Places are hidden hands (which have no card of a suit that they were void in), hidden discards and the rest of the talon. The cards fit
    if in every choice of places there is room for those that can lie nowhere else (Hall's theorem).
    """
    room = np.zeros(PLACES, np.int64)
    takes = np.zeros(PLACES, np.uint64)
    placed = hidden_places(deal, rules, facts, room, takes)
    rooms = np.zeros(1 << PLACES, np.int64)  # by set of places
    for chosen in range(1, 1 << PLACES):
        rooms[chosen] = rooms[chosen & (chosen - 1)] + room[lowest(np.uint64(chosen))]
    waiting = np.zeros(1 << PLACES, np.int64)  # ... cards that can lie nowhere else
    for card in range(NUM_CARDS):
        if placed & bit(card):
            continue
        places = 0
        for place in range(PLACES):
            if takes[place] & bit(card):
                places |= 1 << place
        chosen = places
        while chosen < 1 << PLACES:  # every set that has all of `places`
            waiting[chosen] += 1
            if waiting[chosen] > rooms[chosen]:
                return card
            chosen = (chosen + 1) | places
    return -1


@kernel
def free_discards(deal, rules):
    """Cards that anybody may lay away unseen, as long as he has them."""
    free = ALL_CARDS & ~(KINGS | TRULL)
    if deal.called >= 0:
        free &= ~bit(deal.called)
    if rules.free_tarock_discards or deal.contract < 0:
        return free
    return free & ~(TAROCKS if deal.raised else restricted_cards(deal, rules))  # what is raised was exchanged for as a tarock game


@kernel
def kept_free_card(deal, rules, viewer):
    """-1, or a card that a seat played which it must have laid away: where restricted discards are shown, every free one was (1.8.5)."""
    if rules.free_tarock_discards:
        return -1
    free = free_discards(deal, rules)
    for seat in range(deal.num_seats):
        if seat != viewer and deal.discards[seat] & deal.discards_shown and deal.played[seat] & free:
            return lowest(deal.played[seat] & free)
    return -1


@kernel
def may_have_called(deal, rules, facts, seat):
    """Whether a seat whose hand is hidden may hold the called card: no known defender does, nor a caller who could not hold it."""
    if facts.known >> seat & 1 and not facts.declaring >> seat & 1:
        return False
    return (
        seat != deal.declarer
        or rules.own_king_callable
        or deal.call >= XIX_CALL
        or deal.drawn[seat] & (bit(deal.called) | ~ALL_CARDS) != ZERO
    )


@kernel
def hidden_places(deal, rules, facts, room, takes):
    """Fill in the room of each place that the viewer cannot see and the cards that can lie there; returns the cards that he can place."""
    viewer = facts.viewer
    placed = deal.hands[viewer] | deal.discards[viewer] | deal.discards_shown | (facts.seen & ~deal.talon_taken)
    undiscarded = ALL_CARDS & ~free_discards(deal, rules)
    takes[PLACES - 1] = ALL_CARDS
    for index in range(6):
        if facts.talon[index] >= UNSEEN_TALON and not deal.talon_taken & bit(UNSEEN_TALON + index):
            room[PLACES - 1] += 1
    for seat in range(deal.num_seats):
        placed |= deal.played[seat]
        if seat == viewer:
            continue
        if facts.given[seat]:
            placed |= deal.hands[seat]
            continue
        shown = size(deal.discards[seat] & deal.discards_shown)
        room[seat] = max(0, rules.hand_size + deal.owed[seat] - size(deal.played[seat]))
        room[MAX_SEATS + seat] = max(0, size(deal.drawn[seat]) - deal.owed[seat] - shown)
        takes[seat], takes[MAX_SEATS + seat] = ALL_CARDS, ALL_CARDS & ~undiscarded
        for suit in range(NUM_SUITS):
            if deal.voids[seat] >> suit & 1:
                takes[seat] &= ~SUIT_MASKS[suit]
        if shown and not rules.free_tarock_discards:  # it had laid away all that it could
            takes[seat] &= undiscarded
        if deal.called >= 0 and not facts.guessed and not may_have_called(deal, rules, facts, seat):
            takes[seat] &= ~bit(deal.called)
    owned = ZERO
    for seat in range(deal.num_seats - 1, -1, -1):  # a card that one seat is known to have or have had lies in that seat's places
        if seat != viewer and not facts.given[seat]:
            own = (deal.hands[seat] | (deal.drawn[seat] & facts.seen)) & ~owned
            owned |= own
            for place in range(PLACES):
                if place != seat and place != MAX_SEATS + seat:
                    takes[place] &= ~own
    return placed
