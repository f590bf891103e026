"""Named rule options: what each one changes in a rule system (rules text 1.9).

A variant lists the options it has (`Rules.options`, default first). An effect is a function of the rules and the value.
An option that touches one system only stands in that system's file, as `OPTION_EFFECTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from tarock_env.rules.schema import BirdLoss, Emperor, Play, Rules, RulesError, ValatScheme

Value = bool | int | str
Effect = Callable[[Rules, Any], Rules]
WHOLE_NUMBER = re.compile("-?[0-9]{1,18}")


def _emperor_trick(rules: Rules, on: bool) -> Rules:
    """Off: nowhere. On: tarock games, and colour games where a tarock was led."""
    kinds = {Play.TAROCK: Emperor.ALWAYS, Play.COLOUR: Emperor.TAROCK_LED, Play.NEGATIVE: Emperor.NEVER}
    return replace(
        rules,
        contracts=tuple(replace(c, emperor=kinds[c.play] if on else Emperor.NEVER) for c in rules.contracts),
    )


def _sixer_loss_factor(rules: Rules, factor: int) -> Rules:
    return replace(
        rules,
        contracts=tuple(replace(c, loss_factor=factor) if c.name == "sechserdreier" else c for c in rules.contracts),
    )


def _valat_scheme(rules: Rules, scheme: str) -> Rules:
    """`replace`: a Valat pays a multiple of the game instead of the game, and only announced bonuses count beside it."""
    if scheme == "add":
        return rules
    others = tuple(bonus.name for bonus in rules.bonuses if bonus.name != "valat")
    valat = replace(
        rules.valat,
        scheme=ValatScheme.GAME_MULTIPLE,
        keeps_silent=(),
        keeps_announced=others,
        silent_voids_game_kontra=True,
        doubles_in_solo=False,
    )
    return replace(rules, valat=valat)


EFFECTS: Mapping[str, Effect] = {
    "emperor_trick": _emperor_trick,
    "sixer_loss_factor": _sixer_loss_factor,
    "valat_scheme": _valat_scheme,
    "hard_hold": lambda rules, on: replace(rules, locks=on),
    "forehand_may_hold": lambda rules, on: replace(rules, forehand_may_hold=on),
    "colour_min_scope": lambda rules, scope: replace(rules, any_suit_minimum=scope == "any_suit_cards"),
    "trischaken_exact": lambda rules, on: replace(rules, all_against_all=replace(rules.all_against_all, exact=on)),
    "silent_bird_loss": lambda rules, on: replace(rules, bird_loss=BirdLoss.OTHER_SIDE if on else BirdLoss.NOTHING),
}


def parse_value(text: str) -> Value:
    """A value as typed on a command line: true, false, a whole number or a word."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if WHOLE_NUMBER.fullmatch(text) else text


def apply_options(rules: Rules, options: Mapping[str, Value], effects: Mapping[str, Effect]) -> Rules:
    """The rules with the options set. Raises RulesError for an unknown option or a value that is not allowed.

    Values equal to the default are dropped, so that `Rules.chosen` holds exactly what differs.
    """
    known = {option.name: option for option in rules.options}
    chosen: dict[str, Value] = {}
    for name, value in options.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'none'}"
            raise RulesError(f"rules {rules.id}: unknown option {name[:60]}; {hint}")
        values = known[name].values
        if not any(type(value) is type(allowed) and value == allowed for allowed in values):
            spelled = ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
            raise RulesError(f"rules {rules.id}: option {name} is {value!r}; allowed are {spelled}")
        if value != values[0]:
            chosen[name] = value
    for name, value in chosen.items():
        rules = {**EFFECTS, **effects}[name](rules, value)
    return replace(rules, chosen=MappingProxyType(chosen))
