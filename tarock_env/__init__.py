"""Tarock: exact rules, a fast engine, and environments for self-play learning."""

from typing import Any


def __getattr__(name: str) -> Any:
    """`tarock_env.env` and `tarock_env.raw_env`, imported when asked for: PettingZoo is nothing to a program that only plays batches."""
    if name in ("env", "raw_env"):
        from tarock_env import aec

        return getattr(aec, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
