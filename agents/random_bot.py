"""The bot that plays any legal action with equal probability."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.views import random_actions


class RandomBot:
    """Uniformly random legal actions: the floor of every comparison."""

    name = "random"

    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action for the acting seat of each deal; see agents.base.Bot."""
        return random_actions(deals, rng)


def load(argument: str = "") -> RandomBot:
    """The random bot; it takes no argument."""
    return RandomBot()
