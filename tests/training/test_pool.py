import hashlib

import numpy as np
import pytest

from agents.weights import BotFileError, Manifest, actor_shapes
from training.pool import Pool


def manifest(iteration):
    return Manifest(
        name=f"t@{iteration}", schema_version=1, observation_size=3, num_actions=2, hidden_sizes=(4,), systems={"juegatu": "1"},
        iterations=iteration,
    )  # fmt: skip


def tensors(value):
    return {name: np.full(shape, value, np.float32) for name, shape in actor_shapes(3, (4,), 2, q=True).items()}


def filled(folder, count, size=50):
    pool = Pool(folder, size, seed=1)
    for iteration in range(count):
        pool.add(tensors(iteration), manifest(iteration))
    return pool


def test_a_dozen_snapshots_are_restored_unchanged(tmp_path):
    pool = filled(tmp_path, 12)
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in pool.folder.iterdir()}
    pool.add(tensors(99), manifest(12))
    restored = Pool(tmp_path, 50, seed=1)
    restored.set_state(pool.get_state())
    assert len(restored) == 13
    assert all(hashlib.sha256((pool.folder / name).read_bytes()).hexdigest() == digest for name, digest in hashes.items())
    for iteration in (3, 4):
        ours, theirs = pool.draw(2, iteration), restored.draw(2, iteration)
        assert [t["policy.bias"][0] for t in ours] == [t["policy.bias"][0] for t in theirs]


def test_a_changed_snapshot_is_refused(tmp_path):
    pool = filled(tmp_path, 3)
    other = filled(tmp_path / "other", 1)
    (pool.folder / "actor_000001.safetensors").write_bytes((other.folder / "actor_000000.safetensors").read_bytes())
    with pytest.raises(BotFileError, match=r"actor_000001.safetensors: not the snapshot that the run wrote"):
        Pool(tmp_path, 50, seed=1).set_state(pool.get_state())


def test_snapshots_are_drawn_uniformly_and_differ(tmp_path):
    pool = filled(tmp_path, 5)
    drawn = np.array([[t["policy.bias"][0] for t in pool.draw(2, iteration)] for iteration in range(4000)])
    assert (drawn[:, 0] != drawn[:, 1]).all()
    np.testing.assert_allclose(np.bincount(drawn.astype(int).ravel()) / drawn.size, 0.2, atol=0.02)


def test_a_full_pool_drops_a_snapshot_from_the_draw_but_not_its_file(tmp_path):
    pool = filled(tmp_path, 8, size=3)
    assert len(pool) == 3
    assert len(list(pool.folder.iterdir())) == 8


def test_an_empty_pool_gives_nobody(tmp_path):
    assert Pool(tmp_path, 3, seed=1).draw(2, 0) == []
