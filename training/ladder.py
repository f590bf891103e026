"""`tarock ladder`: levels for many rule systems, resumable, and their re-test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.base import Bot, load_bot
from agents.grading import check_network, critic_hash, grade, grade_master, recheck
from agents.ladder import Budget, Played, budget_row
from agents.levels import (
    FORMAT,
    MASTER,
    TITLES,
    TOP,
    LevelError,
    StrongNetwork,
    master,
    read_levels,
    strong_network,
    weights_of,
)  # fmt: skip
from agents.weights import read_manifest
from tarock_env.files import write_text
from tarock_env.rules import SYSTEMS, Rules
from training.console import Report, UserError, console, table

REFERENCE = "rule"
# Spec -> times fewer deals than against level 5: what is further off shows sooner, and its deals take three times as long.
MASTER_OPPONENTS = {"pimc:100": 2}
Systems = dict[str, Any]


class DealCounter:
    """Deals played so far, over all systems, for a progress display whose total is an estimate: it grows with looks that others add."""

    def __init__(self, report: Report, systems: int, budget: Budget) -> None:
        self._report = report
        self._left = systems  # the one at work among them
        self._each, self._step = budget.expected(), budget.probe
        self._before = self._now = 0

    def played(self, deals: int) -> None:
        """So many more duplicate deals."""
        self._now += deals
        this = max(self._each, self._now + self._step)
        self._report(self._before + self._now, self._before + this + (self._left - 1) * self._each)

    def next_system(self) -> None:
        """A system is done, with however many deals."""
        self._before += self._now
        self._now = 0
        self._left -= 1


def networks(rules: Sequence[Rules], weights: Path | None) -> dict[str, StrongNetwork]:
    """The network of each system: the given file, or the shipped one. Raises LevelError or BotFileError."""
    found = {}
    for system in rules:
        strong = strong_network(system.id, weights or weights_of(system.id))
        trained = strong.manifest.systems.get(system.id)
        if trained != str(system.version):
            raise LevelError(
                f"{strong.path}: learnt version {trained} of {system.id}, the rules are version {system.version}; train it again"
            )
        found[system.id] = strong
    return found


def run_ladder(rules: Sequence[Rules], weights: Path | None, out: Path, budget: Budget, seed: int, report: Report) -> Systems:
    """Grade every system that the out file does not hold yet with these weights, seed and budget; returns all that it holds then.

    The file is replaced in one step after each system: an interrupted run goes on where it was, and calls for different systems can run
    side by side. A system that is fitted anew to the same network keeps what level 6 gains. Raises LevelError or BotFileError.
    """
    strong = networks(rules, weights)
    systems = read_levels(out)
    todo = [system for system in rules if not _is_made(systems.get(system.id), strong[system.id], budget, seed)]
    counter = DealCounter(report, len(todo), budget)
    for system in todo:
        entry = grade(system, strong[system.id], budget, seed, _reference(), counter.played)
        systems = read_levels(out)  # as it is now: another call may have graded other systems meanwhile
        known = systems.get(system.id, {}).get("master")
        if known and known["weights"]["sha256"] == entry["weights"]["sha256"]:
            entry = entry | {"master": known}  # what level 6 gains is the network's, whatever is fitted below it
        systems[system.id] = entry
        write_levels(out, systems)
        counter.next_system()
    return systems


def _is_made(entry: dict[str, Any] | None, strong: StrongNetwork, budget: Budget, seed: int) -> bool:
    if entry is None:
        return False
    made: tuple[Any, ...] = entry["weights"]["sha256"], entry["fit"]["seed"], entry["fit"]["budget"]
    return made == (strong.manifest.sha256, seed, budget_row(budget))


def check_ladder(
    rules: Sequence[Rules], weights: Path | None, out: Path, budget: Budget, seed: int, report: Report
) -> dict[str, list[dict[str, Any]]]:
    """System -> acceptance tests of the levels that the out file has, on fresh deals. Raises LevelError or BotFileError."""
    systems = read_levels(out)
    if not systems:
        raise LevelError(f"{out}: no levels to check; run tarock ladder")
    for system in rules:
        if system.id not in systems:
            raise LevelError(f"{out}: no levels of {system.id} to check; it has {', '.join(sorted(systems))}")
    strong = networks(rules, weights)
    counter = DealCounter(report, len(rules), budget)
    results = {}
    for system in rules:
        played: Played = counter.played
        results[system.id] = recheck(system, systems[system.id], strong[system.id], budget, seed, _reference(), played)
        counter.next_system()
    return results


def run_master(
    rules: Sequence[Rules], weights: Path | None, out: Path, deals: int, seed: int, report: Report, check: bool = False
) -> Systems:
    """System -> what level 6 gains; into the out file, or with check only measured again on other deals.

    deals: against level 5, and by MASTER_OPPONENTS fewer against the others. A system that the file has with this network, search and
    seed, and as many deals or more, is not measured again. Raises LevelError, also where the file's levels are those of another network,
    or BotFileError.
    """
    pairs = [deals, *(deals // fewer for fewer in MASTER_OPPONENTS.values())]
    strong = networks(rules, weights)
    systems = read_levels(out)
    for system in rules:
        if system.id not in systems:
            raise LevelError(f"{out}: no levels of {system.id} yet; run tarock ladder --rules {system.id} first")
        check_network(system, systems[system.id], strong[system.id])
        if check and "master" not in systems[system.id]:
            raise LevelError(f"{out}: no level {MASTER} of {system.id} to check; run tarock ladder --master --rules {system.id}")
    todo = [system for system in rules if check or not _is_mastered(systems[system.id].get("master"), strong[system.id], pairs, seed)]
    found = {system.id: systems[system.id]["master"] for system in rules if system not in todo}
    done, total = 0, len(todo) * sum(pairs)

    def played(more: int) -> None:
        nonlocal done
        done += more
        report(done, total)

    for system in todo:
        opponents = [load_bot(name) for name in MASTER_OPPONENTS]
        found[system.id] = grade_master(system, strong[system.id], pairs, seed, opponents, played, check)
        if not check:
            systems = read_levels(out)  # as it is now: another call may have measured other systems meanwhile, or fitted this one anew
            check_network(system, systems[system.id], strong[system.id])
            systems[system.id]["master"] = found[system.id]
            write_levels(out, systems)
    return found


def _is_mastered(entry: dict[str, Any] | None, strong: StrongNetwork, pairs: Sequence[int], seed: int) -> bool:
    if entry is None:
        return False
    weights = entry["weights"]["sha256"], entry.get("critic_sha256")
    budget = master(strong).budget
    if (weights, entry["search"], entry["seed"]) != ((strong.manifest.sha256, critic_hash(strong, budget)), asdict(budget), seed):
        return False
    played = {row["b"]: row["deals"] for row in entry["against"]}
    return all(played.get(name, 0) >= deals for name, deals in zip((f"level {TOP}", *MASTER_OPPONENTS), pairs, strict=True))


def show_master(found: Systems) -> None:
    """What level 6 gains, one opponent a line."""
    table(
        f"level {MASTER}, {TITLES[MASTER]}",
        ("rules", "against", ">points a deal", ">deals", ""),
        [
            (name, row["b"], f"{row['points_per_deal']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})", row["deals"], verdict(row))
            for name, entry in found.items()
            for row in entry["against"]
        ],
    )  # fmt: skip


def verdict(row: dict[str, Any]) -> str:
    """What the 99% interval says."""
    return "stronger" if row["low"] > 0 else "weaker" if row["high"] < 0 else "not shown to differ"


def write_levels(path: Path, systems: Systems) -> None:
    """Write levels.json in one step: a reader never meets half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({"format": FORMAT, "systems": systems}, indent=1, sort_keys=True) + "\n")


def _reference() -> Bot:
    return load_bot(REFERENCE)


def show_levels(systems: Systems) -> None:
    """Two tables a system: levels from the strongest down, and how risk settings bid and what they cost."""
    for name, entry in systems.items():
        gaps = {row["a"]: row for row in entry["matrix"] if _next_below(row)}
        against = {row["a"]: row for row in entry["matrix"] if row["b"] == REFERENCE}
        rows = []
        for level in sorted(entry["levels"], reverse=True):
            label = f"level {level}"
            below, rule = gaps.get(label), against.get(label)
            rows.append(
                (
                    label, entry["levels"][level]["title"], f"{entry['levels'][level]['softness']:.3f}",
                    "-" if below is None else f"{below['points_per_deal']:+.2f} ({below['low']:+.2f} to {below['high']:+.2f})",
                    "-" if below is None else f"{below['gap_sd']:.3f}",
                    "-" if rule is None else f"{rule['points_per_deal']:+.2f} ({rule['low']:+.2f} to {rule['high']:+.2f})",
                    f"{entry['elo'][label]:+.0f}",
                )
            )  # fmt: skip
        table(
            f"{name}, {entry['weights']['name']}, {entry['seconds']:.0f} s",
            ("", "", ">softness", ">above the next", ">SD", ">above rule", ">Elo"),
            rows,
        )
        if entry["note"]:
            console.print(f"fewer than five levels: {entry['note']}", markup=False)
        show_risks(entry["risk"])


def show_risks(rows: Sequence[dict[str, Any]]) -> None:
    """How each risk setting bids, and its points a deal against the normal one."""
    table(
        f"risk settings of level {rows[0]['level']}",
        ("", ">bids", ">announcements a deal", ">against normal"),
        [
            (row["risk"], f"{row['bids']:.1%}", f"{row['announcements_per_deal']:.2f}",
             f"{row['points_per_deal']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})" if "low" in row else "-")
            for row in rows
        ],
    )  # fmt: skip


def _next_below(row: dict[str, Any]) -> bool:
    a, b = row["a"].removeprefix("level "), row["b"].removeprefix("level ")
    return a.isdecimal() and b.isdecimal() and int(a) == int(b) + 1


def show_tests(results: dict[str, list[dict[str, Any]]]) -> None:
    """The acceptance tests, one a line, and which systems have none."""
    table(
        "Each level against the one below, fresh deals",
        ("rules", "above", "below", "which", ">points", ">deals", ">p", ">corrected", ""),
        [
            (name, test["a"], test["b"], test["half"], f"{test['points_per_deal']:+.3f}", test["deals"], f"{test['p']:.1e}",
             f"{test['p_corrected']:.1e}", "passed" if test["passed"] else "FAILED")
            for name, tests in results.items()
            for test in tests
        ],
    )  # fmt: skip
    untested = [name for name, tests in results.items() if not tests]
    if untested:
        console.print(f"no step to test, since there is only level {TOP}: {', '.join(untested)}", markup=False)


def chosen_systems(names: Sequence[str], weights: Path | None) -> list[str]:
    """The ids to grade: the given ones, each once, else all that a network plays. Raises UserError where there is none, BotFileError."""
    if names:
        return list(dict.fromkeys(names))
    if weights is not None:
        known = read_manifest(weights).systems
        return [system for system in SYSTEMS if system in known]
    found = [system for system in SYSTEMS if _is_shipped(system)]
    if not found:
        raise UserError("tarock ladder: no network is shipped; train one and name it with --weights FILE")
    return found


def _is_shipped(system: str) -> bool:
    try:
        weights_of(system)
    except LevelError:
        return False
    return True
