"""Checkpoints: RLlib's own state in a folder that is complete or not there.

    RUN/checkpoints/iteration_000120/rllib/...      what Algorithm.save_to_path writes
    RUN/checkpoints/iteration_000120/contents.json  counters of the run, size and hash of every file

A checkpoint is written under another name and renamed at the end; a reader checks every file against `contents.json` before
anything is loaded. RLlib's files hold pickles: they are for going on with one's own runs, not for passing on (export does that).
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tarock_env.files import sync_folder, write_text
from training.console import UserError

if TYPE_CHECKING:
    from training.algorithm import TarockPPO

CHECKPOINTS_FOLDER = "checkpoints"
CONTENTS = "contents.json"
COUNTERS = ("iteration", "decisions", "deals", "hours")
_PREFIX, _PARTIAL = "iteration_", "partial_"


def save_checkpoint(algorithm: TarockPPO, run_dir: Path, keep: int) -> Path:
    """Write the state of a run and drop the oldest checkpoints beyond `keep`; return the new one's folder."""
    folder = run_dir / CHECKPOINTS_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.glob(_PARTIAL + "*"):
        shutil.rmtree(leftover)
    name = f"{_PREFIX}{algorithm.iteration:06d}"
    partial, target = folder / (_PARTIAL + name), folder / name
    try:
        algorithm.save_to_path(str((partial / "rllib").resolve()))
        found = [path for path in sorted(partial.rglob("*")) if path.is_file()]
        files = {str(path.relative_to(partial)): [path.stat().st_size, _sha256(path)] for path in found}
        counters = {name: getattr(algorithm, name) for name in COUNTERS}
        write_text(partial / CONTENTS, json.dumps(counters | {"files": files}, indent=1) + "\n")
    except BaseException:  # a full disk, perhaps: leave its room to others
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if target.exists():  # resumed from before it, and come here again
        shutil.rmtree(target)
    partial.rename(target)
    sync_folder(folder)
    for old in list_checkpoints(run_dir)[:-keep]:
        shutil.rmtree(old)
    return target


def list_checkpoints(run_dir: Path) -> list[Path]:
    """Folders of the complete checkpoints, oldest first."""
    return sorted((run_dir / CHECKPOINTS_FOLDER).glob(_PREFIX + "*"))


def find_checkpoint(run_dir: Path, fall_back: bool = False) -> Path:
    """The newest checkpoint, checked; with fall_back the newest undamaged one. Raises UserError: one line with what is wrong."""
    found = list_checkpoints(run_dir)
    if not found:
        raise UserError(f"{run_dir}: no checkpoint to go on from")
    for index, folder in enumerate(reversed(found)):
        damage = damage_of(folder)
        if damage is None:
            return folder
        if not fall_back:
            others = [other.name for other in reversed(found[: len(found) - 1 - index]) if damage_of(other) is None]
            hint = f"; --fall-back goes on from {others[0]}" if others else ""
            raise UserError(f"{folder}: damaged checkpoint: {damage}{hint}")
    raise UserError(f"{run_dir}: every checkpoint is damaged")


def damage_of(folder: Path) -> str | None:
    """What is wrong with a checkpoint, or None."""
    try:
        listed = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))["files"]
        files = [(str(name), size, digest) for name, (size, digest) in listed.items()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"{CONTENTS} is missing or unreadable"
    if not files:
        return f"{CONTENTS} lists no files"
    for name, size, digest in files:
        path = folder / name
        if not path.is_file():
            return f"{name} is missing"
        if path.stat().st_size != size:
            return f"{name} has {path.stat().st_size} bytes instead of {size}"
        if _sha256(path) != digest:
            return f"{name} was changed"
    return None


def counters_of(folder: Path) -> dict[str, float]:
    """How far a checked checkpoint's run had come: `COUNTERS`, 0 where an old one does not say."""
    contents = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))
    return {name: contents.get(name, 0) for name in COUNTERS}


def restore_checkpoint(algorithm: TarockPPO, folder: Path) -> None:
    """Put a checked checkpoint into a fresh algorithm of the same config."""
    algorithm.restore_from_path(str((folder / "rllib").resolve()))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
