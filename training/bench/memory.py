"""Peak memory of a training run: all its processes together."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from training.config import TrainConfig

LOOK_EVERY = 0.25  # seconds


def peak_memory(config: TrainConfig, iterations: int = 3) -> float:
    """Largest proportional set size, in bytes, of a run of that config and all processes it starts, over its first iterations.

    Proportional: a page that n processes share counts an n-th for each of them. Raises RuntimeError where the run fails.
    """
    with tempfile.TemporaryDirectory(prefix="tarock-bench-") as folder:
        path = Path(folder)
        settings = config.model_dump(by_alias=True, mode="json", exclude_none=True)
        settings["run"] = {"name": "bench", "seed": 1, "iterations": iterations}
        settings["evaluation"] |= {"every": 0, "opponents": []}
        (path / "config.toml").write_text(toml(settings), encoding="utf-8")
        command = [sys.executable, "-m", "training", "train", str(path / "config.toml"), "--run-dir", str(path / "run")]
        with (path / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=dict(os.environ))
            peak = 0
            while process.poll() is None:
                peak = max(peak, used_by(process.pid))
                time.sleep(LOOK_EVERY)
        if process.returncode:
            raise RuntimeError((path / "log").read_text().strip().splitlines()[-1])
    return float(peak)


def used_by(pid: int) -> int:
    """Bytes that a process and its descendants use."""
    try:
        parent = psutil.Process(pid)
        family = [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    total = 0
    for process in family:
        try:
            memory = process.memory_full_info() if sys.platform.startswith("linux") else process.memory_info()
            total += getattr(memory, "pss", memory.rss)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total


def toml(settings: dict[str, dict[str, object]]) -> str:
    """A config's sections as TOML text; values are numbers, strings, booleans and lists of strings, nested tables are left out."""
    lines = []
    for section, values in settings.items():
        lines.append(f"[{section}]")
        lines += [f"{name} = {_value(value)}" for name, value in values.items() if not isinstance(value, dict)]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    return repr(value)
