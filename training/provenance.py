"""What a run was made with: commit, package versions, rules versions, machine."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from pathlib import Path
from typing import Any

from tarock_env.observation import SCHEMA_VERSION
from training.config import TrainConfig
from training.systems import played_rules

PACKAGES = ("numpy", "numba", "torch", "ray", "gymnasium", "pettingzoo", "safetensors", "pydantic")


def git_commit() -> str:
    """Commit of the source tree, with `+` where it was changed since; empty outside a repository."""
    root = Path(__file__).resolve().parents[1]
    try:
        commit, changed = (
            subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
            for words in (("rev-parse", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return commit + ("+" if changed else "")


def provenance(config: TrainConfig) -> dict[str, Any]:
    """For the run folder's run.json."""
    return {
        "name": config.run.name,
        "seed": config.run.seed,
        "commit": git_commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {package: importlib.metadata.version(package) for package in PACKAGES},
        "rules": {system: str(rules.version) for system, rules in played_rules(config).items()},
        "schema_version": SCHEMA_VERSION,
    }
