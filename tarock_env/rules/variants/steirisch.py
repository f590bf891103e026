"""Styrian Königrufen (Steirischer Tarockcup): eighteen games, the lost Sechserdreier counts single."""

from __future__ import annotations

from tarock_env.rules import cup
from tarock_env.rules.schema import AllAgainstAll, Auction, FewestPoints, Rules, Schrift, TalonTricks, Valat, ValatScheme

_GAMES = cup.Family(emperor=True, colour_minimum=6)

RULES = Rules(
    id="steirisch",
    title="Steirisches Königrufen",
    version=1,
    sources=("Königrufen: das komplette Regelwerk (five variants)", "Wiener Tarockcup rules (auction, talon, announcements)"),
    auction=Auction.FOREHAND_FIRST,
    contracts=(
        _GAMES.calling("rufer", 1, forehand_only=True),
        _GAMES.trischaken(2, 2),
        _GAMES.negative("piccolo", 3, 2, tricks=1),
        _GAMES.negative("zwiccolo", 3, 2, tricks=2),
        _GAMES.calling("solorufer", 4, 2, solo=True),
        _GAMES.calling("pagatrufer", 5, bird="pagat"),
        _GAMES.negative("bettler", 6, 4, tricks=0),
        _GAMES.alone("sechserdreier", 7, 4, six=True, loss_factor=1),
        _GAMES.calling("uhurufer", 8, bird="uhu"),
        _GAMES.colour("farbendreier", 9, 5),
        _GAMES.alone("dreier", 10, 5),
        _GAMES.negative("piccolo_ouvert", 11, 6, tricks=1, shown=True),
        _GAMES.negative("zwiccolo_ouvert", 11, 6, tricks=2, shown=True),
        _GAMES.calling("kakadurufer", 12, bird="kakadu"),
        _GAMES.negative("bettler_ouvert", 13, 8, tricks=0, shown=True),
        _GAMES.calling("quapilrufer", 14, bird="quapil"),
        _GAMES.colour("farbensolo", 15, 10, solo=True),
        _GAMES.alone("solodreier", 16, 10, solo=True),
    ),
    bonuses=cup.bonuses(valat_silent=10, valat_announced=20),
    valat=Valat(
        scheme=ValatScheme.ADD,
        keeps_silent=cup.EVENT_BONUSES,
        keeps_announced=cup.CALLING_BONUSES,
        excludes=("trull", "four_kings"),
    ),
    all_against_all=AllAgainstAll(scheme=FewestPoints.POT, talon=TalonTricks.FIRST_SIX),
    queens_with_four_kings=True,
    king_in_talon_voids_kontra=True,
    free_tarock_discards=False,
    announce_any_turn=False,
    kontra_any_turn=False,
    schrift=Schrift.WITHOUT_KONTRA,
    options=cup.options(sixer=(1, 2), hard_hold=True, emperor=True, hold=False, colour=True),
)
