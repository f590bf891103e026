"""Card sets in a `uint64`, and the typed constants that keep them unsigned.

numba turns `uint64` mixed with a signed integer silently into a float, so every constant here is a `np.uint64` and every
card id passes through `bit()` before it meets a set.
"""

from __future__ import annotations

import numpy as np

from tarock_env.cards import CARD_NAMES, KING_IDS, QUEEN_IDS
from tarock_env.engine.jit import count_leading_zeros, count_ones, count_trailing_zeros, kernel

ZERO = np.uint64(0)
ONE = np.uint64(1)


def _set(cards: object) -> np.uint64:
    mask = 0
    for card in cards:  # type: ignore[attr-defined]
        mask |= 1 << card
    return np.uint64(mask)


ALL_CARDS = np.uint64((1 << 54) - 1)
TAROCKS = np.uint64((1 << 22) - 1)
SUIT_CARDS = np.uint64(((1 << 54) - 1) ^ ((1 << 22) - 1))
KINGS = _set(KING_IDS)
QUEENS = _set(QUEEN_IDS)
KNIGHTS = _set(card - 2 for card in KING_IDS)
JACKS = _set(card - 3 for card in KING_IDS)
TRULL = _set((0, 20, 21))
BIRDS = _set(range(4))
T1, T21, T22 = np.uint64(1), np.uint64(1 << 20), np.uint64(1 << 21)
FIVES = KINGS | TRULL
SUIT_MASKS = np.array([(1 << 22) - 1] + [255 << (22 + 8 * suit) for suit in range(4)], np.uint64)

assert len(CARD_NAMES) == 54


@kernel
def bit(card):
    """The set holding one card."""
    return ONE << np.uint64(card)


@kernel
def size(cards):
    """Number of cards in a set."""
    return count_ones(np.uint64(cards))


@kernel
def lowest(cards):
    """Lowest card id in a non-empty set."""
    return count_trailing_zeros(np.uint64(cards))


@kernel
def highest(cards):
    """Highest card id in a non-empty set."""
    return 63 - count_leading_zeros(np.uint64(cards))


@kernel
def above(card):
    """All bits above a card's."""
    return ~((bit(card) - ONE) | bit(card))


@kernel
def without_lowest(cards):
    """A non-empty set less its lowest card."""
    return cards & (cards - ONE)


@kernel
def nth(cards, index):
    """The card id at position `index`, counted from the lowest (0), in a set with more than `index` cards."""
    for _ in range(index):
        cards = without_lowest(cards)
    return lowest(cards)


@kernel
def suit_of(card):
    """0 for tarocks, 1..4 for H D S C."""
    return 0 if card < 22 else 1 + ((card - 22) >> 3)


@kernel
def card_value(cards):
    """Sum of card values of a set: 5 kings and Trull, 4 queens, 3 knights, 2 jacks, 1 the rest (rules.md 1.2)."""
    return size(cards) + 4 * size(cards & FIVES) + 3 * size(cards & QUEENS) + 2 * size(cards & KNIGHTS) + size(cards & JACKS)


@kernel
def card_thirds(cards):
    """Exact points of a set in thirds; the deck has 210 (rules.md 1.2)."""
    return 3 * card_value(cards) - 2 * size(cards)


@kernel
def card_groups(cards):
    """Whole points by counting in groups of three: thirds / 3 rounded to nearest (rules.md 1.2)."""
    return (card_thirds(cards) + 1) // 3
