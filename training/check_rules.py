"""`tarock check-rules`: the checks of tarock_env.rules.check over several rule systems, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tarock_env.rules import Rules
from tarock_env.rules.check import DEALS_PER_CONTRACT, Report, check_rules

Progress = Callable[[int, int], None]


def check_systems(systems: Sequence[Rules], deals: int | None, seed: int, progress: Progress | None = None) -> list[Report]:
    """One report a system. deals: of each, by default some for each contract. progress(done, total) counts deals of all of them."""
    sizes = [DEALS_PER_CONTRACT * len(rules.contracts) if deals is None else deals for rules in systems]
    reports: list[Report] = []
    for number, (rules, size) in enumerate(zip(systems, sizes, strict=True)):

        def reported(done: int, total: int, before: int = sum(sizes[:number])) -> None:
            if progress is not None:
                progress(before + done, sum(sizes))

        reports.append(check_rules(rules, size, seed, reported))
    return reports


def report_text(reports: Sequence[Report]) -> str:
    """For people: each report, and what they come to together."""
    faults, doubts = sum(len(report.faults) for report in reports), sum(len(report.doubts) for report in reports)
    of = [report.rules.id for report in reports if not report.ok]
    found = f"{counted(faults, 'fault')} in {', '.join(of)}" if faults else "no faults"
    return "\n\n".join(map(str, reports)) + f"\n\n{counted(len(reports), 'rule system')} checked: {found}, {counted(doubts, 'doubt')}"


def report_json(reports: Sequence[Report], seed: int) -> dict[str, Any]:
    """For programs: faults and doubts, and how often each contract and item was met, by system."""
    return {
        "seed": seed,
        "systems": {
            report.rules.id: {
                "version": report.rules.version,
                "options": dict(report.rules.chosen),
                "ok": report.ok,
                "faults": list(report.faults),
                "doubts": list(report.doubts),
                "deals": report.deals,
                "contracts": dict(report.contracts),
                "settled": dict(report.settled),
            }
            for report in reports
        },
    }


def counted(number: int, what: str) -> str:
    """3 faults, 1 fault, no faults."""
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
