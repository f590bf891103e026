"""Corpora on disk: arrays (tarock_env.arrays) in numpy's .npz files, each written whole or not at all."""

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from tarock_env.arrays import BY_DEAL, BY_ROW, FORMAT, Arrays, deals_of, decision_rows, join_arrays, num_deals, records_to_arrays
from tarock_env.files import new_file
from tarock_env.observation import SCHEMA_VERSION
from tarock_env.record import Record, RecordError, read_records
from tarock_env.rules import Rules

CHUNK = 4096  # records turned into arrays at a time
OBSERVED_DEALS = 2000  # deals a file with observations, some 200 MB
ROWS = "row_"  # what `decision_rows` gives stands in a file under these names


class ArraysError(ValueError):
    """A file that holds no corpus, or a damaged one. One line."""


def write_corpus(path: str | Path, parts: Iterable[Arrays], deals_per_file: int | None = None, observations: bool = False) -> list[Path]:
    """Write the deals of some arrays; returns the files: `path`, or with deals_per_file OUT-0001.npz, OUT-0002.npz ... of so many each.

    observations: the rows of `decision_rows` are stored too, as row_observation, row_mask, ...; then there are at most `OBSERVED_DEALS` a
    file. Raises OSError; what `parts` raise comes through, and no file is left then.
    """
    if observations and deals_per_file is None:
        deals_per_file = OBSERVED_DEALS
    written: list[Path] = []
    with _all_or_none(written):
        _write_files(path, parts, deals_per_file, observations, written)
    return written


@contextmanager
def _all_or_none(written: list[Path]) -> Iterator[None]:
    """Where anything fails, the files of a corpus that are written already go too."""
    try:
        yield
    except BaseException:
        for file in written:
            with suppress(OSError):
                file.unlink(missing_ok=True)
        raise


def _write_files(path: str | Path, parts: Iterable[Arrays], deals_per_file: int | None, observations: bool, written: list[Path]) -> None:
    for number, arrays in enumerate(_in_pieces(parts, deals_per_file), start=1):
        file = Path(path) if deals_per_file is None else numbered(path, number)
        content: dict[str, Any] = dict(arrays)
        if observations:
            content |= {ROWS + name: values for name, values in decision_rows(arrays).items()}
            content[ROWS + "schema_version"] = SCHEMA_VERSION
        with new_file(file, binary=True) as target:
            np.savez(target, **content)
        written.append(file)


def numbered(path: str | Path, number: int) -> Path:
    """The name of file `number` of a corpus: OUT-0001.npz for OUT.npz."""
    whole = Path(path)
    return whole.with_name(f"{whole.stem}-{number:04d}{whole.suffix}")


def read_corpus(path: str | Path) -> Arrays:
    """The arrays of a file, row_observation and its kin where it has them. Raises ArraysError, and OSError for a file that is not there."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, EOFError, KeyError, AttributeError, zipfile.BadZipFile) as error:
        raise ArraysError(f"{path}: no corpus of arrays, or cut off ({' '.join(str(error).split())[:80]})") from None
    if str(arrays.get("format")) != FORMAT:
        raise ArraysError(f"{path}: no corpus of arrays; this version of Tarock reads {FORMAT}")
    missing = [name for name in (*BY_DEAL, *BY_ROW, "offsets", "rules", "options") if name not in arrays]
    if missing:
        raise ArraysError(f"{path}: damaged: it lacks {', '.join(missing)}")
    deals, rows = num_deals(arrays), len(arrays["action"])
    short = [name for name in BY_DEAL if len(arrays[name]) != deals]
    if short or len(arrays["seat"]) != rows or int(arrays["offsets"][-1]) != rows:
        raise ArraysError(f"{path}: damaged: its arrays are of different lengths")
    return arrays


def record_file_arrays(path: str | Path) -> Iterator[Arrays]:
    """The records of a file as arrays, some thousand at a time. Raises RecordError, its file named, as `records_to_arrays`."""
    rules: Rules | None = None
    waiting: list[Record] = []
    first = 1
    for line, record in read_records(path):
        rules = rules or record.rules
        if not waiting:
            first = line
        waiting.append(record)
        if len(waiting) == CHUNK:
            yield _arrays_of(path, waiting, rules, first)
            waiting = []
    if rules is not None and waiting:
        yield _arrays_of(path, waiting, rules, first)


def _arrays_of(path: str | Path, records: list[Record], rules: Rules, first: int) -> Arrays:
    try:
        return records_to_arrays(records, rules, first)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def _in_pieces(parts: Iterable[Arrays], size: int | None) -> Iterator[Arrays]:
    """The deals of `parts` in pieces of `size`, the last one perhaps smaller; in one piece where size is None."""
    waiting: list[Arrays] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += num_deals(part)
        while size is not None and count >= size:
            joined = join_arrays(waiting)
            yield deals_of(joined, 0, size)
            waiting = [deals_of(joined, size, count)]
            count -= size
    if count:
        yield join_arrays(waiting)
