"""Tests of a mean over deals, many tests at once, and ratings from who was better how often."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

ELO_SCALE = 400 / math.log(10)
ROUNDS = 10_000  # of the rating's fixed point; it stops as soon as nothing moves


def p_above_zero(values: NDArray[np.float64]) -> float:
    """One-sided p that the mean of (n,) independent deals is not above zero, by the normal approximation (n of thousands)."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if not spread:
        return 0.0 if len(values) > 1 and values[0] > 0 else 1.0
    return math.erfc(float(values.mean()) / spread * math.sqrt(len(values)) / math.sqrt(2)) / 2


def holm(p_values: Sequence[float], family: int | None = None) -> list[float]:
    """Holm's corrected p-values, in the order given.

    family: number of tests that the correction is for, by default those given. The others count as larger than these: the careful way.
    """
    tests = max(len(p_values), family or 0)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, p_values[index] * (tests - rank)))
        corrected[index] = highest
    return corrected


def elo(wins: Mapping[tuple[str, str], tuple[float, float]], anchor: str) -> dict[str, float]:
    """Bradley-Terry ratings on the scale of Elo, the anchor at 0.

    wins: (a, b) -> on how many deals a was better, and b; ties half each. Half a deal is added to every side, so that a player who
    never lost has a rating.
    """
    names = sorted({name for pair in wins for name in pair})
    won = np.zeros((len(names), len(names)))
    for (a, b), (for_a, for_b) in wins.items():
        won[names.index(a), names.index(b)] += for_a + 0.5
        won[names.index(b), names.index(a)] += for_b + 0.5
    games = won + won.T
    strength = np.ones(len(names))
    for _ in range(ROUNDS):
        met = games / (strength[:, np.newaxis] + strength)
        moved = won.sum(axis=1) / met.sum(axis=1)
        moved /= np.exp(np.log(moved).mean())
        if np.abs(np.log(moved / strength)).max() < 1e-10:
            break
        strength = moved
    ratings = ELO_SCALE * np.log(strength)
    return {name: float(ratings[names.index(name)] - ratings[names.index(anchor)]) for name in names}
