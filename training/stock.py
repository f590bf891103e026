"""The stock path: RLlib's own PettingZooEnv, connectors and PPO, with a masked module. An example, and the benchmark's baseline.

    algorithm = stock_config("juegatu").build_algo()
    algorithm.train()

Everything below is what a user writes who brings an AEC environment with action masks to RLlib's new API stack, and no more.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env
from torch import Tensor, nn

from tarock_env.actions import NUM_ACTIONS
from tarock_env.aec import env
from tarock_env.observation import OBSERVATION_SIZE
from training.module import mask_logits

ENV_NAME = "tarock_stock"
POLICY = "shared"


class StockEnv(PettingZooEnv):
    """RLlib's wrapper around our AEC environment, with observation and action mask in one flat row.

    The row is the mask (A,) and then the observation (F,): RLlib's default connectors then have nothing to flatten.
    """

    def __init__(self, rules: str) -> None:
        super().__init__(env(rules))
        space = gym.spaces.Box(0.0, 255.0, (NUM_ACTIONS + OBSERVATION_SIZE,), np.float32)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces: dict[str, gym.Space[Any]] = {agent: gym.spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """A fresh deal."""
        observations, infos = super().reset(seed=seed, options=options)
        return _flat(observations), infos

    def step(self, action: dict[str, Any]) -> Any:
        """The acting agent's action."""
        observations, *rest = super().step(action)
        return _flat(observations), *rest


def _flat(observations: dict[str, Any]) -> dict[str, Any]:
    return {
        agent: np.concatenate([row["action_mask"], row["observation"]], dtype=np.float32, casting="unsafe")
        for agent, row in observations.items()
    }


class StockModule(TorchRLModule, ValueFunctionAPI):
    """One trunk, a masked policy head and a value head; the value sees what the seat sees."""

    def setup(self) -> None:
        """Build the layers."""
        width, layers = self.model_config["width"], self.model_config["layers"]
        parts: list[nn.Module] = []
        for layer in range(layers):
            parts += [nn.Linear(OBSERVATION_SIZE if layer == 0 else width, width), nn.LayerNorm(width), nn.ReLU()]
        self.trunk = nn.Sequential(*parts)
        self.policy = nn.Linear(width, NUM_ACTIONS)
        self.value = nn.Linear(width, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        mask, observation = batch[Columns.OBS].split([NUM_ACTIONS, OBSERVATION_SIZE], dim=-1)
        hidden = self.trunk(observation)
        return {Columns.ACTION_DIST_INPUTS: mask_logits(self.policy(hidden), mask > 0), Columns.EMBEDDINGS: hidden}

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """V of every row, (B,)."""
        hidden = self.trunk(batch[Columns.OBS][..., NUM_ACTIONS:]) if embeddings is None else embeddings
        values: Tensor = self.value(hidden).squeeze(-1)
        return values


def stock_config(
    rules: str, width: int = 512, layers: int = 3, batch_size: int = 4000, minibatch_size: int = 512, epochs: int = 1, seed: int = 1
) -> PPOConfig:
    """RLlib's PPO on the environment, one policy for all seats, everything in this process."""
    register_env(ENV_NAME, lambda context: StockEnv(context["rules"]))
    module = RLModuleSpec(module_class=StockModule, model_config={"width": width, "layers": layers})
    config = PPOConfig()
    config.environment(ENV_NAME, env_config={"rules": rules}, disable_env_checking=True)
    config.env_runners(num_env_runners=0, rollout_fragment_length="auto")
    config.multi_agent(policies={POLICY}, policy_mapping_fn=lambda agent, episode, **kwargs: POLICY)
    config.rl_module(rl_module_spec=module)
    config.training(
        gamma=1.0,
        lambda_=0.95,
        lr=3e-4,
        num_epochs=epochs,
        minibatch_size=minibatch_size,
        train_batch_size_per_learner=batch_size,
        use_kl_loss=False,
    )
    config.debugging(seed=seed, log_level="ERROR")
    return config
