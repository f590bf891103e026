"""Policy roll-outs: what each candidate action leads to when the policy plays every seat on, in complete worlds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.network import CriticNetwork, PolicyNetwork, best_actions
from agents.views import observe_hidden, observe_views
from tarock_env.engine.lockstep import step_rows
from tarock_env.engine.state import DONE, SIXTHS, Deals


def rollout_payoffs(
    decisions: Sequence[tuple[Deals, NDArray[np.int64]]], tables: np.recarray, network: PolicyNetwork, critic: CriticNetwork | None = None
) -> list[NDArray[np.float64]]:
    """For each decision (n, C): what the acting seat is paid, in table units, when it takes each candidate in each world.

    decisions: (n,) worlds, complete deals with one and the same seat to act, unchanged, and (C,) candidates. After the candidate every
    seat plays the policy's most likely action, so that candidates of one world differ by their consequences alone: to the end of the
    deal, or with a critic until the seat has to decide again, where the critic says what it will be paid. Raises RuntimeError in a world
    that cannot be played on.
    """
    deals = np.concatenate([np.repeat(worlds, len(candidates)) for worlds, candidates in decisions]).view(np.recarray)
    actions = np.concatenate([np.tile(candidates, len(worlds)) for worlds, candidates in decisions])
    seats = deals["seat"].copy()
    step_rows(deals, tables, actions, 0, len(deals), True)
    payoffs = np.empty(len(deals))
    rows = np.arange(len(deals))  # where the policy plays on
    asked = []  # where the critic answers
    while True:
        finished = deals["phase"][rows] == DONE
        payoffs[rows[finished]] = deals["payoffs"][rows[finished], seats[rows[finished]]] / SIXTHS
        rows = rows[~finished]
        if critic is not None:
            own = deals["seat"][rows] == seats[rows]
            asked.append(rows[own])
            rows = rows[~own]
        if not len(rows):
            break
        going = deals[rows].view(np.recarray)
        observation, mask = observe_views(going, tables)
        if not mask.any(axis=1).all():  # it would be asked for ever
            raise RuntimeError("a roll-out has come to a seat without a legal action: no such deal is possible")
        step_rows(going, tables, best_actions(network.logits(observation), mask), 0, len(going), True)
        deals[rows] = going
    if critic is not None and len(rows := np.concatenate(asked)):
        there = deals[rows].view(np.recarray)
        payoffs[rows] = critic.values(observe_views(there, tables)[0], observe_hidden(there))
    ends = np.cumsum([len(worlds) * len(candidates) for worlds, candidates in decisions])[:-1]
    return [paid.reshape(-1, len(candidates)) for paid, (_, candidates) in zip(np.split(payoffs, ends), decisions, strict=True)]
