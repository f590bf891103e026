import numpy as np
import pytest
import torch
from ray.rllib.core.columns import Columns

from tarock_env.actions import NUM_ACTIONS
from training.stock import POLICY, StockEnv, stock_config

pytestmark = pytest.mark.usefixtures("_ray")


def test_rewards_reach_every_agent_once():
    env = StockEnv("juegatu")
    rng = np.random.default_rng(1)
    observations, _ = env.reset(seed=1)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    done = False
    while not done:
        ((agent, row),) = observations.items()
        action = int(rng.choice(np.flatnonzero(row[:NUM_ACTIONS])))
        observations, rewards, terminateds, _, _ = env.step({agent: action})
        for name, reward in rewards.items():
            totals[name] += reward
        done = terminateds["__all__"]
    assert sum(totals.values()) == pytest.approx(0, abs=1e-4)
    assert set(rewards) == set(env.possible_agents)


def test_the_stock_path_trains_and_plays_no_illegal_action():
    algorithm = stock_config("juegatu", width=32, layers=1, batch_size=128, minibatch_size=64).build_algo()
    try:
        result = algorithm.train()  # an illegal action raises in the environment
        module = algorithm.get_module(POLICY)
    finally:
        algorithm.stop()
    assert result["learners"][POLICY]["num_module_steps_trained"] >= 128
    row = torch.zeros(1, module.observation_space.shape[0])
    row[0, [3, 5]] = 1
    probabilities = module.forward_inference({Columns.OBS: row})[Columns.ACTION_DIST_INPUTS].softmax(-1)
    assert float(probabilities[0, [3, 5]].sum()) == pytest.approx(1)
