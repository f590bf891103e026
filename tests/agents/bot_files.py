"""Small exported bots for tests."""

from pathlib import Path

import numpy as np

from agents.weights import Manifest, Tensors, actor_shapes, write_weights

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
