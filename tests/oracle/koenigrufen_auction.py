"""The six Königrufen systems: the auction (rules.md 3.1-3.3, 1.8.13)."""

from __future__ import annotations

from typing import Any

from tests.oracle.core import BIRDS, KINGS, QUEENS, OracleDeal, Script, suit
from tests.oracle.koenigrufen_tables import STYRIAN, Contract, contracts, default_options


class Auction(OracleDeal):
    """The part of a deal that ends with `declarer` and `contract` set."""

    bid: str | None = None  # the highest bid so far; `declarer` is whose
    declarer: int | None = None
    contract: Contract | None = None  # set when the auction is over

    def default_options(self) -> dict[str, Any]:
        return default_options(self.rules)

    @property
    def is_juegatu(self) -> bool:
        return self.rules == "juegatu"

    def biddable(self, seat: int, contract: Contract) -> bool:
        """Whether the seat's hand qualifies for the contract (3.1, 3.2, 3.3)."""
        hand = self.hands[seat]
        queen_callable = self.rules in STYRIAN and not hand >= QUEENS
        if contract.kind == "rufer" and hand >= KINGS and not queen_callable:
            return False
        if contract.bird and BIRDS[contract.bird] not in hand:
            return False
        if contract.name == "besserrufer" and not hand & set(BIRDS.values()):
            return False
        if contract.colour and self.rules in STYRIAN:
            lengths = [sum(suit(card) == letter for card in hand) for letter in "HDSC"]
            any_suit = self.options["colour_min_scope"] == "any_suit_cards"
            return (sum(lengths) if any_suit else max(lengths)) >= 6
        return True

    def qualified(self, seat: int) -> list[Contract]:
        return [contract for contract in self.contracts.values() if self.biddable(seat, contract)]

    def overbids(self, seat: int) -> set[str]:
        """`bid:` names above the current bid, and P0's hold where he has it."""
        open_to_all = [c for c in self.qualified(seat) if not c.forehand_only]
        if self.bid is None:
            return {f"bid:{contract.name}" for contract in open_to_all}
        level = self.contracts[self.bid].level
        names = {f"bid:{contract.name}" for contract in open_to_all if contract.level > level}
        holds = self.options["forehand_may_hold"] and seat == self.forehand
        if holds and self.declarer != seat:
            names |= {f"bid:{c.name}" for c in open_to_all if c.name == self.bid}
        return names

    def auction(self) -> Script:
        """P0's opening in the cup systems, the turns, and P0's choice after three passes."""
        self.contracts = contracts(self.rules, self.options)
        if not self.is_juegatu:
            name = yield self.forehand, self.openings()
            self.note_bid(self.forehand, name)
        bidders = self.seats_from(self.forehand + 1)  # P0 last; who has passed drops out
        while len(bidders) > 1:
            seat = bidders.pop(0)
            name = yield seat, self.overbids(seat) | {"pass"}
            if name != "pass":
                self.note_bid(seat, name)
                bidders.append(seat)
        if self.bid is None:  # P0 is left and must choose (3.1, 3.3)
            everything = {f"bid:{contract.name}" for contract in self.qualified(self.forehand)}
            if not self.is_juegatu:
                everything.discard("bid:sechserdreier")  # an opening only
            name = yield self.forehand, everything
            self.note_bid(self.forehand, name)
        self.contract = self.contracts[self.bid]

    def openings(self) -> set[str]:
        """P0's first word in the cup systems (3.3, 1.8.13)."""
        if self.rules in STYRIAN:
            return {"forehand", "bid:sechserdreier"}
        return self.overbids(self.forehand) | {"forehand", "bid:sechserdreier"}

    def note_bid(self, seat: int, name: str) -> None:
        if name != "forehand":
            self.bid, self.declarer = name.removeprefix("bid:"), seat
