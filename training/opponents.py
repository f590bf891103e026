"""Who else sits at the table: past selves in some seats of self-play, or one frozen bot in all seats but the learner's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.base import Bot, load_bot
from agents.network import choose_actions
from agents.policy_bot import PLAY_TEMPERATURE, PolicyBot, run_snapshot
from agents.views import observe_views
from agents.weights import read_weights
from training.module import CastTrunk, TarockModule

NUM_SEATS = 4
# Rows of a forward pass are rounded up to a multiple of this: the matrix library prepares a kernel for every new number of rows,
# which would cost more than the product itself.
ROW_BLOCK = 128


def padded_rows(rows: int) -> int:
    """The number of rows that is computed for this many."""
    return -(-rows // ROW_BLOCK) * ROW_BLOCK


def seat_opponents(num_deals: int, num_opponents: int, share: float, rng: np.random.Generator) -> NDArray[np.int8]:
    """Who sits where: (num_deals, 4), 0 for the learner and k for opponent k of `num_opponents`.

    In `share` of the deals one or two seats, drawn uniformly, go to past selves, each drawn uniformly.
    """
    owner = np.zeros((num_deals, NUM_SEATS), np.int8)
    # Drawn even where there is no opponent yet: the stream is then the same with and without.
    mixed = rng.random(num_deals) < share
    seats = rng.permuted(np.tile(np.arange(NUM_SEATS), (num_deals, 1)), axis=1)
    second = rng.random(num_deals) < 0.5
    draws = rng.random((num_deals, 2))
    if num_opponents:
        rows = np.arange(num_deals)
        drawn = (draws * num_opponents).astype(np.int8) + 1
        owner[rows[mixed], seats[mixed, 0]] = drawn[mixed, 0]
        both = mixed & second
        owner[rows[both], seats[both, 1]] = drawn[both, 1]
    return owner


def seat_learner(num_seats: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int8]:
    """The learner alone in a uniformly drawn seat of each deal, opponent 1 in all others.

    num_seats: (n,) seats of each deal, 3 or 4. Returns (n, 4) as seat_opponents does.
    """
    owner = np.ones((len(num_seats), NUM_SEATS), np.int8)
    owner[np.arange(len(num_seats)), (rng.random(len(num_seats)) * num_seats).astype(np.int64)] = 0
    return owner


def cast_opponent(tensors: Mapping[str, NDArray[np.float32]], module: TarockModule) -> CastTrunk:
    """An opponent's policy from the tensors of its bot file, in the compute type of `module`; its action values are left out."""
    dtype, scale = module.compute_dtype, module.scale

    def tensor(name: str) -> Any:
        return torch.from_numpy(np.array(tensors[name])).to(scale.device)

    layers = []
    for layer in range(sum(name.startswith("trunk.") and name.endswith(".weight") for name in tensors)):
        weight = tensor(f"trunk.{layer}.weight")
        parts = (
            weight * scale if layer == 0 else weight,
            *(tensor(f"{name}.{layer}.{part}") for name, part in (("trunk", "bias"), ("norm", "weight"), ("norm", "bias"))),
        )
        layers.append(tuple(part.to(dtype) for part in parts))
    return CastTrunk(dtype, layers, {"policy": (tensor("policy.weight").to(dtype), tensor("policy.bias").to(dtype))}, None)


def frozen_bot(spec: str, module: TarockModule, rules: str | None = None) -> Bot:
    """The bot of a spec, as a learner trains against it: an exported network computes in the type of `module`, many times faster.

    rules: id of the rule system that is played, where it is one.
    """
    bot = load_bot(spec, rules=rules)
    if not isinstance(bot, PolicyBot) or bot.temperature != PLAY_TEMPERATURE:
        return bot
    kind, _, argument = spec.partition(":")
    if kind == "run":
        folder, _, step = argument.partition("@")
        argument = str(run_snapshot(folder, int(step) if step else None))
    _, tensors = read_weights(argument)
    return FrozenPolicy(bot.name, cast_opponent(tensors, module), module)


class FrozenPolicy:
    """PolicyBot's play in the compute type of a module: the same but for near ties between two actions. For training only."""

    def __init__(self, name: str, actor: CastTrunk, module: TarockModule) -> None:
        self.name = name
        self._actor = actor
        self._device = module.scale.device

    @torch.no_grad()
    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action for the acting seat of each deal; see agents.base.Bot."""
        observation, mask = observe_views(deals, tables)
        rows = np.resize(observation, (padded_rows(len(mask)), observation.shape[1]))  # repeats rows
        logits = self._actor.head("policy", self._actor.hidden(torch.from_numpy(rows).to(self._device))).cpu().numpy()
        return choose_actions(logits[: len(mask)], mask, rng, PLAY_TEMPERATURE)
