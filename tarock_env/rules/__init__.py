"""Rule systems as data: `load_rules("juegatu", {"bonus_scale": 1})`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from types import ModuleType

from tarock_env.rules.options import Value, apply_options, parse_value
from tarock_env.rules.schema import Rules, RulesError

SYSTEMS: tuple[str, ...] = (
    "juegatu", "steirisch", "kaerntner", "wiener", "oberoesterreichisch", "tiroler", "slovenian4", "slovenian3", "czech19",
)  # fmt: skip


@cache
def _variant(system: str) -> ModuleType:
    return import_module(f"tarock_env.rules.variants.{system}")


def load_rules(system: str, options: Mapping[str, Value] | None = None) -> Rules:
    """The rule system of that id with the given options. Raises RulesError (a ValueError) with one line that names the fix."""
    if system not in SYSTEMS:
        near = get_close_matches(str(system), SYSTEMS, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(SYSTEMS)}"
        raise RulesError(f"unknown rules {system!r}; {hint}")
    module = _variant(system)
    rules: Rules = module.RULES
    return apply_options(rules, options or {}, getattr(module, "OPTION_EFFECTS", {}))


__all__ = ["SYSTEMS", "Rules", "RulesError", "Value", "load_rules", "parse_value"]
