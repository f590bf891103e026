"""Run every kind of kernel and print those that numba compiled for more than one kind of arguments, then how many were looked at.

python -m tests.signatures
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
from numba import types

import tarock_env
from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.view import make_views
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from tarock_env.replay import known_sides, record_of, view_of
from tarock_env.results import result_of
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.single_deal import SingleDeal, dealt_hands
from tarock_env.view_text import view_deal

SHARES = ("reset_rows",)  # takes a share of the deals, a float that is meant


def run_kernels() -> None:
    """Deal, steer, observe, view, step, finish, go on, cover, settle, read views: in all rule systems."""
    systems = [load_rules(system) for system in SYSTEMS]
    batch = DealBatch(90, systems, 1)
    batch.force_contracts(0.5)
    batch.reset()
    observation, hidden = np.zeros((90, OBSERVATION_SIZE), np.uint8), np.zeros((90, HIDDEN_SIZE), np.uint8)
    mask = np.zeros((90, 256), bool)
    while not batch.finished.all():
        batch.observe(observation, mask, hidden)
        make_views(batch.deals, batch.tables)
        batch.step(batch.random_actions())
    batch.next_deals(np.arange(90))
    for rules in systems:
        play = CoveragePlay(rules, 20)
        play.play(new_streams(1, 20))
        for deal in play.deals:
            result_of(deal, rules)
            known_sides(deal, rules, 0)
        single = SingleDeal(rules, 0, dealt_hands(play.deals[0]), play.deals[0].talon.tolist())
        view_deal(view_of(record_of(single.deal, rules, []), single.seat))


def kind(argument: Any) -> str:
    """What an argument is; the widths of integers do not matter, but a set of cards is none."""
    if isinstance(argument, (types.Integer, types.IntegerLiteral, types.Boolean, types.BooleanLiteral)):
        return "set of cards" if argument == types.uint64 else "integer"
    return str(argument)


def main() -> None:
    run_kernels()
    looked_at = 0
    for module in pkgutil.walk_packages(tarock_env.__path__, "tarock_env."):
        if ".variants." in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if getattr(value, "__module__", None) != module.name or not getattr(value, "signatures", None):
                continue
            looked_at += 1
            kinds = {tuple(map(kind, signature)) for signature in value.signatures}
            over_deals = value.py_func.__code__.co_varnames[:1] == ("deals",)
            if len(value.signatures if over_deals else kinds) > 1:
                print(module.name, name, *sorted(str(one)[-300:] for one in kinds), sep="; ")
            if name not in SHARES and any(isinstance(argument, types.Float) for one in value.signatures for argument in one):
                print(module.name, name, "takes a float")
    print(looked_at)


if __name__ == "__main__":
    main()
