"""The AEC environment as RLlib's example modules want it: action masks beside `observations` (PettingZoo says `observation`).

    from ray.tune.registry import register_env
    register_env("tarock", lambda config: RLlibEnv(**config))

RLlib's `ActionMaskingTorchRLModule` then works as it comes. It is the slow way, one Python step a decision: training/env_runner.py is
the fast one, and training/stock.py the whole stock path that the benchmark compares with.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from tarock_env.aec import env
from tarock_env.rules import Rules
from tarock_env.rules.options import Value


class RLlibEnv(PettingZooEnv):
    """RLlib's PettingZooEnv around `tarock_env.aec.env`, the key `observation` renamed to `observations`.

    rules, options, deals: as there. Observations and rewards come for the agent that is to act; when the last deal ends, for all agents.
    """

    def __init__(self, rules: str | Rules = "steirisch", options: Mapping[str, Value] | None = None, deals: int = 1) -> None:
        super().__init__(env(rules, options, deals))
        self.possible_agents: list[str] = list(self.env.possible_agents)  # in seat order: RLlib's wrapper takes them from a set
        self.agents = list(self.possible_agents)
        self.observation_spaces: dict[str, gym.Space[Any]] = {
            agent: gym.spaces.Dict({"action_mask": space["action_mask"], "observations": space["observation"]})
            for agent, space in ((agent, self.env.observation_space(agent)) for agent in self.possible_agents)
        }
        self.observation_space = gym.spaces.Dict(self.observation_spaces)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a match; see tarock_env.aec.raw_env.reset."""
        observations, infos = super().reset(seed=seed, options=options)
        return _renamed(observations), infos

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Take the action of the agent that is to act. Raises ValueError for an illegal one, the environment unchanged."""
        observations, *rest = super().step(action)
        return _renamed(observations), *rest


def _renamed(observations: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {agent: {"action_mask": row["action_mask"], "observations": row["observation"]} for agent, row in observations.items()}
