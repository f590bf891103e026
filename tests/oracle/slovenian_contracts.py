"""The contracts of slovenian4 and slovenian3 (rules.md 3.4, 3.5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Contract:
    """One row of the bid list.

    aim: what the declarer must do: "points" (36 or more), "no_trick", "all_tricks";
        "few_points" where everybody plays alone (All Beggars).
    exchange: cards taken from the stock. mode: how tricks are won (core.winner).
    difference: the points above or below 35 are added to the value.
    """

    name: str
    value: int
    aim: str = "points"
    mode: str = "positive"
    exchange: int = 0
    calls_king: bool = False
    bonuses: bool = False
    ring: bool = False
    declarer_leads: bool = False

    @property
    def difference(self) -> bool:
        return self.exchange > 0

    @property
    def raisable(self) -> bool:
        """Solo contracts with an exchange may become a Colour Slam (3.4 "Raise", Decision 2)."""
        return self.exchange > 0 and not self.calls_king


ALL_BEGGARS = Contract("all_beggars", value=0, aim="few_points", mode="negative", ring=True)
COLOUR_SLAM = Contract("colour_slam", value=125, aim="all_tricks", mode="colour", ring=True, declarer_leads=True)


def call(name: str, value: int, exchange: int) -> Contract:
    return Contract(name, value, exchange=exchange, calls_king=True, bonuses=True)


def solo(name: str, value: int, exchange: int) -> Contract:
    return Contract(name, value, exchange=exchange, bonuses=True)


def beggar(name: str, value: int) -> Contract:
    return Contract(name, value, aim="no_trick", mode="negative", ring=True, declarer_leads=True)


BEGGAR = beggar("beggar", value=70)
SOLO_WITHOUT = Contract("solo_without", value=80, bonuses=True, ring=True, declarer_leads=True)
BEGGAR_EXPOSED = beggar("beggar_exposed", value=90)
COLOUR_SLAM_WITHOUT = replace(COLOUR_SLAM, name="colour_slam_without")
SLAM_WITHOUT = Contract("slam_without", value=500, aim="all_tricks", ring=True, declarer_leads=True)


def bid_list(rules: str, options: dict[str, Any]) -> list[Contract]:
    """The bids open to everybody, ascending."""
    if rules == "slovenian4":
        low = [
            call("call_two", value=20, exchange=2),
            call("call_one", value=30, exchange=1),
            solo("solo_three", value=40, exchange=3),
            solo("solo_two", value=50, exchange=2),
            solo("solo_one", value=60, exchange=1),
        ]
    else:
        low = [
            solo("solo_three", value=10, exchange=3),
            solo("solo_two", value=20, exchange=2),
            solo("solo_one", value=30, exchange=1),
        ]
    without = [SOLO_WITHOUT] if rules == "slovenian4" or options["solo_without"] else []
    colour_slam_without = replace(COLOUR_SLAM_WITHOUT, value=options["colour_slam_value"])
    return [*low, BEGGAR, *without, BEGGAR_EXPOSED, colour_slam_without, SLAM_WITHOUT]


def forehand_only(rules: str) -> list[Contract]:
    """What the forehand may choose besides when all others have passed (3.4; none in 3.5)."""
    return [ALL_BEGGARS, call("call_three", value=10, exchange=3)] if rules == "slovenian4" else []


def raised(options: dict[str, Any]) -> Contract:
    """The Colour Slam a Solo becomes by the raise."""
    return replace(COLOUR_SLAM, value=options["colour_slam_value"])
