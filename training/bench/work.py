"""Arithmetic of one learnt decision, counted from the shapes of the networks."""

from __future__ import annotations

from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE
from training.config import NetworkSection, TrainConfig
from training.module import MAGNET_STRIDE


def row_work(config: TrainConfig) -> int:
    """Multiply-adds of a learnt row: sampling it with actor and critic, then every epoch's forward and backward passes."""
    actor, critic = actor_work(config.network), critic_work(config.network)
    first_layers = _first_layers(config.network)
    q_head = config.network.width * NUM_ACTIONS if config.network.q_head else 0
    forward = actor + q_head + critic + actor // MAGNET_STRIDE
    weights = actor + q_head + critic
    activations = weights - first_layers  # the observation needs no gradient
    return actor + critic + config.ppo.epochs * (forward + weights + activations)


def actor_work(network: NetworkSection) -> int:
    """Multiply-adds of one row through trunk and policy head."""
    return OBSERVATION_SIZE * network.width + (network.layers - 1) * network.width**2 + network.width * NUM_ACTIONS


def critic_work(network: NetworkSection) -> int:
    """Multiply-adds of one row through the critic."""
    width = network.critic_width
    return _critic_inputs(network) * width + (network.critic_layers - 1) * width**2 + width * network.value_bins


def _critic_inputs(network: NetworkSection) -> int:
    return OBSERVATION_SIZE + (HIDDEN_SIZE if network.privileged_critic else 0)


def _first_layers(network: NetworkSection) -> int:
    return OBSERVATION_SIZE * network.width + _critic_inputs(network) * network.critic_width
