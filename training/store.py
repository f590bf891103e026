"""Preallocated columns that an env runner fills with decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from training.columns import ENDGAME, ENDGAME_CARDS, HIDDEN, LEGAL_ACTIONS, MAX_LEGAL, PAYOFF, PHASE, SPREAD, SYSTEM, TEACHER

SPARE = 256  # rows beyond the last one, so that a padded block can be read
# name -> (shape of a row, type); the order is that of the batch
COLUMNS: dict[str, tuple[tuple[int, ...], type[np.generic]]] = {
    Columns.OBS: ((OBSERVATION_SIZE,), np.uint8),
    HIDDEN: ((HIDDEN_SIZE,), np.uint8),
    LEGAL_ACTIONS: ((MAX_LEGAL,), np.int16),
    Columns.ACTIONS: ((), np.int64),
    Columns.ACTION_LOGP: ((), np.float32),
    Postprocessing.ADVANTAGES: ((), np.float32),
    Postprocessing.VALUE_TARGETS: ((), np.float32),
    PAYOFF: ((), np.float32),
    SPREAD: ((), np.float32),
    ENDGAME: ((ENDGAME_CARDS,), np.float32),
    TEACHER: ((), np.int16),
    SYSTEM: ((), np.uint8),
    PHASE: ((), np.uint8),
}


class RowStore:
    """Columns of N rows and, beside them, whose decision each row is. Kept from sample to sample: pages stay mapped.

    columns: name -> (capacity, ...). deal (capacity,) int32, seat (capacity,) int8. size: rows in use.
    """

    def __init__(self) -> None:
        self.size = 0
        self.columns: dict[str, NDArray[Any]] = {}
        self._allocate(0)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def clear(self, capacity: int) -> None:
        """Forget all rows and make room for about `capacity`."""
        self.size = 0
        if capacity > len(self.deal):
            self._allocate(capacity + SPARE)

    def grow(self, rows: int) -> slice:
        """Append `rows` rows; return where they are. Reallocates, once in a while, where the first guess was too small."""
        start, self.size = self.size, self.size + rows
        if self.size + SPARE > len(self.deal):
            old, old_deal, old_seat = self.columns, self.deal, self.seat
            self._allocate(self.size + self.size // 4 + SPARE)
            for name, values in old.items():
                self.columns[name][:start] = values[:start]
            self.deal[:start], self.seat[:start] = old_deal[:start], old_seat[:start]
        return slice(start, self.size)

    def append(self, rows: NDArray[np.int64], deal: NDArray[np.int32], seat: NDArray[np.int8], observation: Any, hidden: Any) -> slice:
        """Append what `rows` of a batch's (B, ...) arrays hold, and whose decisions they are; return where."""
        new = self.grow(len(rows))
        for name, source in ((Columns.OBS, observation), (HIDDEN, hidden)):
            np.take(source, rows, axis=0, out=self.columns[name][new], mode="clip")  # clip: no temporary copy; the indices are valid
        self.deal[new] = deal
        self.seat[new] = seat
        return new

    def _allocate(self, capacity: int) -> None:
        self.columns = {name: np.zeros((capacity, *shape), dtype) for name, (shape, dtype) in COLUMNS.items()}
        self.deal = np.zeros(capacity, np.int32)
        self.seat = np.zeros(capacity, np.int8)
