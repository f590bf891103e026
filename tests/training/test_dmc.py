import numpy as np
import pytest
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

from agents.policy_bot import PolicyBot
from tarock_env.batch import DealBatch
from tarock_env.engine.view import make_views
from tests.training.conftest import small_config
from training.algorithm import tarock_config
from training.columns import LEGAL_ACTIONS, PAYOFF, SPREAD, SYSTEM
from training.dmc import DeepMonteCarlo
from training.export import bot_manifest
from training.systems import played_rules

pytestmark = pytest.mark.usefixtures("_ray")
DMC = {"algorithm": "dmc"}


@pytest.fixture
def algorithm(tmp_path):
    made = tarock_config(small_config(run=DMC, rules={"systems": ["juegatu", "slovenian3"]}), tmp_path).build_algo()
    yield made
    made.stop()


def sampled(algorithm, exploration=0.0):
    return next(iter(algorithm.env_runner.sample(iteration=1, decisions=1500, lam=1.0, exploration=exploration).policy_batches.values()))


def test_the_target_of_every_decision_is_the_payoff(algorithm):
    rows = sampled(algorithm)
    np.testing.assert_allclose(rows[Postprocessing.VALUE_TARGETS], rows[PAYOFF], rtol=1e-6)


def test_actions_are_those_of_the_highest_value_but_for_exploration(algorithm):
    def greedy(rows, tolerance):
        runner = algorithm.env_runner
        values = runner._actor.head("q", runner._actor.hidden(torch.from_numpy(np.ascontiguousarray(rows[Columns.OBS])))).numpy()
        listed = np.where(rows[LEGAL_ACTIONS] < 0, -np.inf, np.take_along_axis(values, rows[LEGAL_ACTIONS].clip(0), axis=1))
        return np.isclose(listed.max(axis=1), values[np.arange(len(values)), rows[Columns.ACTIONS]], atol=tolerance)

    assert greedy(sampled(algorithm), 2e-3).mean() > 0.99
    explored = sampled(algorithm, exploration=1.0)
    choices = (explored[LEGAL_ACTIONS] >= 0).sum(axis=1)
    assert greedy(explored, 1e-6).mean() == pytest.approx((1 / choices).mean(), abs=0.1)
    assert (explored[LEGAL_ACTIONS] == explored[Columns.ACTIONS][:, np.newaxis]).any(1).all()


def test_it_learns_what_deals_come_to(algorithm):
    errors = []
    for _ in range(8):
        result = algorithm.train()
        errors.append(next(value for key, value in result["learners"]["default_policy"].items() if key == "update/q_loss"))
    assert isinstance(algorithm, DeepMonteCarlo)
    assert np.mean(errors[-2:]) < np.mean(errors[:2])


def test_errors_are_measured_by_the_spread_of_the_system(algorithm):
    algorithm.train()
    rows = sampled(algorithm)
    algorithm.prepare(rows)
    sigma = algorithm.sigma.values()
    for system in (0, 1):
        np.testing.assert_allclose(rows[SPREAD][rows[SYSTEM] == system], sigma[system], rtol=1e-6)


def test_the_exported_bot_plays_the_highest_value(algorithm):
    algorithm.train()
    tensors = algorithm.actor_tensors()
    bot = PolicyBot(tensors, bot_manifest(algorithm))
    batch = DealBatch(64, list(played_rules(algorithm.train_config).values()), 3)
    views = make_views(batch.deals, batch.tables)
    observation = np.zeros((64, tensors["trunk.0.weight"].shape[1]), np.uint8)
    mask = np.zeros((64, 256), np.bool_)
    batch.observe(observation, mask)
    actions = bot.act(views, batch.tables, np.random.default_rng(1))
    as_values = PolicyBot(tensors | {f"policy.{part}": tensors[f"q.{part}"] for part in ("weight", "bias")}, bot_manifest(algorithm))
    np.testing.assert_array_equal(actions, as_values.act(views, batch.tables, np.random.default_rng(1)))


def test_without_action_values_it_says_so(tmp_path):
    config = tarock_config(small_config(run=DMC, network={"q_head": False}), tmp_path)
    with pytest.raises(Exception, match="q_head: dmc learns action values"):
        config.build_algo()
