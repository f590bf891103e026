"""What bots read from views: observations, legal masks, and uniformly random legal actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import DEAL
from tarock_env.engine.step import count_legal, legal_at
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE, hidden_rows, observe_rows


def _padding() -> NDArray[np.int64]:
    """The bytes of a DEAL record that belong to no field."""
    assert DEAL.fields is not None
    used = np.zeros(DEAL.itemsize, np.bool_)
    for kind, start, *_ in DEAL.fields.values():
        used[start : start + kind.itemsize] = True
    return np.flatnonzero(~used)


PADDING = _padding()


def observe_views(views: Any, tables: Any) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """(n, F) uint8 observations and (n, A) bool legal masks of the acting seats of (n,) views or deals."""
    observation = np.empty((len(views), OBSERVATION_SIZE), np.uint8)
    mask = np.empty((len(views), NUM_ACTIONS), np.bool_)
    observe_rows(views, tables, observation, mask, 0, len(views))
    return observation, mask


def observe_hidden(deals: Any) -> NDArray[np.uint8]:
    """(n, F_hidden) uint8: what the acting seats of (n,) complete deals do not know. For sampled worlds; a view has nothing to see."""
    hidden = np.empty((len(deals), HIDDEN_SIZE), np.uint8)
    hidden_rows(deals, hidden, 0, len(deals))
    return hidden


def record_bytes(views: Any) -> NDArray[np.uint8]:
    """(n, itemsize) uint8 of (n,) records, equal where the records are: the padding between fields, which may hold anything, is 0."""
    rows = np.array(views).view(np.uint8).reshape(len(views), DEAL.itemsize)
    rows[:, PADDING] = 0
    return rows


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
