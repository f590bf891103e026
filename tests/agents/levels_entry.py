"""Entries of levels.json for tests: small, and all that its readers use."""

from collections.abc import Mapping
from typing import Any


def levels_entry(sha256: str = "0", softness: Mapping[int, float] | None = None, **changes: Any) -> dict[str, Any]:
    """A system's entry with levels of these softnesses, level 5 alone by default, for the network of this hash."""
    levels = softness or {5: 0.0}
    interval = {"points_per_deal": 0.5, "low": 0.4, "high": 0.6}
    played = {"a": "level 5", "b": "level 4", "half": "alone", "deals": 10, "points_per_deal": 0.5}
    return {
        "unit": 20.0,
        "note": "",
        "seconds": 1.0,
        "weights": {"sha256": sha256, "name": "player"},
        "levels": {str(level): {"softness": number, "title": "toy"} for level, number in levels.items()},
        "fit": {"seed": 1, "budget": {}},
        "acceptance": {"tests": [played | {"p": 0.0, "p_corrected": 0.0, "passed": True}]},
        "matrix": [{"a": f"level {level}", "b": "rule", "deals": 10, "gap_sd": 0.1} | interval for level in levels],
        "elo": {f"level {level}": 0.0 for level in levels},
        "risk": [{"level": 5, "risk": "normal", "bids": 0.5, "announcements_per_deal": 0.1}],
    } | changes


def master_entry(sha256: str = "0", **changes: Any) -> dict[str, Any]:
    """What `tarock ladder --master` adds to an entry."""
    row = {"a": "level 6", "b": "level 5", "deals": 10, "points_per_deal": 0.5, "low": 0.4, "high": 0.6}
    return {"weights": {"sha256": sha256}, "search": {}, "seed": 1, "against": [row]} | changes
