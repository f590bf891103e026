"""What a bot would do and why, in numbers: its action, and where it has them its policy and its action values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Bot
from agents.network import masked_probabilities
from agents.views import observe_views
from tarock_env.legal import names_by_seat
from tarock_env.rules import Rules


@dataclass(frozen=True)
class Advice:
    """A bot's answer to one view.

    action: the name of what it does. policy: legal action name -> probability, highest first, None for a bot without a policy (then
    the action is all it has to say). values: action name -> expected payoff of the deal in table units, None without a value head.
    """

    action: str
    policy: dict[str, float] | None = None
    values: dict[str, float] | None = None


def advise(bot: Bot, deals: Any, tables: Any, rules: Rules, rng: np.random.Generator, explain: bool = True) -> Advice:
    """The bot's answer to (1,) view of its acting seat. explain: with policy and values. Raises what the bot raises."""
    seat = int(deals.seat[0])
    names = names_by_seat(rules.players)[seat]
    action = names[int(bot.act(deals, tables, rng)[0])]
    if not explain:
        return Advice(action)
    observation, mask = observe_views(deals, tables)
    legal = np.flatnonzero(mask[0])
    policy = _policy(bot, deals, tables, observation, mask)
    values = _values(bot, observation, rules)
    ordered = legal if policy is None else legal[np.argsort(-policy[legal], kind="stable")]
    return Advice(
        action,
        None if policy is None else {names[choice]: float(policy[choice]) for choice in ordered},
        None if values is None else {names[choice]: float(values[choice]) for choice in ordered},
    )


def _policy(bot: Any, deals: Any, tables: Any, observation: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.floating[Any]] | None:
    """(A,) probabilities: of a bot's own `policy(deals, tables) -> (n, A)`, else of its exported network."""
    if hasattr(bot, "policy"):
        own: NDArray[np.floating[Any]] = bot.policy(deals, tables)[0]
        return own
    network = getattr(bot, "network", None)
    return None if network is None else masked_probabilities(network.logits(observation), mask)[0]


def _values(bot: Any, observation: NDArray[np.uint8], rules: Rules) -> NDArray[np.floating[Any]] | None:
    """(A,) expected payoffs in table units, where the network was exported with a value head and its scale for this system."""
    network, manifest = getattr(bot, "network", None), getattr(bot, "manifest", None)
    scale = None if manifest is None else manifest.q_scale.get(rules.id)
    if network is None or not network.has_q or not scale:
        return None
    values: NDArray[np.floating[Any]] = network.action_values(observation)[0] * np.float32(scale)
    return values
