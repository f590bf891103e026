"""The cards that a view hides, dealt to where they can lie (for tarock_env/deal_behind.py).

A hidden card ends in one of these places: a seat keeps it for the play (and may have played it since), a seat has laid it away unseen, or
it is left in the talon. What the view shows says how many cards lie where, and bars cards from places:

- a seat that laid away a restricted card openly had laid away, or lays away, every free one: it keeps none (rules text 1.8.5);
- hidden discards are free cards, where restricted ones are shown;
- what a seat is seen to have had lies with that seat;
- a card that would have forced a seat to play otherwise is none that it kept: the search learns that from what was not legal.

A seat may have drawn some of its cards from the hidden part of the talon; which ones, is chosen by chance.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tarock_env.actions import CONTRACT_IDS
from tarock_env.cards import CARD_IDS, NUM_CARDS, NUM_TAROCKS, mask_cards
from tarock_env.engine.bits import ALL_CARDS
from tarock_env.engine.exchange import kept_cards, restricted_cards
from tarock_env.record import Record
from tarock_env.view_hands import sure_cards
from tarock_env.view_replay import NOBODY_ACTS, NONE, NOT_THE_VIEWERS, WRONG_SIDES
from tarock_env.view_text import replayed

Place = tuple[str, int]
"""(KEPT or LAID, seat), or REST."""
KEPT, LAID = "kept", "laid"
REST: Place = ("rest", -1)
CARD_VERBS = ("play", "discard")
COULD_BE = (NONE, NOBODY_ACTS, NOT_THE_VIEWERS, WRONG_SIDES)  # sides may be left out
SUITS = [range(NUM_TAROCKS + 8 * suit, NUM_TAROCKS + 8 * (suit + 1)) for suit in range(4)]


def suit_of(card: int) -> int:
    """0 for tarocks, 1 to 4 for H D S C."""
    return 0 if card < NUM_TAROCKS else 1 + (card - NUM_TAROCKS) // 8


def cards_in(cards: int) -> set[int]:
    """Card ids of a set of bits; bits that are no card are left out."""
    return set(mask_cards(int(cards) & int(ALL_CARDS)))


def card_of(name: str) -> int | None:
    """The card that an action moves, None where it moves none or a hidden one."""
    verb, _, card = name.partition(":")
    return CARD_IDS.get(card) if verb in CARD_VERBS else None


class HiddenCards:
    """The hidden cards of a view and the places that they are given.

    place_of: card -> its place, open talon cards that hidden seats took included. barred: by seat, cards that it cannot have kept.
    possible: False where tarock_env/view_replay.py has found already that no cards will do.
    """

    def __init__(self, view: Record, rng: random.Random) -> None:
        self.view = view
        self.seats = [seat for seat, hand in enumerate(view.hands) if hand is None]
        shown = {card for hand in view.hands if hand is not None for card in hand} | {card for card in view.talon if card is not None}
        self.hidden = [card for card in range(NUM_CARDS) if card not in shown]
        self.barred: dict[int, set[int]] = {seat: set() for seat in self.seats}
        self.had: dict[int, set[int]] = {seat: set() for seat in self.seats}  # what the view shows each to have had
        self.promised: dict[int, set[int]] = {seat: set() for seat in self.seats}  # cards of a suit that its bid needs
        self._read_course()
        for seat, name in view.actions:
            card = card_of(name)
            if seat in self.had and card in self.hidden and not any(card in cards for cards in self.had.values()):
                self.had[seat].add(card)
        self._count_places()
        self.deal(rng)

    def _read_course(self) -> None:
        """What the replayed view says: who drew what, had what, needs a long suit, and what may be laid away."""
        actions, rules = self.view.actions, self.view.rules
        fault, deals, tables, _ = replayed(self.view if self.view.result is None else replace(self.view, actions=actions[:-1]))
        deal, table = deals[0], tables[0]
        self.possible = fault in COULD_BE
        self.took: dict[int, set[int]] = {}  # open talon cards
        self.secret: dict[int, list[int]] = {}  # positions in the talon of the hidden ones
        self.sure: dict[int, set[int]] = {}  # dealt, not drawn
        self.least: dict[int, int] = {}  # cards of one suit that its bids need
        for seat in self.seats:
            drawn, bids = int(deal.drawn[seat]), int(deal.bids[seat])
            self.took[seat] = cards_in(drawn)
            self.secret[seat] = [index for index in range(6) if drawn >> NUM_CARDS + index & 1]
            self.sure[seat] = cards_in(sure_cards(deal, table, seat))
            self.had[seat] |= cards_in(int(deal.hands[seat]) | int(deal.played[seat])) & set(self.hidden)
            self.least[seat] = max(contract.minimum_suit if bids >> CONTRACT_IDS[contract.name] & 1 else 0 for contract in rules.contracts)
        self.owed = {seat: int(deal.owed[seat]) for seat in self.seats}
        discards = [index for index, (_, name) in enumerate(actions) if name.startswith("discard:")]
        _, deals, tables, _ = replayed(replace(self.view, actions=actions[: max(discards, default=0)]))  # before announcements and a raise
        self.shows = not rules.free_tarock_discards  # restricted discards are shown
        restricted = int(restricted_cards(deals[0], table)) if self.shows and discards else 0
        self.free = {seat: cards_in(~int(kept_cards(deals[0], seat)) & ~restricted) for seat in self.seats}

    def _count_places(self) -> None:
        """How many cards lie in each place; which seats keep no free card."""
        self.room: Counter[Place] = Counter()
        self.without_free: set[int] = set()
        self.fixed: dict[int, Place] = {}  # cards that are seen in the play
        self.laid_openly: dict[int, list[int]] = {seat: [] for seat in self.seats}
        named = [(seat, card_of(name)) for seat, name in self.view.actions if name.startswith("discard:")]
        for seat in self.seats:
            drawn = len(self.took[seat]) + len(self.secret[seat])
            cards = [card for other, card in named if other == seat]
            opened = [card for card in dict.fromkeys(cards) if card is not None and card in self.had[seat] | self.took[seat]][:drawn]
            self.laid_openly[seat] = opened
            laid = min(sum(card is None for card in cards), drawn - len(opened))
            self.room[KEPT, seat] = self.view.rules.hand_size + drawn - len(opened) - laid
            self.room[LAID, seat] = laid
            if self.shows and opened and not self.owed[seat]:
                self.without_free.add(seat)
        taken = {index for positions in self.secret.values() for index in positions}
        self.rest = [index for index, card in enumerate(self.view.talon) if card is None and index not in taken]
        self.room[REST] = len(self.rest)
        for seat, name in self.view.actions:
            card = card_of(name)
            if name.startswith("play:") and seat in self.seats and card is not None and card in self.had[seat] | self.took[seat]:
                self.fixed[card] = (KEPT, seat)
        opened_cards = {card for cards in self.laid_openly.values() for card in cards}
        taken_cards = [card for cards in self.took.values() for card in cards]
        self.loose = [card for card in [*self.hidden, *taken_cards] if card not in opened_cards]

    def allowed(self, card: int, place: Place) -> bool:
        """Whether a card can lie in a place, as far as is known."""
        kind, seat = place
        if card in self.fixed:
            return place == self.fixed[card]
        owner = next(
            (other for other in self.seats if card in self.had[other] or card in self.took[other] or card in self.promised[other]), seat
        )
        if owner != seat:
            return False
        if kind == LAID:
            return card in self.free[seat]
        return kind != KEPT or (card not in self.barred[seat] and not (seat in self.without_free and card in self.free[seat]))

    def deal(self, rng: random.Random) -> None:
        """Deal the hidden cards anew, by chance."""
        self.luck = {card: rng.random() for card in range(NUM_CARDS)}
        suits = [range(NUM_TAROCKS, NUM_CARDS)] if self.view.rules.any_suit_minimum else SUITS
        self.suit = {seat: rng.sample(suits, len(suits)) for seat in self.seats}  # in which order it is thought to have a long one
        self.place_of: dict[int, Place] = {}
        self.settle(rng)

    def settle(self, rng: random.Random) -> None:
        """Give every card a place that it can lie in, moving as few as that needs; what fits nowhere goes where there is room."""
        self._promise(rng)
        for card, place in list(self.place_of.items()):
            if not self.allowed(card, place):
                del self.place_of[card]
        self.cards_at: dict[Place, list[int]] = {place: [] for place in self.room}
        for card, place in self.place_of.items():
            self.cards_at[place].append(card)
        waiting = [card for card in rng.sample(self.loose, len(self.loose)) if card not in self.place_of]
        waiting.sort(key=lambda card: sum(self.allowed(card, place) for place in self.room))
        left = [card for card in waiting if not self._find_place(card, set(), rng)]
        for card in left:
            places = [place for place in self.room if len(self.cards_at[place]) < self.room[place]]
            self._put(card, rng.choice(places) if places else REST)

    def _promise(self, rng: random.Random) -> None:
        """Keep for each seat the cards of a suit without which it could not have bid a colour game."""
        before = self.promised
        self.promised = {seat: set() for seat in self.seats}
        for seat in self.seats:
            for suit in self.suit[seat] if self.least[seat] else []:
                has = {card for card in self.had[seat] if card in suit}
                may = [card for card in self.loose if card in suit and card not in has | self.took[seat] and self._may_have(card, seat)]
                may.sort(key=lambda card: (card not in before[seat], self.luck[card]))
                lie_there = (self.had[seat] | self.took[seat]) - set(self.laid_openly[seat])
                room = self.room[KEPT, seat] + self.room[LAID, seat] - len(lie_there)
                if len(has) + min(len(may), room) >= self.least[seat]:
                    self.promised[seat] = set(may[: max(0, self.least[seat] - len(has))])
                    break

    def _may_have(self, card: int, seat: int) -> bool:
        return self.allowed(card, (KEPT, seat)) or (self.room[LAID, seat] > 0 and self.allowed(card, (LAID, seat)))

    def _find_place(self, card: int, tried: set[Place], rng: random.Random) -> bool:
        """Put a card into a place that allows it, another card moving on from there where it is full."""
        places = [place for place in self.room if place not in tried and self.room[place] and self.allowed(card, place)]
        rng.shuffle(places)
        for place in places:
            if len(self.cards_at[place]) < self.room[place]:
                self._put(card, place)
                return True
        for place in places:
            tried.add(place)
            for other in rng.sample(self.cards_at[place], len(self.cards_at[place])):
                if self._find_place(other, tried, rng):
                    self.cards_at[place].remove(other)
                    self._put(card, place)
                    return True
        return False

    def _put(self, card: int, place: Place) -> None:
        self.place_of[card] = place
        self.cards_at[place].append(card)

    def learn(self, seat: int, name: str, legal: str) -> bool:
        """Note the cards that forbade a seat to play one: it had not kept them. Returns whether that is news."""
        card = card_of(name)
        if seat not in self.barred or card is None or not name.startswith("play:"):
            return False
        others = {card_of(word) for word in legal.split()}
        forbade = {other for other in others if other is not None and self.fixed.get(other) != (KEPT, seat)}
        alike = {other for other in forbade if suit_of(other) == suit_of(card)}
        news = (alike or forbade) - self.barred[seat]  # cards alike beat it or spare the Pagat: the others forbid nothing then
        self.barred[seat] |= news
        return bool(news)

    def forget(self) -> None:
        """What was learnt may rest on a chance: who was the partner, say."""
        for cards in self.barred.values():
            cards.clear()

    def movable(self, seat: int | None = None) -> list[int]:
        """Cards that may lie elsewhere; with a seat, those that it has."""
        return [card for card in self.loose if card not in self.fixed and (seat is None or self.place_of[card][1] == seat)]

    def may_swap(self, one: int, other: int) -> bool:
        """Whether two cards may change places, where that changes anything."""
        first, second = self.place_of[one], self.place_of[other]
        if first == second:  # in the talon their order matters: a half of it may go to the declarer
            return first == REST and one != other
        return self.allowed(one, second) and self.allowed(other, first)

    def swap(self, one: int, other: int) -> None:
        """Let two cards change places."""
        first, second = self.place_of[one], self.place_of[other]
        if first == second:
            cards = self.cards_at[first]
            left, right = cards.index(one), cards.index(other)
            cards[left], cards[right] = other, one
            return
        for card, old, new in ((one, first, second), (other, second, first)):
            self.cards_at[old].remove(card)
            self._put(card, new)

    def laid_away(self, seat: int) -> list[int]:
        """What a seat laid away unseen."""
        return self.cards_at.get((LAID, seat), [])

    def draw_others(self, seat: int, rng: random.Random) -> Callable[[], None]:
        """Let a seat have drawn other ones of its cards from the hidden talon; returns what undoes it."""
        before = self.luck
        self.luck = before | {card: rng.random() for card, place in self.place_of.items() if place[1] == seat}
        return partial(setattr, self, "luck", before)

    def whole(self) -> tuple[list[list[int]], list[int]]:
        """Hands as dealt and talon, with the hidden cards in them. What a bid or call proves was dealt, not drawn."""
        hands = [list(hand) if hand is not None else [] for hand in self.view.hands]
        talon = [-1 if card is None else card for card in self.view.talon]
        for seat in self.seats:
            sure = self.sure[seat] | self.promised[seat]
            pool = [*self.cards_at[KEPT, seat], *self.cards_at[LAID, seat], *self.laid_openly[seat]]
            dealt = sorted((card for card in pool if card not in self.took[seat]), key=lambda card: (card in sure, self.luck[card]))
            drawn = dealt[: len(self.secret[seat])]
            for index, card in zip(self.secret[seat], drawn, strict=False):
                talon[index] = card
            hands[seat] = dealt[len(drawn) :]
        for index, card in zip(self.rest, self.cards_at[REST], strict=False):
            talon[index] = card
        return hands, talon
