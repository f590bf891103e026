"""PIMC(n), the reference opponent of evaluations: the rule bot, with an exact endgame over n sampled worlds.

Bids, exchange, announcements, and the play of the cards until the last four tricks are the rule bot's. From there on, n complete
deals are drawn uniformly among those that fit what the seat knows (agents.sampler); in each, every legal card is worth what best play
with open cards makes of it in true payoffs (agents.solver); the card with the highest sum is played. Between equal sums the rule bot's
card is taken if it is one of them, else the lowest.

The work is counted, never timed: n worlds a decision. Where the sampler finds fewer, those that it found decide; where it finds none,
the rule bot does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.rule.action import decide
from agents.rule.knowledge import new_knowledge
from agents.rule.weights import WEIGHTS
from agents.sampler import sample_world
from agents.solver import new_stack, solve_cards
from tarock_env.cards import NUM_CARDS
from tarock_env.engine.bits import ZERO, bit, lowest, without_lowest
from tarock_env.engine.chance import new_streams
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import PLAY, new_deals
from tarock_env.engine.step import only_legal

ENDGAME_TRICKS = 4
MOST_WORLDS = 100_000


@kernel
def in_endgame(view, rules):
    """Whether the acting seat chooses a card in one of the last four tricks."""
    return view.phase == PLAY and view.trick_number >= rules.num_tricks - ENDGAME_TRICKS and only_legal(view) < 0


@kernel
def sum_values(views, row, rules, num_worlds, streams, world, stack, values, totals):
    """totals[card] = sum over up to `num_worlds` sampled worlds of what each legal card is worth, sixths; returns the worlds found.

    world: (1,) DEAL, stack: as for the solver, values: (NUM_CARDS,) int32: scratch. streams[row] drives the sampler.
    """
    totals[:] = 0
    for found in range(num_worlds):
        if not sample_world(views, row, rules, world, 0, streams, row):
            return found
        solve_cards(world[0], rules, stack, values)
        cards = views[row].legal[0]
        while cards:
            card = lowest(cards)
            cards = without_lowest(cards)
            totals[card] += values[card]
    return num_worlds


@kernel
def best_card(legal, totals, preferred):
    """The legal card with the highest total; among equals the preferred one, else the lowest."""
    best = lowest(legal)
    cards = without_lowest(legal)
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        if totals[card] > totals[best]:
            best = card
    return preferred if legal & bit(preferred) != ZERO and totals[preferred] == totals[best] else best


@kernel
def pimc_actions(views, tables, weights, know, num_worlds, streams, world, stack, values, totals, out):
    """out[i] = the action for views[i]; the other arguments as for `sum_values` and the rule bot's `decide`."""
    for row in range(len(views)):
        view = views[row]
        rules = tables[view.rules_id]
        action = decide(view, rules, know[0], weights)
        if in_endgame(view, rules) and sum_values(views, row, rules, num_worlds, streams, world, stack, values, totals) > 0:
            action = best_card(view.legal[0], totals, action)
        out[row] = action


class PimcBot:
    """The rule bot with an exact endgame over sampled worlds; no memory, chance from the given generator only.

    num_worlds: deals drawn for each decision of the last four tricks.
    """

    def __init__(self, num_worlds: int) -> None:
        self.name = f"pimc:{num_worlds}"
        self.num_worlds = num_worlds
        self._know = new_knowledge()
        self._world, self._stack = new_deals(1), new_stack()
        self._values, self._totals = np.zeros(NUM_CARDS, np.int32), np.zeros(NUM_CARDS, np.int64)

    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """(n,) action ids for (n,) views of the acting seats; each row has a stream of its own, seeded from `rng`."""
        actions = np.empty(len(deals), np.int64)
        streams = new_streams(int(rng.integers(2**63)), len(deals))
        scratch = (self._world, self._stack, self._values, self._totals)
        pimc_actions(deals, tables, WEIGHTS, self._know, self.num_worlds, streams, *scratch, actions)
        return actions


def load(argument: str) -> PimcBot:
    """The bot of `pimc:N`. Raises ValueError where N is no number of worlds."""
    number = int(argument) if argument.isascii() and argument.isdecimal() else 0
    if not 1 <= number <= MOST_WORLDS:
        raise ValueError(f"bot 'pimc:{argument}': what stands after the colon is a number of worlds, 1 to {MOST_WORLDS}, as in pimc:20")
    return PimcBot(number)
