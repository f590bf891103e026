"""Exact endgames as a teacher: what every legal card of the last tricks comes to when all go on with open cards.

Over many deals the mean of these values, given what a seat knows, is what a search over sampled worlds would find there, the
worlds being drawn by play itself; and a row teaches about all its cards, not only about the one that was played.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.solver import new_stack, solve_cards
from tarock_env.cards import NUM_CARDS
from tarock_env.engine.bits import lowest, without_lowest
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import PLAY, SIXTHS

ALONE_TRICKS = 2  # where all play alone there is no pruning: a third trick costs twenty times as much


@kernel
def _judge(deals, rows, tables, tricks, stack, values, out):  # type: ignore[no-untyped-def]
    for index in range(len(rows)):
        deal = deals[rows[index]]
        rules = tables[deal.rules_id]
        left = rules.num_tricks - deal.trick_number
        if deal.phase != PLAY or left > tricks or (deal.declarer < 0 and left > ALONE_TRICKS):
            continue
        side = 0
        for seat in range(deal.num_seats):
            side += with_declarer(deal, seat) == with_declarer(deal, deal.seat)
        solve_cards(deal, rules, stack, values)
        cards, place = deal.legal[0], 0
        while cards:
            out[index, place] = values[lowest(cards)] / (SIXTHS * (side if deal.declarer >= 0 else 1))
            cards = without_lowest(cards)
            place += 1


class EndgameJudge:
    """Values of the legal cards in the last `tricks` tricks; 0 judges none. threads: that share the rows; they change no value."""

    def __init__(self, tricks: int, threads: int = 1) -> None:
        self.tricks = tricks
        self._scratch = [(new_stack(), np.empty(NUM_CARDS, np.int32)) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    def judge(self, deals: Any, rows: NDArray[np.int64], tables: Any, out: NDArray[np.float32]) -> None:
        """What the acting seat gets, in points, for each of its legal cards in ascending order, best play by all with open cards.

        deals: complete ones; rows (n,): which of them. out: (n, ENDGAME_CARDS), overwritten; NaN after the last card, and throughout
        where a deal is not in its last tricks. A side's payoff is shared evenly among its seats.
        """
        out[:] = np.nan
        if self.tricks:
            parts = zip(np.array_split(rows, len(self._scratch)), np.array_split(out, len(self._scratch)), self._scratch, strict=True)
            list(self._pool.map(lambda part: _judge(deals, part[0], tables, self.tricks, *part[2], part[1]), parts))
