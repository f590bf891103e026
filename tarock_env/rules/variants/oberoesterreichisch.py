"""Upper Austrian Königrufen (Hausruckviertler Tarockcup): thirteen games, one Besserrufer, no Kaiserstich, holding.

A Valat multiplies the game instead of joining it; the Trischaken has must-beat without must-tarock.
"""

from __future__ import annotations

from tarock_env.rules import cup
from tarock_env.rules.schema import (
    ANY_BIRD, AllAgainstAll, Auction, FewestPoints, Rules, Schrift, TalonTricks, Valat, ValatScheme,
)  # fmt: skip

_GAMES = cup.Family(emperor=False, colour_minimum=0)

RULES = Rules(
    id="oberoesterreichisch",
    title="Oberösterreichisches Königrufen",
    version=1,
    sources=("Königrufen: das komplette Regelwerk (five variants)", "Oberösterreichische Tarockregeln 4/2023"),
    auction=Auction.FOREHAND_FIRST,
    opening_games=True,
    forehand_may_hold=True,
    contracts=(
        _GAMES.trischaken(1, 1),
        _GAMES.calling("rufer", 2, forehand_only=True),
        _GAMES.negative("piccolo", 3, 2, tricks=1),
        _GAMES.negative("bettler", 4, 2, tricks=0),
        _GAMES.calling("solorufer", 5, 2, solo=True),
        _GAMES.calling("besserrufer", 6, bird=ANY_BIRD),
        _GAMES.colour("farbendreier", 7, 3),
        _GAMES.alone("sechserdreier", 8, 4, six=True),
        _GAMES.alone("dreier", 9, 4),
        _GAMES.colour("farbensolo", 10, 6, solo=True),
        _GAMES.negative("piccolo_ouvert", 11, 6, tricks=1, shown=True),
        _GAMES.negative("bettler_ouvert", 12, 7, tricks=0, shown=True),
        _GAMES.alone("solodreier", 13, 8, solo=True),
    ),
    # The Valat entry is not used: it pays a multiple of the game.
    bonuses=cup.bonuses(valat_silent=0, valat_announced=0),
    valat=Valat(
        scheme=ValatScheme.GAME_MULTIPLE,
        keeps_announced=cup.CALLING_BONUSES,
        silent_voids_game_kontra=True,
        doubles_in_solo=False,
    ),
    all_against_all=AllAgainstAll(scheme=FewestPoints.POT_BASE, talon=TalonTricks.LAST, must_tarock=False),
    king_in_talon_voids_kontra=True,
    free_tarock_discards=False,
    announce_any_turn=False,
    kontra_any_turn=False,
    locks=False,
    schrift=Schrift.WITHOUT_KONTRA,
    options=cup.options(sixer=(1, 2), hard_hold=False, emperor=False, hold=True, add_valat=False),
)
