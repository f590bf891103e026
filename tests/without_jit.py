"""A few deals of every rule system with the kernels run as plain Python, warnings as errors: run by tests/test_without_jit.py.

NUMBA_DISABLE_JIT=1 python -W error -m tests.without_jit
"""

from __future__ import annotations

import warnings

from tarock_env.engine.jit import JIT
from tarock_env.rules import SYSTEMS, load_rules
from tests.differential import compare_deals
from tests.test_invariants import check_coverage_deals
from tests.test_no_leak import check_deals

COMPARED, CHECKED, MOVED = 40, 10, 2


def main() -> None:
    assert not JIT, "set NUMBA_DISABLE_JIT=1"
    warnings.simplefilter("error")
    # The generator's arithmetic is meant to wrap.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning, module=r"tarock_env\.engine\.chance")
    for system in SYSTEMS:
        compare_deals(load_rules(system), COMPARED, seed=1)
        check_coverage_deals(system, CHECKED, seed=1)
        found, _ = check_deals(system, MOVED, seed=1)
        assert found == set()
        print(system, "agrees")


if __name__ == "__main__":
    main()
