"""What the rows of decisions in a file of arrays must be: the layout of this version, and what the file's deals give when played."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarock_env.actions import NUM_ACTIONS
from tarock_env.array_check import ArraysError
from tarock_env.arrays import Arrays, decision_rows, num_deals
from tarock_env.observation import OBSERVATION_SIZE, SCHEMA_VERSION
from tarock_env.record import RecordError
from tarock_env.rules import Rules

ROWS = "row_"  # what `decision_rows` gives stands in a file under these names
VERSION = ROWS + "schema_version"
# Width of each array, 0 where a row is one number, and its type.
FORMS: Mapping[str, tuple[int, type[np.generic]]] = {
    "deal": (0, np.int64), "seat": (0, np.int8), "action": (0, np.int64), "observation": (OBSERVATION_SIZE, np.uint8),
    "mask": (NUM_ACTIONS, np.bool_), "payoff": (0, np.float32),
}  # fmt: skip
PLAYED = 256  # deals played at a time


def check_rows(arrays: Arrays, rules: Rules | None) -> None:
    """Nothing for arrays without rows. arrays: their deals are checked. rules: None, where they are not known, leaves out the playing.

    Raises ArraysError, one line: the array, what was found, what is allowed.
    """
    if not any(name.startswith(ROWS) for name in arrays):
        return
    missing = [name for name in (*(ROWS + name for name in FORMS), VERSION) if name not in arrays]
    if missing:
        raise ArraysError(f"it lacks {', '.join(missing)}")
    _check_version(arrays[VERSION])
    rows = len(arrays[ROWS + "deal"]) if arrays[ROWS + "deal"].ndim else 0
    for name, (width, kind) in FORMS.items():
        values, wanted = arrays[ROWS + name], (rows, width) if width else (rows,)
        if values.shape != wanted or values.dtype != kind:
            raise ArraysError(f"{ROWS}{name}: {values.dtype} of shape {values.shape}, it must be {np.dtype(kind)} of shape {wanted}")
    deals = arrays[ROWS + "deal"]
    if (deals[1:] < deals[:-1]).any() or (rows and not 0 <= deals[0] <= deals[-1] < num_deals(arrays)):
        raise ArraysError(f"{ROWS}deal: the rows must be of deals 0 to {num_deals(arrays) - 1}, in their order")
    if rules is not None:
        _check_play(arrays, rules)


def _check_version(version: Any) -> None:
    if version.shape != () or version.dtype.kind not in "iu":
        raise ArraysError(f"{VERSION}: it must be one whole number")
    if version != SCHEMA_VERSION:
        raise ArraysError(f"{VERSION}: observations of layout {version}, this version of Tarock has layout {SCHEMA_VERSION}")


def _check_play(arrays: Arrays, rules: Rules) -> None:
    """The rows are those that playing the deals gives: an action that is not legal, and payoffs that are not earned, come up too."""
    begin = 0
    for start in range(0, num_deals(arrays), PLAYED):
        try:
            played = decision_rows(arrays, start, start + PLAYED, rules=rules)
        except RecordError as error:
            raise ArraysError(str(error)) from None
        stop = min(start + PLAYED, num_deals(arrays))
        end = int(np.searchsorted(arrays[ROWS + "deal"], stop))
        found = np.bincount(arrays[ROWS + "deal"][begin:end] - start, minlength=stop - start)
        right = np.bincount(played["deal"] - start, minlength=stop - start)
        if (found != right).any():
            deal = int((found != right).argmax())
            raise ArraysError(f"rows: deal {start + deal + 1} has {found[deal]}, by its actions there are {right[deal]} decisions")
        for name, values in played.items():
            wrong = arrays[ROWS + name][begin:end] != values
            if wrong.any():
                row = int(wrong.reshape(len(values), -1).any(axis=1).argmax())
                raise ArraysError(f"{ROWS}{name}: row {begin + row + 1}, of deal {played['deal'][row] + 1}, is not what its actions give")
        begin = end
