"""The rule bot: a compiled heuristic player that knows every phase; the fixed opponent of training and evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.rule.action import rule_actions
from agents.rule.knowledge import new_knowledge
from agents.rule.weights import WEIGHTS


class RuleBot:
    """Plays by fixed rules: no chance, no memory. `weights` (agents.rule.weights) drive the play of the cards."""

    name = "rule"

    def __init__(self, weights: NDArray[np.float64] | None = None) -> None:
        self.weights = WEIGHTS if weights is None else np.asarray(weights, np.float64)
        self._know = new_knowledge()

    def act(self, deals: Any, tables: Any, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """(n,) action ids for (n,) views of the acting seats."""
        actions = np.empty(len(deals), np.int64)
        rule_actions(deals, tables, self.weights, self._know, actions)
        return actions


def load(argument: str = "") -> RuleBot:
    """The registry's entry."""
    return RuleBot()
