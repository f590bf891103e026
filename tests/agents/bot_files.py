"""Small exported bots for tests."""

from pathlib import Path

import numpy as np

from agents.weights import Manifest, Tensors, actor_shapes, write_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import OBSERVATION_SIZE, SCHEMA_VERSION

SMALL = {"schema_version": 1, "observation_size": 10, "num_actions": 6, "hidden_sizes": (8, 7)}


def small_manifest(**changes: object) -> Manifest:
    return Manifest(**{"name": "small", "systems": {"juegatu": "1"}} | SMALL | changes)


def random_tensors(manifest: Manifest, q: bool = True, seed: int = 0) -> Tensors:
    rng = np.random.default_rng(seed)
    shapes = actor_shapes(manifest.observation_size, manifest.hidden_sizes, manifest.num_actions, q)
    return {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


def write_small(path: Path, **changes: object) -> Path:
    manifest = small_manifest(**changes)
    write_weights(path, random_tensors(manifest), manifest)
    return path


def write_player(
    path: Path, hidden_sizes: tuple[int, ...] = (16,), systems: tuple[str, ...] = ("juegatu", "slovenian3"), q: bool = True, seed: int = 1
) -> Path:
    """A bot file of the real layout with random weights, which plays."""
    manifest = Manifest(
        "player", SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, hidden_sizes, dict.fromkeys(systems, "1"),
        q_scale=dict.fromkeys(systems, 16.0) if q else {},
    )  # fmt: skip
    write_weights(path, random_tensors(manifest, q, seed), manifest)
    return path
