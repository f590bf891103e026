"""The kernels as plain Python: the same results, and no warning."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tarock_env.rules import SYSTEMS

ROOT = Path(__file__).parent.parent
PLAIN = {**os.environ, "NUMBA_DISABLE_JIT": "1"}


def run(*arguments: str) -> str:
    """Standard output of a Python run without the JIT; fails with its errors."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, env=PLAIN, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_deals_of_every_system_without_the_jit():
    """Engine against oracle, invariants at every decision, no leak."""
    assert run("-m", "tests.without_jit").split("\n")[:-1] == [f"{system} agrees" for system in SYSTEMS]


def test_worked_examples_and_playthroughs_without_the_jit():
    tests = sorted(str(path) for path in (ROOT / "tests").glob("test_worked_examples_*.py"))
    output = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests, str(ROOT / "tests" / "test_playthroughs.py"))
    assert " passed" in output
    assert "skipped" not in output
