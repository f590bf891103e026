"""Remote env runners and learners: slow to start, so in the long tier."""

import time

import numpy as np
import pytest
import ray

from tests.training.conftest import small_config
from training.algorithm import tarock_config

RESTART_SECONDS = 180

pytestmark = [pytest.mark.usefixtures("_ray"), pytest.mark.full]


@pytest.fixture
def algorithm(tmp_path):
    built = tarock_config(small_config(run={"iterations": 20}, resources={"num_env_runners": 2}), tmp_path).build_algo()
    yield built
    built.stop()


def test_remote_runners_play_different_deals(algorithm):
    algorithm.train()
    hands = algorithm.table.records["dealt"]
    assert len(np.unique(hands, axis=0)) == len(hands)
    assert algorithm.decisions > 1500


def test_a_killed_runner_is_restarted_and_training_goes_on(algorithm):
    algorithm.train()
    before = algorithm.decisions
    ray.kill(algorithm.env_runner_group._worker_manager.actors()[1], no_restart=False)
    for _ in range(4):
        algorithm.train()
    assert algorithm.decisions > before + 3 * 1000
    until = time.monotonic() + RESTART_SECONDS
    while algorithm.env_runner_group.num_healthy_remote_env_runners() < 2:  # the new process has its imports to do meanwhile
        assert time.monotonic() < until
        algorithm.train()


def test_two_learners_take_the_same_steps(tmp_path):
    built = tarock_config(small_config(resources={"num_learners": 2}), tmp_path).build_algo()
    try:
        built.train()
        weights = [
            result.get()
            for result in built.learner_group.foreach_learner(
                lambda learner: learner.module["default_policy"].unwrapped().actor.policy.weight.detach().numpy()
            )
        ]
        np.testing.assert_array_equal(weights[0], weights[1])
    finally:
        built.stop()
