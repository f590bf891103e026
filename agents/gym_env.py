"""`gymnasium.make("Tarock-v0", ...)`: tarock_env.single_seat with opponents that may be named as bots are (`rule`, `file:PATH`, ...)."""

import inspect
from typing import Any

import gymnasium as gym

from agents.base import load_bot
from tarock_env.rules import Rules
from tarock_env.single_seat import SingleSeat

ID = "Tarock-v0"
DEFAULT_RULES = inspect.signature(SingleSeat).parameters["rules"].default


def single_seat(opponents: Any = ("random",), **arguments: Any) -> SingleSeat:
    """A SingleSeat; each opponent that is a text is the spec of a bot. Raises ValueError for unknown ones."""
    given = [opponents] if isinstance(opponents, str) or hasattr(opponents, "act") or callable(opponents) else list(opponents)
    rules = arguments.get("rules", DEFAULT_RULES)
    system = rules.id if isinstance(rules, Rules) else str(rules)
    return SingleSeat(opponents=[load_bot(one, rules=system) if isinstance(one, str) else one for one in given], **arguments)


gym.register(ID, entry_point="agents.gym_env:single_seat")
