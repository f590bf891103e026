"""Past selves at the table: which seats they take, and their networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from training.module import CastTrunk, TarockModule

NUM_SEATS = 4


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
