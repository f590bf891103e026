"""Scoring of a played czech19 deal (rules.md 3.6, 1.5, 1.8.12, seed 003)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.oracle.core import KINGS, TRULL, groups, record_number, settle, tarocks
from tests.oracle.trick import Trick

FIVE_POINT_CARDS = KINGS | TRULL
LEVEL_FACTOR = {1: 1, 2: 2, 3: 3}
SOLO_FACTOR = 6

Item = dict[str, Any]


@dataclass
class Played:
    """All that scoring needs of a deal.

    declarer_side: declarer and partner; empty in Warsaw. discards: by seat. talon: the six
    cards in Warsaw (one to each of tricks 1-6); else what nobody took, for the defenders.
    announced: bonus -> its announcer's side. melds: (seat, name, value).
    level: of a Dreier, 1 to 3.
    """

    contract: str
    tricks: list[Trick]
    declarer: int | None = None
    declarer_side: frozenset[int] = frozenset()
    level: int | None = None
    discards: dict[int, list[str]] = field(default_factory=dict)
    talon: list[str] = field(default_factory=list)
    announced: dict[str, frozenset[int]] = field(default_factory=dict)
    kontra: dict[str, int] = field(default_factory=dict)
    melds: list[tuple[int, str, int]] = field(default_factory=list)

    @property
    def defenders(self) -> frozenset[int]:
        return frozenset(range(4)) - self.declarer_side

    @property
    def sides(self) -> tuple[frozenset[int], frozenset[int]]:
        return self.declarer_side, self.defenders

    def side_of(self, seat: int) -> frozenset[int]:
        return self.declarer_side if seat in self.declarer_side else self.defenders


def meld_values(hand: set[str]) -> dict[str, int]:
    """The melds a hand of twelve allows, with their values (3.6 "Melds")."""
    values = {}
    held = tarocks(hand)
    if len(held) >= 8:
        values["trumps"] = 10 if len(held) >= 10 else 5
    elif len(held) <= 2:
        values["few_trumps"] = 10 if held <= {"T1"} else 5
    if hand >= TRULL:
        values["trull"] = 5
    if len(hand & FIVE_POINT_CARDS) >= 4:
        values["honours"] = 10 if hand >= KINGS else 5
    return values


def pile(played: Played, side: Collection[int]) -> list[str]:
    """Tricks and discards of a side, and the unused talon for the defenders (1.6, 1.8.4)."""
    cards = [card for trick in played.tricks if trick.winner in side for card in trick.cards]
    cards += [card for seat in side for card in played.discards.get(seat, [])]
    return cards + (played.talon if side == played.defenders else [])


def game_amount(points: int, factor: int) -> int:
    """What each opponent pays the declarer's side for its points (3.6 "Score").

    35:35 loses one unit, whatever the factor.
    """
    return -1 if points == 35 else (points - 35) * factor


def level_factor(contract: str, level: int | None) -> int:
    if contract == "solo":
        return SOLO_FACTOR
    return 1 if level is None else LEVEL_FACTOR[level]


def item(name: str, amount: int, side: Collection[int], made: bool, announced: bool = False, kontra: int = 1) -> Item:
    """`side` wins `amount` per opponent, times kontra."""
    return {
        "item": name,
        "made": made,
        "announced": announced,
        "kontra": kontra,
        "payoffs": [record_number(payoff) for payoff in settle(amount * kontra, side)],
    }


def game_item(played: Played) -> Item:
    points = groups(pile(played, played.declarer_side))
    amount = game_amount(points, level_factor(played.contract, played.level))
    kontra = played.kontra.get("game", 1)
    return item("game", amount, played.declarer_side, made=points > 35, kontra=kontra)


def pagat_items(played: Played) -> list[Item]:
    """T1 in the last trick: +10 if it wins itself, else -10; announced 20, wherever T1 fell."""
    last = played.tricks[-1]
    won = last.winning_card() == "T1"
    if "pagat" in played.announced:
        side, kontra = played.announced["pagat"], played.kontra.get("pagat", 1)
        return [item("pagat", 20 if won else -20, side, won, announced=True, kontra=kontra)]
    if "T1" in last.cards:
        side = played.side_of(last.seat_of("T1"))
        return [item("pagat", 10 if won else -10, side, won)]
    return []


def valat_items(played: Played) -> list[Item]:
    """All twelve tricks: 70; announced 140 for its announcer's side only (1.8.12)."""
    takers = {trick.winner for trick in played.tricks}
    if "valat" in played.announced:
        side, kontra = played.announced["valat"], played.kontra.get("valat", 1)
        made = takers <= side
        return [item("valat", 140 if made else -140, side, made, announced=True, kontra=kontra)]
    return [item("valat", 70, side, made=True) for side in played.sides if takers <= side]


def meld_items(played: Played) -> list[Item]:
    """A meld of any member counts for his whole side."""
    return [item(f"meld:{name}", value, played.side_of(seat), made=True) for seat, name, value in played.melds]


def warsaw_payoffs(points: list[int], trickless: Collection[int]) -> list[Fraction]:
    """Most points lose and pay each other player; tied losers split every payment (3.6 "Warsaw").

    points: groups by seat. A player without a trick receives double.
    """
    most = max(points)
    losers = [seat for seat in range(4) if points[seat] == most]
    payoffs = [Fraction(0)] * 4
    unit = 10 if most <= 29 else 20 if most <= 39 else 40
    for seat in range(4):
        if seat in losers:
            continue
        amount = Fraction(2 * unit if seat in trickless else unit)
        payoffs[seat] += amount
        for loser in losers:
            payoffs[loser] -= amount / len(losers)
    return payoffs


def warsaw_items(played: Played) -> list[Item]:
    piles: list[list[str]] = [[] for _ in range(4)]
    for number, trick in enumerate(played.tricks):
        piles[trick.winner] += trick.cards + played.talon[number : number + 1]
    trickless = [seat for seat in range(4) if not piles[seat]]
    payoffs = warsaw_payoffs([groups(cards) for cards in piles], trickless)
    if not any(payoffs):
        return []  # a four-way tie (1.8.12)
    numbers = [record_number(payoff) for payoff in payoffs]
    return [{"item": "game", "made": None, "announced": False, "kontra": 1, "payoffs": numbers}]


def score(played: Played) -> dict[str, Any]:
    """The `result` of a record."""
    if played.contract == "warsaw":
        items = warsaw_items(played)
    else:
        items = [game_item(played), *pagat_items(played), *valat_items(played), *meld_items(played)]
    partners = played.declarer_side - {played.declarer}
    result = {
        "contract": played.contract,
        "declarer": played.declarer,
        "partner": next(iter(partners), None),
        "items": items,
        "payoffs": [record_number(sum(Fraction(one["payoffs"][seat]) for one in items)) for seat in range(4)],
    }
    if played.level is not None:
        result["level"] = played.level
    return result
