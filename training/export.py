"""Weights out of a run and back in: the actor as a bot file, the critic beside it for going on with training."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.weights import BotFileError, Manifest, Tensors, check_layout, critic_path, read_weights, value_limit, write_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import OBSERVATION_SIZE, SCHEMA_VERSION
from training.module import Q_UNIT
from training.provenance import git_commit
from training.systems import played_rules

if TYPE_CHECKING:
    from training.algorithm import TarockPPO


def bot_manifest(algorithm: TarockPPO, kind: str = "actor", notes: dict[str, Any] | None = None) -> Manifest:
    """The manifest of the current weights. notes: free text and figures for its `training` entry."""
    config = algorithm.train_config
    systems = config.rules.systems
    actor = kind == "actor"
    limit = {} if actor else {"value_limit": config.network.value_limit}
    before = {"decisions_before": algorithm.decisions_before} if algorithm.decisions_before else {}
    width, layers = (config.network.width, config.network.layers) if actor else (config.network.critic_width, config.network.critic_layers)
    return Manifest(
        name=f"{config.run.name}@{algorithm.iteration}",
        schema_version=SCHEMA_VERSION,
        observation_size=OBSERVATION_SIZE,
        num_actions=NUM_ACTIONS,
        hidden_sizes=(width,) * layers,
        systems={system: str(rules.version) for system, rules in played_rules(config).items()},
        decisions=algorithm.decisions,
        iterations=algorithm.iteration,
        q_scale=dict.fromkeys(systems, Q_UNIT) if actor and config.network.q_head else {},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=git_commit(),
        training={"run": config.run.name, "seed": config.run.seed, "deals": algorithm.deals, **limit, **before, **(notes or {})},
        kind=kind,
    )


def export_weights(algorithm: TarockPPO, path: Path, notes: dict[str, Any] | None = None) -> Manifest:
    """Write the current actor to `path` and its critic beside it; return the actor's manifest."""
    write_weights(critic_path(path), algorithm.critic_tensors(), bot_manifest(algorithm, "critic"))
    return write_weights(path, algorithm.actor_tensors(), bot_manifest(algorithm, "actor", notes))


def warm_start(algorithm: TarockPPO, path: Path) -> None:
    """Start from an exported actor, and from its critic where that lies beside it. Raises BotFileError or ValueError, one line."""
    manifest, actor = read_weights(path)
    check_layout(manifest, SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, path)
    critic: Tensors | None = None
    if critic_path(path).exists():
        told, critic = read_weights(critic_path(path), "critic")
        limit, configured = value_limit(told, critic_path(path)), algorithm.train_config.network.value_limit
        if limit != configured:
            raise BotFileError(
                f"{critic_path(path)}: its values reach to {limit:g} points, the config says network.value_limit = {configured:g}"
            )
    if not algorithm.train_config.network.q_head:
        actor = {name: value for name, value in actor.items() if not name.startswith("q.")}
    try:
        algorithm.warm_start(actor, critic)
    except ValueError as error:
        raise BotFileError(f"{path}: {error}") from None
    algorithm.decisions_before = manifest.decisions + int(manifest.training.get("decisions_before", 0))
