import json

import pytest

from training.console import UserError
from training.curve import COLUMNS, draw, joined, read_table, run_points, write_table

SYSTEMS = ("juegatu", "czech19")


def make_run(folder, iterations, decisions_before=None):
    """A run folder with an evaluation at each of the iterations; points are iteration / 100, higher by one on czech19."""
    (folder / "evaluations").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    lines = [json.dumps({"iteration": number, "progress/hours": number / 50}) for number in range(1, max(iterations) + 1)]
    (folder / "curve.jsonl").write_text("\n".join(lines) + '\n{"iteration": 9')  # cut off while being written
    for number in iterations:
        pairs = {
            system: {"pairs": [{"a": "x", "b": "rule", "points_per_deal": number / 100 + shift, "low": -1.0, "high": 2.0, "deals": 256}]}
            for shift, system in enumerate(SYSTEMS)
        }
        content = {"iteration": number, "decisions": number * 1000, "seed": 7, "systems": pairs}
        if decisions_before is not None:
            content["decisions_before"] = decisions_before
        (folder / "evaluations" / f"iteration_{number:06d}.json").write_text(json.dumps(content))
    return folder


def test_a_run_becomes_one_row_an_evaluation_and_system(tmp_path):
    points = run_points(make_run(tmp_path / "all", [25, 50]))
    assert [(p.run, p.system, p.opponent, p.decisions, p.hours, p.points) for p in points] == [
        ("all", "juegatu", "rule", 25_000, 0.5, 0.25),
        ("all", "czech19", "rule", 25_000, 0.5, 1.25),
        ("all", "juegatu", "rule", 50_000, 1.0, 0.5),
        ("all", "czech19", "rule", 50_000, 1.0, 1.5),
    ]


def test_a_warm_start_goes_on_where_the_earlier_training_ended(tmp_path):
    assert {p.decisions for p in run_points(make_run(tmp_path / "b", [25], decisions_before=50_000))} == {75_000}


def test_a_table_keeps_what_is_not_given_again_and_takes_the_newer_figure(tmp_path):
    table = tmp_path / "curves" / "all.csv"
    first = run_points(make_run(tmp_path / "one", [25]))
    write_table(table, first)
    assert table.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert read_table(table) == sorted(first)
    again = run_points(make_run(tmp_path / "again" / "one", [25, 50]))
    write_table(table, joined(read_table(table), joined(again, run_points(make_run(tmp_path / "two", [10])))))
    kept = read_table(table)
    assert len(kept) == 6
    assert {(p.run, p.iteration) for p in kept} == {("one", 25), ("one", 50), ("two", 10)}
    before = table.read_bytes()
    write_table(table, joined(kept, first))
    assert table.read_bytes() == before


def test_a_picture_is_drawn(tmp_path):
    points = joined(run_points(make_run(tmp_path / "one", [25, 50])), run_points(make_run(tmp_path / "two", [10])))
    draw(points, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes_are_one_line(tmp_path):
    with pytest.raises(UserError, match="not a run folder"):
        run_points(tmp_path)
    folder = make_run(tmp_path / "run", [25])
    (folder / "evaluations" / "iteration_000025.json").write_text('{"iteration": 25}')
    with pytest.raises(UserError, match=r"iteration_000025.json: truncated or not an evaluation \('decisions'\)"):
        run_points(folder)
    (folder / "evaluations" / "iteration_000025.json").unlink()
    with pytest.raises(UserError, match="no evaluations yet"):
        run_points(folder)
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    with pytest.raises(UserError, match="its first line must be run,system"):
        read_table(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text(",".join(COLUMNS) + "\nrun,juegatu,rule,many\n")
    with pytest.raises(UserError, match="line 2 is truncated"):
        read_table(tmp_path / "b.csv")
    (tmp_path / "c.csv").write_text(",".join(COLUMNS) + "\n" + 140_000 * "r" + ",juegatu,rule,1,1,0.5,1.0,0.5,1.5,256,7\n")
    with pytest.raises(UserError, match=r"c\.csv: line 2 is truncated"):  # more than a field of the csv module holds
        read_table(tmp_path / "c.csv")
    (tmp_path / "d.csv").write_bytes(",".join(COLUMNS).encode() + b"\n\xff\n")
    with pytest.raises(UserError, match=r"d\.csv: .*no text in UTF-8"):
        read_table(tmp_path / "d.csv")
