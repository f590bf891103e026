"""The form of a record's `result`: what a reader may rely on before the rules are asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

ITEM_FIELDS = ("item", "made", "announced", "kontra", "payoffs")
LONGEST_WORD = 40


def result_fault(result: Mapping[str, Any], players: int, is_number: Callable[[object], bool]) -> str:
    """What is wrong with the form of a result, "" where nothing is. is_number: whether a value is a number as records write them."""

    def numbers(value: object) -> bool:
        return isinstance(value, list) and len(value) == players and all(map(is_number, value))

    def seat(value: Any) -> bool:
        return value is None or (_whole(value) and 0 <= value < players)

    def rings(value: object) -> bool:
        return isinstance(value, list) and len(value) == players and all(map(_whole, value))

    checks: dict[str, tuple[Callable[[Any], bool], str]] = {
        "contract": (_word, "a contract's name"),
        "declarer": (seat, "a seat or null"),
        "partner": (seat, "a seat or null"),
        "items": (lambda value: isinstance(value, list), "a list"),
        "level": (_whole, "a number"),
        "rings": (rings, f"{players} numbers"),
        "payoffs": (numbers, f"{players} numbers"),
        "schrift": (numbers, f"{players} numbers"),
    }
    for name, value in result.items():
        if name not in checks:
            return f"result: unknown field {json.dumps(name)}; fields are {' '.join(checks)}"
        right, wanted = checks[name]
        if not right(value):
            return f"result {name} is {json.dumps(value)[:60]}, it must be {wanted}"
    for number, item in enumerate(result.get("items", ()), start=1):
        if not isinstance(item, dict) or set(item) != set(ITEM_FIELDS):
            return f"result item {number}: it must be an object with {' '.join(ITEM_FIELDS)}"
        kontra = item["kontra"]
        parts = {
            "item": _word(item["item"]),
            "made": item["made"] is None or isinstance(item["made"], bool),
            "announced": isinstance(item["announced"], bool),
            "kontra": _whole(kontra) or rings(kontra),
            "payoffs": numbers(item["payoffs"]),
        }
        for name, right_form in parts.items():
            if not right_form:
                return f"result item {number}: {name} is {json.dumps(item[name])[:60]}"
    return ""


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_WORD and value.isprintable() and " " not in value
