"""Ablations: several configs, each trained with several seeds, and what each change is worth against the rule bot.

RUN_DIR/NAME-seed1/    a training run (training.run) of NAME.toml with run.seed = 1
RUN_DIR/NAME-seed1/points-8192.npy    its bot's points on each of 8192 duplicate deals, the same deals for all runs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena import play_pair
from agents.base import load_bot
from agents.intervals import bootstrap_mean
from agents.policy_bot import load_run
from tarock_env.files import new_file
from training.checkpoint import list_checkpoints
from training.config import TrainConfig
from training.config_file import resumed_config
from training.console import Report, UserError
from training.run import train
from training.run_folder import FINAL_SEED
from training.systems import played_rules

OPPONENT = "rule"
Points = NDArray[np.float64]


@dataclass(frozen=True)
class Variant:
    """One config of an ablation. name: of its file, without .toml."""

    name: str
    config: TrainConfig

    def seeded(self, seed: int) -> TrainConfig:
        """The config of one training."""
        return self.config.model_copy(update={"run": self.config.run.model_copy(update={"seed": seed})})


def check_variants(variants: Sequence[Variant]) -> None:
    """Raise UserError where the figures of the variants could not be compared."""
    names = [variant.name for variant in variants]
    if len(set(names)) < len(names):
        raise UserError(f"tarock ablate: two configs have the same file name ({', '.join(sorted(names))})")
    systems = {variant.config.rules.systems for variant in variants}
    if len(systems) > 1 or len(next(iter(systems))) > 1:
        raise UserError("tarock ablate: all configs must play one rule system, the same one")


def run_ablation(
    variants: Sequence[Variant], seeds: int, deals: int, run_dir: Path, progress: Callable[[str], AbstractContextManager[Report]]
) -> dict[str, Any] | None:
    """Train every variant with seeds 1..seeds, play every bot, and compare; None where a signal came (the same call goes on).

    Runs that are there already are not repeated. The first variant is what the others are compared with. Raises UserError.
    """
    check_variants(variants)
    points: dict[str, list[Points]] = {variant.name: [] for variant in variants}
    for seed in range(1, seeds + 1):  # seed by seed: an ablation stopped early has figures for every variant
        for variant in variants:
            folder = run_dir / f"{variant.name}-seed{seed}"
            with progress(f"{folder.name}") as report:
                played = _one(variant.seeded(seed), folder, deals, report)
            if played is None:
                return None
            points[variant.name].append(played)
    return compared(points, deals)


def _one(config: TrainConfig, folder: Path, deals: int, report: Report) -> Points | None:
    """(D,) points of one training's bot on each deal; None where a signal came."""
    kept = folder / f"points-{deals}.npy"
    if (folder / "config.json").exists() and resumed_config(folder) != config:
        raise UserError(f"{folder}: holds a run with another config; choose another --run-dir")
    points = _kept_points(kept, deals)
    if points is not None:
        return points
    if train(config, folder, resume=bool(list_checkpoints(folder)), progress=report)["interrupted"]:
        return None
    rules = next(iter(played_rules(config).values()))
    result = play_pair(load_run(str(folder)), load_bot(OPPONENT), rules, deals, FINAL_SEED)
    with new_file(kept, binary=True) as file:
        np.save(file, result.points)
    return result.points


def _kept_points(path: Path, deals: int) -> Points | None:
    """The points of an earlier call; None where there are none or the file is damaged: they are measured again then."""
    try:
        with path.open("rb") as file:
            points = np.asarray(np.lib.format.read_array(file, allow_pickle=False), np.float64)
    except (OSError, EOFError, ValueError):
        return None
    return points if points.shape == (deals,) else None


def compared(points: dict[str, list[Points]], deals: int) -> dict[str, Any]:
    """Figures from the points of each variant's trainings on the same deals.

    `runs`: of every training. `variants`: mean over the trainings, its 99% interval by deal, and the standard deviation between
    trainings, which that interval does not hold. `differences`: variant minus the first one, paired by deal, and seed by seed.
    """
    runs, variants, differences = [], [], []
    first = next(iter(points))
    base = np.mean(points[first], axis=0)
    for name, trainings in points.items():
        runs += [{"variant": name, "seed": seed} | _mean(values) for seed, values in enumerate(trainings, 1)]
        mean = np.mean(trainings, axis=0)
        by_seed = [float(values.mean()) for values in trainings]
        spread = float(np.std(by_seed, ddof=1)) if len(by_seed) > 1 else None
        variants.append({"variant": name, "trainings": len(trainings), "sd_between_trainings": spread} | _mean(mean))
        if name != first:
            apart = [one - float(other.mean()) for one, other in zip(by_seed, points[first], strict=True)]
            differences.append({"variant": name, "minus": first, "by_seed": apart} | _mean(mean - base))
    return {"opponent": OPPONENT, "deals": deals, "runs": runs, "variants": variants, "differences": differences}


def _mean(values: Points) -> dict[str, float]:
    mean, low, high = bootstrap_mean(values, FINAL_SEED)
    return {"points": mean, "low": low, "high": high}


def result_lines(result: dict[str, Any]) -> list[str]:
    """For people: points a deal against the rule bot."""

    def shown(row: dict[str, Any]) -> str:
        return f"{row['points']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"

    lines = [f"{row['variant']}, seed {row['seed']}: {shown(row)}" for row in result["runs"]]
    for row in result["variants"]:
        spread = row["sd_between_trainings"]
        apart = "" if spread is None else f"; SD between trainings {spread:.3f}"
        lines.append(f"{row['variant']}, mean of {row['trainings']}: {shown(row)}{apart}")
    for row in result["differences"]:
        by_seed = ", ".join(f"{value:+.3f}" for value in row["by_seed"])
        lines.append(f"{row['variant']} minus {row['minus']}: {shown(row)}; seed by seed {by_seed}")
    return lines
