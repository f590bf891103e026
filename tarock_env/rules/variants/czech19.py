"""Czech Neunzehnerrufen: duties that call XIX or the next tarock below, Dreier in three stages, melds, Warsaw."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from tarock_env.rules.schema import (
    AllAgainstAll, Announcer, Auction, Bonus, BirdLoss, Calls, Contract, Difference, Emperor, FewestPoints, Goal, Kontra,
    Option, Play, Rules, Talon, TalonTricks, Valat, ValatScheme,
)  # fmt: skip

BONUSES = ("pagat", "valat")


def _points(name: str, rank: int, talon: Talon, *, value: int = 1, calls: Calls = Calls.NOTHING,
            bird: str | None = None, others_only: bool = False, converts_to: str | None = None) -> Contract:  # fmt: skip
    """A game about points: every point over or under half counts `value` units."""
    return Contract(
        name=name, rank=rank, value=value, talon=talon, calls=calls, bird=bird, others_only=others_only,
        converts_to=converts_to, difference=Difference.MULTIPLIED, bonuses=BONUSES,
    )  # fmt: skip


RULES = Rules(
    id="czech19",
    title="Czech Neunzehnerrufen",
    version=1,
    sources=("Dáme Karty: Tarock", "taroky.cz", "taroky.net quick rules"),
    auction=Auction.ONE_ROUND,
    contracts=(
        _points("first_duty", 1, Talon.DUTY, calls=Calls.TAROCK, converts_to="warsaw"),
        _points("second_duty", 2, Talon.DUTY, calls=Calls.TAROCK, bird="pagat", others_only=True),
        _points("dreier", 3, Talon.STAGED),
        _points("solo", 4, Talon.UNUSED, value=6),
        Contract(
            name="warsaw",
            rank=5,
            value=10,
            play=Play.NEGATIVE,
            goal=Goal.FEWEST_POINTS,
            bid=False,
            kontra=Kontra.NONE,
        ),
    ),
    bonuses=(
        Bonus(name="pagat", silent=10, announced=20, announcer=Announcer.HOLDER),
        Bonus(name="valat", silent=70, announced=140),
    ),
    valat=Valat(scheme=ValatScheme.ADD, keeps_silent=("pagat",), keeps_announced=("pagat",)),
    all_against_all=AllAgainstAll(scheme=FewestPoints.LOSER_BY_POINTS, talon=TalonTricks.FIRST_SIX, exact=False, mayor_thirds=0),
    may_concede=False,
    king_half_to_declarer=False,
    free_tarock_discards=False,
    repeated_announcements=False,
    separate_kontra_round=True,
    mond_guard=True,
    bird_loss=BirdLoss.OTHER_SIDE,
    melds=MappingProxyType({"trumps": 5, "few_trumps": 5, "trull": 5, "honours": 5}),
    options=(
        Option(name="hard_hold", values=(True, False), meaning="an announced Pagat is held back for the last trick"),
        Option(name="emperor_trick", values=(False, True), meaning="the Pagat beats Mond and Škýz in one trick"),
        Option(name="forehand_second_duty", values=(False, True), meaning="P0 may bid the second duty"),
    ),
)


def _forehand_second_duty(rules: Rules, on: bool) -> Rules:
    assert on
    return replace(rules, contracts=tuple(replace(c, others_only=False) for c in rules.contracts))


def _emperor_trick(rules: Rules, on: bool) -> Rules:
    """Positive games only."""
    assert on
    return replace(
        rules,
        contracts=tuple(replace(c, emperor=Emperor.ALWAYS) if c.play == Play.TAROCK else c for c in rules.contracts),
    )


OPTION_EFFECTS = {"forehand_second_duty": _forehand_second_duty, "emperor_trick": _emperor_trick}
