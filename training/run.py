"""A whole training run: from a config to an exported, evaluated bot, with everything on disk that going on needs.

A run folder holds

    RUN/config.json     the resolved config            RUN/run.json          commit, versions, seed
    RUN/checkpoints/    to go on from                  RUN/bots/             snapshots of the actor, the last one too
    RUN/curve.jsonl     every scalar of every iteration RUN/evaluations/     one JSON file an evaluation
    RUN/tensorboard/    the same for TensorBoard        RUN/lock             held by the process that trains there
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from agents.base import load_bot
from agents.policy_bot import BOTS_FOLDER, PolicyBot, load_file
from tarock_env.files import write_text
from training.algorithm import TarockPPO, tarock_config
from training.checkpoint import find_checkpoint, restore_checkpoint, save_checkpoint
from training.config import TrainConfig
from training.console import mistakes
from training.evaluate import evaluate, evaluation_lines, evaluation_scalars
from training.export import bot_manifest, export_weights, warm_start
from training.pool import snapshot_name
from training.provenance import provenance
from training.ray_setup import set_threads, start_ray
from training.report import Reporter, iteration_scalars
from training.run_folder import FINAL_SEED, forget_after, run_folder
from training.sample_text import sample_deals
from training.systems import played_rules

Report = Callable[[int, int], None]
TEXT_EVERY = 25  # iterations between sample deals as text
SAMPLE_DEALS = 4


def train(
    config: TrainConfig, run_dir: Path, resume: bool = False, progress: Report | None = None, fall_back: bool = False
) -> dict[str, Any]:
    """Run or go on with a training run; return what it came to.

    run_dir: folder of the run; must be new or empty, or with `resume` hold a run. progress: called with (done, total) in the
    unit of the budget. fall_back: where the newest checkpoint is damaged, go on from the one before. Ends cleanly, with a
    checkpoint, on SIGINT and SIGTERM, also where they come to the whole process group. Raises UserError (one line) for what a user
    can mend.
    """
    check_files(config, resume)
    with run_folder(run_dir, new=not resume):
        checkpoint = find_checkpoint(run_dir, fall_back) if resume else None
        if not resume:
            write_text(run_dir / "run.json", json.dumps(provenance(config), indent=1) + "\n")
        write_text(run_dir / "config.json", config.model_dump_json(by_alias=True, indent=1) + "\n")
        return _train_in(config, run_dir, checkpoint, progress)


def _train_in(config: TrainConfig, run_dir: Path, checkpoint: Path | None, progress: Report | None) -> dict[str, Any]:
    """The same in a run folder that is this process's own; checkpoint: the one to go on from."""
    set_threads(config.resources)
    start_ray(config.resources)
    with stop_signals() as stopped:  # after Ray's start, which sets a handler of its own
        algorithm = tarock_config(config, run_dir.resolve()).build_algo()
        try:
            if checkpoint is not None:
                restore_checkpoint(algorithm, checkpoint)
                forget_after(run_dir, algorithm.iteration)
            elif config.checkpoint.warm_start is not None:
                warm_start(algorithm, Path(config.checkpoint.warm_start))
            with Reporter(run_dir, algorithm.iteration) as reporter:
                if checkpoint is None:
                    reporter.describe(config)
                Run(algorithm, run_dir, reporter, progress).to_the_end(stopped)
                return _finish(algorithm, run_dir, reporter, interrupted=bool(stopped))
        finally:
            algorithm.stop()


class Run:
    """The loop over iterations."""

    def __init__(self, algorithm: TarockPPO, run_dir: Path, reporter: Reporter, progress: Report | None) -> None:
        self.algorithm = algorithm
        self.config = algorithm.train_config
        self.run_dir = run_dir
        self.reporter = reporter
        self.progress = progress
        self.start = time.monotonic() - algorithm.hours * 3600
        self.first: dict[str, float] | None = None  # what was used of each budget at this process's first report

    def to_the_end(self, stopped: list[int]) -> None:
        """Train until the budget is used up or a signal has come (`stopped` is no longer empty)."""
        algorithm, config = self.algorithm, self.config
        saved = algorithm.iteration
        while not stopped:
            algorithm.hours = (time.monotonic() - self.start) / 3600
            if algorithm.progress >= 1.0:
                break
            if snapshot_due(algorithm):
                algorithm.pool.add(algorithm.actor_tensors(), bot_manifest(algorithm))
            result = algorithm.train()
            self.reporter.write(algorithm.iteration, iteration_scalars(algorithm, result))
            if algorithm.iteration % TEXT_EVERY == 1:
                write_sample_deals(algorithm, self.reporter)
            self._show_progress()
            if config.evaluation.every and algorithm.iteration % config.evaluation.every == 0:
                results = run_evaluation(algorithm, self.reporter, config.evaluation.deals, config.evaluation.seed)
                for line in evaluation_lines(results):
                    print(line, file=sys.stderr, flush=True)
            if algorithm.iteration % config.checkpoint.every == 0:
                algorithm.hours = (time.monotonic() - self.start) / 3600
                save_checkpoint(algorithm, self.run_dir, config.checkpoint.keep)
                saved = algorithm.iteration
        algorithm.hours = (time.monotonic() - self.start) / 3600
        if algorithm.iteration != saved or not (self.run_dir / "checkpoints").exists():
            save_checkpoint(algorithm, self.run_dir, config.checkpoint.keep)

    def _show_progress(self) -> None:
        """What the run is counted in, and what that will come to when the first budget ends it, by the pace seen so far."""
        if self.progress is None:
            return
        algorithm, run = self.algorithm, self.config.run
        hours = (time.monotonic() - self.start) / 3600
        now = {"iterations": algorithm.iteration, "deals": algorithm.deals, "decisions": algorithm.decisions, "hours": hours}
        if run.unit not in now:  # hours alone
            self.progress(round(1000 * run.used(0, 0, 0, hours)), 1000)
            return
        first = self.first = self.first or now  # what came before, compiling and a resumed run's past, is no pace
        done = now[run.unit]
        budgets = ((name, getattr(run, name)) for name in now)
        grown = [(name, budget) for name, budget in budgets if budget is not None and now[name] > first[name]]
        totals = [done + (done - first[run.unit]) / (now[name] - first[name]) * (budget - now[name]) for name, budget in grown]
        self.progress(int(done), round(max(done, min(totals))) if totals else 0)


def snapshot_due(algorithm: TarockPPO) -> bool:
    """Whether the pool gets the current actor: at the start of self-play, then every so many iterations."""
    snapshots = algorithm.pool.snapshots
    return not algorithm.imitating and (not snapshots or algorithm.iteration - snapshots[-1].iteration >= algorithm.train_config.pool.every)


def run_evaluation(algorithm: TarockPPO, reporter: Reporter, deals: int, seed: int) -> dict[str, Any]:
    """Evaluate the current actor and write the figures down."""
    against = ", ".join(algorithm.train_config.evaluation.opponents)
    if against:
        print(f"evaluating against {against}: {deals} duplicate deals a rule system", file=sys.stderr, flush=True)
    results = evaluate(algorithm.train_config, algorithm.actor_tensors(), bot_manifest(algorithm), deals, seed)
    progress = {"iteration": algorithm.iteration, "decisions": algorithm.decisions, "decisions_before": algorithm.decisions_before}
    reporter.evaluation(algorithm.iteration, progress | {"hours": algorithm.hours, "seed": seed, "systems": results})
    reporter.write(algorithm.iteration, evaluation_scalars(results))
    reporter.pictures(algorithm.iteration, algorithm.train_config.rules.systems, algorithm.expectations)
    return results


def write_sample_deals(algorithm: TarockPPO, reporter: Reporter) -> None:
    """A few deals of the current actor as text, one rule system after the other."""
    bot = PolicyBot(algorithm.actor_tensors(), bot_manifest(algorithm))
    rules = list(played_rules(algorithm.train_config).values())
    chosen = rules[algorithm.iteration // TEXT_EVERY % len(rules)]
    text = sample_deals(chosen, bot, algorithm.iteration, SAMPLE_DEALS)
    reporter.text(algorithm.iteration, text)


def _finish(algorithm: TarockPPO, run_dir: Path, reporter: Reporter, interrupted: bool) -> dict[str, Any]:
    settings = algorithm.train_config.evaluation
    results: dict[str, Any] = {}
    if not interrupted:
        results = run_evaluation(algorithm, reporter, settings.final_deals, FINAL_SEED)
    bot = run_dir / BOTS_FOLDER / snapshot_name(algorithm.iteration)
    export_weights(algorithm, bot, {"evaluation": {system: result["pairs"] for system, result in results.items()}})
    return {
        "run": str(run_dir),
        "bot": str(bot),
        "interrupted": interrupted,
        "iterations": algorithm.iteration,
        "imitation_left": max(0, algorithm.train_config.imitation.iterations - algorithm.iteration),
        "decisions": algorithm.decisions,
        "deals": algorithm.deals,
        "hours": algorithm.hours,
        "decisions_per_second": reporter.decisions_per_second(),
        "evaluation": results,
        "tensorboard": str(run_dir / "tensorboard"),
    }


def check_files(config: TrainConfig, resume: bool) -> None:
    """Read every bot that the config names, before anything is written: a wrong one would show after hours. Raises BotFileError."""
    teachers = (config.imitation.teacher,) if config.imitation.iterations or config.ppo.asks_teacher else ()
    for spec in teachers:
        with mistakes():
            load_bot(spec)
    targets = () if config.exploit.target is None else (config.exploit.target,)
    for system in config.rules.systems:
        for spec in (*config.evaluation.opponents, *targets):
            load_bot(spec, rules=system)
    if config.checkpoint.warm_start is not None and not resume:
        load_file(config.checkpoint.warm_start)


@contextmanager
def stop_signals() -> Iterator[list[int]]:
    """A list that is no longer empty once SIGINT or SIGTERM has come; a second SIGINT interrupts at once."""
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if received and number == signal.SIGINT:
            raise KeyboardInterrupt
        received.append(number)
        print("stopping after this iteration; interrupt again to stop at once without a checkpoint", file=sys.stderr, flush=True)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
