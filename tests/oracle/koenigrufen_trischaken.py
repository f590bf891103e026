"""The six Königrufen systems: what Trischaken costs (rules.md 1.8.10, 1.8.13, 3.1, 3.3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.oracle.core import groups, thirds
from tests.oracle.koenigrufen_score import Settled, result


def trischaken_result(
    rules: str,
    options: dict[str, Any],
    forehand: int,
    piles: list[list[str]],
    trickless: set[int],
) -> dict[str, Any]:
    """piles and trickless by seat, talon cards included."""
    order = [(forehand + place) % 4 for place in range(4)]
    exact = rules == "juegatu" or options["trischaken_exact"]
    points = [thirds(piles[seat]) if exact else 3 * groups(piles[seat]) for seat in order]
    without = {place for place, seat in enumerate(order) if seat in trickless}
    by_place = trischaken_payments(rules, points, without)
    payments = [Fraction(0)] * 4
    for place, seat in enumerate(order):
        payments[seat] = by_place[place]
    item = Settled("game", None, announced=False, kontra=1, base=payments)
    return result(rules, "trischaken", None, None, [item])


def trischaken_payments(rules: str, points: list[int], trickless: set[int]) -> list[Fraction]:
    """Payments by place P0..P3. points: thirds by place; trickless: places without a trick."""
    highest = [place for place in range(4) if points[place] == max(points)]
    payments = {
        "juegatu": juegatu_pot,
        "oberoesterreichisch": upper_austrian_pot,
        "tiroler": tyrolean_pot,
    }
    return payments.get(rules, styrian_pot)(points, highest, trickless)


def pot(amount: int, losers: list[int], takers: set[int]) -> list[Fraction]:
    """Losers share the payment of a pot, takers share the pot."""
    return [
        -Fraction(amount, len(losers)) if place in losers else Fraction(amount, len(takers)) if place in takers else Fraction(0)
        for place in range(4)
    ]


def juegatu_pot(points: list[int], highest: list[int], trickless: set[int]) -> list[Fraction]:
    """3.1: one loser pays 2 each; ties go to the first of P0, P3, P2, P1."""
    loser = next(place for place in (0, 3, 2, 1) if place in highest)
    each = 2
    if points[loser] >= 96:  # Bürgermeister: 32 points
        each *= 2
    if loser == 0:
        each *= 2
    return pot(3 * each, [loser], set(range(4)) - {loser})


def styrian_pot(points: list[int], highest: list[int], trickless: set[int]) -> list[Fraction]:
    """3.3, S, K, W."""
    losers = [0] if 0 in highest else highest
    amount = 6
    if max(points) >= 107:
        amount *= 2
    if losers == [0]:
        amount *= 2
    return pot(amount, losers, trickless or set(range(4)) - set(losers))


def upper_austrian_pot(points: list[int], highest: list[int], trickless: set[int]) -> list[Fraction]:
    """3.3, O, with 1.8.13 for two trickless players."""
    losers = [0] if 0 in highest else highest
    base = 2 if max(points) >= 107 else 1
    if losers == [0]:
        base *= 2
    if len(losers) == 2 or (len(losers) == 1 and len(trickless) == 2 and base == 1):
        amount = 4
    else:
        amount = 3 * base
    return pot(amount, losers, trickless or set(range(4)) - set(losers))


def tyrolean_pot(points: list[int], highest: list[int], trickless: set[int]) -> list[Fraction]:
    """1.8.10, in its order (a) to (d)."""
    mayor = max(points) >= 107
    if mayor or 0 in highest:
        loser = 0 if 0 in highest else highest[0]
        amount = 12 if mayor and loser == 0 else 6
        return pot(amount, [loser], trickless or set(range(4)) - {loser})
    if trickless:
        payers = [place for place in range(4) if place not in trickless]
        return pot(2 * len(payers), payers, trickless)
    places = sorted(points, reverse=True)
    worth = [-2, -2, 2, 2]
    return [
        Fraction(sum(w for w, p in zip(worth, places, strict=True) if p == points[place]), places.count(points[place]))
        for place in range(4)
    ]
