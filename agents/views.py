"""What bots read from views: observations, legal masks, and uniformly random legal actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS
from tarock_env.engine.jit import kernel
from tarock_env.engine.step import count_legal, legal_at
from tarock_env.observation import OBSERVATION_SIZE, observe_rows


def observe_views(views: Any, tables: Any) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """(n, F) uint8 observations and (n, A) bool legal masks of the acting seats of (n,) views or deals."""
    observation = np.empty((len(views), OBSERVATION_SIZE), np.uint8)
    mask = np.empty((len(views), NUM_ACTIONS), np.bool_)
    observe_rows(views, tables, observation, mask, 0, len(views))
    return observation, mask


def random_actions(views: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) uniformly random legal actions."""
    actions = np.empty(len(views), np.int64)
    _choose_uniformly(views, rng.random(len(views)), actions)
    return actions


@kernel
def _choose_uniformly(views, uniforms, actions):  # type: ignore[no-untyped-def]
    """actions[i]: the legal action of view i that its number in [0, 1) points to."""
    for row in range(len(views)):
        view = views[row]
        actions[row] = legal_at(view, int(uniforms[row] * count_legal(view)))
