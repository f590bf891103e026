"""Deals for tests: some cards given, the rest dealt at random; and names of random play."""

from __future__ import annotations

import random
from typing import Any

from tests.oracle import new_deal
from tests.oracle.core import DECK, OracleDeal

Record = dict[str, Any]
DEAR_BIDS = ("colour_slam_without", "slam_without", "beggar_exposed", "solo")


def header(
    rules: str,
    hands: dict[int, str] | None = None,
    talon: str = "",
    seed: int = 0,
    **fields: Any,
) -> Record:
    """A record without actions. hands: seat -> cards it surely has; talon: its first cards.

    The rest is dealt at random, so that every hand has a tarock.
    """
    num_seats = 3 if rules == "slovenian3" else 4
    size = 48 // num_seats
    given = {seat: text.split() for seat, text in (hands or {}).items()}
    rng = random.Random(seed)
    while True:
        used = {card for cards in [*given.values(), talon.split()] for card in cards}
        rest = [card for card in DECK if card not in used]
        rng.shuffle(rest)
        dealt = []
        for seat in range(num_seats):
            cards = list(given.get(seat, []))
            while len(cards) < size:
                cards.append(rest.pop())
            dealt.append(cards)
        if all(any(card[0] == "T" for card in cards) for cards in dealt):
            break
    return {
        "rules": rules,
        "forehand": 0,
        "hands": [" ".join(cards) for cards in dealt],
        "talon": " ".join(talon.split() + rest),
        **fields,
    }


def after(record: Record, *actions: str) -> OracleDeal:
    """The deal of a record after these actions; each must be legal."""
    deal = new_deal(record)
    for name in actions:
        deal.apply(name)
    return deal


def bids(*names: str) -> set[str]:
    return {f"bid:{name}" for name in names}


def finish(deal: OracleDeal, rng: random.Random) -> None:
    """Play on at random; before the play `good` where it is legal."""
    while not deal.finished:
        names = sorted(deal.legal())
        deal.apply("good" if "good" in names else rng.choice(names))


def rare_calls(rng: random.Random, names: list[str], pass_chance: float) -> str:
    """A random action: dear bids, announcements and kontras only now and then."""
    if "pass" in names and rng.random() < pass_chance:
        return "pass"
    cheap = [name for name in names if name.removeprefix("bid:") not in DEAR_BIDS]
    if cheap and rng.random() < 0.9:
        names = cheap
    if "good" in names and rng.random() < 0.7:
        return "good"
    return rng.choice(names)


def random_deal(record: Record, rng: random.Random) -> OracleDeal:
    """A whole deal by random legal actions."""
    deal = new_deal(record)
    pass_chance = rng.choice([0.3, 0.7, 0.95])
    while not deal.finished:
        deal.apply(rare_calls(rng, sorted(deal.legal()), pass_chance))
    return deal
