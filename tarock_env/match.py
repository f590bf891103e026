"""Matches: what one deal hands on to the next, and what is settled at the end (rules text 3.4, 1.8.11).

The forehand moves on. Totals and, where the rules have them, open rings carry over; a total of 0 or a multiple of 500 makes the
next deal an all-against-all game (never the first deal of a match); at the end every open ring is paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.engine.lockstep import FORCING_MULTIPLE
from tarock_env.engine.state import SIXTHS
from tarock_env.rules.schema import Rules

RING_PRICE = 100  # units that an open ring costs its owner to each other player at the end


def forces_all_against_all(rules: Rules, totals_sixths: Sequence[int]) -> bool:
    """Whether these totals, after a deal, set the contract of the next one (the 0-or-500 rule)."""
    return rules.rings and any(int(total) % (FORCING_MULTIPLE * SIXTHS) == 0 for total in totals_sixths)


def ring_settlement(rules: Rules, rings: Sequence[int]) -> list[int]:
    """What each seat gets (or pays) for open rings at the end of a match, in sixths; zeros where the rules have none."""
    settled: list[int] = ring_settlements(rules, np.asarray([rings])[:, : rules.players])[0].tolist()
    return settled


def ring_settlements(rules: Rules, rings: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The same for many tables. rings: (B, P) open ones by seat; returns (B, P)."""
    owned = rings.astype(np.int64)
    price = RING_PRICE * SIXTHS if rules.rings else 0
    return np.asarray(price * (owned.sum(axis=1, keepdims=True) - rules.players * owned))
