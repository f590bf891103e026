import os
from dataclasses import replace

import numpy as np
import psutil
import pytest

from tarock_env.rules import load_rules
from tests.training.conftest import small_config
from training.bench.engine import aec_speed, bot_seconds, full_length_rules, observation_speed, openspiel_speed, random_play_speed
from training.bench.figures import Figure, to_json
from training.bench.learning import training_speed
from training.bench.memory import peak_memory, toml, used_by
from training.bench.scaling import AXES, Point, default_config, draw, fitted, measure, points_json
from training.bench.work import row_work
from training.config_file import load_config


def test_a_figure_knows_whether_its_goal_is_met():
    assert Figure("speed", 20.0, "rows/s", 10.0).met is True
    assert Figure("speed", 5.0, "rows/s", 10.0).met is False
    assert Figure("time", 5.0, "s", 10.0, at_most=True).met is True
    assert Figure("time", 50.0, "s", 10.0, at_most=True).met is False
    assert Figure("for reading", 1.0, "s").met is None
    written = to_json([Figure("time", 50.0, "s", 10.0, at_most=True)], {"cores": 2})
    assert written["figures"] == [{"name": "time", "value": 50.0, "unit": "s", "goal": 10.0, "at_most": True, "met": False}]


def test_engine_figures_count_something_everywhere():
    rules = load_rules("juegatu")
    assert random_play_speed(rules, 2, 0.05) > 1000
    assert observation_speed(rules, 2, 0.05) > 1000
    assert aec_speed(rules, 0.05) > 0
    assert 0 < bot_seconds("rule", 5) < 10
    assert 0 < bot_seconds("level:6", 5) < 10


def test_openspiel_plays_the_same_kind_of_deal():
    pytest.importorskip("pyspiel")
    assert openspiel_speed(0.1) > 100
    kept = {contract.name for contract in full_length_rules().contracts}
    assert kept == {"all_beggars", "call_three", "call_two", "call_one", "solo_three", "solo_two", "solo_one"}


@pytest.mark.usefixtures("_ray")
def test_training_and_the_bare_loop_take_turns():
    turns = []
    speeds = training_speed(small_config(), turns.append)
    assert turns == list(range(1, len(turns) + 1))
    assert speeds["training"] < min(speeds["sampling"], speeds["learning"])
    assert speeds["ratio"] == pytest.approx(speeds["training"] / speeds["bare"], rel=0.9)


def test_memory_counts_this_process():
    resident = psutil.Process().memory_info().rss
    children = sum(child.memory_info().rss for child in psutil.Process().children(recursive=True))
    assert 20 * 2**20 < used_by(os.getpid()) <= 1.05 * (resident + children)
    assert used_by(2**22 + 1) == 0


def test_a_config_survives_the_way_through_toml(tmp_path):
    config = small_config()
    settings = config.model_dump(by_alias=True, mode="json", exclude_none=True)
    (tmp_path / "config.toml").write_text(toml(settings))
    assert load_config(tmp_path / "config.toml") == config


def test_peak_memory_of_a_run_is_that_of_its_processes():
    assert peak_memory(small_config(), iterations=1) > 100 * 2**20
    with pytest.raises(RuntimeError, match="unknown"):
        peak_memory(small_config(run={"algorithm": "ppo"}, imitation={"teacher": "nobody", "iterations": 1}), iterations=1)


def test_a_rows_work_is_that_of_the_page():
    assert row_work(default_config()) == 7_140_352  # docs/performance.md adds it up part by part


def test_a_model_fits_the_points_it_is_made_for():
    base, axis = default_config(), AXES[0]
    points = [Point(axis.key, value, 1.0, 1 / (0.8 + 400 / value)) for value in axis.values]
    np.testing.assert_allclose(fitted(points, axis, base), (0.8, 400), rtol=1e-6)
    falling = [Point(axis.key, value, 1.0, 1 / (0.8 + value / 1e5)) for value in axis.values]
    assert fitted(falling, axis, base)[1] == 0  # a cost is never negative


@pytest.mark.usefixtures("_ray")
def test_settings_take_turns_with_the_default(tmp_path):
    axes = (replace(AXES[0], values=(16, 32)), replace(AXES[1], values=(16, 32), to=64))
    base = small_config(run={"iterations": 100})
    counts = []
    points = measure(base, lambda done, total: counts.append((done, total)), axes)
    assert [(point.axis, point.value) for point in points] == [(axis.key, value) for axis in axes for value in axis.values]
    assert all(point.ratio > 0 and point.decisions_per_second > 0 for point in points)
    assert counts == [(done, 4) for done in (1, 2, 3, 4)]
    draw(points, base, tmp_path / "scaling.png", axes)
    assert (tmp_path / "scaling.png").stat().st_size > 5000
    assert set(points_json(points, base, {}, axes)["models"]) == {"deals_in_lockstep", "width"}
