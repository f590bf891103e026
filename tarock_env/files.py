"""Writing files: whole or not at all, and asked before the work whether it will be possible.

`check_target` comes before an hour of work, `write_text` after it; `new_file` is for what is written piece by piece.
"""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def check_target(path: str | Path) -> None:
    """Find out whether a file could be written: its folder is there and takes files, it is no folder itself and not write-protected.

    Nothing is left behind. Raises OSError whose text and file name say what is wrong and where.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder; give the name of a file", str(target))
    if target.exists():
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "write-protected", str(target))
        if not target.is_file():  # a device or pipe, such as /dev/stdout
            return
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder; make it first", str(target.parent))
    trial = _temporary(folder)
    try:
        trial.touch(exist_ok=False)
    except OSError as error:
        raise _of(error, target.parent) from None
    finally:
        with suppress(OSError):
            trial.unlink(missing_ok=True)


@contextmanager
def new_file(path: str | Path, binary: bool = False) -> Iterator[IO[Any]]:
    """A file open for writing (UTF-8 text, or bytes) that gets its name when it is whole and on the disk.

    Until then, and where anything fails, an older file of that name stays as it was. A link stays a link; a device or pipe is written
    to directly. Raises OSError naming `path`, not the temporary file beside it.
    """
    target = Path(path)
    mode, encoding = ("wb", None) if binary else ("w", "utf-8")
    if target.exists() and not target.is_file():
        try:
            with target.open(mode, encoding=encoding) as file:
                yield file
        except OSError as error:
            raise (_of(error, target) if error.filename is None else error) from None
        return
    whole = Path(os.path.realpath(target))
    temporary = _temporary(whole.parent)
    try:
        with temporary.open(mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if whole.exists():
            shutil.copymode(whole, temporary)
        temporary.replace(whole)
        sync_folder(whole.parent)
    except OSError as error:
        raise (_of(error, target) if error.filename in (None, str(temporary)) else error) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a whole file as `new_file` does. Raises OSError."""
    with new_file(path) as file:
        file.write(text)


def why_not(folder: Path, fault: str) -> str:
    """Why a folder is not what it was taken for: it is not there, or `fault`."""
    return f"{folder}: {fault if folder.exists() else 'no such folder'}"


def in_words(error: Exception) -> str:
    """What an error says, without the number that an OSError puts in front and the file name behind."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk: without it, a renamed file may have its old name again after a power cut."""
    with suppress(OSError):  # not every file system can
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _temporary(folder: Path) -> Path:
    """A name that nobody has; short, since the file's own name may be as long as names can be."""
    return folder / f".tarock-{os.getpid()}-{secrets.token_hex(4)}.tmp"


def _of(error: OSError, path: Path) -> OSError:
    """The same error about another file; an error without a number is left alone."""
    return error if error.errno is None else OSError(error.errno, error.strerror, str(path))
