"""Slow oracle of czech19: one deal (rules.md 3.6, 1.8.12, seed 003).

Decisions where the texts leave something open:

 1. Auction: all four act exactly once, after a Solo too ("one single round", "each once");
    forced passes and a forced `call:T19` are actions.
 2. Warsaw is offered after 1st duty and three passes only, not after a 2nd duty opened by
    option `forehand_second_duty` (3.6, seed 9).
 3. In duties all three draw, then declarer discards four, then the next two seats one each
    (1.8.12). The two cards 5 and 6 go to the next two seats after the declarer.
 4. The declarer who draws the called trump plays alone (5.4); `partner` is then null.
 5. `announced` of a meld is false, `kontra` 1. `announced` of the 2nd duty's pagat is true.
 6. A tarock count of one that is T1 is "only T1" (10); any other one or two tarocks give 5.
 7. Trull and "four five-point cards" are separate melds and add, also on the same cards
    (3.6 "Compatible melds add"); four kings replace only the second.
 8. The side that announced Valat owns it alone: no silent Valat of the other side (1.8.12).
 9. In the announcement round each player has one turn; the kontra round follows even where
    nothing but `game` can be doubled, and ends after four empty turns in a row.
10. Warsaw, T21: where T22 is in the trick, or when leading, T21 is refused while a tarock
    other than T1 and T21 is held; T22 in hand is such a tarock. Must-beat comes first; T21
    never beats T22, so the two never clash.
11. `emperor_trick` true (no text for C): positive games only, as S, K, W.
12. `hard_hold` false: no lock on the announced Pagat.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.oracle.core import (
    KINGS,
    TRULL,
    OracleDeal,
    Script,
    beating,
    follow_or_trump,
    locked_cards,
    pagat_last,
    tarocks,
    winner,
)
from tests.oracle.czech_score import Played, meld_values, score
from tests.oracle.sides import known_sides, may_double
from tests.oracle.trick import Trick

LADDER = ["first_duty", "second_duty", "dreier", "solo"]
CALLABLE = ["T19", "T18", "T17", "T16"]


def callable_tarocks(hand: set[str]) -> set[str]:
    """XIX; who holds it may instead call the highest missing one down to XVI (3.6 "Call")."""
    missing = [card for card in CALLABLE if card not in hand]
    return {"T19", *missing[:1]}


def legal_warsaw(hand: set[str], trick: list[str]) -> set[str]:
    """Must beat, T1 last, and T21 spared as long as another tarock is left (3.6 "Warsaw")."""
    spared = {"T21"} if tarocks(hand) - {"T1", "T21"} else set()
    if not trick:
        return pagat_last(hand, hand) - spared
    cards = follow_or_trump(hand, trick)
    winning = pagat_last(beating(cards, trick, "negative", emperor=False), hand)
    if winning:
        return winning
    cards = pagat_last(cards, hand) or cards
    return cards - spared if "T22" in trick else cards


def legal_cards(hand: set[str], trick: list[str], contract: str) -> set[str]:
    """Legal cards before the lock of an announced Pagat."""
    if contract == "warsaw":
        return legal_warsaw(hand, trick)
    return follow_or_trump(hand, trick) if trick else set(hand)


class CzechDeal(OracleDeal):
    """One deal of czech19."""

    defaults: ClassVar[dict[str, Any]] = {
        "hard_hold": True,
        "emperor_trick": False,
        "forehand_second_duty": False,
    }

    def __init__(self, record: dict[str, Any]) -> None:
        self.contract: str | None = None
        self.declarer: int | None = None
        self.partner: int | None = None
        self.called: str | None = None
        self.level: int | None = None
        self.unused: list[str] = []  # talon cards for the defenders; in Warsaw for the tricks
        self.discards: dict[int, list[str]] = {}
        self.announced: dict[str, int] = {}  # bonus -> seat of the announcer
        self.public: set[int] = set()  # seats that showed their side
        self.melds: list[tuple[int, str, int]] = []
        self.kontra: dict[str, int] = {}  # item -> factor
        self.tricks: list[Trick] = []
        self.trick: list[str] = []
        self.trick_seats: list[int] = []
        super().__init__(record)

    def script(self) -> Script:
        yield from self.auction()
        if self.contract in ("warsaw", "solo"):
            self.unused = list(self.talon)
        elif self.contract == "dreier":
            yield from self.dreier_talon()
        else:
            yield from self.call()
            yield from self.duty_talon()
        if self.contract != "warsaw":
            yield from self.announcements()
            yield from self.kontra_round()
        yield from self.play()
        return score(self.played())

    # -- before the play

    def auction(self) -> Script:
        """One round; then the forehand's choice of Warsaw (3.6 "Auction")."""
        highest: str | None = None
        bidder: int | None = None
        for seat in self.seats_from(self.forehand):
            higher = LADDER[LADDER.index(highest) + 1 :] if highest else LADDER
            names = {f"bid:{bid}" for bid in higher if self.may_bid(seat, bid)}
            name = yield seat, names if seat == self.forehand else names | {"pass"}
            if name != "pass":
                highest, bidder = name.removeprefix("bid:"), seat
        if highest == "first_duty":  # only the forehand can have bid it
            name = yield self.forehand, {"pass", "bid:warsaw"}
            if name == "bid:warsaw":
                highest, bidder = "warsaw", None
        self.contract, self.declarer = highest, bidder

    def may_bid(self, seat: int, bid: str) -> bool:
        """2nd duty needs T1 in hand, and by default another seat than the forehand."""
        if bid != "second_duty":
            return True
        first_may = self.options["forehand_second_duty"] or seat != self.forehand
        return bool(first_may) and "T1" in self.hands[seat]

    def call(self) -> Script:
        assert self.declarer is not None
        cards = callable_tarocks(self.hands[self.declarer])
        name = yield self.declarer, {f"call:{card}" for card in cards}
        self.called = name.removeprefix("call:")

    def duty_talon(self) -> Script:
        """Cards 1-4 to the declarer, 5 and 6 to the next two; then all three discard."""
        assert self.declarer is not None
        first, second, third, _ = self.seats_from(self.declarer)
        drawn = {first: self.talon[:4], second: self.talon[4:5], third: self.talon[5:]}
        for seat, cards in drawn.items():
            self.hands[seat] |= set(cards)
        for seat in self.seats_from(self.declarer)[1:]:
            if self.called in self.hands[seat]:
                self.partner = seat
        for seat, cards in drawn.items():
            self.discards[seat] = yield from self.discard(seat, len(cards), self.split_discards)

    def dreier_talon(self) -> Script:
        """See a group: take it, or expose it and go on; level 1, 2 or 3 (3.6 "Dreier")."""
        assert self.declarer is not None
        one, two = self.talon[:3], self.talon[3:]
        name = yield self.declarer, {"take", "expose"}
        if name == "take":
            self.level, taken, self.unused = 1, one, two
        else:
            name = yield self.declarer, {"take", "return"}
            if name == "take":
                self.level, taken, self.unused = 2, two, one
            else:
                self.level, taken, self.unused = 3, one, two
        self.hands[self.declarer] |= set(taken)
        self.discards[self.declarer] = yield from self.discard(self.declarer, 3, self.split_discards)

    def split_discards(self, hand: set[str]) -> tuple[set[str], set[str]]:
        """Suit cards free, tarocks where forced; never kings, Trull, the called trump (1.8.12)."""
        never = KINGS | TRULL | {self.called}
        return hand - tarocks(hand) - never, tarocks(hand) - never

    # -- announcements and kontra

    def declarer_side(self) -> frozenset[int]:
        return frozenset({self.declarer, self.partner} - {None})  # type: ignore[arg-type]

    def side_of(self, seat: int) -> frozenset[int]:
        ours = self.declarer_side()
        return ours if seat in ours else frozenset(range(4)) - ours

    def announcements(self) -> Script:
        """One turn each from the declarer: true melds, Pagat by its holder, Valat by anyone."""
        assert self.declarer is not None
        if self.contract == "second_duty":
            self.announced["pagat"] = self.declarer
        for seat in self.seats_from(self.declarer):
            melds = {f"meld:{name}": value for name, value in meld_values(self.hands[seat]).items()}
            while True:
                bonuses = {"valat"} | ({"pagat"} if "T1" in self.hands[seat] else set())
                announce = {f"announce:{bonus}" for bonus in bonuses - set(self.announced)}
                name = yield seat, {"good", *melds, *announce}
                if name == "good":
                    break
                if name in melds:
                    self.melds.append((seat, name.removeprefix("meld:"), melds.pop(name)))
                else:
                    self.announced[name.removeprefix("announce:")] = seat
                    self.public.add(seat)

    def kontra_round(self) -> Script:
        """From the player after the declarer, until four empty turns in a row."""
        assert self.declarer is not None
        self.kontra = {"game": 1, **dict.fromkeys(self.announced, 1)}
        seat, empty_turns = self.declarer, 0
        while empty_turns < 4:
            seat = (seat + 1) % 4
            empty_turns += 1
            while (name := (yield seat, self.kontras(seat) | {"good"})) != "good":
                self.kontra[name.removeprefix("kontra:")] *= 2
                self.public.add(seat)
                empty_turns = 0

    def kontras(self, seat: int) -> set[str]:
        names = set()
        for item, factor in self.kontra.items():
            owner = self.declarer if item == "game" else self.announced[item]
            assert owner is not None
            if may_double(factor, owns_item=self.side_of(seat) == self.side_of(owner)):
                names.add(f"kontra:{item}")
        return names

    # -- play

    def play(self) -> Script:
        assert self.contract is not None
        mode = "negative" if self.contract == "warsaw" else "positive"
        emperor = self.options["emperor_trick"] and mode == "positive"
        locked = "pagat" in self.announced and self.options["hard_hold"]
        locks = {"T1": 12} if locked else {}
        leader = self.forehand
        for number in range(1, 13):
            self.trick = []
            self.trick_seats = seats = self.seats_from(leader)
            for seat in seats:
                cards = legal_cards(self.hands[seat], self.trick, self.contract)
                cards = locked_cards(cards, locks, number)
                name = yield seat, {f"play:{card}" for card in cards}
                card = name.removeprefix("play:")
                self.hands[seat].remove(card)
                self.trick.append(card)
            leader = seats[winner(self.trick, mode, emperor)]
            self.tricks.append(Trick(seats, self.trick, leader))
            self.trick = []

    def sides_known_to(self, seat: int) -> dict[int, str]:
        """Declarer, oneself, who announced, doubled, or played the called trump."""
        if self.contract is None or self.declarer is None:
            return {}
        duty = self.contract in ("first_duty", "second_duty")
        if duty and self.called is None:
            return {self.declarer: "declarer"}
        shown = {
            trick.seat_of(self.called) for trick in [*self.tricks, Trick(self.trick_seats, self.trick, -1)] if self.called in trick.cards
        }
        alone_is_public = not duty or self.declarer in shown
        return known_sides(seat, 4, self.declarer, self.partner, self.public | shown, alone_is_public)

    def played(self) -> Played:
        assert self.contract is not None
        return Played(
            contract=self.contract,
            tricks=self.tricks,
            declarer=self.declarer,
            declarer_side=self.declarer_side(),
            level=self.level,
            discards=self.discards,
            talon=self.unused,
            announced={bonus: self.side_of(seat) for bonus, seat in self.announced.items()},
            kontra=self.kontra,
            melds=self.melds,
        )
