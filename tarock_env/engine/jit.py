"""The only module that knows numba: how kernels are compiled, cached and debugged.

Two switches, both read at import:

    TAROCK_DEBUG=1        bounds checks on, cache off
    NUMBA_DISABLE_JIT=1   numba's own: kernels run as plain Python (coverage, warnings, stepping through)

numba's cache looks only at the file of the cached function. A kernel here calls kernels of other files, so the cache folder
is named by a hash over all sources that the kernel's file imports, directly or not; an edit to one of them starts a new folder, and
kernels that cannot depend on it keep theirs. Folders of old versions are removed when a new one is started (`prune`).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event, types
from numba.extending import intrinsic

JIT = not numba.config.DISABLE_JIT
DEBUG = os.environ.get("TAROCK_DEBUG", "") not in ("", "0")


HOUR, DAY = 3600, 86400  # seconds
KEPT, UNUSED_DAYS = 4, 14  # versions of a source whose kernels are kept; days after which nobody misses any

PACKAGES = ("tarock_env", "agents", "training")
# The folders that are made here; whatever else lies beside them is never touched.
_KERNELS = rf"kernels-(?:{'|'.join(PACKAGES)})(?:\.\w+)+-[0-9a-f]{{16}}"
_OURS = re.compile(_KERNELS, re.ASCII)
_REMOVED = re.compile(rf"removed-[0-9]+-{_KERNELS}", re.ASCII)
ROOT = Path(__file__).resolve().parents[2]
# `from a.b import c, d` (also in parentheses), or `import a.b`, at the beginning of a line or indented.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|import[ \t]+([\w.]+))", re.MULTILINE)


def _source(module: str) -> Path | None:
    """The file of a module of this project, None for others and for names inside a module."""
    parts = module.split(".")
    if parts[0] in PACKAGES:
        for path in (ROOT.joinpath(*parts).with_suffix(".py"), ROOT.joinpath(*parts, "__init__.py")):
            if path.is_file():
                return path
    return None


def record_dtype(fields: list[Any]) -> np.dtype[np.void]:
    """The aligned dtype of records that kernels take.

    A view of it as a recarray keeps this very object. numba knows an array's type at once where the dtype is an object that it has seen;
    one that is merely equal it compares field by field, at every call: a step of the PettingZoo environment took twice its time by that.
    """
    return np.dtype((np.record, np.dtype(fields, align=True)))


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """Files of this project that a source imports from; for `from a import b` both `a` and, where it is a module, `a.b`."""
    found: dict[Path, None] = {}
    for origin, names, plain in _IMPORT.findall(path.read_text(encoding="utf-8")):
        listed = re.findall(r"(\w+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:,|$|\)|#|\n)", names)
        for module in (plain or origin, *(f"{origin}.{name}" for name in listed)):
            source = _source(module)
            if source is not None:
                found[source] = None
    return tuple(found)


def sources(path: Path) -> list[Path]:
    """The file and everything of this project that it imports, directly or not: all that its kernels can depend on."""
    seen, waiting = {path}, [path]
    while waiting:
        for imported in _imports(waiting.pop()):
            if imported not in seen:
                seen.add(imported)
                waiting.append(imported)
    return sorted(seen)


@cache
def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _base() -> Path:
    """The folder of the cache: TAROCK_CACHE_DIR, else the user's, else one for temporary files."""
    chosen = os.environ.get("TAROCK_CACHE_DIR")
    if chosen:
        return Path(chosen)
    try:
        return Path.home() / ".cache" / "tarock"
    except RuntimeError:  # no HOME and a user without an entry in the list of users, as in containers
        return _temporary_base()


@cache
def _temporary_base() -> Path:
    """A folder of this user among the temporary files: what is cached is run, so it must be nobody else's to write."""
    folder = Path(tempfile.gettempdir()) / f"tarock-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022:
        return folder
    return Path(tempfile.mkdtemp(prefix="tarock-"))


@cache
def _cache_folder(path: Path) -> str:
    """Folder for the compiled kernels of a source file, keyed by every source that they can depend on."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sources(path):
        digest.update(str(source).removeprefix(str(ROOT)).encode() + b"\0" + _digest(source))
    base = _base()
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts) if path.is_relative_to(ROOT) else path.stem
    folder = base / f"kernels-{name}-{digest.hexdigest()[:16]}"
    with suppress(OSError):  # a cache that is full, read-only or shared with others is used as it is
        if folder.exists():
            if time.time() - folder.stat().st_mtime > HOUR:
                os.utime(folder)  # used now
        else:
            prune(base, f"kernels-{name}-")
    return str(folder)


def prune(base: Path, prefix: str) -> None:
    """Remove what is stale in the cache, when a source has changed and its kernels are compiled anew.

    Stale are folders that nobody has used for UNUSED_DAYS, and of those of one source (their names begin with `prefix`) all but the KEPT
    used last; none that was used within a day, so that clones and runs of other versions keep theirs. A folder is renamed before it
    is removed: another process finds all of it or, and then it compiles, nothing. The base may hold other things: they stay.
    """
    now = time.time()
    used = _folders(base, _OURS)
    same = sorted(((when, folder) for when, folder in used if folder.name[:-16] == prefix), reverse=True)
    stale = {folder for when, folder in used if now - when > UNUSED_DAYS * DAY} | {
        folder for when, folder in same[KEPT:] if now - when > DAY
    }
    for _, left in _folders(base, _REMOVED):  # by a process that was ended meanwhile
        shutil.rmtree(left, ignore_errors=True)
    for folder in stale:
        with suppress(OSError):
            gone = folder.rename(folder.with_name(f"removed-{os.getpid()}-{folder.name}"))
            shutil.rmtree(gone, ignore_errors=True)


def _folders(base: Path, names: re.Pattern[str]) -> list[tuple[float, Path]]:
    """When each folder of such a name was last used; links and files are none."""
    found = []
    with suppress(OSError):
        for path in base.iterdir():
            if names.fullmatch(path.name):
                with suppress(OSError):  # another process may be pruning too
                    status = path.lstat()
                    if stat.S_ISDIR(status.st_mode):
                        found.append((status.st_mtime, path))
    return found


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` on first call: nopython, releases the GIL, integer division without checks, cached on disk."""
    if DEBUG:
        return numba.njit(nogil=True, boundscheck=True, error_model="numpy")(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _cache_folder(Path(function.__code__.co_filename).resolve())
    try:
        return numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before


class Compiling(event.Listener):  # type: ignore[misc, unused-ignore]
    """Tells at a terminal that kernels are compiled, which takes minutes where the cache is empty; what is read from it is no event."""

    FIRST, EVERY = 2.0, 10.0  # seconds of compiling before the first line, and between lines

    def __init__(self) -> None:
        self.kernels = 0
        self.begun: float | None = None
        self.due = 0.0

    def on_start(self, event: Any) -> None:
        """A kernel is about to be compiled."""
        if self.begun is None:
            self.begun = time.monotonic()
            self.due = self.begun + self.FIRST
        self._tell()

    def on_end(self, event: Any) -> None:
        """It is compiled."""
        self.kernels += 1
        self._tell()

    def _tell(self) -> None:
        now = time.monotonic()
        if self.begun is not None and now > self.due:
            self.due = now + self.EVERY
            print(f"compiling kernels (once): {self.kernels} so far, {now - self.begun:.0f} s", file=sys.stderr, flush=True)


def tell_compiling() -> None:
    """Say from now on when kernels are compiled."""
    event.register("numba:compile", Compiling())


if sys.stderr is not None and sys.stderr.isatty():
    tell_compiling()


if JIT:

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def count_ones(typing_context: Any, word: Any) -> Any:
        """Number of set bits of a uint64, as int64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def count_trailing_zeros(typing_context: Any, word: Any) -> Any:
        """Index of the lowest set bit of a uint64 (64 for zero), as int64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, False))

        return types.int64(types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def count_leading_zeros(typing_context: Any, word: Any) -> Any:
        """Zeros above the highest set bit of a uint64 (64 for zero), as int64."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctlz(args[0], context.get_constant(types.boolean, False))

        return types.int64(types.uint64), generate

else:

    def count_ones(word: Any) -> int:
        """Number of set bits."""
        return int(word).bit_count()

    def count_trailing_zeros(word: Any) -> int:
        """Index of the lowest set bit, 64 for zero."""
        return (int(word) & -int(word)).bit_length() - 1 if word else 64

    def count_leading_zeros(word: Any) -> int:
        """Zeros above the highest set bit of 64, 64 for zero."""
        return 64 - int(word).bit_length()
