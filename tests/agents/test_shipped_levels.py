"""The levels that ship: made from the network that ships, every step tested, and played as the file says."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest

import agents
from agents.arena import deals_hash
from agents.audit import audit
from agents.ladder import LEAST_GAP, MOST_GAP, ROUNDS, TESTS, Budget, budget_row
from agents.levels import LEVELS_FILE, MASTER, read_levels, weights_of
from agents.significance import holm
from agents.weights import PRETRAINED, critic_path, read_manifest
from tarock_env.batch import DealBatch
from tarock_env.engine.jit import JIT
from tarock_env.engine.view import make_views
from tarock_env.rules import SYSTEMS, load_rules

SHIPPED = read_levels(PRETRAINED / LEVELS_FILE)
SEARCH_GAINS = {"juegatu", "wiener", "slovenian4", "slovenian3", "czech19"}  # where level 6 must be shown to be stronger


def test_every_system_has_levels_of_the_network_that_ships():
    assert sorted(SHIPPED) == sorted(SYSTEMS)
    for system, entry in SHIPPED.items():
        assert entry["weights"]["sha256"] == read_manifest(weights_of(system)).sha256
        assert entry["rules_version"] == load_rules(system).version


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_level_was_shown_to_beat_the_one_below_by_a_fair_step(system):
    entry = SHIPPED[system]
    levels = [f"level {level}" for level in sorted(entry["levels"], reverse=True)]
    assert len(levels) == 5 or entry["note"]
    passed = {(test["a"], test["b"], test["half"]) for test in entry["acceptance"]["tests"] if test["passed"]}
    rows = {(row["a"], row["b"]): row for row in entry["matrix"]}
    for above, below in pairwise(levels):
        assert {(above, below, "alone"), (above, below, "three")} <= passed
        assert LEAST_GAP <= rows[above, below]["gap_sd"] <= MOST_GAP
    assert rows["level 5", "rule"]["low"] > 0


@pytest.mark.parametrize("system", SYSTEMS)
def test_level_six_was_shown_to_beat_level_five_and_the_reference(system):
    entry = SHIPPED[system]["master"]
    network = weights_of(system)
    assert (entry["weights"]["sha256"], entry["critic_sha256"]) == (
        read_manifest(network).sha256,
        read_manifest(critic_path(network)).sha256,
    )
    assert entry["search"] == asdict(agents.load_bot(system, level=MASTER).budget)
    rows = {row["b"]: row for row in entry["against"]}
    assert sorted(rows) == ["level 5", "pimc:100"]
    for row in rows.values():
        assert row["low"] > 0 if system in SEARCH_GAINS else row["points_per_deal"] > 0 and row["high"] > 0
        assert row["low"] < row["points_per_deal"] < row["high"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_tests_are_corrected_for_all_that_a_ladder_may_try(system):
    entry = SHIPPED[system]
    acceptance, tests = entry["acceptance"], entry["acceptance"]["tests"]
    assert entry["fit"]["budget"] == budget_row(Budget())
    assert (acceptance["looks"], acceptance["rounds"], acceptance["holm_family"]) == (len(Budget().looks), ROUNDS, TESTS)
    expected = holm([min(1.0, test["p"] * acceptance["looks"] * acceptance["rounds"]) for test in tests], TESTS)
    assert [test["p_corrected"] for test in tests] == pytest.approx(expected, rel=1e-9)
    assert tests


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_level_plays_a_deal_to_its_end(system):
    for level in SHIPPED[system]["levels"]:
        bot, batch = agents.load_bot(system, level=int(level)), DealBatch(1, load_rules(system), 3)
        rng, rows = np.random.default_rng(1), np.zeros(1, np.int64)
        while not batch.finished.all():
            batch.step(bot.act(make_views(batch.deals, batch.tables, rows), batch.tables, rng))


@pytest.mark.skipif(not JIT, reason="hundreds of deals, which need compiled kernels")
@pytest.mark.parametrize("system", ["juegatu", "slovenian4", "czech19"])
def test_level_five_bids_as_the_file_says(system):
    told = SHIPPED[system]["levels"]["5"]["bidding"]
    seen = audit(agents.load_bot(system, level=5), load_rules(system), 600, seed=12)
    assert seen["above_forced"] == pytest.approx(told["above_forced"], abs=0.08)
    for name, row in told["contracts"].items():
        share = seen["contracts"].get(name, {"share": 0.0})["share"]
        assert share == pytest.approx(row["share"], abs=0.08), name
        assert share > 0 or row["share"] < 0.02, f"{name} has died out"


def test_the_deals_behind_the_figures_are_those_of_the_seeds():
    for system in ("juegatu", "slovenian3"):
        told = SHIPPED[system]["deals"]["matrix"]
        assert deals_hash(load_rules(system), told["seed"], told["deals"]) == told["sha256"]
        for row in SHIPPED[system]["master"]["against"]:
            assert deals_hash(load_rules(system), row["deals_seed"], row["deals"]) == row["deals_sha256"]
