"""Is a view true to the rules? Hidden cards are filled in until everything in it can have happened.

A view hides cards, so it cannot be replayed as it stands. But it must be the view of some deal. So the cards that the seat cannot see are
dealt to the places that hide them, and the actions are played; where one is not legal, hidden cards change places, those first that
forbid it, until all are legal. That deal must then show the seat what the view shows, no more and no less, and have its result.

What a seat says or plays leaves few doubts about its cards, so a deal is found at once or after some dozen changes; a view for which
`CHANGES` do not suffice is refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tarock_env.cards import CARD_IDS, CARD_NAMES, NUM_CARDS, NUM_TAROCKS
from tarock_env.record import HIDDEN_DISCARD, Record, RecordError
from tarock_env.replay import as_seen_by, legal_difference, result_difference
from tarock_env.results import result_of
from tarock_env.rules.schema import Contract
from tarock_env.single_deal import IllegalAction, SingleDeal

CHANGES = 600  # attempts until a view is given up
PATIENCE = 60  # attempts without progress until the hidden cards are dealt anew
BLIND = 0.2  # share of the changes that do not look for what forbids an action
LAID_AWAY = 0.5  # ... that leave it to the seat to lay away what forbids its action, where it did so unseen
SEED = 1  # the same view gets the same answer
NOBODY = -2
CARD_VERBS = ("play", "discard")
KINGS = frozenset(CARD_IDS[suit + "K"] for suit in "HDSC")
TRULL = frozenset(CARD_IDS[name] for name in ("T1", "T21", "T22"))
BIRDS = frozenset(CARD_IDS[name] for name in ("T1", "T2", "T3", "T4"))
# What a seat says because of its hand -> cards of which it then holds some, or more than others do.
SPEAKING: dict[str, frozenset[int]] = {
    "announce:pagat": frozenset({CARD_IDS["T1"]}),
    "announce:uhu": frozenset({CARD_IDS["T2"]}),
    "announce:kakadu": frozenset({CARD_IDS["T3"]}),
    "announce:quapil": frozenset({CARD_IDS["T4"]}),
    "meld:trumps": frozenset(range(NUM_TAROCKS)),
    "meld:few_trumps": frozenset(range(NUM_TAROCKS, NUM_CARDS)),
    "meld:trull": TRULL,
    "meld:honours": KINGS | TRULL,
}


@dataclass(frozen=True)
class Attempt:
    """A view's actions played with some hidden cards.

    deal: where they end, None for cards that are no deal. played: how many were legal. fault: what is wrong, "" where nothing is.
    seat: whose action failed, None where none did. legal: what that seat could do.
    """

    deal: SingleDeal | None
    played: int
    fault: str = ""
    seat: int | None = None
    legal: str = ""


def verify_view(view: Record, line: int = 1) -> None:
    """Check a view: seats, actions, what it shows and hides, sides, result. Raises RecordError with the first thing that cannot be."""
    deal_behind(view, line)


def deal_behind(view: Record, line: int = 1) -> SingleDeal:
    """A deal of which a record is a view, played to where it ends; others may fit as well. Raises RecordError where none is found."""
    assert view.view is not None
    for index, (seat, name) in enumerate(view.actions):
        where = f"line {line}: action {index + 1} ({seat} {name})"
        if seat == view.view and name == HIDDEN_DISCARD:
            raise RecordError(f"{where}: a view shows the discards of its own seat")
        if view.legal is not None and seat != view.view and view.legal[index]:
            raise RecordError(f"{where}: seat {view.view} cannot know what was legal; its view has an empty set there")
    rng = random.Random(SEED)
    cards = HiddenCards(view, rng)
    best = current = play_view(view, cards)
    idle = 0
    for _ in range(CHANGES):
        if not current.fault:
            assert current.deal is not None
            return current.deal
        idle += 1
        cards.learn(current)
        if idle > PATIENCE:
            cards.deal(rng)
            current, idle = play_view(view, cards), 0
        else:
            undo = cards.change(current, rng)
            if undo is None:  # nothing is hidden that could be changed
                break
            changed = play_view(view, cards)
            cards.learn(changed)
            if changed.played < current.played:
                undo()
                continue
            if changed.played > current.played:
                idle = 0
            current = changed
        if current.played > best.played:
            best = current
    if not current.fault and current.deal is not None:
        return current.deal
    raise RecordError(f"line {line}: {best.fault}")


class HiddenCards:
    """The cards that a view hides, each in one of the places that hide them.

    A place is (seat, index) in a hand, (TALON, index) in the talon. barred: by seat, the cards that it cannot have had while cards were
    played, since it would have had to play them: they were dealt elsewhere, or it laid them away.
    """

    TALON = -1

    def __init__(self, view: Record, rng: random.Random) -> None:
        self.view = view
        shown = {card for hand in view.hands if hand is not None for card in hand} | {card for card in view.talon if card is not None}
        self.hidden = [card for card in range(NUM_CARDS) if card not in shown]
        self.uses: dict[int, int] = {}  # hidden card -> the seat that is seen to have it later
        for seat, name in view.actions:
            card = card_of(name)
            if card is not None and card not in shown:
                self.uses.setdefault(card, seat)
        self.talon_places = [(self.TALON, index) for index, card in enumerate(view.talon) if card is None]
        size = view.rules.hand_size
        self.places = [(seat, index) for seat, hand in enumerate(view.hands) if hand is None for index in range(size)] + self.talon_places
        self.place_of: dict[int, tuple[int, int]] = {}
        self.barred: dict[int, set[int]] = {seat: set() for seat in range(view.rules.players)}
        self.drawers = {seat for seat, name in view.actions if name.startswith("discard:")}  # who lays away has drawn
        self.deal(rng)

    def deal(self, rng: random.Random) -> None:
        """Deal the hidden cards anew: what a seat is seen to play goes to its hand, or where that is full to the talon, from which it
        may have drawn it; the rest by chance.
        """
        room = {seat: [place for place in self.places if place[0] == seat] for seat in {place[0] for place in self.places}}
        rest = []
        for card in rng.sample(self.hidden, len(self.hidden)):
            seat = self.uses.get(card, NOBODY)
            places = room.get(seat) or (room.get(self.TALON) if seat in self.drawers else None)
            if places:
                self.place_of[card] = places.pop()
            else:
                rest.append(card)
        rest.sort(key=lambda card: -sum(card in barred for barred in self.barred.values()))  # the least free first
        left = [place for places in room.values() for place in places]
        for card in rest:
            free = [place for place in left if not self._barred_at(card, place)] or left
            self.place_of[card] = rng.choice(free)
            left.remove(self.place_of[card])

    def _barred_at(self, card: int, place: tuple[int, int]) -> bool:
        return place[0] != self.TALON and card in self.barred[place[0]]

    def learn(self, attempt: Attempt) -> None:
        """Note which cards a seat cannot have had, from those that forbade a card that it did play."""
        if attempt.seat in (None, self.view.view) or not 0 <= attempt.played < len(self.view.actions):
            return
        seat, name = self.view.actions[attempt.played]
        if seat == attempt.seat and name.startswith("play:"):
            cards = [card_of(word) for word in attempt.legal.split()]
            self.barred[seat] |= {
                card for card in cards if card is not None and self.uses.get(card) != seat and not self.seen_with(card, seat)
            }

    def seen_with(self, card: int, seat: int) -> bool:
        """Whether the view shows that a seat moves this card itself."""
        return any(other == seat and card_of(name) == card for other, name in self.view.actions)

    def swap(self, one: int, other: int) -> None:
        """Let two hidden cards change places."""
        self.place_of[one], self.place_of[other] = self.place_of[other], self.place_of[one]

    def change(self, attempt: Attempt, rng: random.Random) -> Callable[[], None] | None:
        """Change something that may help the action that failed; returns what undoes it, None where nothing can be changed.

        A card of the seat that failed is swapped with one from elsewhere, by preference so that its hand comes to allow the action.
        """
        movable = [card for card in self.hidden if self.uses.get(card, NOBODY) in (NOBODY, *self.drawers)]
        drawn = {card_of(word) for word in attempt.legal.split()}  # from the talon, where they are none of its hand
        own = [
            card for card in movable if self.place_of[card][0] == attempt.seat or (card in drawn and self.place_of[card][0] == self.TALON)
        ]
        wanted, unwanted = (frozenset[int](), frozenset[int]())
        if attempt.played == len(self.view.actions):  # only what came of it is wrong: who laid away what, perhaps
            own = movable = [card for card in movable if card not in self.uses] or movable
        elif not own or rng.random() < BLIND:
            own = movable
        elif 0 <= attempt.played < len(self.view.actions):
            wanted, unwanted = self._suits_action(attempt, rng)
        if unwanted and attempt.seat in self.drawers and self._plays_at(attempt) and rng.random() < LAID_AWAY:
            return nothing  # it has learnt what to lay away
        first = [card for card in own if card in unwanted] or [card for card in own if card not in wanted]
        for one in rng.sample(first, len(first)) + rng.sample(own, len(own)):
            others = [card for card in movable if self._may_swap(one, card)]
            free = [
                card for card in others if not self._barred_at(card, self.place_of[one]) and not self._barred_at(one, self.place_of[card])
            ]
            others = [card for card in free if card in wanted] or [card for card in free if card not in unwanted] or free or others
            if others:
                other = rng.choice(others)
                self.swap(one, other)
                return partial(self.swap, one, other)
        return None

    def _plays_at(self, attempt: Attempt) -> bool:
        """Whether the action that failed plays a card."""
        return self.view.actions[attempt.played][1].startswith("play:")

    def _suits_action(self, attempt: Attempt, rng: random.Random) -> tuple[frozenset[int], frozenset[int]]:
        """Cards with which a seat's hand comes nearer to allowing the action that failed, and cards without which it does."""
        name, legal = self.view.actions[attempt.played][1], attempt.legal.split()
        verb, _, what = name.partition(":")
        calls = [CARD_IDS.get(word.removeprefix("call:")) for _, word in self.view.actions[: attempt.played] if word.startswith("call:")]
        called = [card for card in calls if card is not None]
        if verb == "play":  # what it could have played instead, it may not have had
            return frozenset(), frozenset(self.barred.get(attempt.seat if attempt.seat is not None else NOBODY, ()))
        if verb == "discard":  # a tarock that is laid away openly: the seat had hardly anything else to lay away
            other_choices = frozenset(card for word in legal if (card := card_of(word)) is not None)
            return (frozenset(range(NUM_TAROCKS)) | KINGS) - other_choices, other_choices
        if verb == "call":
            return (
                (KINGS, frozenset()) if what not in CARD_IDS or CARD_IDS[what] not in KINGS else (frozenset(), frozenset({CARD_IDS[what]}))
            )
        if verb == "kontra" and called:  # by the other side
            holds = self.place_of.get(called[0], (NOBODY, 0))[0] == attempt.seat
            return (frozenset(), frozenset(called)) if holds else (frozenset(called), frozenset())
        if verb == "bid":
            needs = [bid_needs(contract, rng) for contract in self.view.rules.contracts if contract.name == what]
            return (needs[0] if needs else frozenset()), frozenset()
        if verb == "good":  # with such cards it would have had to speak
            return frozenset(), frozenset(card for word in legal for card in SPEAKING.get(word, ()))
        return SPEAKING.get(name, frozenset(called)), frozenset()

    def _may_swap(self, one: int, other: int) -> bool:
        """Whether that changes anything, and both cards then lie where their seats can get them: a talon card may have been drawn."""
        if one == other or self.place_of[one][0] == self.place_of[other][0] != self.TALON:
            return False
        for card, place in ((one, self.place_of[other]), (other, self.place_of[one])):
            seat = self.uses.get(card, NOBODY)
            if seat not in (NOBODY, place[0]) and not (place[0] == self.TALON and seat in self.drawers):
                return False
        return True

    def whole(self) -> tuple[list[list[int]], list[int]]:
        """Hands and talon with the hidden cards in them."""
        size = self.view.rules.hand_size
        hands = [list(hand) if hand is not None else [0] * size for hand in self.view.hands]
        talon = [0 if card is None else card for card in self.view.talon]
        for card, (seat, index) in self.place_of.items():
            (talon if seat == self.TALON else hands[seat])[index] = card
        return hands, talon


def nothing() -> None:
    """Undo nothing."""


def bid_needs(contract: Contract, rng: random.Random) -> frozenset[int]:
    """Cards that a bidder of a contract must hold: its bird, many cards of a suit."""
    if contract.bird is not None:
        return SPEAKING.get(f"announce:{contract.bird}", BIRDS)
    if contract.minimum_suit:
        first = NUM_TAROCKS + 8 * rng.randrange(4)
        return frozenset(range(first, first + 8))
    return frozenset()


def card_of(name: str) -> int | None:
    """The card that an action moves, None where it moves none or a hidden one."""
    verb, _, card = name.partition(":")
    return CARD_IDS.get(card) if verb in CARD_VERBS else None


def play_view(view: Record, cards: HiddenCards) -> Attempt:
    """Play a view's actions with these hidden cards, and compare what the seat then sees with what the view shows."""
    hands, talon = cards.whole()
    try:
        deal = SingleDeal(view.rules, view.forehand, hands, talon, view.totals, view.rings, view.forced)
    except ValueError as error:
        return Attempt(None, -1, str(error))
    played: list[tuple[int, str]] = []
    for index, (seat, name) in enumerate(view.actions):
        where = f"action {index + 1} ({seat} {name})"
        if deal.finished:
            return Attempt(deal, index, f"{where}: the deal was over before it")
        legal = deal.legal_names()
        if seat != deal.seat:
            return Attempt(deal, index, f"{where}: seat {deal.seat} is to act; legal: {legal}", deal.seat, legal)
        if seat == view.view and view.legal is not None and view.legal[index] != legal:
            return Attempt(deal, index, f"{where}: {legal_difference(view.legal[index], legal)}", seat, legal)
        played.append((seat, hidden_discard(cards, seat, legal) if name == HIDDEN_DISCARD else name))
        try:
            deal.play_name(played[-1][1])
        except IllegalAction:
            hidden = "" if seat == view.view else ", whatever cards are hidden"
            return Attempt(deal, index, f"{where}: not legal{hidden}; legal: {legal}", seat, legal)
    full = replace(view, hands=tuple(map(tuple, hands)), talon=tuple(talon), actions=tuple(played), view=None, sides={})
    return Attempt(deal, len(view.actions), difference(view, full, deal))


def hidden_discard(cards: HiddenCards, seat: int, legal: str) -> str:
    """A card that a seat may have laid away unseen: none that it is seen to have; else a suit card, since tarocks are mostly shown."""
    seen = {card_of(name) for other, name in cards.view.actions if other == seat}
    names = [name for name in legal.split() if name.startswith("discard:") and card_of(name) not in seen]
    return min(names, key=lambda name: (card_of(name) not in cards.barred[seat], name.startswith("discard:T")), default=HIDDEN_DISCARD)


def difference(view: Record, full: Record, deal: SingleDeal) -> str:
    """The first thing that a view shows otherwise than the deal shows it to the seat; "" where there is none."""
    seen = as_seen_by(full, deal, int(view.view or 0), open_hands=True)
    for seat, (given, known) in enumerate(zip(view.hands, seen.hands, strict=True)):
        if given is not None and known is None:
            return f"hand {seat}: seat {view.view} does not see it; write null"
    for what, theirs, ours in (("talon", view.talon, seen.talon), ("actions", view.actions, seen.actions)):
        for index, (left, right) in enumerate(zip(theirs, ours, strict=True)):
            if left != right:
                return f"{what} {index + 1}: {_shown(left)}, but seat {view.view} sees {_shown(right)}"
    if view.sides and dict(view.sides) != dict(seen.sides):
        return f"sides are {_sides(view)}, but seat {view.view} knows {_sides(seen) or 'none'}"
    if (view.result is None) == deal.finished:
        end = "the deal is over, but the view has no result" if deal.finished else f"a result, but seat {deal.seat} is to act"
        return f"after {len(view.actions)} actions: {end}"
    return "" if view.result is None else result_difference(view.result, result_of(deal.deal, view.rules))


def _shown(value: object) -> str:
    if isinstance(value, int):
        return f"it shows {CARD_NAMES[value]}"
    return "it is hidden" if value is None else " ".join(map(str, value)) if isinstance(value, Sequence) else str(value)


def _sides(record: Record) -> str:
    return ", ".join(f"{seat} {side}" for seat, side in sorted(record.sides.items()))
