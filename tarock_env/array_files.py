"""Corpora on disk: arrays (tarock_env.arrays) in numpy's .npz files, each written whole or not at all."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from tarock_env.array_check import FORMAT, FORMS, ArraysError, check_form
from tarock_env.array_rows import ROWS, VERSION, check_rows
from tarock_env.arrays import (
    Arrays, checked_deals, deals_of, decision_rows, join_arrays, num_deals, records_to_arrays, rules_of,
)  # fmt: skip
from tarock_env.files import new_file
from tarock_env.observation import SCHEMA_VERSION
from tarock_env.record import Record, RecordError, read_records
from tarock_env.rules import Rules, RulesError

CHUNK = 4096  # records turned into arrays at a time
CHECKED = 1 << 16  # deals checked at a time
OBSERVED_DEALS = 2000  # deals a file with observations, some 200 MB


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
            content[VERSION] = SCHEMA_VERSION
        with new_file(file, binary=True) as target:
            np.savez(target, **content)
        written.append(file)


def numbered(path: str | Path, number: int) -> Path:
    """The name of file `number` of a corpus: OUT-0001.npz for OUT.npz."""
    whole = Path(path)
    return whole.with_name(f"{whole.stem}-{number:04d}{whole.suffix}")


def read_corpus(path: str | Path, rows: bool = True) -> Arrays:
    """The arrays of a file, row_observation and its kin where it has them. Raises ArraysError, and OSError for a file that is not there.

    Its arrays are whole and every number is within its limits; whether the actions are legal is found by playing them. Where there are rows
    the deals are played, and the rows must be what they give. rows: False leaves them out, unread. Rules that are not known here are no
    fault yet.
    """
    with Path(path).open("rb") as source:
        try:
            with np.load(source, allow_pickle=False) as file:
                arrays: Arrays = {name: file[name] for name in file.files if rows or not name.startswith(ROWS)}
        except Exception as error:  # zipfile, zlib, struct, tokenize and numpy have each their own
            raise ArraysError(f"{path}: no corpus of arrays, or cut off ({' '.join(str(error).split())[:80]})") from None
    if str(arrays.get("format")) != FORMAT:
        raise ArraysError(f"{path}: no corpus of arrays; this version of Tarock reads {FORMAT}")
    try:
        check_form(arrays)
        rules = _rules_of(arrays)
        sound = arrays | _checked(arrays, rules)
    except ArraysError as error:
        raise ArraysError(f"{path}: damaged: {error}") from None
    try:
        check_rows(sound, rules)
    except ArraysError as error:
        raise ArraysError(f"{path}: {error}; read_corpus(path, rows=False) leaves the rows out, decision_rows makes them anew") from None
    return sound


def _rules_of(arrays: Arrays) -> Rules | None:
    """The rules of a corpus; None where they are not known here."""
    try:
        return rules_of(arrays)
    except RulesError:
        return None


def _checked(arrays: Arrays, rules: Rules | None) -> Arrays:
    """What `read_corpus` promises of the deals, rules known or not."""
    check_form(arrays, rules)
    for start in range(0, num_deals(arrays), CHECKED):
        checked_deals(arrays, start, start + CHECKED, rules)
    return {name: np.ascontiguousarray(arrays[name], kind) for name, (_, kind) in FORMS.items()}


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
