"""What a run was made with: commit, package versions, rules versions, machine."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from pathlib import Path
from typing import Any

from tarock_env.observation import SCHEMA_VERSION
from tarock_env.rules import load_rules
from training.config import TrainConfig

PACKAGES = ("numpy", "numba", "torch", "ray", "gymnasium", "pettingzoo", "safetensors", "pydantic")


def git_commit() -> str:
    """Commit of the source tree, with `+` where it was changed since; empty outside a repository."""
    root = Path(__file__).resolve().parents[1]
    try:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"], cwd=root, capture_output=True, text=True, check=True, timeout=10
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return commit + ("+" if changed.strip() else "")


def provenance(config: TrainConfig) -> dict[str, Any]:
    """For the run folder's run.json."""
    return {
        "name": config.run.name,
        "seed": config.run.seed,
        "commit": git_commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {package: importlib.metadata.version(package) for package in PACKAGES},
        "rules": {system: str(load_rules(system, config.rules.options.get(system)).version) for system in config.rules.systems},
        "schema_version": SCHEMA_VERSION,
    }
