"""Scoring of a played slovenian4 or slovenian3 deal (rules.md 3.4, 3.5, 1.5, 1.8.9, 1.8.11)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.core import KINGS, TRULL, groups, record_number, settle
from tests.oracle.slovenian_contracts import Contract
from tests.oracle.trick import Trick

SILENT_VALUE = {"trull": 10, "four_kings": 10, "king_ultimo": 10, "pagat": 25, "valat": 250}

Item = dict[str, Any]


@dataclass
class Played:
    """All that scoring needs of a deal.

    declarer_side: declarer and partner; empty in All Beggars. stock: talon cards nobody took.
    announced: bonus -> its announcer's side, as a set of seats. kontra: item -> factor.
    king_from_stock: the declarer took the called king from the stock.
    rings: open rings by seat before the deal.
    """

    contract: Contract
    num_seats: int
    options: dict[str, Any]
    tricks: list[Trick]
    declarer: int | None = None
    declarer_side: frozenset[int] = frozenset()
    discards: list[str] = field(default_factory=list)
    stock: list[str] = field(default_factory=list)
    called_king: str | None = None
    king_from_stock: bool = False
    announced: dict[str, frozenset[int]] = field(default_factory=dict)
    kontra: dict[str, int] = field(default_factory=dict)
    rings: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    @property
    def defenders(self) -> frozenset[int]:
        return frozenset(range(self.num_seats)) - self.declarer_side

    @property
    def sides(self) -> tuple[frozenset[int], frozenset[int]]:
        return self.declarer_side, self.defenders

    def side_of(self, seat: int) -> frozenset[int]:
        return self.declarer_side if seat in self.declarer_side else self.defenders

    @property
    def complete(self) -> bool:
        """Every trick was played."""
        return len(self.tricks) == 48 // self.num_seats


def cards_won(tricks: list[Trick], side: Collection[int]) -> list[str]:
    return [card for trick in tricks if trick.winner in side for card in trick.cards]


def piles(played: Played) -> tuple[list[str], list[str]]:
    """The piles of declarer's side and defenders (1.6, 1.8.4).

    Untaken stock goes to the defenders, but to the declarer where the called king came with
    the group he took and later itself won a trick (3.4 "Exchange").
    """
    ours = cards_won(played.tricks, played.declarer_side) + played.discards
    theirs = cards_won(played.tricks, played.defenders)
    king_won = any(trick.winning_card() == played.called_king for trick in played.tricks)
    if played.king_from_stock and king_won:
        return ours + played.stock, theirs
    return ours, theirs + played.stock


def rounded_difference(points: int, rounding: int) -> int:
    """Distance from 35, to the nearest multiple of `rounding` (1 or 5)."""
    distance = abs(points - 35)
    return (distance + rounding // 2) // rounding * rounding


def game_amount(contract: Contract, points: int, rounding: int = 1) -> int:
    """What each defender pays (negative: gets) in a contract decided by points (3.4 "Score")."""
    value = contract.value
    if contract.difference:
        value += rounded_difference(points, rounding)
    return value if points >= 36 else -value


def takes_all_tricks(played: Played, side: Collection[int]) -> bool:
    return played.complete and all(trick.winner in side for trick in played.tricks)


def game_made(played: Played) -> bool:
    if played.contract.aim == "no_trick":
        return not any(trick.winner == played.declarer for trick in played.tricks)
    if played.contract.aim == "all_tricks":
        return takes_all_tricks(played, played.declarer_side)
    return groups(piles(played)[0]) >= 36


class Settlement:
    """Collects items; every one but `mond` is doubled by the declarer's open ring (1.8.9)."""

    def __init__(self, played: Played) -> None:
        self.played = played
        doubled = played.declarer is not None and played.rings[played.declarer] > 0
        self.ring_factor = 2 if doubled else 1
        self.items: list[Item] = []

    def add(self, name: str, amount: int, side: Collection[int], made: bool) -> None:
        """`side` wins `amount` per opponent, before kontra and ring."""
        kontra = self.played.kontra.get(name, 1)
        payoffs = settle(amount * kontra * self.ring_factor, side, self.played.num_seats)
        self.append(name, made, payoffs, name in self.played.announced, kontra)

    def append(
        self,
        name: str,
        made: bool | None,
        payoffs: list[Any],
        announced: bool = False,
        kontra: int = 1,
    ) -> None:
        self.items.append(
            {
                "item": name,
                "made": made,
                "announced": announced,
                "kontra": kontra,
                "payoffs": [record_number(amount) for amount in payoffs],
            }
        )

    def add_bonus(self, name: str, side: Collection[int], made: bool) -> None:
        """`side` earns the bonus, or loses it; announced ones count double."""
        amount = SILENT_VALUE[name] * (2 if name in self.played.announced else 1)
        self.add(name, amount if made else -amount, side, made)


def score_all_beggars(played: Played) -> list[int]:
    """Each loses the points of his own tricks; with `beggars_seventy` see Decision 6."""
    scores = []
    for seat in range(played.num_seats):
        won = cards_won(played.tricks, [seat])
        points = groups(won)
        if played.options["beggars_seventy"]:
            scores.append(70 if not won else -70 if points > 35 else 0)
        else:
            scores.append(-points)
    return scores


def settle_slam(played: Played, settlement: Settlement) -> bool | None:
    """The Slam item where it was made or announced; returns whether the bid counts as won.

    None: no Slam. A Slam by the defenders loses the bid, their missed announcement wins it.
    """
    announced_by = played.announced.get("valat")
    for side in played.sides if announced_by is None else (announced_by,):
        made = takes_all_tricks(played, side)
        if made or announced_by is not None:
            settlement.add_bonus("valat", side, made)
            return made == (side == played.declarer_side)
    return None


def settle_piles(played: Played, settlement: Settlement) -> None:
    """Honours and Full Kings."""
    for name, cards in (("trull", TRULL), ("four_kings", KINGS)):
        for side, pile in zip(played.sides, piles(played), strict=True):
            complete = set(pile) >= cards
            announced_by = played.announced.get(name)
            if announced_by == side or (announced_by is None and complete):
                settlement.add_bonus(name, side, complete)


def settle_ultimo(played: Played, settlement: Settlement) -> None:
    """Pagat Ultimo and King Ultimo: the card itself must win the last trick (3.4 "Bonuses")."""
    last = played.tricks[-1]
    for name, card in (("pagat", "T1"), ("king_ultimo", played.called_king)):
        won = last.winning_card() == card
        if name in played.announced:
            settlement.add_bonus(name, played.announced[name], won)
        elif card in last.cards:
            side = played.side_of(last.seat_of(card))
            # An unannounced T1 beaten costs even where the partner takes it, an unannounced
            # called king only where the opponents do (1.8.11).
            costs = name == "pagat" or last.winner not in side
            if won or (costs and played.options["silent_ultimo_loss"]):
                settlement.add_bonus(name, side, won)


def settle_mond(played: Played, settlement: Settlement) -> None:
    """T21 taken by the other team: its player pays the winner of the trick, never doubled."""
    for trick in played.tricks:
        if "T21" not in trick.cards or trick.winning_card() == "T21":
            continue
        loser, taker = trick.seat_of("T21"), trick.winner
        if taker in played.side_of(loser) and not played.options["mond_penalty_to_partner"]:
            continue
        payoffs = [0] * played.num_seats
        payoffs[loser] = -played.options["mond_penalty"]
        payoffs[taker] = played.options["mond_penalty"]
        settlement.append("mond", True, payoffs)


def settle_game(played: Played, settlement: Settlement) -> bool:
    """The game item; returns whether the bid was won."""
    contract, made = played.contract, game_made(played)
    if contract.aim == "points":
        points = groups(piles(played)[0])
        amount = game_amount(contract, points, played.options["difference_rounding"])
    else:
        amount = contract.value if made else -contract.value
    settlement.add("game", amount, played.declarer_side, made)
    return made


def rings_after(played: Played, bid_won: bool, ring_played: bool) -> list[int]:
    """A won bid cancels one open ring of the declarer; then everybody gets a new one (3.4)."""
    rings = list(played.rings)
    if bid_won and played.declarer is not None and rings[played.declarer] > 0:
        rings[played.declarer] -= 1
    return [open_rings + ring_played for open_rings in rings]


def score(played: Played) -> dict[str, Any]:
    """The `result` of a record."""
    settlement = Settlement(played)
    bid_won, slam = False, False
    if played.contract.aim == "few_points":
        scores = score_all_beggars(played)
        if any(scores):
            settlement.append("game", None, scores)
    else:
        slam_decides = settle_slam(played, settlement) if played.contract.bonuses else None
        if slam_decides is not None:
            bid_won, slam = slam_decides, True
        else:
            bid_won = settle_game(played, settlement)
            if played.contract.bonuses:
                settle_piles(played, settlement)
                settle_ultimo(played, settlement)
                settle_mond(played, settlement)
    partners = played.declarer_side - {played.declarer}
    return {
        "contract": played.contract.name,
        "declarer": played.declarer,
        "partner": next(iter(partners), None),
        "items": settlement.items,
        "payoffs": [sum(item["payoffs"][seat] for item in settlement.items) for seat in range(played.num_seats)],
        "rings": rings_after(played, bid_won, played.contract.ring or slam),
    }
