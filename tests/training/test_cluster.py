"""Remote env runners and learners: slow to start, so in the long tier."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
import ray

from tests.training.conftest import small_config
from training.algorithm import tarock_config
from training.ray_setup import start_ray

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


def test_a_run_on_a_cluster_survives_the_loss_of_a_node():
    done = subprocess.run([sys.executable, "-m", "tests.training.lose_a_node"], capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["nodes"] == 2
    assert (found["alone"], found["restored"]) == (1, 2)
    assert found["unique"]
    assert found["unique_again"]
    first, lost, second, third, returned, last = found["rows"]
    whole = last - returned
    assert abs(first - whole) < 0.1 * whole  # both runners before and after
    for alone in (lost - first, second - lost, third - second):  # one runner's part, also of the iteration that lost the other
        assert abs(alone - whole / 2) < 0.1 * whole


def test_a_run_of_this_machine_joins_no_cluster(monkeypatch):
    given = {}
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **arguments: given.update(arguments))
    monkeypatch.setenv("RAY_ADDRESS", "192.0.2.1:6379")
    start_ray(small_config().resources)
    assert given["address"] == "local"


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
