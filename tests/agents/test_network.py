import numpy as np

from agents.network import LAYER_NORM_EPS, PolicyNetwork, choose_actions, masked_probabilities
from tests.agents.bot_files import random_tensors, small_manifest


def naive_forward(tensors, scale, row, head):
    """One row through the layers of agents/weights.py, word for word, in float64."""
    x = row.astype(float) * scale
    for layer in range(2):
        x = tensors[f"trunk.{layer}.weight"].astype(float) @ x + tensors[f"trunk.{layer}.bias"]
        x = (x - x.mean()) / np.sqrt(x.var() + LAYER_NORM_EPS)
        x = np.maximum(x * tensors[f"norm.{layer}.weight"] + tensors[f"norm.{layer}.bias"], 0)
    return tensors[f"{head}.weight"].astype(float) @ x + tensors[f"{head}.bias"]


def test_forward_pass_equals_the_formula():
    tensors = random_tensors(small_manifest())
    scale = np.linspace(0.1, 1, 10).astype(np.float32)
    observation = np.random.default_rng(1).integers(0, 9, (5000, 10), dtype=np.uint8)  # more rows than one chunk
    network = PolicyNetwork(tensors, scale)
    logits, values = network.logits(observation), network.action_values(observation)
    for row in (0, 17, 4095, 4096, 4999):
        np.testing.assert_allclose(logits[row], naive_forward(tensors, scale, observation[row], "policy"), atol=1e-5)
        np.testing.assert_allclose(values[row], naive_forward(tensors, scale, observation[row], "q"), atol=1e-5)


def test_illegal_actions_have_no_probability():
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 50, (200, 6)).astype(np.float32)
    mask = rng.random((200, 6)) < 0.4
    mask[:, 2] = True
    probabilities = masked_probabilities(logits, mask, 0.5)
    assert (probabilities[~mask] == 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    for temperature in (0.0, 0.01, 1.0, 100.0):
        chosen = choose_actions(logits, mask, rng, temperature)
        assert mask[np.arange(200), chosen].all()


def test_a_finished_deal_has_no_probabilities_and_no_nan():
    probabilities = masked_probabilities(np.zeros((1, 4), np.float32), np.zeros((1, 4), bool))
    assert (probabilities == 0).all()


def test_temperature_zero_takes_the_best_legal_action():
    logits = np.array([[5.0, 1.0, 2.0]], np.float32)
    assert choose_actions(logits, np.array([[False, True, True]]), np.random.default_rng(0), 0.0)[0] == 2


def test_samples_follow_the_softmax():
    logits = np.log(np.array([[0.5, 0.3, 0.2]], np.float32)).repeat(20_000, axis=0)
    mask = np.ones((20_000, 3), bool)
    counts = np.bincount(choose_actions(logits, mask, np.random.default_rng(3)), minlength=3)
    np.testing.assert_allclose(counts / 20_000, [0.5, 0.3, 0.2], atol=0.015)
