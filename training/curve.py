"""Learning curves: points against fixed opponents, with their intervals, over the decisions of one or more training runs.

A curve is a table with one row an evaluation, system and opponent (COLUMNS); `tarock curve` writes it as CSV and draws it. A CSV that
is there already is extended: rows of runs that are not given now are kept, so that a committed file outlives the run folders.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from tarock_env.files import new_file, why_not
from training.console import UserError
from training.drawing import new_figure, panels, save_figure


@dataclass(frozen=True, order=True)
class Point:
    """One evaluation of one system against one opponent.

    run: name of the run folder. decisions: learnt from until then, those before a warm start included. hours: of training, this run
    alone. points, low, high: a deal, with the 99% interval. deals: duplicate deals played. seed: of those deals.
    """

    run: str
    system: str
    opponent: str
    decisions: int
    iteration: int
    hours: float
    points: float
    low: float
    high: float
    deals: int
    seed: int


COLUMNS = tuple(field.name for field in fields(Point))
TYPES = {"str": str, "int": int, "float": float}


def run_points(run_dir: Path) -> list[Point]:
    """All evaluations of a run folder. Raises UserError where there are none or one is damaged."""
    if not (run_dir / "config.json").is_file():
        raise UserError(why_not(run_dir, "not a run folder (no config.json in it), and not a *.csv file"))
    hours = _hours(run_dir)
    points = []
    for path in sorted((run_dir / "evaluations").glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            points += _evaluation_points(run_dir.resolve().name, content, hours)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{path}: truncated or not an evaluation ({' '.join(str(error).split())})") from None
    if not points:
        raise UserError(f"{run_dir}: no evaluations yet; the first comes after evaluation.every iterations")
    return points


def _evaluation_points(run: str, content: dict[str, Any], hours: dict[int, float]) -> list[Point]:
    iteration = int(content["iteration"])
    decisions = int(content["decisions"]) + int(content.get("decisions_before", 0))
    at = round(float(content.get("hours", hours.get(iteration, 0.0))), 4)
    points = []
    for system, result in content["systems"].items():
        for pair in result["pairs"]:
            mean, low, high = (round(float(pair[name]), 4) for name in ("points_per_deal", "low", "high"))
            played = int(pair["deals"]), int(content["seed"])
            points.append(Point(run, system, str(pair["b"]), decisions, iteration, at, mean, low, high, *played))
    return points


def _hours(run_dir: Path) -> dict[int, float]:
    """Hours of training by iteration, from the run's scalars: evaluations of older runs do not say them."""
    path, found = run_dir / "curve.jsonl", {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            entry: dict[str, Any] = json.loads(line)
        except ValueError:  # a run that is under way may be writing this line
            break
        if "progress/hours" in entry:
            found[int(entry["iteration"])] = float(entry["progress/hours"])
    return found


def read_table(path: Path) -> list[Point]:
    """The points of a CSV file. Raises UserError."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        try:
            if tuple(rows.fieldnames or ()) != COLUMNS:
                raise UserError(f"{path}: not a table of tarock curve; its first line must be {','.join(COLUMNS)}")
            points = [Point(**{field.name: TYPES[str(field.type)](row[field.name]) for field in fields(Point)}) for row in rows]
        except UnicodeDecodeError:  # a ValueError too, but files are decoded ahead of the line that is read
            raise UserError(f"{path}: not a table of tarock curve; it is no text in UTF-8") from None
        except (csv.Error, ValueError, TypeError):
            raise UserError(f"{path}: line {rows.reader.line_num} is truncated or has text where a number belongs") from None
    return points


def write_table(path: Path, points: Iterable[Point]) -> None:
    """Write a CSV file, in order of run, system, opponent and decisions; an older file is replaced in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(astuple(point) for point in sorted(points))


def joined(older: Iterable[Point], newer: Iterable[Point]) -> list[Point]:
    """Both together; where two stand for the same evaluation, the newer one."""
    by_key = {(point.run, point.system, point.opponent, point.iteration, point.seed): point for point in (*older, *newer)}
    return sorted(by_key.values())


def draw(points: Sequence[Point], path: Path) -> None:
    """One panel a system: points a deal against each opponent over the decisions, the interval as a band, one line style a run."""
    systems = list(dict.fromkeys(point.system for point in points))
    opponents = list(dict.fromkeys(point.opponent for point in points))
    runs = list(dict.fromkeys(point.run for point in points))
    columns = min(3, len(systems))
    rows = -(-len(systems) // columns)
    figure = new_figure("tarock curve", 1.5 + 4.2 * columns, 1.0 + 2.8 * rows, layout="constrained")
    for number, (system, axes) in enumerate(zip(systems, panels(figure, systems, columns), strict=True)):
        axes.axhline(0, color="0.6", linewidth=0.8)
        if number >= len(systems) - columns:
            axes.set_xlabel("million decisions")
        if number % columns == 0:
            axes.set_ylabel("points a deal")
        for opponent_number, opponent in enumerate(opponents):
            for run_number, run in enumerate(runs):
                line = sorted(
                    (p for p in points if (p.system, p.opponent, p.run) == (system, opponent, run)), key=lambda p: (p.decisions, p.seed)
                )
                if not line:
                    continue
                x = [point.decisions / 1e6 for point in line]
                color, style = f"C{opponent_number % 10}", ("-", "--", "-.", ":")[run_number % 4]
                label = f"against {opponent}" + (f", {run}" if len(runs) > 1 else "")
                axes.plot(x, [p.points for p in line], color=color, linestyle=style, marker=".", markersize=4, linewidth=1.2, label=label)
                axes.fill_between(x, [p.low for p in line], [p.high for p in line], color=color, alpha=0.15, linewidth=0)
    handles = {label: handle for axes in figure.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=min(4, len(handles)), fontsize=9, frameon=False)
    save_figure(figure, path)
