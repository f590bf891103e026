"""RLlib's own wrapper and example module on the environment."""

import gymnasium as gym
import numpy as np
import pytest
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from tarock_env.engine.state import SIXTHS
from training.rllib_env import RLlibEnv


def play_out(env, seed, choose):
    """Play a match; returns the sum of the rewards of every agent, and how often the end reached it."""
    observations, _ = env.reset(seed=seed)
    sums = dict.fromkeys(env.possible_agents, 0.0)
    ends = dict.fromkeys(env.possible_agents, 0)
    while True:
        ((agent, observation),) = observations.items()
        assert env.observation_spaces[agent].contains(observation)
        observations, rewards, terminateds, _, _ = env.step({agent: choose(observation)})
        for name, reward in rewards.items():
            sums[name] += reward
            ends[name] += terminateds[name]
        if terminateds["__all__"]:
            return sums, ends


@pytest.mark.parametrize("deals", [1, 3])
def test_every_agent_sees_its_final_reward_once(deals):
    env = RLlibEnv("juegatu", deals=deals)
    rng = np.random.default_rng(1)
    for seed in range(10):
        sums, ends = play_out(env, seed, lambda row: int(rng.choice(np.flatnonzero(row["action_mask"]))))
        assert ends == dict.fromkeys(env.possible_agents, 1)
        totals = env.env.unwrapped.totals
        assert [sums[agent] for agent in env.possible_agents] == pytest.approx([total / SIXTHS for total in totals])


def test_rllibs_masked_example_module_plays_legally():
    env = RLlibEnv("oberoesterreichisch")
    space = env.observation_spaces["player_0"]
    assert isinstance(space, gym.spaces.Dict)
    assert list(space) == ["action_mask", "observations"]
    torch.manual_seed(1)
    module = ActionMaskingTorchRLModule(
        observation_space=space, action_space=env.action_spaces["player_0"], model_config={"fcnet_hiddens": [32]}
    )

    def choose(row):
        batch = {Columns.OBS: {name: torch.from_numpy(value[np.newaxis].astype(np.float32)) for name, value in row.items()}}
        logits = module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
        return int(torch.distributions.Categorical(logits=logits).sample())

    for seed in range(3):
        play_out(env, seed, choose)  # an illegal action would raise
