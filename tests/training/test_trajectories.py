import numpy as np
import pytest

from tarock_env.actions import NUM_ACTIONS
from tarock_env.batch import DealBatch
from tarock_env.observation import OBSERVATION_SIZE
from tarock_env.rules import SYSTEMS, load_rules
from training.columns import MAX_LEGAL
from training.trajectories import advantages_and_targets, draw_actions, list_actions


def naive_gae(deal, seat, values, payoffs, gamma, lam):
    """Sum of (gamma lam)^k delta_{t+k}, written out for one row at a time."""
    advantages = np.zeros(len(deal))
    for row in range(len(deal)):
        later = [r for r in range(row, len(deal)) if deal[r] == deal[row] and seat[r] == seat[row]]
        for k, r in enumerate(later):
            last = k == len(later) - 1
            delta = (payoffs[deal[r], seat[r]] if last else gamma * values[later[k + 1]]) - values[r]
            advantages[row] += (gamma * lam) ** k * delta
    return advantages


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 0.95), (1.0, 1.0), (0.9, 0.5), (1.0, 0.0)])
def test_advantages_are_those_of_the_definition(gamma, lam):
    rng = np.random.default_rng(1)
    deal = rng.integers(0, 5, 200).astype(np.int32)
    seat = rng.integers(0, 4, 200).astype(np.int8)
    values = rng.normal(size=200).astype(np.float32)
    payoffs = rng.normal(size=(5, 4)) * 10
    advantages, targets = np.empty(200, np.float32), np.empty(200, np.float32)
    advantages_and_targets(deal, seat, values, payoffs, gamma, lam, advantages, targets)
    np.testing.assert_allclose(advantages, naive_gae(deal, seat, values, payoffs, gamma, lam), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(targets, advantages + values, rtol=1e-4, atol=1e-4)


def test_legal_actions_are_listed_as_the_mask_has_them():
    batch = DealBatch(64, [load_rules(system) for system in SYSTEMS], 5, skip_forced=False)
    batch.force_contracts(0.5)
    batch.reset()
    observation, mask = np.zeros((64, OBSERVATION_SIZE), np.uint8), np.zeros((64, NUM_ACTIONS), np.bool_)
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)[::-1].copy()
        legal = np.full((len(rows), MAX_LEGAL), 7, np.int16)
        list_actions(batch.deals, rows, legal)
        batch.observe(observation, mask)
        for row, listed in zip(rows, legal, strict=True):
            actions = np.flatnonzero(mask[row])
            assert listed.tolist() == actions.tolist() + [-1] * (MAX_LEGAL - len(actions))
        batch.step(batch.random_actions())


def test_actions_are_drawn_from_the_masked_softmax():
    rng = np.random.default_rng(2)
    rows, logits = 40_000, rng.normal(size=8).astype(np.float32)
    legal = np.array([1, 0, 1, 1, 0, 0, 1, 0], bool)
    actions, log_probabilities = np.empty(rows, np.int64), np.empty(rows, np.float32)
    listed = np.array([*np.flatnonzero(legal), -1, -1], np.int16)
    draw_actions(np.tile(logits, (rows, 1)), np.tile(listed, (rows, 1)), rng.random(rows), actions, log_probabilities)
    expected = np.where(legal, np.exp(logits), 0)
    expected /= expected.sum()
    assert legal[actions].all()
    np.testing.assert_allclose(np.bincount(actions, minlength=8) / rows, expected, atol=0.01)
    np.testing.assert_allclose(log_probabilities, np.log(expected[actions]), rtol=1e-5)


def test_a_draw_at_the_very_end_is_legal():
    legal = np.array([[0, 1, -1]], np.int16)
    actions, log_probabilities = np.empty(1, np.int64), np.empty(1, np.float32)
    draw_actions(np.zeros((1, 3), np.float32), legal, np.array([np.nextafter(1.0, 0.0)]), actions, log_probabilities)
    assert actions[0] == 1


def test_rows_of_logits_beyond_the_lists_are_padding():
    legal = np.tile(np.arange(4, dtype=np.int16), (2, 1))  # no -1: the list is full
    actions, log_probabilities = np.empty(2, np.int64), np.empty(2, np.float32)
    draw_actions(np.zeros((5, 4), np.float32), legal, np.array([0.1, 0.9]), actions, log_probabilities)
    assert actions.tolist() == [0, 3]
