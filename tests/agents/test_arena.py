import numpy as np
import pytest

from agents.arena import make_seatings, play_pair, play_pairs, score_halves
from agents.base import BOTS, check_spec, load_bot
from agents.intervals import bootstrap_mean
from agents.random_bot import RandomBot
from agents.views import observe_views
from tarock_env.engine.jit import JIT
from tarock_env.rules import load_rules

SYSTEMS = ("juegatu", "oberoesterreichisch")


class FirstLegal:
    """Plays without chance: the legal action with the lowest id, or the highest."""

    def __init__(self, highest=False):
        self.name = "last" if highest else "first"
        self.highest = highest

    def act(self, deals, tables, rng):
        mask = observe_views(deals, tables)[1]
        return 255 - mask[:, ::-1].argmax(axis=1) if self.highest else mask.argmax(axis=1)


def test_seatings_put_each_bot_alone_in_every_seat():
    seatings = make_seatings(4)
    assert seatings.shape == (8, 4)
    assert [list(np.flatnonzero(row == 0)) for row in seatings[:4]] == [[0], [1], [2], [3]]
    assert [list(np.flatnonzero(row == 1)) for row in seatings[4:]] == [[0], [1], [2], [3]]


def test_score_is_half_the_difference_of_the_two_lone_seats():
    payoffs = np.zeros((8, 4), np.int32)
    payoffs[:4][np.arange(4), np.arange(4)] = 12  # A alone wins 2 units at each table ...
    payoffs[4:][np.arange(4), np.arange(4)] = -6  # ... and B alone loses 1
    for row in payoffs:
        row[row == 0] = -row.sum() / 3
    assert score_halves(payoffs, make_seatings(4)).mean(axis=1) == pytest.approx([1.5])


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_bot_without_chance_scores_exactly_zero_against_itself(system):
    result = play_pair(FirstLegal(), FirstLegal(), load_rules(system), 40, seed=1)
    assert (result.points == 0).all()


def test_changing_places_changes_the_sign():
    rules = load_rules("juegatu")
    first, last = FirstLegal(), FirstLegal(highest=True)
    there = play_pair(first, last, rules, 30, seed=3).points
    back = play_pair(last, first, rules, 30, seed=3).points
    assert there.any()
    np.testing.assert_array_equal(there, -back)


def test_the_same_seed_gives_the_same_score_and_fewer_deals_are_the_first_ones():
    rules = load_rules("juegatu")
    deals, fewer = (600, 40) if JIT else (30, 10)  # 600: more than are played at once
    points = play_pair(FirstLegal(), FirstLegal(highest=True), rules, deals, seed=5).points
    np.testing.assert_array_equal(points, play_pair(FirstLegal(), FirstLegal(highest=True), rules, deals, seed=5).points)
    np.testing.assert_array_equal(points[:fewer], play_pair(FirstLegal(), FirstLegal(highest=True), rules, fewer, seed=5).points)
    random = play_pair(RandomBot(), RandomBot(), rules, 50, seed=5).points
    np.testing.assert_array_equal(random, play_pair(RandomBot(), RandomBot(), rules, 50, seed=5).points)


def test_the_report_has_every_pair_and_every_contract():
    reported = []
    result = play_pairs(
        [("random", RandomBot()), ("first", FirstLegal()), ("last", FirstLegal(highest=True))],
        load_rules("oberoesterreichisch"),
        50,
        seed=2,
        report=lambda done, total: reported.append((done, total)),
    )
    assert [(pair["a"], pair["b"], pair["deals"]) for pair in result["pairs"]] == [
        ("random", "first", 50),
        ("random", "last", 50),
        ("first", "last", 50),
    ]
    assert all(pair["low"] <= pair["points_per_deal"] <= pair["high"] for pair in result["pairs"])
    assert reported[-1] == (150, 150)
    for contracts in result["contracts"].values():
        assert sum(row["share"] for row in contracts.values()) == pytest.approx(1)
        assert all(row["won"] is None or 0 <= row["won"] <= 1 for row in contracts.values())
    declared = sum(row["deals"] for contracts in result["contracts"].values() for row in contracts.values())
    assert declared == 3 * 50 * 8  # every table has one declarer, or a forehand who chose an all-against-all game


def test_a_99_percent_interval_covers_the_mean_99_times_in_100():
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(300):
        _, low, high = bootstrap_mean(rng.normal(0.0, 5.0, 200), seed, draws=1000)
        hits += low <= 0 <= high
    assert 0.965 <= hits / 300 <= 1.0
    values = rng.normal(3.0, 5.0, 5000)
    mean, low, high = bootstrap_mean(values, 0)
    assert mean == pytest.approx(values.mean())
    assert high - low == pytest.approx(2 * 2.576 * 5 / np.sqrt(5000), rel=0.1)


def test_bots_have_names():
    assert load_bot("random").name == "random"
    for spec, message in (
        ("randon", "bot 'randon': unknown; did you mean random"),
        ("bots/a.safetensors", "did you mean file:bots/a.safetensors"),
        ("file", "write file:PATH"),
        ("run:", "write run:RUNDIR"),
        ("random:1", "random takes nothing after the colon"),
        ("", "unknown. Known: random"),
    ):
        with pytest.raises(ValueError, match=message.replace("[", r"\[")):
            check_spec(spec)
    assert set(BOTS) >= {"random", "rule", "file", "run"}
