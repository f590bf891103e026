"""Building blocks of the two Slovenian systems (rules text 3.4, 3.5): bonuses, contract families, options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tarock_env.rules.options import Effect
from tarock_env.rules.schema import (
    AllAgainstAll, Announcer, Bonus, Calls, Contract, Difference, Emperor, FewestPoints, Goal, Kontra, Option, Play,
    Rules, Shown, Talon, Valat, ValatScheme,
)  # fmt: skip

SOURCES = ("Slovenian Tarok rules page", "pagat.com Slovenian Tarok, through summaries", "OpenSpiel tarok")
SOLO_BONUSES = ("pagat", "trull", "four_kings", "valat")
CALL_BONUSES = (*SOLO_BONUSES, "king_ultimo")
SEVENTY = 70

BONUSES = (
    Bonus(name="trull", silent=10, announced=20),
    Bonus(name="four_kings", silent=10, announced=20),
    Bonus(name="pagat", silent=25, announced=50, announcer=Announcer.HOLDER),
    Bonus(name="valat", silent=250, announced=500),
)
KING_ULTIMO = Bonus(name="king_ultimo", silent=10, announced=20, announcer=Announcer.HOLDER)
VALAT = Valat(scheme=ValatScheme.SLAM, ends_deal=True)
OWN_POINTS = AllAgainstAll(scheme=FewestPoints.OWN_POINTS, exact=False)


def all_beggars(*, bid: bool) -> Contract:
    """Everybody alone; bid by P0 where the rules let him, else set."""
    return Contract(
        name="all_beggars", rank=1, value=0, play=Play.NEGATIVE, goal=Goal.FEWEST_POINTS, forehand_only=True, bid=bid,
        kontra=Kontra.NONE, emperor=Emperor.ALWAYS, ring=True,
    )  # fmt: skip


def call(name: str, rank: int, value: int, talon: Talon, *, forehand_only: bool = False) -> Contract:
    """A game with a called partner; `talon` says how many cards are exchanged."""
    return Contract(
        name=name, rank=rank, value=value, calls=Calls.KING, talon=talon, forehand_only=forehand_only,
        kontra=Kontra.NONE, emperor=Emperor.ALWAYS, bonuses=CALL_BONUSES, difference=Difference.ADDED,
    )  # fmt: skip


def solo(name: str, rank: int, value: int, talon: Talon) -> Contract:
    """Alone, with an exchange, and with the right to raise."""
    return Contract(
        name=name, rank=rank, value=value, talon=talon, kontra=Kontra.NONE, emperor=Emperor.ALWAYS,
        bonuses=SOLO_BONUSES, difference=Difference.ADDED, may_raise=True,
    )  # fmt: skip


def beggar(name: str, rank: int, value: int, *, shown: bool = False) -> Contract:
    """No trick; exposed, the declarer's hand lies open after the first."""
    return Contract(
        name=name, rank=rank, value=value, play=Play.NEGATIVE, goal=Goal.TRICKS, tricks=0,
        shown=Shown.DECLARER if shown else Shown.NOBODY, declarer_leads=True, kontra=Kontra.NONE,
        emperor=Emperor.ALWAYS, ring=True,
    )  # fmt: skip


def solo_without(rank: int) -> Contract:
    """No exchange, a fixed value, bonuses allowed."""
    return Contract(
        name="solo_without", rank=rank, value=80, declarer_leads=True, kontra=Kontra.NONE, emperor=Emperor.ALWAYS,
        bonuses=SOLO_BONUSES, ring=True,
    )  # fmt: skip


def slam(name: str, rank: int, value: int, *, colour: bool = False, bid: bool = True) -> Contract:
    """Every trick."""
    return Contract(
        name=name, rank=rank, value=value, play=Play.COLOUR if colour else Play.TAROCK, goal=Goal.SLAM,
        declarer_leads=True, kontra=Kontra.NONE, emperor=Emperor.TAROCK_LED if colour else Emperor.ALWAYS, bid=bid,
        ring=True,
    )  # fmt: skip


def _kontra(rules: Rules, on: bool) -> Rules:
    """Game and announced bonuses can be doubled wherever bonuses exist; announcing becomes a repeated round."""
    assert on
    doubled = tuple(replace(c, kontra=Kontra.SIDES) if c.bonuses else c for c in rules.contracts)
    return replace(rules, contracts=doubled, repeated_announcements=True)


def _colour_slam_value(rules: Rules, value: int) -> Rules:
    slams = ("colour_slam", "colour_slam_without")
    return replace(rules, contracts=tuple(replace(c, value=value) if c.name in slams else c for c in rules.contracts))


def _emperor_trick(rules: Rules, on: bool) -> Rules:
    assert not on
    return replace(rules, contracts=tuple(replace(c, emperor=Emperor.NEVER) for c in rules.contracts))


def _silent_ultimo_loss(rules: Rules, on: bool) -> Rules:
    assert not on
    return replace(rules, bird_loss=type(rules.bird_loss).NOTHING, ultimo_loss=False)


EFFECTS: Mapping[str, Effect] = {
    "kontra": _kontra,
    "colour_slam_value": _colour_slam_value,
    "emperor_trick": _emperor_trick,
    "silent_ultimo_loss": _silent_ultimo_loss,
    "difference_rounding": lambda rules, step: replace(rules, difference_rounding=step),
    "beggars_seventy": lambda rules, on: replace(rules, seventy=SEVENTY if on else 0),
    "mond_penalty": lambda rules, units: replace(rules, mond_penalty=units),
    "mond_penalty_to_partner": lambda rules, on: replace(rules, mond_to_partner=on),
}

OPTIONS = (
    Option(name="hard_hold", values=(True, False), meaning="announced ultimo cards are held back for the last trick"),
    Option(name="emperor_trick", values=(True, False), meaning="the Pagat beats Mond and Škis in one trick"),
    Option(name="forehand_may_hold", values=(True, False), meaning="P0 may take over an equal bid"),
    Option(name="kontra", values=(False, True), meaning="game and announced bonuses can be doubled, three steps"),
    Option(name="silent_ultimo_loss", values=(True, False), meaning="an unannounced ultimo that fails costs its value"),
    Option(name="difference_rounding", values=(1, 5), meaning="point differences are rounded to the nearest multiple"),
    Option(name="beggars_seventy", values=(False, True), meaning="All Beggars: +70 without a trick, -70 over 35 points"),
    Option(name="mond_penalty", values=(20, 21), meaning="price of a captured Mond"),
    Option(name="mond_penalty_to_partner", values=(False, True), meaning="the Mond costs even if the partner takes it"),
    Option(name="colour_slam_value", values=(125, 250), meaning="value of both colour slams"),
)
