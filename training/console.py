"""What commands print and write: progress with an ETA, tables, figures as JSON, and a user's mistakes as one line."""

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from tarock_env.files import check_target, in_words, write_text

QUIET_SECONDS = 2.0  # what ends sooner needs no bar
LINE_SECONDS = 10.0  # without a terminal: seconds between lines
Report = Callable[[int, int], None]  # (done, total); a total of 0 is one that nobody knows yet

console = Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else 200)


class UserError(Exception):
    """A user's mistake: its text is the one line they see, the exit code is 2."""


@contextmanager
def mistakes(*places: str) -> Iterator[None]:
    """Turn the ValueError or OSError of reading what a user gave into a UserError, its place (`--rules x`) in front."""
    try:
        yield
    except OSError as error:
        reason = f"{in_words(error)}: {error.filename}" if error.filename else in_words(error)
        if error.strerror == os.strerror(errno.ENOENT) and error.filename:
            reason = f"{error.filename}: no such file"
        raise UserError(": ".join([*places, reason])) from None
    except ValueError as error:
        raise UserError(": ".join([*places, " ".join(str(error).split())])) from None


@contextmanager
def progress(title: str) -> Iterator[Report]:
    """A function `report(done, total)` that shows progress: a bar on a terminal, a line now and then elsewhere; both with an ETA.

    Nothing is shown for work of under two seconds. Goes to standard error, so that standard output holds results only.
    """
    shown = _Bar(title) if sys.stderr.isatty() else _Lines(title)
    try:
        yield shown.report
    finally:
        shown.close()


class _Bar:
    def __init__(self, title: str) -> None:
        self._title = title
        self._start = time.monotonic()
        self._progress: Progress | None = None

    def report(self, done: int, total: int) -> None:
        if self._progress is None:
            if time.monotonic() - self._start < QUIET_SECONDS:
                return
            columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
            self._progress = Progress(*columns, *times, console=Console(stderr=True), transient=True)
            self._progress.start()
            self._task = self._progress.add_task(self._title, total=None)
        self._progress.update(self._task, completed=done, total=total or None)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()


class _Lines:
    def __init__(self, title: str) -> None:
        self._title = title
        self._last = time.monotonic()
        self._first: tuple[int, float] | None = None  # the first report: resumed work does not start at zero, and compiling is no pace

    def report(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = done, now
        if now - self._last < LINE_SECONDS or done == total:
            return
        self._last = now
        of = f" of {total:,}" if total else ""
        before, since = self._first
        left = f", {seconds((now - since) / (done - before) * (total - done))} left" if total and done > before else ""
        print(f"{self._title}: {done:,}{of}{left}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


def seconds(duration: float) -> str:
    """A duration as a person says it: 45 s, 3 min 20 s, 2 h 5 min."""
    whole = round(duration)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def check_output(option: str, path: Path | None) -> None:
    """Find out before the work whether the file that an option names can be written. Raises UserError."""
    if path is not None:
        with mistakes(f"{option} {path}"):
            check_target(path)


def write_json(path: Path | None, content: object) -> None:
    """Write figures where `--json` asked for them: whole, or the old file stays. Raises UserError."""
    if path is not None:
        with mistakes(f"--json {path}"):
            write_text(path, json.dumps(content, indent=1) + "\n")


def plain(text: str) -> str:
    """A text from elsewhere, such as a bot's name, for a line or cell: line breaks and what moves a terminal's cursor are spelled out."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], width: int | None = None) -> None:
    """Print a title and a table; columns whose name starts with `>` are aligned to the right.

    width: the most columns of text that it may take; what does not fit goes on in the next line, figures and the first column aside.
    """
    console.print(plain(title), markup=False, style="bold")
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        right = column.startswith(">")
        shown.add_column(column.lstrip(">"), justify="right" if right else "left", no_wrap=width is None or right or place == 0)
    for row in rows:
        shown.add_row(*(Text(plain(str(cell))) for cell in row))
    console.print(shown, width=width)
