"""The pool of past selves: exported actors in the run folder, never changed, drawn uniformly."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.policy_bot import BOTS_FOLDER
from agents.weights import BotFileError, Manifest, Tensors, read_weights, write_weights


@dataclass(frozen=True)
class Snapshot:
    """A frozen past self. file: name in the run's bots folder. sha256: of its tensors, as its manifest says."""

    iteration: int
    file: str
    sha256: str


class Pool:
    """Snapshots of a run.

    run_dir: the run's folder. size: snapshots in the draw; when full, a random one leaves it (its file stays). seed: of the
    draws; what is drawn depends on seed and iteration alone, so a resumed run draws as the interrupted one would have.
    """

    def __init__(self, run_dir: Path, size: int, seed: int) -> None:
        self.folder = run_dir / BOTS_FOLDER
        self.size = size
        self.seed = seed
        self.snapshots: list[Snapshot] = []
        self._loaded: dict[str, Tensors] = {}

    def __len__(self) -> int:
        return len(self.snapshots)

    def add(self, tensors: Tensors, manifest: Manifest) -> Snapshot:
        """Write the current actor as a snapshot and put it into the draw."""
        file = snapshot_name(manifest.iterations)
        stored = write_weights(self.folder / file, tensors, manifest)
        snapshot = Snapshot(manifest.iterations, file, stored.sha256)
        if len(self.snapshots) >= self.size:
            leaving = self._rng(manifest.iterations, 1).integers(len(self.snapshots))
            self._loaded.pop(self.snapshots.pop(leaving).file, None)
        self.snapshots.append(snapshot)
        return snapshot

    def draw(self, count: int, iteration: int) -> list[Tensors]:
        """The tensors of up to `count` different snapshots, drawn uniformly. Raises BotFileError where a file was changed."""
        if not self.snapshots:
            return []
        chosen = self._rng(iteration, 2).choice(len(self.snapshots), size=min(count, len(self.snapshots)), replace=False)
        return [self._load(self.snapshots[index]) for index in sorted(chosen)]

    def _load(self, snapshot: Snapshot) -> Tensors:
        if snapshot.file not in self._loaded:
            path = self.folder / snapshot.file
            manifest, tensors = read_weights(path)
            if manifest.sha256 != snapshot.sha256:
                raise BotFileError(f"{path}: not the snapshot that the run wrote (its hash differs from the checkpoint's)")
            self._loaded[snapshot.file] = {name: value for name, value in tensors.items() if not name.startswith("q.")}
        return self._loaded[snapshot.file]

    def _rng(self, iteration: int, purpose: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence([self.seed, iteration, purpose]))

    def get_state(self) -> list[dict[str, Any]]:
        """For a checkpoint: which snapshots are in the draw, with their hashes."""
        return [asdict(snapshot) for snapshot in self.snapshots]

    def set_state(self, state: list[dict[str, Any]]) -> None:
        """From a checkpoint. Raises BotFileError where a snapshot's file is gone or was changed."""
        self.snapshots = [Snapshot(**entry) for entry in state]
        self._loaded.clear()
        for snapshot in self.snapshots:
            self._load(snapshot)


def snapshot_name(iteration: int) -> str:
    """File of the snapshot of an iteration."""
    return f"actor_{iteration:06d}.safetensors"
