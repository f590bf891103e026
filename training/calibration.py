"""Whether the critic means what it says: decisions in groups by the payoff it expected, beside what the deals then paid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GROUPS = 20


@dataclass(frozen=True)
class Expectations:
    """What the critic expected of the decisions of one sample, before it learnt from them.

    system (N,): index of the rule system in the run's list. expected, paid (N,): points; paid is the engine's payoff of the seat.
    """

    system: NDArray[np.uint8]
    expected: NDArray[np.float32]
    paid: NDArray[np.float32]


@dataclass(frozen=True)
class Calibration:
    """Decisions of one rule system in groups of equal size, from the lowest expectation to the highest.

    expected, paid (G,): means of the group in points. low, high (G,): the middle half of its payoffs lies between them. rows: of all
    groups together.
    """

    expected: NDArray[np.float64]
    paid: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    rows: int


def calibrate(expectations: Expectations, system: int, groups: int = GROUPS) -> Calibration:
    """The groups of one rule system; fewer where there are fewer decisions, none without any."""
    chosen = np.flatnonzero(expectations.system == system)
    chosen = chosen[np.argsort(expectations.expected[chosen], kind="stable")]
    parts = [part for part in np.array_split(chosen, groups) if len(part)]
    expected = np.array([expectations.expected[part].mean() for part in parts], np.float64)
    paid = [expectations.paid[part] for part in parts]
    low, high = (np.array([np.percentile(part, share) for part in paid], np.float64) for share in (25, 75))
    return Calibration(expected, np.array([part.mean() for part in paid], np.float64), low, high, len(chosen))
