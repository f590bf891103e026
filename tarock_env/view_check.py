"""What cannot be in a view: actions that no hand allows, cards in two places, cards that nobody can hold (for tarock_env/view_text.py).

Every check is of the kind "whatever the hidden cards are, this cannot be", so a view that play led to passes all of them.
`replay` is the view's replay: its `deal` with the known part of every hand, `table`, `rules`, `viewer`, and the sets `own` (the
viewer's hand as dealt), `talon` (talon cards he has seen) and `plays` (cards that each other seat plays in the whole view).
"""

from typing import TYPE_CHECKING

import numpy as np

from tarock_env.actions import DISCARD
from tarock_env.cards import CARD_NAMES, NUM_CARDS, NUM_SUITS, mask_cards
from tarock_env.engine.bits import ALL_CARDS, KINGS, QUEENS, SUIT_MASKS, TRULL
from tarock_env.engine.exchange import restricted_cards
from tarock_env.engine.state import ANNOUNCE, AUCTION, NAME_BIRD, PLAY
from tarock_env.engine.state import DISCARD as DISCARD_PHASE
from tarock_env.engine.step import is_legal, update_legal
from tarock_env.rules.schema import SINGLE_BIRDS, Announcer

if TYPE_CHECKING:
    from tarock_env.view_text import _Replay

_ALL, _KINGS, _QUEENS, _TRULL = int(ALL_CARDS), int(KINGS), int(QUEENS), int(TRULL)
_SUITS = [int(cards) for cards in SUIT_MASKS]
Place = tuple[str, int]  # "hand", "discards" or "talon", and the seat


def possible_hand(replay: "_Replay", seat: int) -> int:
    """Every card that another seat may hold now, as a set: what it is known to hold, and what nobody else has or had."""
    hands = replay.hands.tolist()
    gone = replay.own | replay.talon | int(replay.shown[0])
    for cards in replay.played.tolist():
        gone |= cards
    for other in range(replay.players):
        if other != seat:
            gone |= hands[other]
    return int((_ALL & ~gone) | hands[seat])


def allowed(replay: "_Replay", seat: int, action: int, possible: int) -> bool:
    """Whether some hand allows another seat its action. The deal is left as it was, but for its legal words.

    What the rules ask of a hand is either to have cards, which the largest hand fulfils, or to lack some (a led suit, a fourth king),
    which the smallest fulfils: what the seat plays later on. Between them kings and queens matter to bids, which both have and lack.
    """
    deal, phase = replay.deal, replay.phase
    held, partner = int(replay.hands[seat]), int(replay.partner[0])
    partners = [partner]
    if phase == PLAY:
        whole = replay.record.hands[seat] is not None
        hands = [held if whole else held & replay.plays[seat]]
        if partner < 0 <= deal.called and seat != deal.declarer and not deal.sides_public >> seat & 1:
            partners.append(seat)  # it may be the partner, whose announced cards bind it
    elif phase == DISCARD_PHASE:
        hands = [held & replay.plays[seat] | 1 << action - DISCARD]
    else:
        hands = [possible, held, held & replay.plays[seat]]  # (what it drew it may have laid away)
        if phase == AUCTION:  # four kings bar some bids, unless four queens are beside them
            hands += [possible & ~(_KINGS & ~held), possible & ~((_KINGS | _QUEENS) & ~held)]
            if None in replay.record.talon:
                hands.append(possible & ~_KINGS)  # kings that it plays may come to it with the talon
    try:
        for hand in hands:
            for replay.partner[0] in partners:
                replay.hands[seat] = np.uint64(hand)
                update_legal(deal, replay.table)
                if is_legal(deal, action):
                    return True
        return False
    finally:
        replay.hands[seat], replay.partner[0] = np.uint64(held), partner


def needed_cards(replay: "_Replay", name: str) -> int:
    """The cards that a legal action proves its seat to hold, as a set."""
    verb, _, what = name.partition(":")
    phase = replay.phase
    if verb == "bid":
        bird = replay.rules.contract(what).bird
        return 1 << SINGLE_BIRDS.index(bird) if bird in SINGLE_BIRDS else 0
    if verb == "meld":
        return _TRULL if what == "trull" else 0
    if verb != "announce":
        return 0
    if phase == NAME_BIRD:
        return 1 << SINGLE_BIRDS.index(what)
    if phase != ANNOUNCE or replay.rules.bonus(what).announcer != Announcer.HOLDER:
        return 0
    return 1 << SINGLE_BIRDS.index(what) if what in SINGLE_BIRDS else 1 << int(replay.deal.called)


def check_counts(replay: "_Replay") -> None:
    """Raise ValueError unless the cards that the viewer cannot place fit into the places that he cannot see.

    Places are hidden hands (which have no card of a suit that they were void in), hidden discards and the rest of the talon.
    """
    room, placed, owner = _hidden_places(replay)
    deal = replay.deal
    undiscarded = _KINGS | _TRULL
    if not replay.rules.free_tarock_discards and not deal.raised:  # (a raise has other cards restricted than its discards had)
        undiscarded |= int(restricted_cards(deal, replay.table))
    takes = {}  # place -> cards that can lie there
    for kind, seat in room:
        void = sum(_SUITS[suit] for suit in range(NUM_SUITS) if deal.voids[seat] >> suit & 1) if kind == "hand" else 0
        takes[kind, seat] = _ALL & ~(void if kind == "hand" else undiscarded if kind == "discards" else 0)
    for card, seat in owner.items():
        for place in takes:
            if place[1] != seat:
                takes[place] &= ~(1 << card)
    loose = [card for card in range(NUM_CARDS) if not placed >> card & 1]
    choices = {card: [place for place in room if takes[place] >> card & 1] for card in loose}
    lying: dict[Place, list[int]] = {place: [] for place in room}

    def lay(card: int, tried: set[Place]) -> bool:
        """Find a place for a card, moving others on where they stand in its way (augmenting paths)."""
        for place in choices[card]:
            if place in tried or room[place] <= 0:
                continue
            tried.add(place)
            if len(lying[place]) < room[place]:
                lying[place].append(card)
                return True
            for position, other in enumerate(lying[place]):
                if lay(other, tried):
                    lying[place][position] = card
                    return True
        return False

    for card in loose:
        if not lay(card, set()):
            raise ValueError(f"no deal fits this view: there is no place left where {CARD_NAMES[card]} can be")


def _hidden_places(replay: "_Replay") -> tuple[dict[Place, int], int, dict[int, int]]:
    """Room in each place that the viewer cannot see; the cards that he can place; owners of cards that lie in one seat's places."""
    deal, talon = replay.deal, replay.talon
    placed = int(deal.hands[replay.viewer]) | int(deal.discards[replay.viewer]) | int(deal.discards_shown)
    placed |= talon & ~int(deal.talon_taken)
    untaken = ~int(deal.talon_taken) >> NUM_CARDS
    room = {("talon", -1): sum(untaken >> index & 1 for index, card in enumerate(replay.record.talon) if card is None)}
    owner: dict[int, int] = {}
    for seat in range(replay.players):
        played, drawn, hand = int(deal.played[seat]), int(deal.drawn[seat]), int(deal.hands[seat])
        placed |= played
        if seat == replay.viewer:
            continue
        if replay.record.hands[seat] is not None:
            placed |= hand
            continue
        discards = drawn.bit_count() - int(deal.owed[seat])
        room["hand", seat] = replay.rules.hand_size + drawn.bit_count() - discards - played.bit_count()
        room["discards", seat] = discards - (int(deal.discards[seat]) & int(deal.discards_shown)).bit_count()
        owner |= dict.fromkeys(mask_cards(hand | drawn & talon), seat)
    return room, placed, owner
