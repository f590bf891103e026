"""Everything that plays: the Bot protocol, bots, exported bot files, and the arena. Needs neither torch nor Ray."""

from agents.base import Bot, load_bot

__all__ = ["Bot", "load_bot"]
