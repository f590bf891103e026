"""Is this rule system sound? `check_rules(rules)`, or on the command line

    tarock check-rules my_rules.py [--rule option=value ...]
    python -m tarock_env.rules.check my_rules.py [option=value ...]

The data is read first: numbers that do not fit, contracts that nobody can play, bonuses that are never paid, settings and options without
effect. A system whose data holds together is then played, towards each contract in turn, and every state and payment is checked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tarock_env.rules import Rules, RulesError, Value, load_rules, option_effects, parse_value
from tarock_env.rules.check_data import data_doubts, data_faults, option_faults
from tarock_env.rules.check_play import Trial
from tarock_env.rules.schema import Announcer

DEALS_PER_CONTRACT = 24


@dataclass(frozen=True)
class Report:
    """What `check_rules` found, one line each. faults: what is wrong. doubts: what may be meant, but looks like a slip; looked for
    where there is no fault in the data.

    deals: how many were played; contracts: how many of them in each contract, settled: in how many each item was paid.
    """

    rules: Rules
    faults: tuple[str, ...]
    doubts: tuple[str, ...]
    deals: int = 0
    contracts: Mapping[str, int] = field(default_factory=dict)
    settled: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there is no fault."""
        return not self.faults

    def __str__(self) -> str:
        played = f"{self.deals} deals in {len(self.contracts)} contracts" if self.deals else "not played"
        lines = [f"{self.rules.id}: {self.rules.title}, version {self.rules.version}; {played}"]
        lines += [f"fault: {fault}" for fault in self.faults]
        lines += [f"doubt: {doubt}" for doubt in self.doubts]
        if not self.faults and not self.doubts:
            lines.append("nothing found")
        return "\n".join(lines)


def check_rules(rules: Rules, deals: int | None = None, seed: int = 1, progress: Callable[[int, int], None] | None = None) -> Report:
    """Check a rule system's data, then play it; see the head of this module.

    deals: how many to play, by default some for each contract; fewer may miss what is rare. seed: of the deals; the same arguments give
    the same report. progress: called now and then with (finished deals, all deals).

    Never raises for faulty rules: every fault is a line of the report.
    """
    faults = list(data_faults(rules))
    if not faults and not rules.chosen:
        faults += option_faults(rules, option_effects(rules.id))
    if faults:
        return Report(rules, tuple(faults), ())
    doubts = list(data_doubts(rules))
    trial = Trial(rules, DEALS_PER_CONTRACT * len(rules.contracts) if deals is None else deals, seed)
    trial.play(progress)
    faults += (f"{finding} (deal {row} of seed {seed})" for finding, row in trial.findings.items())
    if not faults:
        doubts += (f"contract {c.name} was not played in {trial.num_deals} deals" for c in rules.contracts if c.name not in trial.contracts)
        doubts += (
            f"bonus {bonus.name} was not paid in {trial.num_deals} deals"
            for bonus in rules.bonuses
            if bonus.name not in trial.settled and bonus.announcer != Announcer.HOLDER
        )
    return Report(rules, tuple(faults), tuple(doubts), trial.num_deals, trial.contracts, trial.settled)


def main(arguments: Sequence[str]) -> int:
    """Check the system of the first argument with the options of the others. Returns 0, 1 for faults, 2 for a user's mistake."""
    if not arguments or "=" in arguments[0]:
        print("usage: python -m tarock_env.rules.check RULES [option=value ...]; RULES is an id, a file or a module", file=sys.stderr)
        return 2
    options: dict[str, Value] = {}
    for argument in arguments[1:]:
        key, equals, value = argument.partition("=")
        if not equals:
            print(f"{argument}: write option=value", file=sys.stderr)
            return 2
        if key in options:
            print(f"{argument}: {key} is given twice; once is enough", file=sys.stderr)
            return 2
        options[key] = parse_value(value)
    try:
        rules = load_rules(arguments[0], options)
    except RulesError as error:
        print(error, file=sys.stderr)
        return 2
    report = check_rules(rules)
    print(report)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
