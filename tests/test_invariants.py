"""What always holds, over thousands of deals: cards, payments, actors, generator streams, refusals, saving and restoring."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from tarock_env.actions import CONTRACT_IDS, NUM_ACTIONS, known_actions
from tarock_env.batch import DealBatch
from tarock_env.coverage import CoveragePlay
from tarock_env.engine.chance import new_streams
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import DEAL, new_deals
from tarock_env.observation import OBSERVATION_SIZE
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.schema import FewestPoints, Goal
from tests.invariants import FAULTS, replay_checked

DEALS, FULL_DEALS, CHUNK = 3_000 if JIT else 30, 100_000, 2_000
BATCH = 4096 if JIT else 256


def known_words():
    """(4,) legal words of all actions that have a name."""
    words = np.zeros(4, np.uint64)
    for action in known_actions():
        words[action >> 6] |= np.uint64(1 << (action & 63))
    return words


def own_points_contracts(rules):
    """The contracts whose payments need not add up to nothing."""
    if rules.all_against_all.scheme != FewestPoints.OWN_POINTS:
        return np.uint64(0)
    return np.uint64(sum(1 << CONTRACT_IDS[c.name] for c in rules.contracts if c.goal == Goal.FEWEST_POINTS))


def check_coverage_deals(system, count, seed):
    """Replay coverage deals; asserts that nothing is wrong, returns the decisions made and the finished deals of the last chunk."""
    rules = load_rules(system)
    play = CoveragePlay(rules, min(CHUNK, count))
    streams = new_streams(seed, count)
    faults = np.zeros(len(FAULTS), np.int64)
    decisions = 0
    for start in range(0, count, CHUNK):
        done = play.play(streams[start : start + CHUNK])
        decisions += replay_checked(
            play.deals[:done], play.tables, play.rings[:done], play.counts[:done], play.seats[:done], play.actions[:done],
            known_words(), own_points_contracts(rules), new_deals(1), faults,
        )  # fmt: skip
    assert {what: int(times) for what, times in zip(FAULTS, faults, strict=True) if times} == {}
    return decisions


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_decision_of_coverage_deals(system):
    assert check_coverage_deals(system, DEALS, seed=1) > 20 * DEALS


@pytest.mark.full
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_decision_of_many_coverage_deals(system):
    assert check_coverage_deals(system, FULL_DEALS, seed=2) > 20 * FULL_DEALS


def test_a_fault_is_counted():
    """The checks can fail: a card in two hands, a payment from nowhere."""
    rules = load_rules("wiener")
    play = CoveragePlay(rules, 50)
    play.play(new_streams(1, 50))
    faults = np.zeros(len(FAULTS), np.int64)
    play.deals["dealt"][:, 0] |= play.deals["dealt"][:, 1]
    play.deals["payoffs"][:, 0] += 6
    replay_checked(
        play.deals, play.tables, play.rings, play.counts, play.seats, play.actions, known_words(), np.uint64(0), new_deals(1), faults
    )
    found = {what for what, times in zip(FAULTS, faults, strict=True) if times}
    assert {"a card is in two places or nowhere", "payoffs differ from those before"} <= found


# -- batches ------------------------------------------------------------------------------------------------------------------------


def play_out(batch, deals_each=1):
    """Random play; returns a copy of the finished deals."""
    for _ in range(deals_each):
        while not batch.finished.all():
            batch.step(batch.random_actions())
    return batch.deals.copy()


def assert_equal(left, right):
    """Records are compared by field: the padding between fields means nothing."""
    for name in DEAL.names:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_same_seed_gives_the_same_deals(system):
    rules = load_rules(system)
    first, again, other = (DealBatch(200 if JIT else 20, rules, seed) for seed in (5, 5, 6))
    assert_equal(first.deals, again.deals)
    assert (first.deals["dealt"] != other.deals["dealt"]).any(axis=1).all()
    assert_equal(play_out(first), play_out(again))
    np.testing.assert_array_equal(first.streams, again.streams)


def test_every_row_has_a_stream_of_its_own():
    batch = DealBatch(BATCH, load_rules("juegatu"), 1)
    assert len(set(batch.streams.tolist())) == batch.num_deals
    assert len({tuple(hands) for hands in batch.deals["dealt"].tolist()}) == batch.num_deals
    few = DealBatch(64, load_rules("juegatu"), 1)
    assert_equal(few.deals, batch.deals[:64])  # a row's deal does not depend on the size of the batch


@pytest.mark.parametrize("system", SYSTEMS)
def test_illegal_actions_are_refused_and_change_nothing(system):
    batch = DealBatch(64, load_rules(system), 2, skip_forced=False)
    rng = np.random.default_rng(1)
    mask = np.zeros((64, NUM_ACTIONS), bool)
    observation = np.zeros((64, OBSERVATION_SIZE), np.uint8)
    refused = 0
    while not batch.finished.all():
        batch.observe(observation, mask)
        actions = batch.random_actions()
        row = int(rng.choice(np.flatnonzero(~batch.finished)))
        illegal = int(rng.choice([*np.flatnonzero(~mask[row]), -1, NUM_ACTIONS, NUM_ACTIONS + 7, -(2**40), 2**40]))
        wrong = actions.copy()
        wrong[row] = illegal
        before, streams = batch.deals.copy(), batch.streams.copy()
        with pytest.raises(ValueError, match=f"^deal {row}: seat {batch.seats[row]} may not .*; legal: ") as error:
            batch.step(wrong)
        assert "\n" not in str(error.value)
        assert_equal(batch.deals, before)
        np.testing.assert_array_equal(batch.streams, streams)
        refused += 1
        batch.step(actions)
    assert refused > 40
    with pytest.raises(ValueError, match=r"actions have shape \(3,\)"):
        batch.step(np.zeros(3, np.int64))


@pytest.mark.parametrize("skip_forced", [True, False])
def test_a_saved_and_restored_batch_continues_bit_for_bit(skip_forced):
    """Deals, tables and streams are the whole state, in the middle of play and over the next deals."""
    systems = [load_rules(system) for system in SYSTEMS]
    batch = DealBatch(90, systems, 3, skip_forced=skip_forced)
    for _ in range(25):
        batch.step(batch.random_actions())
    saved = [array.tobytes() for array in (batch.deals, batch.tables, batch.streams)]
    restored = DealBatch(90, systems, 999, skip_forced=skip_forced)
    for array, content in zip((restored.deals, restored.tables, restored.streams), saved, strict=True):
        array[:] = np.frombuffer(content, array.dtype)
    for _ in range(3):
        assert_equal(play_out(batch), play_out(restored))
        np.testing.assert_array_equal(batch.streams, restored.streams)
        batch.reset()
        restored.reset()


def test_threads_change_nothing():
    systems = [load_rules(system) for system in SYSTEMS]
    alone, together = DealBatch(90, systems, 4), DealBatch(90, systems, 4, threads=3)
    assert_equal(play_out(alone), play_out(together))


def check_signatures(**environment):
    """Runs every kind of kernel in a process of its own; returns how many were compiled or loaded."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.signatures"], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    assert run.returncode == 0, run.stderr
    *faults, last = run.stdout.splitlines()
    assert faults == []
    return int(last)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_one_signature_for_each_kernel():
    """Kernels over deals are compiled once; those inside them differ in the width of integers at most, and none gets a float.

    So numba sees the same records from batches, coverage play and Python, and no set of cards has become a float.
    """
    assert check_signatures() >= 10


@pytest.mark.full
@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_one_signature_for_each_kernel_compiled_anew(tmp_path):
    """The same where the cache holds nothing, so that the kernels inside kernels are seen too."""
    assert check_signatures(TAROCK_CACHE_DIR=str(tmp_path)) >= 100
