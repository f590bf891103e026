"""How the speed of training grows: against deals in lockstep, network width, minibatch size and env runners, measured and modelled.

Every setting takes turns with the base setting in one process, so that a machine that slows down meanwhile favours neither. The
models say what the measured points suggest for sizes that the machine does not allow; they are fits, not measurements.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from training.algorithm import tarock_config
from training.bench.work import row_work
from training.config import ResourcesSection, RunSection, SamplingSection, TrainConfig
from training.drawing import new_figure, panels, save_figure
from training.ray_setup import set_threads, start_ray

TURNS = 2  # measured iterations of a setting, each after one of the base
DECISIONS = 98_304  # of an iteration: the default's 2048 deals in lockstep play so many, fewer would never run beside each other
A_DEAL = 48  # decisions sampled for each deal in lockstep, for the same reason
DRAWN = 120  # points of a model's line


@dataclass(frozen=True)
class Axis:
    """One way to grow. section and key of the config, the values measured here, and the largest that the model is drawn to.

    terms: of the model, seconds a decision as a sum of terms of the value with weights that are not negative. sampling: it changes
    sampling alone, so that only this is measured, and learning is taken to cost what it costs the default.
    """

    title: str
    section: str
    key: str
    values: tuple[int, ...]
    to: int
    terms: Callable[[float, TrainConfig], tuple[float, ...]]
    sampling: bool = False


def _reciprocal(value: float, _: TrainConfig) -> tuple[float, ...]:
    """A constant, and a cost shared by so many."""
    return 1.0, 1.0 / value


def _work(value: float, config: TrainConfig) -> tuple[float, ...]:
    """A constant, and the multiply-adds of a row in thousands of millions."""
    return 1.0, row_work(config.model_copy(update={"network": config.network.model_copy(update={"width": int(value)})})) / 1e9


AXES = (
    Axis(
        "deals in lockstep", "sampling", "deals_in_lockstep", (256, 512, 1024, 2048, 4096, 8192, 16_384), 16_384, _reciprocal, sampling=True
    ),
    Axis("width of the actor", "network", "width", (128, 256, 512, 1024), 4096, _work),
    Axis("rows of a minibatch", "ppo", "minibatch_size", (512, 1024, 2048, 4096, 8192, 16_384), 65_536, _reciprocal),
    Axis("env runners", "resources", "num_env_runners", (1, 2), 64, _reciprocal),
)


@dataclass(frozen=True)
class Point:
    """One setting: learnt decisions a second, and the same as a multiple of the base setting's in the turns between."""

    axis: str
    value: int
    decisions_per_second: float
    ratio: float


def default_config() -> TrainConfig:
    """The sizes of configs/juegatu.toml, on one thread: two threads that wait for each other would hide what a setting costs."""
    sampling = SamplingSection(decisions_per_iteration=DECISIONS)
    return TrainConfig(run=RunSection(iterations=1000), sampling=sampling, resources=ResourcesSection(threads=1))


def measure(base: TrainConfig, report: Callable[[int, int], None] | None = None, axes: Sequence[Axis] = AXES) -> list[Point]:
    """All points of the axes. report(done, total) counts settings."""
    settings = [(axis, value) for axis in axes for value in axis.values]
    points = []
    set_threads(base.resources)
    start_ray(base.resources.model_copy(update={"num_env_runners": max(AXES[-1].values)}))
    with tempfile.TemporaryDirectory(prefix="tarock-bench-") as folder:
        reference = tarock_config(base, Path(folder) / "base").build_algo()
        try:
            reference.train()
            for done, (axis, value) in enumerate(settings, start=1):
                points.append(_point(reference, base, axis, value, Path(folder) / f"{axis.key}-{value}"))
                if report is not None:
                    report(done, len(settings))
        finally:
            reference.stop()
    return points


def _point(reference: Any, base: TrainConfig, axis: Axis, value: int, folder: Path) -> Point:
    section = getattr(base, axis.section)
    config = base.model_copy(update={axis.section: section.model_copy(update={axis.key: value})})
    algorithm = tarock_config(config, folder).build_algo()
    try:
        if not axis.sampling:
            algorithm.train()  # compiles, and grows memory to its size
        speeds, ratios = [], []
        for _ in range(TURNS):
            reference.train()
            if axis.sampling:
                learning = 1 / reference.figures["speed/learning"]
                speeds.append(1 / (1 / sampling_speed(algorithm.env_runner, A_DEAL * value) + learning))
            else:
                algorithm.train()
                speeds.append(algorithm.figures["speed/decisions_per_second"])
            ratios.append(speeds[-1] / reference.figures["speed/decisions_per_second"])
    finally:
        algorithm.stop()
    return Point(axis.key, value, median(speeds), median(ratios))


def sampling_speed(runner: Any, decisions: int) -> float:
    """Decisions a second of one sample, the second of two: the first grows memory to its size."""
    runner.sample(decisions=decisions)
    start = time.perf_counter()
    batch = runner.sample(decisions=decisions)
    return float(batch.env_steps() / (time.perf_counter() - start))


def fitted(points: Sequence[Point], axis: Axis, base: TrainConfig) -> tuple[float, ...]:
    """Weights of the axis' terms: least squares of the relative error, none below zero; ratio = 1 / (terms @ weights)."""
    mine = [point for point in points if point.axis == axis.key]
    terms = np.array([axis.terms(point.value, base) for point in mine]) * np.array([[point.ratio] for point in mine])
    keep = list(range(terms.shape[1]))
    while True:
        found = np.linalg.lstsq(terms[:, keep], np.ones(len(mine)), rcond=None)[0]
        if (found >= 0).all():
            weights = np.zeros(terms.shape[1])
            weights[keep] = found
            return tuple(weights.tolist())
        keep.pop(int(found.argmin()))


def points_json(points: Sequence[Point], base: TrainConfig, where: dict[str, Any], axes: Sequence[Axis] = AXES) -> dict[str, Any]:
    """What `tarock bench --scaling --json` writes: machine, points, and the weights of each axis' model."""
    models = {axis.key: fitted(points, axis, base) for axis in axes}
    return {"machine": where, "points": [asdict(point) for point in points], "models": models}


def draw(points: Sequence[Point], base: TrainConfig, out: Path, axes: Sequence[Axis] = AXES) -> None:
    """A panel an axis: measured points, and the model as a line. Raises UserError without matplotlib."""
    figure = new_figure("tarock bench", 9.0, 6.5, layout="constrained")
    for panel, axis in zip(panels(figure, [axis.title for axis in axes], 2), axes, strict=True):
        mine = [point for point in points if point.axis == axis.key]
        weights = fitted(points, axis, base)
        grid = np.geomspace(mine[0].value, axis.to, DRAWN)
        modelled = [1 / float(np.dot(axis.terms(value, base), weights)) for value in grid]
        panel.plot(grid, modelled, "--", color="0.5", label="model")
        panel.plot([point.value for point in mine], [point.ratio for point in mine], "o", label="measured")
        panel.set_xscale("log", base=2)
        panel.set_ylim(0, 1.1 * max(*modelled, *(point.ratio for point in mine)))
        panel.set_ylabel("times the default's decisions/s", fontsize=8)
        panel.legend(fontsize=8)
    save_figure(figure, out)
