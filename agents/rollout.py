"""Policy roll-outs: what each candidate action leads to when the policy plays every seat to the end, in complete worlds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.network import PolicyNetwork, choose_actions
from agents.views import observe_views
from tarock_env.engine.lockstep import step_rows
from tarock_env.engine.state import DONE, SIXTHS, Deals


def rollout_payoffs(
    worlds: Deals, tables: np.recarray, candidates: NDArray[np.int64], network: PolicyNetwork, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(n, C) payoff in table units of the acting seat, less the table's mean, when it takes each candidate in each world.

    worlds: (n,) complete deals with one and the same seat to act, unchanged. After the candidate every seat plays the policy's most
    likely action, so that candidates of one world differ by their consequences alone.
    """
    seat, players = int(worlds["seat"][0]), int(worlds["num_seats"][0])
    deals = np.repeat(worlds, len(candidates)).view(np.recarray)
    step_rows(deals, tables, np.tile(candidates, len(worlds)), 0, len(deals), True)
    while True:
        rows = np.flatnonzero(deals["phase"] != DONE)
        if not len(rows):
            break
        going = deals[rows].view(np.recarray)
        observation, mask = observe_views(going, tables)
        step_rows(going, tables, choose_actions(network.logits(observation), mask, rng, 0.0), 0, len(going), True)
        deals[rows] = going
    payoffs = deals["payoffs"][:, :players] / SIXTHS
    return np.asarray((payoffs[:, seat] - payoffs.mean(axis=1)).reshape(len(worlds), len(candidates)))
