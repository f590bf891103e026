"""Coverage play: whole deals by chance, weighted so that every contract, announcement, kontra chain and concession occurs often.

Uniformly random play would make nine in ten deals one of the highest three contracts, and announce everything in each. Here every deal
gets a mood of its own: most aim at a contract drawn uniformly (dealing anew until somebody may bid it), the others bid with one of
several appetites; announcing and doubling have rates from never to nearly always; and cards are played by chance, with one side strong
and the other weak, or with everybody's best cards kept to the end, holding birds and the called king back for their tricks or not, so
that slams, lost games, lone tricks and beaten birds happen too. In some deals the aiming seat is given a hand to win with.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_WORDS
from tarock_env.coverage_kernels import ALL_WEAK, BY_CHANCE, DECLARERS_STRONG, DEFENDERS_STRONG, WEIGHTS, play_deals
from tarock_env.engine.state import MAX_SEATS, Deals, new_deals
from tarock_env.rules import Rules
from tarock_env.rules.table import rules_table

Chances = Mapping[str, int | tuple[int, ...]]
MAX_ACTIONS = 512  # more than a deal can have, announcements and kontras included
# The same for all rule systems. Chances in a thousand; of a tuple, each deal draws one entry.
CHANCES: Chances = MappingProxyType(
    {
        "aimed": 850,  # at a contract drawn uniformly
        "forced": 45,  # contracts set by the match, where there are rings
        "ring": 150,  # one, and again as often two, open rings of a seat
        "pass_rates": (200, 500, 850),
        "announce_rates": (0, 300, 600, 900),
        "valat": 80,  # of the turns in which it could be announced: one voids much of what else a deal could show
        "kontra_rates": (0, 200, 600, 900),
        "concede": 400,
        "raise_slam": 300,
        "styles": (BY_CHANCE,) * 2 + (DECLARERS_STRONG,) * 4 + (DEFENDERS_STRONG,) * 3 + (ALL_WEAK,) * 3,
        "whims": (0, 100),  # a card by chance whatever the style
        "hold": 400,  # birds and the called card are held back for their tricks
        "stacked": 320,  # of the aimed deals: the aiming seat is given the cards for its contract, and its side plays for it
        "stacked_gaps": (0, 0, 3, 5),  # high tarocks left out, so that a game is won without a slam
        "stacked_king": 650,  # of each king, ...
        "stacked_bird": 500,  # ... of the Pagat, and of one bird, to be among them
        "stacked_announce_rates": (0, 900),
        "stacked_valat": 300,
    }
)


def weights_record(chances: Chances) -> np.recarray:
    """(1,) WEIGHTS record, as the kernels read it."""
    weights: np.recarray = np.zeros(1, WEIGHTS).view(np.recarray)
    for name, value in chances.items():
        weights[name] = value
    return weights


class CoveragePlay:
    """Coverage play of one rule system, in batches of any size; deal k of a seed is always the same deal. chances: the weights.

    After `play(streams)`: `deals` (B,) finished DEAL records, `counts` (B,) actions in each, and (B, MAX_ACTIONS) `seats`, `actions`, and
    with `keep_legal` `legal` (..., 4): who acted, what was played, what was legal; `rings` (B, 4): open ones before the deal. Overwritten
    by the next call.
    """

    def __init__(self, rules: Rules, num_deals: int, keep_legal: bool = False, chances: Chances = CHANCES) -> None:
        self.rules = rules
        self.tables = rules_table(rules)
        self.weights = weights_record(chances)
        self.deals: Deals = new_deals(num_deals)
        self.counts = np.zeros(num_deals, np.int64)
        self.seats = np.zeros((num_deals, MAX_ACTIONS), np.int8)
        self.actions = np.zeros((num_deals, MAX_ACTIONS), np.int16)
        self.rings = np.zeros((num_deals, MAX_SEATS), np.int8)
        self.legal = np.zeros((num_deals, MAX_ACTIONS if keep_legal else 0, NUM_WORDS), np.uint64)

    def play(self, streams: NDArray[np.uint64]) -> int:
        """Play one deal for each generator state (at most B; they are advanced); returns how many."""
        count = len(streams)
        play_deals(self.deals, self.tables, self.weights, streams, count, self.counts, self.seats, self.actions, self.legal, self.rings)
        if (self.counts[:count] > MAX_ACTIONS).any():
            raise RuntimeError(f"a deal of {self.rules.id} has more than {MAX_ACTIONS} actions")
        return count
