"""How this process returns memory to the system: not at all while it trains.

An update allocates and frees the same activations thousands of times a minute. The C library hands blocks of this size back to the
system at once, and every page must then be mapped and cleared again: a sixth of an update's time where that was measured.
"""

from __future__ import annotations

import ctypes
import sys

# Numbers of <malloc.h>. The threshold may not exceed 32 MiB: glibc refuses more.
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3
LARGEST_THRESHOLD = 32 * 2**20
NEVER = 2**31 - 1
PAD = 64 * 2**20


def keep_freed_memory() -> bool:
    """Let freed blocks of up to 32 MiB stay with the process; True where the C library took the settings (glibc does)."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    settings = ((M_MMAP_THRESHOLD, LARGEST_THRESHOLD), (M_TRIM_THRESHOLD, NEVER), (M_TOP_PAD, PAD))
    taken = [mallopt(name, value) for name, value in settings]  # all of them, whatever the first one says
    return bool(min(taken) == 1)
