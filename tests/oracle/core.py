"""Shared rules of all nine systems (rules.md section 1), and the base class of a deal.

A deal is told by one generator, `script`: it yields the acting seat with the legal action names,
receives the name chosen, and returns the result. The rules so read from top to bottom.
Cards are strings, "T1".."T22", "HK", "S7"; seats are absolute; P0 is the forehand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable
from fractions import Fraction
from typing import Any, ClassVar

TAROCKS = [f"T{number}" for number in range(1, 23)]
RED_RANKS = ["4", "3", "2", "1", "J", "N", "Q", "K"]  # low to high: the ace beats the two
BLACK_RANKS = ["7", "8", "9", "10", "J", "N", "Q", "K"]
SUIT_RANKS = {"H": RED_RANKS, "D": RED_RANKS, "S": BLACK_RANKS, "C": BLACK_RANKS}
DECK = TAROCKS + [suit + rank for suit, ranks in SUIT_RANKS.items() for rank in ranks]

TRULL = {"T1", "T21", "T22"}
KINGS = {"HK", "DK", "SK", "CK"}
QUEENS = {"HQ", "DQ", "SQ", "CQ"}
BIRDS = {"pagat": "T1", "uhu": "T2", "kakadu": "T3", "quapil": "T4"}
BIRD_TRICK = {"pagat": 12, "uhu": 11, "kakadu": 10, "quapil": 9}

Script = Generator[tuple[int, set[str]], str, Any]


# -- cards ------------------------------------------------------------------------------------


def suit(card: str) -> str:
    """'T' for a tarock, else the suit letter."""
    return card[0]


def rank(card: str) -> int:
    """Strength inside its suit, low to high (1.1)."""
    return int(card[1:]) if suit(card) == "T" else SUIT_RANKS[card[0]].index(card[1:])


def value(card: str) -> int:
    """Card value (1.2): Trull and kings 5, queens 4, knights 3, jacks 2, the rest 1."""
    if card in TRULL:
        return 5
    if suit(card) == "T":
        return 1
    return {"K": 5, "Q": 4, "N": 3, "J": 2}.get(card[1:], 1)


def thirds(cards: Collection[str]) -> int:
    """Exact worth of a pile in thirds of a point (1.2)."""
    return 3 * sum(value(card) for card in cards) - 2 * len(cards)


def groups(cards: Collection[str]) -> int:
    """Worth of a pile counted in groups of three (1.2)."""
    full, rest = divmod(len(cards), 3)
    return sum(value(card) for card in cards) - 2 * full - (1 if rest else 0)


def tarocks(cards: Iterable[str]) -> set[str]:
    return {card for card in cards if suit(card) == "T"}


# -- tricks -----------------------------------------------------------------------------------


def winner(trick: list[str], mode: str, emperor: bool) -> int:
    """Index of the winning card of a trick in play order (1.3).

    mode: "positive", "colour" or "negative". emperor: whether the Emperor trick counts in this
    deal; in colour games it does so only where a tarock was led.
    """
    led = suit(trick[0])
    if emperor and set(trick) >= TRULL and (mode != "colour" or led == "T"):
        return trick.index("T1")
    trumping = "T" if mode != "colour" and tarocks(trick) else led
    return max(
        (index for index, card in enumerate(trick) if suit(card) == trumping),
        key=lambda index: rank(trick[index]),
    )


def follow_or_trump(hand: set[str], trick: list[str]) -> set[str]:
    """Follow suit, else play a tarock, else anything (1.4, the set L)."""
    same = {card for card in hand if suit(card) == suit(trick[0])}
    return same or tarocks(hand) or set(hand)


def beating(cards: set[str], trick: list[str], mode: str, emperor: bool) -> set[str]:
    """Those of cards that would be the winning card now."""
    return {card for card in cards if winner([*trick, card], mode, emperor) == len(trick)}


def pagat_last(cards: set[str], hand: set[str]) -> set[str]:
    """cards without T1 while the hand holds another tarock."""
    return cards - {"T1"} if tarocks(hand) - {"T1"} else set(cards)


def locked_cards(legal: set[str], locks: dict[str, int], trick_number: int) -> set[str]:
    """Apply announcement locks (1.7, 1.8.13). locks: card -> target trick, own side's cards only."""
    due = {card for card in legal if locks.get(card) == trick_number}
    if due:
        return due
    held = {card for card in legal if locks.get(card, 0) > trick_number}
    if legal - held:
        return legal - held
    earliest = min(locks[card] for card in held)
    return {card for card in held if locks[card] == earliest}


def discardable(free: set[str], restricted: set[str], owed: int) -> set[str]:
    """Discards legal now (1.8.5): restricted cards only while the free ones do not suffice."""
    return free | restricted if len(free) < owed else free


# -- numbers ----------------------------------------------------------------------------------


def record_number(number: Fraction | int) -> int | str:
    """A payment as a record writes it: an integer, or a string like "-10/3"."""
    exact = Fraction(number)
    return exact.numerator if exact.denominator == 1 else str(exact)


def settle(amount: Fraction | int, side: Collection[int], num_seats: int = 4) -> list[Fraction]:
    """Payments by seat when `side` wins `amount` from the others (1.5).

    Two against two: each loser pays it, each winner gets it. A lone seat gets or pays it once
    for each opponent.
    """
    others = num_seats - len(side)
    each_in, each_out = (1, 1) if len(side) == others else (others, len(side))
    if len(side) != others and 1 not in (len(side), others):
        raise ValueError(f"no settlement for {len(side)} against {others}")
    return [Fraction(amount) * each_in if seat in side else -Fraction(amount) * each_out for seat in range(num_seats)]


def add(*payments: Iterable[Fraction | int]) -> list[Fraction]:
    """Sum of payment vectors by seat."""
    return [sum((Fraction(part) for part in parts), Fraction(0)) for parts in zip(*payments, strict=True)]


# -- the deal ---------------------------------------------------------------------------------


class OracleDeal:
    """One deal. Subclasses set `num_seats`, `defaults` (options) and write `script`."""

    num_seats = 4
    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, record: dict[str, Any]) -> None:
        self.rules: str = record["rules"]
        self.options = self.read_options(record.get("options") or {})
        self.forehand: int = record["forehand"]
        self.hands: list[set[str]] = [set(text.split()) for text in record["hands"]]
        self.talon: list[str] = record["talon"].split()
        match = record.get("match") or {}
        self.totals: list[Any] = match.get("totals") or [0] * self.num_seats
        self.rings: list[int] = match.get("rings") or [0] * self.num_seats
        self.forced: str | None = record.get("forced")
        self.check_cards([text.split() for text in record["hands"]])
        self.history: list[tuple[int, str]] = []
        self._result: dict[str, Any] | None = None
        self._seat: int | None = None
        self._legal: set[str] = set()
        self._script: Script = self.script()
        self._advance(None)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> OracleDeal:
        """The deal before its first action; the record's actions are ignored."""
        return cls(record)

    def script(self) -> Script:
        """Tell the deal: yield (seat, legal names), receive a name, return the result."""
        raise NotImplementedError

    def default_options(self) -> dict[str, Any]:
        """Every option of this system with its default value."""
        return dict(self.defaults)

    def read_options(self, given: dict[str, Any]) -> dict[str, Any]:
        options = self.default_options()
        for name in given:
            if name not in options:
                raise ValueError(f"{self.rules} has no option {name!r}")
        return {**options, **given}

    def check_cards(self, dealt: list[list[str]]) -> None:
        """Raise ValueError unless the whole deck is dealt once, in hands of equal size."""
        cards = [card for hand in dealt for card in hand] + self.talon
        size = (len(DECK) - 6) // self.num_seats
        if sorted(cards) != sorted(DECK):
            raise ValueError("the hands and the talon are not the 54 cards of the deck")
        if [len(hand) for hand in dealt] != [size] * self.num_seats:
            raise ValueError(f"a hand has not {size} cards")

    # the interface

    @property
    def seat(self) -> int | None:
        """The acting seat; None when finished."""
        return self._seat

    @property
    def finished(self) -> bool:
        return self._seat is None

    def legal(self) -> set[str]:
        """Legal action names of the acting seat."""
        return set(self._legal)

    def apply(self, name: str) -> None:
        """Play one action of the acting seat; ValueError if it is not legal."""
        if self._seat is None:
            raise ValueError(f"{name} after the end of the deal")
        if name not in self._legal:
            raise ValueError(f"seat {self._seat} may not {name}; legal: {' '.join(sorted(self._legal))}")
        self.history.append((self._seat, name))
        self._advance(name)

    def result(self) -> dict[str, Any]:
        """The record's `result`; ValueError before the end."""
        if self._result is None:
            raise ValueError("the deal is not finished")
        return self._result

    def sides_known_to(self, seat: int) -> dict[int, str]:
        """Seats whose side is public or known to this seat: "declarer" or "defenders"."""
        return {}

    def _advance(self, name: str | None) -> None:
        try:
            self._seat, self._legal = next(self._script) if name is None else self._script.send(name)
        except StopIteration as stop:
            self._seat, self._legal, self._result = None, set(), stop.value
            return
        if not self._legal:
            raise AssertionError(f"seat {self._seat} has no legal action")

    # steps that scripts share

    def seats_from(self, first: int) -> list[int]:
        """All seats in play order from `first`."""
        return [(first + step) % self.num_seats for step in range(self.num_seats)]

    def place(self, seat: int) -> int:
        """0 for the forehand, 1 for the next seat in play order, and so on."""
        return (seat - self.forehand) % self.num_seats

    def discard(self, seat: int, count: int, split: Callable[[set[str]], tuple[set[str], set[str]]]) -> Script:
        """`count` discards, card by card; returns them. split(hand) -> (free, restricted)."""
        discards: list[str] = []
        while len(discards) < count:
            free, restricted = split(self.hands[seat])
            cards = discardable(free, restricted, count - len(discards))
            name = yield seat, {f"discard:{card}" for card in cards}
            card = name.removeprefix("discard:")
            self.hands[seat].remove(card)
            discards.append(card)
        return discards

    def repeated_round(self, first: int, calls: Callable[[int], set[str]], call: Callable[[int, str], None]) -> Script:
        """Announcement turns round and round (deal-record.md): zero or more calls, then `good`.

        Ends when after the last turn that had a call all others had an empty turn; where nobody
        ever called, when every player had one. calls(seat): what the seat may call now.
        call(seat, name): the call happens. Meanwhile `turn` numbers the turns from 0 and
        `last_turn` has each seat's latest finished one.
        """
        self.turn = 0
        self.last_turn: dict[int, int] = {}
        seat, empty_turns, anybody_called = first, 0, False
        while empty_turns < (self.num_seats - 1 if anybody_called else self.num_seats):
            called = False
            while (name := (yield seat, calls(seat) | {"good"})) != "good":
                call(seat, name)
                called = True
            anybody_called = anybody_called or called
            empty_turns = 0 if called else empty_turns + 1
            self.last_turn[seat] = self.turn
            self.turn += 1
            seat = (seat + 1) % self.num_seats
        return None
