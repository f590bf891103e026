"""Fitting levels: bisection, tests at several looks, ratings; and the command on a tiny budget."""

from __future__ import annotations

import json
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from agents.arena import deals_hash, play_pair
from agents.grading import drop_failed, grade, range_note, recheck
from agents.ladder import (
    ACCEPT,
    AUDIT,
    CHECK,
    FIT,
    HALVES,
    LEAST_GAP,
    MASTERY,
    MATRIX,
    ROUNDS,
    TESTS,
    Budget,
    Ladder,
    Pair,
    accept,
    challenge,
    deal_seed,
    fit,
    fit_below,
    judge_steps,
)  # fmt: skip
from agents.levels import StrongNetwork, load_level, read_levels, strong_network
from agents.random_bot import RandomBot
from agents.search_bot import SearchBudget
from agents.significance import elo, holm, p_above_zero
from tarock_env.engine.jit import JIT
from tarock_env.rules import load_rules
from tests.agents.bot_files import write_player
from tests.agents.levels_entry import levels_entry, master_entry
from training.ladder import DealCounter, chosen_systems, run_ladder, verdict, write_levels

RULES = load_rules("slovenian3")


def toy_ladder(monkeypatch, strength, seed=1, noise=1.0, reference=0.0):
    """A ladder whose bots have a strength by softness, in SD, and whose deals are noise.

    ladder.seen: (purpose, round, part, seed) of what was played, by any other ladder too.
    """
    seen = []

    def play(self, a, b, deals, purpose, part=0):
        levels = [strength(bot.softness) if hasattr(bot, "softness") else reference for bot in (a, b)]
        deal_seed = self.deal_seed(purpose, part)
        rng = np.random.default_rng(deal_seed)
        halves = levels[0] - levels[1] + noise * np.sqrt(2) * rng.standard_normal((deals, 2))
        self.played(deals)
        seen.append((purpose, self.round, part, deal_seed))
        return Pair(a.name, b.name, halves.mean(axis=1), halves, ((deal_seed, deals),))

    monkeypatch.setattr(Ladder, "play", play)
    monkeypatch.setattr("agents.ladder.bootstrap_mean", normal_interval)
    monkeypatch.setattr("agents.ladder.payoff_unit", lambda *arguments: 10.0)
    ladder = Ladder(RULES, StrongNetwork(None, SimpleNamespace(sha256="0"), None, 1.0), Budget(), seed, RandomBot())
    ladder.seen = seen
    return ladder


def normal_interval(values, seed):
    """Stands in for the bootstrap, which takes seconds for 24,000 deals."""
    mean, width = values.mean(), 2.576 * values.std() / len(values) ** 0.5
    return mean, mean - width, mean + width


def exact_pair(gap, deals):
    """A pair of exactly this gap, in both halves."""
    noise = np.random.default_rng(1).standard_normal(deals)
    points = gap + (noise - noise.mean()) / noise.std()
    return Pair("level 5", "level 4", points, np.stack([points, points], axis=1))


@pytest.mark.parametrize(
    "strength",
    [lambda softness: -0.9 * softness, lambda softness: -0.9 * softness**2, lambda softness: -0.8 * softness**0.5],
    ids=["line", "square", "root"],
)
def test_the_fit_makes_equal_gaps(monkeypatch, strength):
    ladder = toy_ladder(monkeypatch, strength)
    aim = fit(ladder)
    assert sorted(ladder.made) == [1, 2, 3, 4, 5]
    gaps = [strength(ladder.made[level + 1]) - strength(ladder.made[level]) for level in (4, 3, 2, 1)]
    assert np.allclose(gaps, aim, atol=0.04)
    assert len(ladder.probes) <= 4 * Budget().probes
    tests, pairs = accept(ladder, aim)
    assert len(tests) == 2 * len(pairs) == 8
    assert all(test["passed"] for test in tests)


def test_the_gap_puts_level_one_a_little_below_the_reference_within_limits(monkeypatch):
    for reference, aim in ((-0.46, 0.14), (0.3, 0.10), (-2.0, 0.18)):
        assert fit(toy_ladder(monkeypatch, lambda softness: -0.9 * softness, reference=reference)) == pytest.approx(aim, abs=0.02)


def test_steps_are_smaller_where_softness_reaches_less_far(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.36 * softness, reference=-0.46)
    assert fit(ladder) == pytest.approx(0.36 / 4, abs=0.01)
    assert sorted(ladder.made) == [1, 2, 3, 4, 5]


def test_a_small_range_gives_fewer_levels(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.3 * softness)
    fit(ladder)
    assert sorted(ladder.made) in ([3, 4, 5], [2, 3, 4, 5])
    ladder = toy_ladder(monkeypatch, lambda softness: -0.2 * LEAST_GAP * softness)
    fit(ladder)
    assert sorted(ladder.made) == [5]
    assert accept(ladder, 0.1) == ([], [])


def test_a_strength_that_jumps_still_gives_a_level(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.5 * (softness > 0.4), noise=0.2)
    assert 0.2 < fit_below(ladder, 4, 0.1) <= 0.6


def test_levels_that_are_alike_fail_and_are_dropped(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.15 * min(2, round(10 * softness)))
    ladder.made = {5: 0.0, 4: 0.1, 3: 0.2, 2: 0.3, 1: 0.4}
    pairs = challenge(ladder, ACCEPT, 5)
    tests = judge_steps(pairs, 8, 1)
    assert [test["passed"] for test in tests] == [True] * 4 + [False] * 4
    assert [len(pair.points) for pair in pairs] == [3000, 3000, 24000, 24000]  # open tests are looked at again
    drop_failed(ladder, tests)
    assert sorted(ladder.made) == [3, 4, 5]


def test_a_step_that_fails_is_fitted_once_more_on_other_deals(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.6 * softness)
    ladder.made = {5: 0.0, 4: 0.2, 3: 0.21, 2: 0.4, 1: 0.6}  # a probe's luck: level 3 is hardly below level 4
    tests, pairs = accept(ladder, 0.12)
    assert ladder.round == 1
    assert ladder.made[4] == 0.2
    assert ladder.made[3] == pytest.approx(0.4, abs=0.06)
    assert sorted(ladder.made) == [1, 2, 3, 4, 5]
    assert all(test["passed"] for test in tests)
    seeds = [seed for pair in pairs for seed, _ in pair.sets]
    assert len(set(seeds)) == len(seeds) >= len(pairs)
    assert {probe["round"] for probe in ladder.probes} == {1}
    ladder = toy_ladder(monkeypatch, lambda softness: -0.15 * min(2, round(10 * softness)))
    ladder.made = {5: 0.0, 4: 0.1, 3: 0.2, 2: 0.3, 1: 0.4}
    accept(ladder, 0.1)
    assert sorted(ladder.made) == [3, 4, 5]  # there is nothing below


def test_the_note_quotes_the_softest_probe_of_the_last_round(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: 0.0)
    ladder.made, ladder.round = {5: 0.0, 4: 0.4}, 1
    rows = (0, 3, 1.0, 0.09), (1, 4, 1.0, 0.08), (1, 3, 0.8, 0.04), (1, 3, 1.0, 0.03), (1, 3, 0.9, 0.02)
    ladder.probes = [dict(zip(("round", "level", "softness", "gap_sd"), row, strict=True)) for row in rows]
    note = "below level 4 the softest play is 0.030 SD weaker, 0.100 was aimed at"
    assert range_note(ladder, ladder.made, 0.1, []) == note
    ladder.round = 0
    assert "0.090 SD weaker" in range_note(ladder, ladder.made, 0.1, [])


@pytest.mark.parametrize(
    ("corrected", "note"),
    [
        ((0.001, 0.002), "level 3 lies 0.210 SD below level 4 on fresh deals, outside 0.05 to 0.20"),
        ((0.001, 0.02), "level 3 was not shown to be below level 4 on fresh deals"),
    ],
)
def test_the_note_says_why_a_level_was_dropped(monkeypatch, corrected, note):
    ladder = toy_ladder(monkeypatch, lambda softness: 0.0)
    fitted = ladder.made = dict.fromkeys((5, 4, 3, 2, 1), 0.0)
    tests = [{"b": f"level {level}", "passed": level > 3, "p_corrected": 0.001, "gap_sd": 0.1} for level in (4, 4, 2, 2, 1, 1)]
    tests += [{"b": "level 3", "passed": False, "p_corrected": p, "gap_sd": 0.21} for p in corrected]
    drop_failed(ladder, tests)
    assert range_note(ladder, fitted, 0.1, tests) == note
    ladder.made = fitted
    assert range_note(ladder, fitted, 0.1, tests) == ""


def test_a_step_that_is_too_large_fails_too(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.5 * softness)
    ladder.made = {5: 0.0, 4: 0.5}
    assert not any(test["passed"] for test in judge_steps(challenge(ladder, ACCEPT, 5), 8, 1))


@pytest.mark.parametrize(
    ("gap", "deals", "accepted", "confirmed"),
    [
        (0.1, 3000, True, True),
        (0.048, 24000, False, True),
        (0.03, 24000, False, False),
        (0.22, 3000, False, True),
        (0.3, 3000, False, False),
    ],
)
def test_a_gap_fails_a_re_test_only_with_its_whole_interval(gap, deals, accepted, confirmed):
    for retest, expected in ((False, accepted), (True, confirmed)):
        tests = judge_steps([exact_pair(gap, deals)], 4, 1, retest)
        assert [test["passed"] for test in tests] == [expected, expected]
        for test in tests:
            assert test["p_corrected"] < 0.01
            assert test["gap_sd"] == pytest.approx(gap)
            assert (test["gap_low"], test["gap_high"]) == pytest.approx((gap - 2.576 / deals**0.5, gap + 2.576 / deals**0.5), abs=0.005)


def test_no_two_purposes_rounds_or_looks_share_deals(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.6 * softness, reference=-0.4)
    aim = fit(ladder)
    fitted = {seed for *_, seed in ladder.seen}
    assert {purpose for purpose, *_ in ladder.seen} == {FIT}
    ladder.seen.clear()
    ladder.made = {5: 0.0, 4: 0.2, 3: 0.31, 2: 0.32, 1: 0.6}  # one small step, which takes more looks, and one that fails
    _, pairs = accept(ladder, aim)
    assert ladder.round == 1
    accepted = [seed for purpose, *_, seed in ladder.seen if purpose == ACCEPT]
    fitted |= {seed for purpose, *_, seed in ladder.seen if purpose == FIT}
    assert len(fitted) == 2  # all probes of a round share theirs
    assert {seed for pair in pairs for seed, _ in pair.sets} < set(accepted)  # fewer: the step that failed is not among the pairs
    assert all(len(pair.points) == sum(deals for _, deals in pair.sets) for pair in pairs)
    assert {(round_, part % 10) for purpose, round_, part, _ in ladder.seen if purpose == ACCEPT} >= {(0, 0), (0, 1), (1, 0)}
    entry = {"weights": {"sha256": "0"}, "unit": 10.0, "fit": {"seed": 1}}
    entry["levels"] = {str(level): {"softness": softness} for level, softness in ladder.made.items()}
    checked = []
    for seed in (1, 2):
        ladder.seen.clear()
        recheck(RULES, entry, ladder.strong, ladder.budget, seed, ladder.reference, lambda deals: None)
        checked += [seed for *_, seed in ladder.seen]
    every = [*fitted, *accepted, *checked]
    assert len(set(every)) == len(every) >= 2 + 6 + 8


def test_seeds_differ_by_purpose_round_and_part():
    purposes = FIT, ACCEPT, MATRIX, AUDIT, CHECK, MASTERY
    every = {deal_seed(seed, *rest) for seed in (1, 2) for rest in product(purposes, range(ROUNDS), range(50))}
    assert len(every) == 2 * len(purposes) * ROUNDS * 50


def test_p_is_corrected_for_looks_rounds_and_a_whole_ladder(monkeypatch):
    pair = exact_pair(0.1, 1383)
    tests = judge_steps([pair], 8, 1)
    for test in tests:
        assert test["p"] == pytest.approx(1e-4, rel=0.02)
        assert test["p_corrected"] == pytest.approx(test["p"] * 8 * 72)
        assert not test["passed"]
    ladder = toy_ladder(monkeypatch, lambda softness: -0.6 * softness)
    ladder.made = {5: 0.0, 4: 0.2, 3: 0.4}
    tests, _ = accept(ladder, 0.12)
    entry = {"weights": {"sha256": "0"}, "unit": 10.0, "fit": {"seed": 1}, "levels": {"5": {"softness": 0.0}, "4": {"softness": 0.2}}}
    again = recheck(RULES, entry, ladder.strong, ladder.budget, 1, ladder.reference, lambda deals: None)
    for trials, rows in ((8, tests), (4, again)):  # a re-test has one round
        assert len(rows) >= 2
        expected = holm([test["p"] * trials for test in rows], 72)
        assert [test["p_corrected"] for test in rows] == pytest.approx(expected, rel=1e-9)


def test_a_re_test_judges_gaps_by_their_intervals_and_acceptance_does_not(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: -0.048 * softness, seed=6)
    ladder.made = {5: 0.0, 4: 1.0}
    monkeypatch.setattr("agents.ladder.ROUNDS", 1)
    assert not any(test["passed"] for test in accept(ladder, 0.1)[0])
    entry = {"weights": {"sha256": "0"}, "unit": 10.0, "fit": {"seed": 1}, "levels": {"5": {"softness": 0.0}, "4": {"softness": 1.0}}}
    tests = recheck(RULES, entry, ladder.strong, ladder.budget, 6, ladder.reference, lambda deals: None)
    assert [(test["gap_sd"] < LEAST_GAP < test["gap_high"], test["passed"]) for test in tests] == [(True, True)] * 2


def test_no_level_passes_by_chance_more_often_than_it_may(monkeypatch):
    ladder = toy_ladder(monkeypatch, lambda softness: 0.0)
    ladder.budget = Budget.of(100)  # few deals, whose gaps reach the limits by luck: p alone must keep levels out
    passed = 0
    for seed in range(400):
        ladder.seed, ladder.made = seed, {5: 0.0, 4: 0.1}
        passed += any(test["passed"] for test in judge_steps(challenge(ladder, ACCEPT, 5), 8, 1))
    assert passed == 0


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.01, 0.04], family=4) == pytest.approx([0.04, 0.12])
    assert holm([0.9, 0.5]) == [1.0, 1.0]
    assert holm([]) == []
    assert TESTS == 72


def test_p_values_are_uniform_where_nothing_is_there():
    rng = np.random.default_rng(1)
    p = np.sort([p_above_zero(rng.normal(0, 3, 400)) for _ in range(1000)])
    assert np.abs(p - np.linspace(0, 1, 1000)).max() < 0.06
    assert p_above_zero(np.full(9, 1.0)) == 0
    assert p_above_zero(np.zeros(9)) == 1


def test_elo_returns_the_ratings_that_games_were_made_with():
    ratings = {"a": 200.0, "b": 0.0, "c": -100.0}
    wins = {}
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        share = 1 / (1 + 10 ** ((ratings[b] - ratings[a]) / 400))
        wins[a, b] = 1e6 * share, 1e6 * (1 - share)
    found = elo(wins, "b")
    assert all(found[name] == pytest.approx(rating, abs=0.1) for name, rating in ratings.items())
    assert np.isfinite(elo({("a", "b"): (100.0, 0.0)}, "b")["a"])


def test_halves_of_a_pair_are_who_sits_alone():
    result = play_pair(RandomBot(), RandomBot(), RULES, 30, 3)
    assert result.halves.shape == (30, 2)
    np.testing.assert_allclose(result.points, result.halves.mean(axis=1))


def test_deals_have_a_hash_that_their_number_seed_and_rules_change():
    known = deals_hash(RULES, 1, 20)
    assert known == deals_hash(RULES, 1, 20)
    assert len({known, deals_hash(RULES, 2, 20), deals_hash(RULES, 1, 21), deals_hash(load_rules("slovenian4"), 1, 20)}) == 4


def no_audit(bot, rules, deals, seed):
    """Stands in for the audit, whose kernels take long to compile."""
    return {"decisions": deals, "mistakes": {}, "above_forced": 0.5, "contracts": {"beggar": {"share": 0.5}}}


TINY = Budget(probe=12, probes=2, looks=(8, 12), matrix=6, audit=4)


def test_an_entry_has_every_figure_and_can_be_checked(tmp_path):
    strong = strong_network("slovenian3", write_player(tmp_path / "all.safetensors"))
    played = []
    entry = grade(RULES, strong, TINY, 1, RandomBot(), played.append, no_audit)
    assert sum(played) >= 2 * TINY.probe
    assert entry["weights"]["sha256"] == strong.manifest.sha256
    kept = sorted(entry["levels"])
    assert kept[-1] == "5"
    assert entry["note"] or len(kept) == 5
    assert len(entry["matrix"]) == len(kept) * (len(kept) + 1) // 2
    assert set(entry["elo"]) == {"random", *(f"level {level}" for level in kept)}
    assert [row["risk"] for row in entry["risk"]] == ["cautious", "normal", "bold"]
    assert entry["levels"]["5"]["bidding"] == {"above_forced": 0.5, "contracts": {"beggar": {"share": 0.5}}}
    assert entry["levels"]["5"]["audit"]["deals"] == 4 * TINY.audit
    assert entry["deals"]["fit"]["sha256"] == deals_hash(RULES, entry["deals"]["fit"]["seed"], 12)
    assert json.loads(json.dumps(entry)) == entry
    entry["levels"] = {"5": {"softness": 0.0}, "4": {"softness": 0.5}}
    tests = recheck(RULES, entry, strong, TINY, 1, RandomBot(), played.append)
    assert [test["half"] for test in tests] == list(HALVES)
    assert all(test["gap_low"] <= test["gap_sd"] <= test["gap_high"] for test in tests)


def test_the_master_is_measured_once_and_checked_on_other_deals(tarock, tmp_path, monkeypatch):
    monkeypatch.setattr("training.ladder.MASTER_OPPONENTS", {"random": 2})
    monkeypatch.setattr("agents.levels.MASTER_BUDGET", SearchBudget(worlds=2, history=0, endgame=2, eta=0))
    bot, out = write_player(tmp_path / "all.safetensors"), tmp_path / "levels.json"
    asked = ("ladder", "--master", "--rules", "slovenian3", "--weights", bot, "--out", out, "--deals", 12)
    code, _, err = tarock(*asked)
    assert (code, err.count("\n")) == (2, 1)
    assert "no levels of slovenian3 yet; run tarock ladder --rules slovenian3 first" in err
    strong = strong_network("slovenian3", bot)
    write_levels(out, {"slovenian3": grade(RULES, strong, TINY, 1, RandomBot(), lambda deals: None, no_audit)})
    assert "level 6 of slovenian3 to check" in tarock(*asked, "--check")[2]
    code, text, _ = tarock(*asked)
    assert code == 0
    assert "slovenian3" in text
    made = read_levels(out)["slovenian3"]["master"]
    assert [(row["a"], row["b"], row["deals"]) for row in made["against"]] == [("level 6", "level 5", 12), ("level 6", "random", 6)]
    assert made["against"][0]["deals_sha256"] == deals_hash(RULES, made["against"][0]["deals_seed"], 12)
    measured = []
    monkeypatch.setattr("training.ladder.grade_master", lambda rules, *_: measured.append(rules.id) or made)
    for deals, again in ((12, []), (10, []), (24, ["slovenian3"])):  # what is there is not measured again, unless on fewer deals
        measured.clear()
        assert tarock(*asked[:-1], deals)[0] == 0
        assert measured == again
    monkeypatch.undo()
    monkeypatch.setattr("training.ladder.MASTER_OPPONENTS", {"random": 2})
    monkeypatch.setattr("agents.levels.MASTER_BUDGET", SearchBudget(worlds=2, history=0, endgame=2, eta=0))
    assert tarock(*asked, "--check")[0] == 0
    assert read_levels(out)["slovenian3"]["master"] == made
    other = write_player(tmp_path / "other.safetensors", seed=9)
    for more in ((), ("--check",)):  # figures of another network are refused
        code, _, err = tarock(*asked[:4], "--weights", other, "--out", out, "--deals", 12, *more)
        assert (code, err.count("\n")) == (2, 1)
        assert "slovenian3: the levels were fitted to another network than" in err
        assert read_levels(out)["slovenian3"]["master"] == made
    low, high = ({"low": value, "high": value} for value in (1.0, -1.0))
    assert (verdict(low), verdict(high), verdict({"low": -1.0, "high": 1.0})) == ("stronger", "weaker", "not shown to differ")


def test_a_system_named_twice_is_taken_once():
    assert chosen_systems(["wiener", "juegatu", "wiener"], None) == ["wiener", "juegatu"]


def test_calls_for_different_systems_can_run_side_by_side(tmp_path, monkeypatch):
    bot, out = write_player(tmp_path / "all.safetensors"), tmp_path / "levels.json"

    def grade_beside_another_call(rules, *arguments):
        write_levels(out, read_levels(out) | {"wiener": levels_entry()})
        return levels_entry()

    monkeypatch.setattr("training.ladder.grade", grade_beside_another_call)
    run_ladder([RULES], bot, out, TINY, 1, lambda done, total: None)
    assert sorted(read_levels(out)) == [RULES.id, "wiener"]


@pytest.mark.parametrize(("network", "kept"), [("the same", True), ("another", False)])
def test_a_system_fitted_anew_keeps_what_level_six_gains_with_the_same_network(tmp_path, monkeypatch, network, kept):
    bot, out = write_player(tmp_path / "all.safetensors"), tmp_path / "levels.json"
    sha256 = strong_network(RULES.id, bot).manifest.sha256
    master = master_entry(sha256 if network == "the same" else "0")
    write_levels(out, {RULES.id: levels_entry(sha256, note="made with another budget", master=master)})
    monkeypatch.setattr("training.ladder.grade", lambda *arguments: levels_entry(sha256))
    run_ladder([RULES], bot, out, TINY, 1, lambda done, total: None)
    assert read_levels(out) == {RULES.id: levels_entry(sha256) | ({"master": master} if kept else {})}


def test_progress_never_reaches_a_total_that_grows():
    seen = []
    counter = DealCounter(lambda done, total: seen.append((done, total)), 2, Budget(probe=10, looks=(10, 20), matrix=1))
    each = Budget(probe=10, looks=(10, 20), matrix=1).expected()
    for _ in range(20):
        counter.played(10)
    counter.next_system()
    counter.played(5)
    assert seen[0] == (10, 2 * each)
    assert seen[19] == (200, 210 + each)
    assert seen[20] == (205, 200 + each)
    assert all(done < total for done, total in seen)


@pytest.mark.skipif(not JIT, reason="it fits levels of two systems: thousands of deals, which need compiled kernels")
def test_the_command_resumes_checks_and_names_mistakes(tarock, tmp_path, monkeypatch):
    monkeypatch.setattr("training.ladder.REFERENCE", "random")
    graded = []

    def grade_quickly(rules, *arguments):
        graded.append(rules.id)
        return partial(grade, audited=no_audit)(rules, *arguments)

    monkeypatch.setattr("training.ladder.grade", grade_quickly)
    bot, out = write_player(tmp_path / "all.safetensors"), tmp_path / "levels.json"
    asked = ("--weights", bot, "--out", out, "--deals", 10)
    code, text, _ = tarock("ladder", "--rules", "slovenian3", *asked)
    assert code == 0
    assert "slovenian3, player" in text
    assert tarock("ladder", *asked)[0] == 0  # all systems of the network: the first is there already
    assert graded == ["slovenian3", "juegatu"]
    systems = read_levels(out)
    assert sorted(systems) == ["juegatu", "slovenian3"]
    assert load_level("juegatu", 5, folder=tmp_path).softness == 0
    assert not list(tmp_path.glob("*.tmp"))

    systems["juegatu"]["levels"]["4"] = systems["juegatu"]["levels"]["5"]  # cannot be shown to be weaker
    systems["juegatu"]["elo"]["level 4"] = 0.0
    write_levels(out, systems)
    code, text, _ = tarock("ladder", "--check", "--rules", "juegatu", *asked)
    assert code == 1
    assert "FAILED" in text

    code, text, _ = tarock("ladder", "--check", "--rules", "juegatu", "--rules", "slovenian3", "--rules", "juegatu", *asked)
    assert (code, text.count("juegatu")) == (1, 2)  # one step, twice tested, once asked for
    for system in systems.values():
        system["levels"] = {"5": system["levels"]["5"]}
    write_levels(out, systems)
    code, text, _ = tarock("ladder", "--check", *asked)
    assert code == 0
    assert text.endswith("no step to test, since there is only level 5: juegatu, slovenian3\n")

    for arguments, message in (
        (("--check", "--rules", "wiener", *asked), "levels.json: no levels of wiener to check; it has juegatu, slovenian3"),
        (("--check", "--out", tmp_path / "none.json", "--weights", bot), "none.json: no levels to check; run tarock ladder"),
        (("--rules", "wiener", *asked), "no action values for wiener"),
        (("--rules", "wine", *asked), "did you mean wiener?"),
        (("--deals", 1), "--deals"),
    ):
        code, text, err = tarock("ladder", *arguments)
        assert (code, text) == (2, "")
        assert message in err
        assert err.count("\n") == 1
