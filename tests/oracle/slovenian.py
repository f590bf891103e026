"""Slow oracle of slovenian4 and slovenian3: one deal (rules.md 3.4, 3.5, 1.8.11, seed 001).

Decisions where the texts leave something open:

 1. Auction: a player who passed is out, the forehand too (2 "pass = out"); he then cannot hold
    any more. The others' turns after a Slam Without are recorded, forced passes included.
 2. Raise: only after an exchange (3.4, seed "With the exchange completed"), so not in Solo
    Without. In slovenian3 after any Solo with exchange.
 3. Option `kontra`: exactly the contracts that have an announcement round get the repeated one
    (1.8.11 "the announcement round becomes a repeated round"); Beggars, Colour Slams and Slam
    Without have no round and so no kontra.
 4. `hard_hold` false: no locks at all (1.8.6); an announced card played early loses its bonus.
 5. `emperor_trick` false also ends the Emperor exception for T1 in negative games (1.4).
 6. `beggars_seventy`: read word for word (1.9): no trick +70, over 35 points -70, every other
    player 0, also where nobody has either. If all get 0 there is no item.
 7. `forehand_may_hold` false: the forehand must bid higher or pass.
 8. Items: `announced` of `game` and `mond` is false; `mond` has kontra 1 and is never doubled.
    Bonuses that score nothing (unannounced and not earned, `silent_ultimo_loss` off) are no items.
 9. Forced All Beggars accepts a hand without tarocks ("hands are then the final ones"); an
    unforced record with one is a ValueError (1.8.11).
10. A hand holding exactly three kings may be offered `call:fourth` beside all four kings; with
    four kings there is no "fourth" (2 "call").
11. The Mond penalty with the Emperor trick: T21's player pays the player of T1 (he won the
    trick). `mond_penalty_to_partner` only lets a partner collect too; a T21 left in the stock
    or discarded never costs (5.3 "Mond left in stock").
12. An announced Slam is settled for its side alone, also where the other side makes all tricks
    (1.8.11); a silent one counts for whichever side makes it, defenders too.
13. `difference_rounding` applies to Calls and exchange Solos only; 35 points lose the base.
"""

from __future__ import annotations

from typing import Any

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
from tests.oracle.sides import known_sides, may_double
from tests.oracle.slovenian_contracts import (
    ALL_BEGGARS,
    Contract,
    bid_list,
    forehand_only,
    raised,
)
from tests.oracle.slovenian_score import Played, score
from tests.oracle.trick import Trick

OPTIONS = {
    "hard_hold": True,
    "emperor_trick": True,
    "forehand_may_hold": True,
    "kontra": False,
    "silent_ultimo_loss": True,
    "difference_rounding": 1,
    "beggars_seventy": False,
    "mond_penalty": 20,
    "mond_penalty_to_partner": False,
    "colour_slam_value": 125,
}


def legal_negative(hand: set[str], trick: list[str], emperor: bool) -> set[str]:
    """Must win if possible; T1 only as the last card that is legal, or to the Emperor trick (1.4)."""
    if not trick:
        return hand - {"T1"} or set(hand)
    cards = follow_or_trump(hand, trick)
    winning = beating(cards, trick, "negative", emperor)
    if emperor and {"T21", "T22"} <= set(trick):
        return winning or cards
    return pagat_last(winning, hand) or pagat_last(cards, hand) or cards


def legal_cards(hand: set[str], trick: list[str], mode: str, emperor: bool) -> set[str]:
    """Legal cards before locks. In colour games tarocks may be led freely (1.8.11)."""
    if mode == "negative":
        return legal_negative(hand, trick, emperor)
    return follow_or_trump(hand, trick) if trick else set(hand)


def split_discards(hand: set[str]) -> tuple[set[str], set[str]]:
    """Suit cards free, tarocks only where nothing else is left; never honours or kings (3.4)."""
    return hand - tarocks(hand) - KINGS, tarocks(hand) - TRULL


class SlovenianDeal(OracleDeal):
    """One deal of slovenian4 or slovenian3."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.num_seats = 4 if record["rules"] == "slovenian4" else 3
        self.contract: Contract | None = None
        self.declarer: int | None = None
        self.partner: int | None = None
        self.called_king: str | None = None
        self.king_from_stock = False
        self.discards: list[str] = []
        self.announced: dict[str, int] = {}  # bonus -> seat of the announcer
        self.public: set[int] = set()  # seats that showed their side
        self.kontra: dict[str, int] = {}  # item -> factor
        self.tricks: list[Trick] = []
        self.trick: list[str] = []
        super().__init__(record)

    def default_options(self) -> dict[str, Any]:
        return OPTIONS if self.rules == "slovenian4" else {**OPTIONS, "solo_without": False}

    def check_cards(self, dealt: list[list[str]]) -> None:
        super().check_cards(dealt)
        if self.forced not in (None, "all_beggars"):
            raise ValueError(f"forced {self.forced!r}: only all_beggars can be forced")
        for seat, hand in enumerate(dealt):
            if self.forced is None and not tarocks(hand):
                raise ValueError(f"seat {seat} has no tarock: redeal, with forced all_beggars")

    def script(self) -> Script:
        self.stock = list(self.talon)
        if self.forced == "all_beggars":
            self.contract = ALL_BEGGARS
        else:
            self.contract = yield from self.auction()
        if self.contract.calls_king:
            yield from self.call()
        if self.contract.exchange:
            yield from self.exchange()
        if self.contract.raisable:
            yield from self.offer_raise()
        if self.contract.bonuses:
            yield from self.announcements()
        yield from self.play()
        return score(self.played())

    # -- before the play

    def auction(self) -> Script:
        """P1, P2, (P3,) P0, round and round, until all others have passed (3.4 "Auction")."""
        ladder = bid_list(self.rules, self.options)
        special = forehand_only(self.rules)
        by_name = {contract.name: contract for contract in ladder + special}
        highest: Contract | None = None
        passed: set[int] = set()
        seats = self.seats_from((self.forehand + 1) % self.num_seats)
        turn = 0
        while self.declarer is None or len(passed) < self.num_seats - 1:
            seat = seats[turn % self.num_seats]
            turn += 1
            if seat in passed:
                continue
            bids = ladder if highest is None else ladder[ladder.index(highest) + 1 :]
            may_pass = True
            if seat == self.forehand and highest is None:
                # All others have passed. In slovenian4 he must choose (3.4), else he may pass.
                bids = bids + special
                may_pass = self.rules == "slovenian3"
            elif highest is not None and seat == self.forehand and self.options["forehand_may_hold"]:
                bids = ladder[ladder.index(highest) :]
            names = {f"bid:{contract.name}" for contract in bids}
            name = yield seat, names | ({"pass"} if may_pass else set())
            if name != "pass":
                highest = by_name[name.removeprefix("bid:")]
                self.declarer = seat
                continue
            passed.add(seat)
            if len(passed) == self.num_seats:
                return ALL_BEGGARS
        assert highest is not None
        if highest == ALL_BEGGARS:
            self.declarer = None
        return highest

    def call(self) -> Script:
        """Any king, the own ones too; before the stock is exposed (3.4 "Call")."""
        assert self.declarer is not None
        hand = self.hands[self.declarer]
        names = {f"call:{king}" for king in KINGS}
        if len(hand & KINGS) == 3:
            names.add("call:fourth")
        name = yield self.declarer, names
        called = name.removeprefix("call:")
        self.called_king = next(iter(KINGS - hand)) if called == "fourth" else called
        for seat in range(self.num_seats):
            if self.called_king in self.hands[seat] and seat != self.declarer:
                self.partner = seat

    def exchange(self) -> Script:
        """Take one group of the exposed stock, discard as many cards (3.4 "Exchange")."""
        assert self.declarer is not None
        assert self.contract is not None
        size = self.contract.exchange
        stock_groups = [self.talon[start : start + size] for start in range(0, 6, size)]
        names = {f"talon:{number}" for number in range(1, len(stock_groups) + 1)}
        name = yield self.declarer, names
        taken = stock_groups[int(name.removeprefix("talon:")) - 1]
        self.hands[self.declarer] |= set(taken)
        self.stock = [card for card in self.talon if card not in taken]
        self.king_from_stock = self.called_king in taken
        self.discards = yield from self.discard(self.declarer, size, split_discards)

    def offer_raise(self) -> Script:
        assert self.declarer is not None
        name = yield self.declarer, {"raise:colour_slam", "good"}
        if name == "raise:colour_slam":
            self.contract = raised(self.options)

    # -- announcements

    def declarer_side(self) -> frozenset[int]:
        return frozenset({self.declarer, self.partner} - {None})  # type: ignore[arg-type]

    def side_of(self, seat: int) -> frozenset[int]:
        ours = self.declarer_side()
        return ours if seat in ours else frozenset(range(self.num_seats)) - ours

    def announcements(self) -> Script:
        """One turn each from the declarer; with option `kontra` a repeated round (1.8.11)."""
        assert self.declarer is not None
        if self.options["kontra"]:
            self.kontra["game"] = 1
            yield from self.repeated_round(self.declarer, self.calls, self.make_call)
            return
        for seat in self.seats_from(self.declarer):
            while (name := (yield seat, self.calls(seat) | {"good"})) != "good":
                self.make_call(seat, name)

    def calls(self, seat: int) -> set[str]:
        """What the seat may announce or double now."""
        bonuses = {"trull", "four_kings", "valat"}
        if "T1" in self.hands[seat]:
            bonuses.add("pagat")
        if self.called_king in self.hands[seat]:
            bonuses.add("king_ultimo")
        names = {f"announce:{bonus}" for bonus in bonuses - set(self.announced)}
        for item, factor in self.kontra.items():
            owner = self.declarer if item == "game" else self.announced[item]
            assert owner is not None
            if may_double(factor, owns_item=self.side_of(seat) == self.side_of(owner)):
                names.add(f"kontra:{item}")
        return names

    def make_call(self, seat: int, name: str) -> None:
        verb, what = name.split(":")
        self.public.add(seat)
        if verb == "kontra":
            self.kontra[what] *= 2
            return
        self.announced[what] = seat
        if self.options["kontra"]:
            self.kontra[what] = 1

    # -- play

    def locks(self) -> dict[str, int]:
        """Announced cards are held for the last trick (1.7); only their holders announce them."""
        cards = {"pagat": "T1", "king_ultimo": self.called_king}
        if not self.options["hard_hold"]:
            return {}
        last = 48 // self.num_seats
        return {str(card): last for bonus, card in cards.items() if bonus in self.announced}

    def play(self) -> Script:
        assert self.contract is not None
        leader = self.forehand
        if self.contract.declarer_leads:
            assert self.declarer is not None
            leader = self.declarer
        mode, emperor = self.contract.mode, self.options["emperor_trick"]
        while len(self.tricks) < 48 // self.num_seats and not self.decided():
            self.trick = []
            seats = self.seats_from(leader)
            for seat in seats:
                cards = legal_cards(self.hands[seat], self.trick, mode, emperor)
                cards = locked_cards(cards, self.locks(), len(self.tricks) + 1)
                name = yield seat, {f"play:{card}" for card in cards}
                card = name.removeprefix("play:")
                self.hands[seat].remove(card)
                self.trick.append(card)
                if card == self.called_king:
                    self.public |= self.declarer_side()
            leader = seats[winner(self.trick, mode, emperor)]
            self.tricks.append(Trick(seats, self.trick, leader))
            self.trick = []

    def decided(self) -> bool:
        """The deal ends early (1.8.3): the trick that settles a Beggar or a Slam was played."""
        assert self.contract is not None
        if not self.tricks:
            return False
        last = self.tricks[-1].winner
        if self.contract.aim == "no_trick":
            return last == self.declarer
        if self.contract.aim == "all_tricks":
            return last != self.declarer
        return "valat" in self.announced and last not in self.side_of(self.announced["valat"])

    def sides_known_to(self, seat: int) -> dict[int, str]:
        """Declarer, oneself, who showed his side; all where the called king was in the stock."""
        if self.contract is None or self.declarer is None:
            return {}
        if self.contract.calls_king and self.called_king is None:
            return {self.declarer: "declarer"}
        alone_is_public = self.called_king is None or self.called_king in self.talon or (self.partner is None and self.king_was_played())
        return known_sides(seat, self.num_seats, self.declarer, self.partner, self.public, alone_is_public)

    def king_was_played(self) -> bool:
        return self.called_king in {c for t in self.tricks for c in t.cards} | set(self.trick)

    def played(self) -> Played:
        assert self.contract is not None
        return Played(
            contract=self.contract,
            num_seats=self.num_seats,
            options=self.options,
            tricks=self.tricks,
            declarer=self.declarer,
            declarer_side=self.declarer_side(),
            discards=self.discards,
            stock=self.stock,
            called_king=self.called_king,
            king_from_stock=self.king_from_stock,
            announced={bonus: self.side_of(seat) for bonus, seat in self.announced.items()},
            kontra=self.kontra,
            rings=self.rings,
        )
