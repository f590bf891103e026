"""The slow oracle: the rules of rules.md on plain sets, written without a look at the engine."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tests.oracle.core import OracleDeal

# One line a system: module and class, imported when first asked for.
SYSTEMS = {
    "juegatu": ("koenigrufen", "KoenigrufenDeal"),
    "steirisch": ("koenigrufen", "KoenigrufenDeal"),
    "kaerntner": ("koenigrufen", "KoenigrufenDeal"),
    "wiener": ("koenigrufen", "KoenigrufenDeal"),
    "oberoesterreichisch": ("koenigrufen", "KoenigrufenDeal"),
    "tiroler": ("koenigrufen", "KoenigrufenDeal"),
    "slovenian4": ("slovenian", "SlovenianDeal"),
    "slovenian3": ("slovenian", "SlovenianDeal"),
    "czech19": ("czech", "CzechDeal"),
}


def new_deal(record: dict[str, Any]) -> OracleDeal:
    """The deal of a record before its first action."""
    rules = record["rules"]
    if rules not in SYSTEMS:
        raise ValueError(f"unknown rules {rules!r}; known: {', '.join(SYSTEMS)}")
    module, name = SYSTEMS[rules]
    deal_class: type[OracleDeal] = getattr(import_module(f"tests.oracle.{module}"), name)
    return deal_class.from_record(record)
