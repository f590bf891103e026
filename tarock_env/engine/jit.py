"""The only module that knows numba: how kernels are compiled, cached and debugged.

Two switches, both read at import:

    TAROCK_DEBUG=1        bounds checks on, cache off
    NUMBA_DISABLE_JIT=1   numba's own: kernels run as plain Python (coverage, warnings, stepping through)

numba's cache looks only at the file of the cached function. A kernel here calls kernels of other files, so the cache folder
is named by a hash over all sources that a kernel can depend on; an edit to one of them starts a new folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.extending import intrinsic

JIT = not numba.config.DISABLE_JIT
DEBUG = os.environ.get("TAROCK_DEBUG", "") not in ("", "0")


# In import order: a kernel can only depend on its own package and on those before it.
PACKAGES = ("tarock_env", "agents", "training")
# Where kernels take their constants from, beside the files that hold kernels.
CONSTANTS = ("actions.py", "cards.py", "rules/schema.py", "rules/table.py")


@cache
def _cache_folder(package: str) -> str:
    """Folder for the compiled kernels of a package, keyed by every source that they can depend on."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(numba.__version__.encode())
    for name in PACKAGES[: PACKAGES.index(package) + 1] if package in PACKAGES else PACKAGES:
        constants = {root / "tarock_env" / path for path in CONSTANTS}
        for path in sorted((root / name).rglob("*.py")):
            text = path.read_bytes()
            if name != "tarock_env" or b"@kernel" in text or path in constants or path.parent.name == "engine":
                digest.update(str(path.relative_to(root)).encode() + b"\0" + text)
    base = os.environ.get("TAROCK_CACHE_DIR") or Path.home() / ".cache" / "tarock"
    return str(Path(base) / f"kernels-{digest.hexdigest()[:16]}")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` on first call: nopython, releases the GIL, integer division without checks, cached on disk."""
    if DEBUG:
        return numba.njit(nogil=True, boundscheck=True, error_model="numpy")(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _cache_folder(function.__module__.partition(".")[0])
    try:
        return numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before


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
