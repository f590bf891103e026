"""Courses of tricks for Slovenian scoring tests: cards at random until the result is as wanted."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.oracle.core import DECK, groups, winner
from tests.oracle.slovenian import OPTIONS
from tests.oracle.slovenian_contracts import ALL_BEGGARS, Contract, bid_list, forehand_only, raised
from tests.oracle.slovenian_score import Played, piles, score
from tests.oracle.trick import Trick

S3_OPTIONS = {**OPTIONS, "solo_without": False}


def contract(name: str, rules: str = "slovenian4", **options: Any) -> Contract:
    merged = {**S3_OPTIONS, **options}
    every = [*bid_list(rules, merged), *forehand_only(rules), ALL_BEGGARS, raised(merged)]
    return next(one for one in every if one.name == name)


def search(
    what: Contract,
    side: set[int],
    wanted: Callable[[Played, dict[str, Any]], bool],
    num_seats: int = 4,
    last: str = "",
    **fields: Any,
) -> tuple[Played, dict[str, Any]]:
    """A randomly dealt course of tricks whose result is as wanted; the first of `side` declares.

    last: the cards of the last trick in seat order.
    """
    rng = random.Random(1)
    fixed = last.split()
    options = {**S3_OPTIONS, **fields.pop("options", {})}
    for _ in range(20000):
        cards = [card for card in DECK if card not in fixed]
        rng.shuffle(cards)
        stock = [cards.pop() for _ in range(6)]
        cards += fixed
        tricks = []
        for start in range(0, 48, num_seats):
            trick = cards[start : start + num_seats]
            seats = list(range(num_seats))
            tricks.append(Trick(seats, trick, winner(trick, what.mode, emperor=True)))
        played = Played(
            contract=what,
            num_seats=num_seats,
            options=options,
            tricks=tricks,
            declarer=min(side, default=None) if "declarer" not in fields else fields["declarer"],
            declarer_side=frozenset(side),
            stock=stock,
            **{"rings": [0] * num_seats, **{k: v for k, v in fields.items() if k != "declarer"}},
        )
        result = score(played)
        if wanted(played, result):
            return played, result
    raise AssertionError("nothing found")


def item_names(result: dict[str, Any]) -> list[str]:
    return sorted(item["item"] for item in result["items"])


def points_and_game_only(points: int) -> Callable[[Played, dict[str, Any]], bool]:
    def wanted(played: Played, result: dict[str, Any]) -> bool:
        return item_names(result) == ["game"] and groups(piles(played)[0]) == points

    return wanted
