"""JuegaTu Königrufen: the rules page of a former playing site, after a tariff with doubled values.

The page states the base values 2, 6 and 12, the doubling in solo and the three rules that order equal values; its bid table
and its bonus table were pictures. Both are rebuilt here from the one public tariff with the same list of games and the same
ratios, times two; `bonus_scale=1` is the other reading, bonuses not doubled.
"""

from __future__ import annotations

from dataclasses import replace

from tarock_env.rules.schema import (
    AllAgainstAll, Announcer, Auction, BirdLoss, Bonus, Calls, Contract, Emperor, FewestPoints, Goal, Kontra, Option, Play, Rules,
    Shown, Talon, Ultimo, Valat, ValatScheme,
)  # fmt: skip

BIRDS = ("pagat", "uhu", "kakadu", "quapil")
EVERY_POSITIVE = ("four_kings", "honneurs", "absolut", "valat")
BLACK = (*BIRDS, "mondfang", "trull", *EVERY_POSITIVE)
CALLING = (*BLACK, "king_ultimo", "koenigfang")


def _calling(name: str, rank: int, value: int, *, talon: Talon = Talon.HALVES, bird: str | None = None,
             solo: bool = False, forehand_only: bool = False) -> Contract:  # fmt: skip
    return Contract(
        name=name, rank=rank, value=value, calls=Calls.KING, talon=talon, bird=bird, solo=solo,
        forehand_only=forehand_only, emperor=Emperor.ALWAYS, bonuses=CALLING,
    )  # fmt: skip


def _alone(name: str, rank: int, value: int, *, talon: Talon = Talon.UNUSED, solo: bool = False, loss_factor: int = 1,
           forehand_only: bool = False) -> Contract:  # fmt: skip
    return Contract(
        name=name, rank=rank, value=value, talon=talon, solo=solo, loss_factor=loss_factor,
        forehand_only=forehand_only, emperor=Emperor.ALWAYS, bonuses=BLACK,
    )  # fmt: skip


def _colour(name: str, rank: int, value: int, *, talon: Talon = Talon.UNUSED, solo: bool = False) -> Contract:
    return Contract(name=name, rank=rank, value=value, play=Play.COLOUR, talon=talon, solo=solo, bonuses=EVERY_POSITIVE)


def _negative(name: str, rank: int, value: int, *, tricks: int, shown: Shown = Shown.NOBODY) -> Contract:
    return Contract(
        name=name, rank=rank, value=value, play=Play.NEGATIVE, goal=Goal.TRICKS, tricks=tricks, shown=shown,
        declarer_leads=True,
    )  # fmt: skip


RULES = Rules(
    id="juegatu",
    title="JuegaTu Königrufen",
    version=1,
    sources=("JuegaTu rules page", "Königrufen, Rüdiger variant (tariff)"),
    auction=Auction.FOREHAND_LAST,
    contracts=(
        Contract(
            name="trischaken",
            rank=1,
            value=2,
            play=Play.NEGATIVE,
            goal=Goal.FEWEST_POINTS,
            forehand_only=True,
            kontra=Kontra.NONE,
        ),
        _calling("rufer", 2, 2, forehand_only=True),
        _calling("solorufer", 3, 4, talon=Talon.UNUSED, solo=True),
        _negative("piccolo", 4, 4, tricks=1),
        _negative("bettler", 5, 5, tricks=0),
        _calling("rufer_pagat", 6, 2, bird="pagat"),
        _alone("sechserdreier", 7, 6, talon=Talon.ALL_OPEN, loss_factor=2, forehand_only=True),
        _colour("farbendreier", 8, 6, talon=Talon.HALVES),
        _alone("dreier", 9, 6, talon=Talon.HALVES),
        _negative("piccolo_ouvert", 10, 8, tricks=1, shown=Shown.EVERYBODY),
        _calling("rufer_uhu", 11, 2, bird="uhu"),
        _negative("bettler_ouvert", 12, 10, tricks=0, shown=Shown.EVERYBODY),
        _colour("solofarbendreier", 13, 12, solo=True),
        _alone("solodreier", 14, 12, solo=True),
        _calling("rufer_kakadu", 15, 2, bird="kakadu"),
        _calling("rufer_quapil", 16, 2, bird="quapil"),
    ),
    bonuses=(
        Bonus(name="pagat", silent=2, announced=4),
        Bonus(name="uhu", silent=4, announced=8),
        Bonus(name="kakadu", silent=6, announced=12),
        Bonus(name="quapil", silent=8, announced=16),
        Bonus(name="king_ultimo", silent=2, announced=4, announcer=Announcer.DECLARERS),
        Bonus(name="trull", silent=2, announced=4),
        Bonus(name="four_kings", silent=2, announced=4),
        Bonus(name="valat", silent=20, announced=40),
        Bonus(name="honneurs", silent=2, announced=4),
        Bonus(name="absolut", silent=2, announced=4),
        Bonus(name="mondfang", silent=2, announced=0, announcer=Announcer.NOBODY),
        Bonus(name="koenigfang", silent=2, announced=0, announcer=Announcer.NOBODY),
    ),
    valat=Valat(scheme=ValatScheme.INSTEAD, ends_deal=True),
    all_against_all=AllAgainstAll(scheme=FewestPoints.LOSER_PAYS_EACH, mayor_thirds=96),
    bird_loss=BirdLoss.OTHER_SIDE,
    announced_bird_follows_trick=True,
    ultimo=Ultimo.TRICK,
    options=(
        Option(name="bonus_scale", values=(2, 1), meaning="bonus values: doubled like the games, or as the source tariff has them"),
        Option(name="sixer_loss_factor", values=(2, 1), meaning="factor of a lost Sechserdreier"),
        Option(name="hard_hold", values=(True, False), meaning="announced cards are held back for their trick"),
        Option(name="emperor_trick", values=(True, False), meaning="Märchenstich: the Pagat beats Mond and Sküs in one trick"),
        Option(name="forehand_may_hold", values=(False, True), meaning="P0 may take over an equal bid"),
    ),
)

# The order of bids where bonuses are not doubled: the bird games drop, the three tie rules of the page decide the rest.
UNSCALED_ORDER = (
    "trischaken", "rufer", "solorufer", "piccolo", "rufer_pagat", "bettler", "rufer_uhu", "sechserdreier",
    "farbendreier", "dreier", "rufer_kakadu", "piccolo_ouvert", "rufer_quapil", "bettler_ouvert", "solofarbendreier",
    "solodreier",
)  # fmt: skip


def _bonus_scale(rules: Rules, scale: int) -> Rules:
    """Halve every bonus and reorder the bids to match."""
    assert scale == 1
    return replace(
        rules,
        bonuses=tuple(replace(b, silent=b.silent // 2, announced=b.announced // 2) for b in rules.bonuses),
        contracts=tuple(replace(c, rank=1 + UNSCALED_ORDER.index(c.name)) for c in rules.contracts),
    )


def _emperor_trick(rules: Rules, on: bool) -> Rules:
    """Off only: where it holds, it holds in black games alone."""
    assert not on
    return replace(rules, contracts=tuple(replace(c, emperor=Emperor.NEVER) for c in rules.contracts))


OPTION_EFFECTS = {"bonus_scale": _bonus_scale, "emperor_trick": _emperor_trick}
