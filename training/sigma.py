"""The scale of payoffs: a running standard deviation for each rule system."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MEMORY = 0.98  # of the mean square, an iteration: about 50 iterations
PRIOR = 4.0  # points squared, with the weight of one iteration: until payoffs are seen


class RunningSigma:
    """Root mean square of the payoffs of each system, in points, over about the last 1 / (1 - MEMORY) iterations.

    Payoffs sum to zero, so their mean is zero but for pool seats and the mean square is the variance.
    """

    def __init__(self, systems: int) -> None:
        self._square = np.full(systems, PRIOR * (1 - MEMORY))
        self._weight = np.full(systems, 1 - MEMORY)

    def values(self) -> list[float]:
        """Standard deviation in points, by system."""
        return [float(value) for value in np.sqrt(self._square / self._weight)]

    def update(self, system: NDArray[np.uint8], payoff: NDArray[np.float32]) -> None:
        """Take in the payoffs (N,) in points of rows of these systems (N,)."""
        for index in np.unique(system):
            square = float(np.square(payoff[system == index], dtype=np.float64).mean())
            self._square[index] = MEMORY * self._square[index] + (1 - MEMORY) * square
            self._weight[index] = MEMORY * self._weight[index] + (1 - MEMORY)

    def get_state(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {"square": self._square.copy(), "weight": self._weight.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """From a checkpoint."""
        self._square, self._weight = np.array(state["square"]), np.array(state["weight"])
