"""The ETA of a training run, with a clock of the test's own."""

from types import SimpleNamespace

import pytest

from training import run
from training.config import RunSection
from training.console import Report
from training.run import Run


def reports(
    monkeypatch: pytest.MonkeyPatch, section: RunSection, ticks: list[tuple[float, int]], hours: float = 0.0
) -> list[tuple[int, int]]:
    """What a run reports that has made so many decisions after so many seconds."""
    clock = [0.0]
    monkeypatch.setattr(run.time, "monotonic", lambda: clock[0])
    said: list[tuple[int, int]] = []
    report: Report = lambda done, total: said.append((done, total))  # noqa: E731
    algorithm = SimpleNamespace(train_config=SimpleNamespace(run=section), hours=hours, iteration=0, deals=0, decisions=0)
    training = Run(algorithm, None, None, report)  # type: ignore[arg-type]
    for clock[0], algorithm.decisions in ticks:
        algorithm.iteration += 1
        training._show_progress()
    return said


def test_a_slow_start_is_no_pace_where_the_hours_end_the_run(monkeypatch):
    section = RunSection(decisions=1_000_000, hours=0.1)
    said = reports(monkeypatch, section, [(60, 1000), (70, 2000), (80, 3000), (90, 4000)])
    assert said[0] == (1000, 0)
    assert said[1:] == [(2000, 31_000), (3000, 31_000), (4000, 31_000)]  # 100 a second until second 360


def test_the_budget_of_decisions_is_the_total_where_it_ends_the_run(monkeypatch):
    said = reports(monkeypatch, RunSection(decisions=10_000), [(60, 1000), (61, 2000), (90, 6000)])
    assert said == [(1000, 0), (2000, 10_000), (6000, 10_000)]


def test_a_slow_start_moves_no_budget_of_decisions(monkeypatch):
    section = RunSection(decisions=10_000, hours=1)
    said = reports(monkeypatch, section, [(600, 1000), (601, 2000), (602, 3000)])
    assert said == [(1000, 0), (2000, 10_000), (3000, 10_000)]


def test_hours_alone_are_counted_in_thousandths(monkeypatch):
    said = reports(monkeypatch, RunSection(hours=1), [(360, 1000), (720, 2000)])
    assert said == [(100, 1000), (200, 1000)]
