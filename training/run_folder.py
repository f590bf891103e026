"""The folder of a training run: who may write into it, and whether there is anything left to do."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agents.policy_bot import BOTS_FOLDER
from training.checkpoint import counters_of, find_checkpoint
from training.config import TrainConfig
from training.console import UserError, mistakes

FINAL_SEED = 1_000_003  # the final evaluation plays fresh deals, not those that were watched during training
LOCK = "lock"
EVALUATIONS_FOLDER = "evaluations"


@contextmanager
def run_folder(run_dir: Path, new: bool) -> Iterator[None]:
    """Have a run folder to oneself; a new one is made.

    The lock is the operating system's: it ends with the process that holds it, however that ends. Raises UserError where another
    process has it, where a new folder is not empty or cannot be made, and where the folder of an old run is not there.
    """
    with mistakes():
        if run_dir.exists() and not run_dir.is_dir():
            raise UserError(f"{run_dir}: a file, not a run folder")
        if not new and not run_dir.is_dir():
            raise UserError(f"{run_dir}: no such run folder")
        if new and _in_use(run_dir) and not (run_dir / LOCK).exists():  # nothing is put into a folder of somebody's
            raise UserError(_full(run_dir))
        run_dir.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(run_dir / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(descriptor, run_dir)
        if new and _in_use(run_dir):
            raise UserError(_full(run_dir))
        yield
    finally:
        os.close(descriptor)


def _in_use(run_dir: Path) -> bool:
    return run_dir.exists() and any(entry.name != LOCK for entry in run_dir.iterdir())


def _full(run_dir: Path) -> str:
    return f"{run_dir}: not empty; go on with that run with --resume, or choose another --run-dir"


def _lock(descriptor: int, run_dir: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
        process = f" (process {holder})" if holder.isdecimal() else ""
        raise UserError(f"{run_dir}: another tarock train{process} is running in this folder; stop it, or choose another") from None
    except OSError:  # a network file system without locks: two runs at once are then nobody's to notice
        return
    with suppress(OSError):
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())


def refuse_finished(config: TrainConfig, run_dir: Path, fall_back: bool = False) -> None:
    """Raise UserError where a run has nothing left to do, or has no sound checkpoint to go on from."""
    counters = counters_of(find_checkpoint(run_dir, fall_back))
    if config.run.used(**counters) >= 1.0 and evaluated(run_dir, int(counters["iteration"])):
        budget = next(name for name in ("iterations", "decisions", "deals", "hours") if getattr(config.run, name) is not None)
        raise UserError(
            f"{run_dir}: this run is finished: {counters['iteration']:.0f} iterations, {counters['decisions']:,.0f} decisions; "
            f"its bot is evaluated and exported. To train on, give a larger budget than run.{budget} = {getattr(config.run, budget)}, "
            f"as in --set run.{budget}={2 * getattr(config.run, budget)}"
        )


def evaluated(run_dir: Path, iteration: int) -> bool:
    """Whether the final evaluation of an iteration is on the disk: a run may have been killed between its last checkpoint and that."""
    try:
        evaluation = json.loads((run_dir / EVALUATIONS_FOLDER / f"iteration_{iteration:06d}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(evaluation, dict) and evaluation.get("seed") == FINAL_SEED


def forget_after(run_dir: Path, iteration: int) -> None:
    """Remove bots and evaluations of iterations that the resumed run will go through again."""
    for path in (*run_dir.glob(f"{BOTS_FOLDER}/actor_*.safetensors"), *run_dir.glob(f"{EVALUATIONS_FOLDER}/*.json")):
        number = path.name.split(".")[0].rpartition("_")[2]
        if number.isdecimal() and int(number) > iteration:
            path.unlink()
