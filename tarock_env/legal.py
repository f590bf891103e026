"""Legal actions, from the engine's bit masks to arrays and to the names of deal records."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS, NUM_WORDS, action_name, known_actions


def mask_bits(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(..., 4) uint64 legal words -> (..., A) bool mask."""
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").view(np.bool_)


@cache
def names_by_seat(num_seats: int) -> tuple[tuple[str, ...], ...]:
    """[seat][action id] -> name; reserved ids have an empty one."""
    known = set(known_actions())
    return tuple(
        tuple(action_name(action, seat, num_seats) if action in known else "" for action in range(NUM_ACTIONS)) for seat in range(num_seats)
    )


@cache
def ids_by_seat(num_seats: int) -> tuple[dict[str, int], ...]:
    """[seat] -> name -> action id: the reverse."""
    return tuple({name: action for action, name in enumerate(names) if name} for names in names_by_seat(num_seats))


@cache
def _sorted_by_seat(num_seats: int) -> tuple[tuple[NDArray[np.int64], NDArray[np.str_]], ...]:
    """For each seat: all action ids by code point of their names, and those names."""
    result = []
    for names in names_by_seat(num_seats):
        order = np.array(sorted(known_actions(), key=lambda action: names[action]))
        result.append((order, np.array([names[action] for action in order], dtype=object)))
    return tuple(result)


def legal_names(words: NDArray[np.uint64], seat: int, num_seats: int) -> str:
    """The names in one legal mask of `seat`, sorted by code point, separated by spaces: a record's `legal` entry."""
    order, names = _sorted_by_seat(num_seats)[seat]
    return " ".join(names[mask_bits(words)[order]])


def illegal_action(deal: Any, action: int) -> str:
    """One line about an action that a DEAL record does not allow: who wanted what, and what was legal."""
    seat, num_seats = int(deal.seat), int(deal.num_seats)
    names = names_by_seat(num_seats)[seat]
    name = (names[action] if 0 <= action < NUM_ACTIONS else "") or f"action id {action}"
    return f"seat {seat} may not {name}; legal: {legal_names(deal.legal, seat, num_seats)}"


def all_legal_names(words: NDArray[np.uint64], seats: NDArray[np.int8], num_seats: int) -> list[str]:
    """The same for (N, 4) masks of the seats (N,)."""
    assert words.shape == (len(seats), NUM_WORDS)
    result = [""] * len(seats)
    bits = mask_bits(words)
    for seat in range(num_seats):
        order, names = _sorted_by_seat(num_seats)[seat]
        rows = np.flatnonzero(seats == seat)
        row, column = np.nonzero(bits[np.ix_(rows, order)])
        ends = np.cumsum(np.bincount(row, minlength=len(rows))).tolist()
        words_of_row = names[column].tolist()
        start = 0
        for index, end in zip(rows.tolist(), ends, strict=True):
            result[index] = " ".join(words_of_row[start:end])
            start = end
    return result
