"""Thousands of deals in lockstep: the engine's public interface for sampling, search and benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tarock_env.actions import NUM_ACTIONS
from tarock_env.engine.chance import new_streams
from tarock_env.engine.lockstep import first_illegal, next_deal_rows, pick_random, play_random, reset_rows, step_rows
from tarock_env.engine.state import DONE, Deals, new_deals
from tarock_env.legal import illegal_action
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE, hidden_rows, observe_rows
from tarock_env.rules.schema import Rules
from tarock_env.rules.table import rules_table

__all__ = ["DealBatch", "play_random"]


class DealBatch:
    """`num_deals` deals in lockstep, each with a generator stream of its own.

    `rules` are one or more systems, dealt out evenly over the rows. `seed` is an integer or a SeedSequence; the same seed gives
    the same deals. With `skip_forced`, decisions with one legal action are played at once and never shown. `threads` splits the
    kernels, which release the GIL, over that many threads.

    `deals` (B,) DEAL, `tables` (R,) RULES and `streams` (B,) uint64 are live arrays; saving all three saves the batch.
    `copy.deepcopy` and pickle work too: the copy goes on as the batch does, apart from it.
    """

    def __init__(
        self,
        num_deals: int,
        rules: Rules | Sequence[Rules],
        seed: int | np.random.SeedSequence,
        *,
        skip_forced: bool = True,
        threads: int = 1,
    ) -> None:
        if num_deals < 1:
            raise ValueError(f"num_deals is {num_deals}; a batch needs at least one deal")
        self.rules: tuple[Rules, ...] = (rules,) if isinstance(rules, Rules) else tuple(rules)
        if not self.rules or not all(isinstance(system, Rules) for system in self.rules):
            raise ValueError("rules are one or more Rules, as load_rules returns them")
        self.tables = rules_table(self.rules)
        self.num_deals = num_deals
        self.deals: Deals = new_deals(num_deals)
        self.deals["rules_id"] = np.arange(num_deals) % len(self.rules)
        self.streams = new_streams(seed, num_deals)
        self.skip_forced = skip_forced
        self._forced_share = 0.0
        self._chunks = np.linspace(0, num_deals, max(1, threads) + 1).astype(int).tolist()
        self._pool = self._new_pool()
        self.reset()

    def _new_pool(self) -> ThreadPoolExecutor | None:
        """A thread for each range of rows; None for one range."""
        return ThreadPoolExecutor(len(self._chunks) - 1) if len(self._chunks) > 2 else None

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles hold: threads cannot be copied."""
        return vars(self) | {"_pool": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._pool = self._new_pool()

    def force_contracts(self, share: float) -> None:
        """From the next reset on, this share of the deals starts after an auction played out to a random contract."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"the share of forced contracts is {share}; it lies between 0 and 1")
        self._forced_share = float(share)

    def reset(self, which: np.ndarray | Sequence[int] | None = None) -> None:
        """Fresh deals with a random forehand for all rows, or for the given ones: indices, or a (B,) bool mask such as `finished`.

        Raises ValueError for rows that are not there.
        """
        rows = np.arange(self.num_deals) if which is None else self._rows(which)
        reset_rows(self.deals, self.tables, self.streams, rows, self._forced_share, self.skip_forced)

    def next_deals(self, which: np.ndarray | Sequence[int]) -> None:
        """The next deal of the match in the given rows, whose deals are finished: the forehand moves on, totals and rings carry over.

        Rows as for `reset`. Raises ValueError where a row is not there or not finished.
        """
        rows = self._rows(which)
        if not self.finished[rows].all():
            raise ValueError(f"deal {rows[~self.finished[rows]][0]} is not finished; a match goes on after its last card")
        next_deal_rows(self.deals, self.tables, self.streams, rows, self.skip_forced)

    def observe(self, observation: np.ndarray, action_mask: np.ndarray, hidden: np.ndarray | None = None) -> None:
        """Overwrite (B, F) uint8, (B, A) bool and, where given, (B, H) uint8 for the acting seats; zeros for finished deals.

        Raises ValueError for arrays of another shape or type.
        """
        for name, array, width, dtype in (
            ("observation", observation, OBSERVATION_SIZE, np.uint8),
            ("action_mask", action_mask, NUM_ACTIONS, np.bool_),
            ("hidden", hidden, HIDDEN_SIZE, np.uint8),
        ):
            if array is not None and (array.shape != (self.num_deals, width) or array.dtype != dtype):
                expected = f"expected {(self.num_deals, width)}, {np.dtype(dtype)}"
                raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}; {expected}")
        self._over_rows(observe_rows, self.deals, self.tables, observation, action_mask)
        if hidden is not None:
            self._over_rows(hidden_rows, self.deals, hidden)

    def random_actions(self) -> np.ndarray:
        """(B,) uniformly random legal actions from the rows' own streams; -1 for finished deals."""
        actions = np.empty(self.num_deals, np.int64)
        self._over_rows(pick_random, self.deals, self.streams, actions)
        return actions

    def step(self, actions: np.ndarray) -> None:
        """Apply one action a row, (B,) integers; rows of finished deals are ignored.

        Raises ValueError naming row, seat, action and the legal names; then no row has moved.
        """
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions have type {given.dtype}; expected integers")
        chosen = np.ascontiguousarray(given, np.int64)
        if chosen.shape != (self.num_deals,):
            raise ValueError(f"actions have shape {chosen.shape}; expected ({self.num_deals},), one a deal")
        row = first_illegal(self.deals, chosen)
        if row >= 0:
            raise ValueError(f"deal {row}: {illegal_action(self.deals[row], int(chosen[row]))}")
        self._over_rows(step_rows, self.deals, self.tables, chosen, last=(self.skip_forced,))

    def _rows(self, which: np.ndarray | Sequence[int]) -> np.ndarray:
        """Row indices; the kernels do not look whether a row is there. Raises ValueError."""
        rows = np.asarray(which)
        if rows.dtype == np.bool_ and rows.shape == (self.num_deals,):
            return np.flatnonzero(rows)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise ValueError(
                f"rows have shape {rows.shape} and type {rows.dtype}; give a list of indices or a ({self.num_deals},) bool mask"
            )
        wrong = rows[(rows < 0) | (rows >= self.num_deals)]
        if wrong.size:
            raise ValueError(f"row {wrong[0]} is not there; rows are 0..{self.num_deals - 1}")
        return rows.astype(np.int64)

    def _over_rows(self, function: Callable[..., Any], *args: Any, last: tuple[Any, ...] = ()) -> None:
        """Call a kernel over row ranges, on the pool where there is one."""
        spans = list(zip(self._chunks[:-1], self._chunks[1:], strict=True))
        if self._pool is None:
            function(*args, *spans[0], *last)
            return
        for future in [self._pool.submit(function, *args, *span, *last) for span in spans]:
            future.result()

    @property
    def seats(self) -> np.ndarray:
        """(B,) int8 acting seat, -1 where the deal is finished. A live view: do not write."""
        seats: np.ndarray = self.deals["seat"]
        return seats

    @property
    def finished(self) -> np.ndarray:
        """(B,) bool."""
        done: np.ndarray = self.deals["phase"] == DONE
        return done

    @property
    def payoffs(self) -> np.ndarray:
        """(B, 4) int32 in sixths of a table unit, valid where finished. A live view: do not write."""
        payoffs: np.ndarray = self.deals["payoffs"]
        return payoffs
