"""The first layer on rows that are mostly zero: an observation has some 140 entries that are not, of well over a thousand."""

import numpy as np
from numpy.typing import NDArray

from tarock_env.engine.jit import JIT, kernel

Floats = NDArray[np.float32]


@kernel
def _add_active(rows, weight, bias, out):
    """out[i] = bias + rows[i] @ weight, reading only the rows of `weight` whose entry is not zero."""
    width = out.shape[1]
    for row in range(len(rows)):
        for unit in range(width):
            out[row, unit] = bias[unit]
        for feature in range(rows.shape[1]):
            entry = rows[row, feature]
            if entry:
                factor = np.float32(entry)
                for unit in range(width):
                    out[row, unit] += factor * weight[feature, unit]


@kernel
def _hash_rows(words, hashes):
    """hashes[i]: 64 bits from the (B, W) uint64 words of row i, the same on every machine and in every run."""
    for row in range(len(words)):
        value = np.uint64(0x9E3779B97F4A7C15)
        for index in range(words.shape[1]):
            value = (value ^ words[row, index]) * np.uint64(0xD6E8FEB86659FD93)
            value ^= value >> np.uint64(32)
        hashes[row] = value


def first_layer(rows: NDArray[np.uint8], weight: Floats, bias: Floats) -> Floats:
    """(B, F) uint8 rows, (F, H) weight, (H,) bias -> (B, H) float32."""
    if not JIT:  # plain Python loops would take minutes
        return np.asarray(rows.astype(np.float32) @ weight + bias)
    out: Floats = np.empty((len(rows), weight.shape[1]), np.float32)
    _add_active(np.ascontiguousarray(rows), weight, bias, out)
    return out


def distinct_rows(rows: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First of each set of equal rows, and where every row has its first: rows[first][back] equals rows.

    rows: (B, F) uint8, told apart by a 64-bit hash. On duplicate deals many tables are still alike: what is computed once for them
    need not be computed eight times.
    """
    if not JIT or len(rows) == 1 or rows.shape[1] % 8:
        return np.arange(len(rows)), np.arange(len(rows))
    _, first, back = np.unique(hashes_of(rows), return_index=True, return_inverse=True)
    return first, back


def hashes_of(rows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """(B,) 64 bits from each of (B, 8 W) uint8 rows."""
    hashes = np.empty(len(rows), np.uint64)
    with np.errstate(over="ignore"):  # the products wrap, which numpy reports where the kernel runs as plain Python
        _hash_rows(np.ascontiguousarray(rows).view(np.uint64), hashes)
    return hashes
