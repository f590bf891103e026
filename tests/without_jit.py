"""A few deals of every rule system with the kernels run as plain Python, warnings as errors: run by tests/test_without_jit.py.

NUMBA_DISABLE_JIT=1 python -W error -m tests.without_jit
"""

from __future__ import annotations

import warnings

from agents.rule_bot import RuleBot
from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.rules import SYSTEMS, load_rules
from tests.agents.test_rule_bot import play_out
from tests.differential import compare_deals
from tests.test_invariants import check_coverage_deals
from tests.test_no_leak import check_deals

COMPARED, CHECKED, MOVED, BOTS = 40, 10, 2, 40


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
        batch = DealBatch(BOTS, load_rules(system), seed=1)
        batch.force_contracts(0.2)
        batch.reset()
        play_out(batch, RuleBot())
        print(system, "agrees")


if __name__ == "__main__":
    main()
