"""Rule systems as data: `load_rules("juegatu", {"bonus_scale": 1})`, `load_rules("my_rules.py")`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tarock_env.rules import own
from tarock_env.rules.options import Effect, Value, apply_options, parse_value
from tarock_env.rules.schema import Rules, RulesError

SYSTEMS: tuple[str, ...] = (
    "juegatu", "steirisch", "kaerntner", "wiener", "oberoesterreichisch", "tiroler", "slovenian4", "slovenian3", "czech19",
)  # fmt: skip


@cache
def _variant(system: str) -> ModuleType:
    return import_module(f"tarock_env.rules.variants.{system}")


def load_rules(system: str, options: Mapping[str, Value] | None = None) -> Rules:
    """The rule system of that name with the given options.

    system: the id of a built-in or registered system, the path of a Python file, or a dotted module name; a file or module defines RULES
    and is run (tarock_env/rules/own.py). Raises RulesError (a ValueError) with one line that names the fix.
    """
    if own.is_source(str(system)):
        rules, effects = own.load_source(system, SYSTEMS)
        return apply_options(rules, options or {}, effects)
    if system not in SYSTEMS and own.find(system, SYSTEMS) is None and _is_file(f"{system}.py"):
        raise RulesError(f"unknown rules {system!r}; did you mean the file {system}.py?")
    return known_rules(system, options)


def known_rules(system: str, options: Mapping[str, Value] | None = None) -> Rules:
    """The same for ids only: what a file or request from elsewhere may name; nothing it names is run or looked for on the disk."""
    if system in SYSTEMS:
        rules: Rules = _variant(system).RULES
        return apply_options(rules, options or {}, option_effects(system))
    found = own.find(system, SYSTEMS)
    if found is None:
        raise RulesError(f"unknown rules {str(system)[:60]!r}; {_hint(str(system))}")
    return apply_options(found[0], options or {}, found[1])


def known_systems() -> tuple[str, ...]:
    """Ids of all systems: the built-in ones, those that TAROCK_RULES lists, and registered ones. Raises RulesError."""
    own.load_listed(SYSTEMS)
    return (*SYSTEMS, *own.known_ids())


def option_effects(system: str) -> Mapping[str, Effect]:
    """What the options that only this system has do, by name; empty for an id that is not known."""
    if system in SYSTEMS:
        return getattr(_variant(system), "OPTION_EFFECTS", {})
    found = own.find(system, SYSTEMS)
    return found[1] if found else {}


def register_rules(rules: Rules, option_effects: Mapping[str, Effect] | None = None) -> Rules:
    """Make a rule system of one's own known by its id in this process; returns it.

    Registering an id again replaces it; the built-in ids are refused. Raises RulesError.
    """
    return own.register(rules, option_effects, taken=SYSTEMS)[0]


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # no file can have that name
        return False


def _hint(system: str) -> str:
    known = (*SYSTEMS, *own.known_ids())
    near = get_close_matches(system, known, 1)
    if near:
        return f"did you mean {near[0]}? A system of your own: list its file in {own.VARIABLE}"
    return f"there are {', '.join(known)}; rules of your own are named by their file, or listed in {own.VARIABLE}"


__all__ = [
    "SYSTEMS", "Rules", "RulesError", "Value", "known_rules", "known_systems", "load_rules", "option_effects", "parse_value",
    "register_rules",
]  # fmt: skip
