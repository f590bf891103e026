"""The bot that plays an exported network, on numpy alone."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.network import CriticNetwork, PolicyNetwork, choose_actions
from agents.views import observe_views
from agents.weights import BotFileError, Manifest, Tensors, check_layout, critic_path, read_weights, value_limit
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import HIDDEN_SCALE, HIDDEN_SIZE, OBSERVATION_SIZE, SCALE, SCHEMA_VERSION

# Where a run folder keeps its exported actors: one file a snapshot, named by the iteration it was taken at.
BOTS_FOLDER = "bots"
PLAY_TEMPERATURE = 0.0
_STEP = re.compile(r"actor_(\d+)\.safetensors")


class PolicyBot:
    """Plays the policy head of an exported actor.

    temperature: 0, the default, plays the most likely action; 1 samples the policy as it was trained, between them sharper. Training
    keeps some randomness alive that costs points at the table (DECISIONS, "Exported bots play their most likely action").
    file: where it was read from.
    """

    def __init__(self, tensors: Tensors, manifest: Manifest, temperature: float = PLAY_TEMPERATURE, file: Path | None = None) -> None:
        self.name = manifest.name
        self.manifest = manifest
        self.temperature = temperature
        self.file = file
        self.network = PolicyNetwork(tensors, SCALE)

    def act(self, deals: Any, tables: Any, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action for the acting seat of each deal; see agents.base.Bot."""
        return self.act_on(*observe_views(deals, tables), rng)

    def act_on(self, observation: NDArray[np.uint8], mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
        """The same from (B, F) observations and (B, A) masks, or from one row of each (then the answer has no axis)."""
        rows, masks = np.atleast_2d(observation), np.atleast_2d(mask).astype(np.bool_, copy=False)
        actions = choose_actions(self.network.logits(rows), masks, rng, self.temperature)
        return actions if observation.ndim == 2 else actions[0]


def load_file(argument: str, temperature: float = PLAY_TEMPERATURE) -> PolicyBot:
    """The bot of an exported file. Raises BotFileError."""
    path = Path(argument)
    manifest, tensors = read_weights(path)
    check_layout(manifest, SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, path)
    return PolicyBot(tensors, manifest, temperature, path)


@cache
def load_critic(actor: Path) -> CriticNetwork:
    """The critic beside an exported actor. Raises BotFileError where there is none that fits this version."""
    path = critic_path(actor)
    manifest, tensors = read_weights(path, "critic")
    check_layout(manifest, SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, path)
    extra = tensors.get("critic.extra.weight")
    if extra is not None and extra.shape[1] != HIDDEN_SIZE:
        raise BotFileError(f"{path}: made for {extra.shape[1]} hidden features, this version of Tarock has {HIDDEN_SIZE}; export it again")
    return CriticNetwork(tensors, SCALE, HIDDEN_SCALE, value_limit(manifest, path))


def load_run(argument: str) -> PolicyBot:
    """The bot of a training run: `RUNDIR` its newest snapshot, `RUNDIR@120` the one of iteration 120. Raises BotFileError."""
    folder, _, step = argument.partition("@")
    if step and not (step.isascii() and step.isdecimal()):
        raise BotFileError(f"run:{argument}: what stands after @ is an iteration, as in run:{folder}@120")
    return load_file(str(run_snapshot(folder, int(step) if step else None)))


def run_snapshot(folder: str | Path, iteration: int | None = None) -> Path:
    """The exported actor of an iteration of a run, by default the newest. Raises BotFileError."""
    snapshots = run_snapshots(folder)
    if iteration is None:
        return snapshots[max(snapshots)]
    if iteration not in snapshots:
        known = [str(number) for number in sorted(snapshots)]
        shown = ", ".join(known if len(known) <= 8 else [*known[:4], "...", *known[-3:]])
        raise BotFileError(f"{folder}: no snapshot of iteration {iteration}; it has {shown}")
    return snapshots[iteration]


def run_snapshots(folder: str | Path) -> dict[int, Path]:
    """Iteration -> exported actor of a run folder. Raises BotFileError where there is none."""
    bots = Path(folder) / BOTS_FOLDER
    found = {int(match[1]): path for path in bots.glob("*.safetensors") if (match := _STEP.fullmatch(path.name))}
    if not found:
        reason = "no such run folder" if not Path(folder).is_dir() else f"no exported bots in {bots}"
        raise BotFileError(f"{folder}: {reason}")
    return found
