"""Tyrolean Königrufen (Tiroler Tarockcup): four Besserrufer, Säcke, and P0 sets the terms of a Trischaken."""

from __future__ import annotations

from tarock_env.rules import cup
from tarock_env.rules.schema import (
    AllAgainstAll, Announcer, Auction, Bonus, FewestPoints, Rules, Schrift, TalonTricks, Valat, ValatScheme,
)  # fmt: skip

SACKS = ("sack1", "sack2")
_GAMES = cup.Family(emperor=False, colour_minimum=0, extra=SACKS)

RULES = Rules(
    id="tiroler",
    title="Tiroler Königrufen",
    version=1,
    sources=("Königrufen: das komplette Regelwerk (five variants)", "Tiroler Tarockcup rules 2019/2020"),
    auction=Auction.FOREHAND_FIRST,
    opening_games=True,
    contracts=(
        _GAMES.calling("rufer", 1, forehand_only=True),
        _GAMES.trischaken(2, 2),
        _GAMES.negative("piccolo", 3, 2, tricks=1),
        _GAMES.calling("solorufer", 4, 2, solo=True),
        _GAMES.calling("besserrufer_1", 5, bird="pagat"),
        _GAMES.negative("bettler", 6, 4, tricks=0),
        _GAMES.alone("sechserdreier", 7, 4, six=True),
        _GAMES.calling("besserrufer_2", 8, bird="uhu"),
        _GAMES.colour("farbendreier", 9, 5),
        _GAMES.alone("dreier", 10, 5),
        _GAMES.calling("besserrufer_3", 11, bird="kakadu"),
        _GAMES.negative("zwiccolo_ouvert", 12, 8, tricks=2, shown=True),
        _GAMES.negative("piccolo_ouvert", 13, 8, tricks=1, shown=True),
        _GAMES.negative("bettler_ouvert", 14, 8, tricks=0, shown=True),
        _GAMES.calling("besserrufer_4", 15, bird="quapil"),
        _GAMES.colour("farbensolo", 16, 10, solo=True),
        _GAMES.alone("solodreier", 17, 10, solo=True),
    ),
    bonuses=(
        *cup.bonuses(valat_silent=10, valat_announced=20),
        *(Bonus(name=sack, silent=0, announced=2, announcer=Announcer.DECLARERS) for sack in SACKS),
    ),
    valat=Valat(scheme=ValatScheme.ADD, keeps_silent=cup.EVENT_BONUSES, keeps_announced=cup.EVENT_BONUSES),
    all_against_all=AllAgainstAll(scheme=FewestPoints.PLACES, talon=TalonTricks.FOREHAND_CHOOSES, forehand_chooses_beat=True),
    king_in_talon_voids_kontra=True,
    free_tarock_discards=False,
    announce_any_turn=True,
    kontra_any_turn=False,
    schrift=Schrift.SINGLE_KONTRA,
    options=cup.options(sixer=(1, 2), hard_hold=True, emperor=False, hold=False),
)
