"""The table of `tarock bench`: what is measured, in which order, and what it should be."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agents.weights import PRETRAINED
from tarock_env.rules import load_rules
from training.bench.engine import (
    aec_speed,
    bot_seconds,
    full_length_rules,
    observation_speed,
    openspiel_speed,
    random_play_speed,
    slowest_random_play,
    start_seconds,
)
from training.bench.learning import stock_speed, training_speed
from training.bench.memory import peak_memory
from training.config import RunSection, TrainConfig
from training.module import compute_dtype
from training.ray_setup import available_cores, set_threads, start_ray

Report = Callable[[int, int], None]
GIB = 2.0**30


@dataclass(frozen=True)
class Figure:
    """One line of the table. goal: the least it should be, or with `at_most` the most; None where the figure is for reading only."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    at_most: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal


def run_bench(config: TrainConfig | None, report: Report | None = None) -> list[Figure]:
    """Measure everything, one part after the other; report(done, total) counts the parts.

    config: what training is measured with; by default the default config, whose sizes are those of configs/juegatu.toml.
    """
    settings = config or TrainConfig(run=RunSection(iterations=1))
    cores = available_cores()
    parts: list[Callable[[], list[Figure]]] = [
        lambda: start_figures(),
        lambda: [Figure("peak memory of a training run", peak_memory(settings) / GIB, "GiB", 3.0, at_most=True)],
        lambda: play_figures(cores),
        lambda: openspiel_figures(),
        lambda: environment_figures(cores),
        lambda: bot_figures(),
        lambda: learning_figures(settings),
    ]
    figures: list[Figure] = []
    for done, part in enumerate(parts):
        figures += part()
        if report is not None:
            report(done + 1, len(parts))
    return figures


def start_figures() -> list[Figure]:
    """From import to the first stepped batch."""
    return [
        Figure("cold start, kernel cache filled", start_seconds(cold=False), "s", 2.0, at_most=True),
        Figure("cold start, kernel cache empty", start_seconds(cold=True), "s", 60.0, at_most=True),
    ]


def play_figures(cores: int) -> list[Figure]:
    """Random play in the kernels, on all cores."""
    slowest, speed = slowest_random_play(cores)
    return [
        Figure("random play, juegatu", random_play_speed(load_rules("juegatu"), cores), "decisions/s", 20e6),
        Figure(f"random play, slowest of the nine ({slowest})", speed, "decisions/s", 10e6),
    ]


def openspiel_figures() -> list[Figure]:
    """Full-length deals of Slovenian Tarok, one thread each; nothing where OpenSpiel is not installed."""
    theirs = openspiel_speed()
    if theirs is None:
        return []
    ours = random_play_speed(full_length_rules(), threads=1)
    return [
        Figure("full-length deals, one thread", ours, "decisions/s"),
        Figure("OpenSpiel's tarok from Python, the same deals", theirs, "decisions/s"),
        Figure("... ratio", ours / theirs, "times", 10.0),
    ]


def environment_figures(cores: int) -> list[Figure]:
    """Observations and the PettingZoo loop."""
    rules = load_rules("juegatu")
    return [
        Figure("observation and mask, all cores", observation_speed(rules, cores), "rows/s", 5e6),
        Figure("PettingZoo AEC loop with masks", aec_speed(rules), "steps/s", 40e3),
    ]


def bot_figures() -> list[Figure]:
    """One decision of a shipped bot, of a graded level, and of the level that searches."""
    spec = f"file:{PRETRAINED / 'all.safetensors'}"
    return [
        Figure("exported bot, one decision, numpy, one thread", 1e3 * bot_seconds(spec), "ms", 1.0, at_most=True),
        Figure("graded level, one decision, numpy, one thread", 1e3 * bot_seconds("softened"), "ms", 2.0, at_most=True),
        Figure("level 6 with search, one decision, one thread", 1e3 * bot_seconds("level:6"), "ms", 20.0, at_most=True),
    ]


def learning_figures(settings: TrainConfig) -> list[Figure]:
    """Training, a bare torch loop and the stock path."""
    set_threads(settings.resources)
    start_ray(settings.resources)
    ours = training_speed(settings)
    stock = stock_speed(settings)
    return [
        Figure("training: learnt decisions, sampling and learning", ours["training"], "decisions/s", 15e3),
        Figure("... sampling alone", ours["sampling"], "decisions/s"),
        Figure("... learning alone", ours["learning"], "decisions/s"),
        Figure("bare torch loop of the same shapes", ours["bare"], "decisions/s"),
        Figure("... training's share of it", ours["ratio"], "times", 0.8),
        Figure("stock RLlib PPO on PettingZooEnv", stock, "decisions/s"),
        Figure("... training against it", ours["training"] / stock, "times", 60.0),
    ]


def machine(settings: TrainConfig | None) -> dict[str, Any]:
    """Where the figures hold: processor, cores, versions, number format."""
    precision = (settings or TrainConfig(run=RunSection(iterations=1))).resources.precision
    return {
        "processor": processor(),
        "cores": available_cores(),
        "load": os.getloadavg()[0],
        "precision": str(compute_dtype(precision)).removeprefix("torch."),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("numpy", "numba", "torch", "ray", "pettingzoo")},
    }


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def to_json(figures: list[Figure], where: dict[str, Any]) -> dict[str, Any]:
    """What `tarock bench --json` writes."""
    return {"machine": where, "figures": [asdict(figure) | {"met": figure.met} for figure in figures]}
