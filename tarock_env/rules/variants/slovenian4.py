"""Slovenian Tarok for four: calls with a partner, solos, beggars and slams; rings and the 0-or-500 rule across deals."""

from __future__ import annotations

from tarock_env.rules import slovenian as s
from tarock_env.rules.schema import Auction, BirdLoss, Rules, Talon, Ultimo

RULES = Rules(
    id="slovenian4",
    title="Slovenian Tarok for four",
    version=1,
    sources=s.SOURCES,
    auction=Auction.FOREHAND_LAST,
    forehand_may_hold=True,
    contracts=(
        s.all_beggars(bid=True),
        s.call("call_three", 2, 10, Talon.HALVES, forehand_only=True),
        s.call("call_two", 3, 20, Talon.PAIRS),
        s.call("call_one", 4, 30, Talon.SINGLES),
        s.solo("solo_three", 5, 40, Talon.HALVES),
        s.solo("solo_two", 6, 50, Talon.PAIRS),
        s.solo("solo_one", 7, 60, Talon.SINGLES),
        s.beggar("beggar", 8, 70),
        s.solo_without(9),
        s.beggar("beggar_exposed", 10, 90, shown=True),
        s.slam("colour_slam_without", 11, 125, colour=True),
        s.slam("slam_without", 12, 500),
        s.slam("colour_slam", 13, 125, colour=True, bid=False),
    ),
    bonuses=(*s.BONUSES, s.KING_ULTIMO),
    valat=s.VALAT,
    all_against_all=s.OWN_POINTS,
    own_king_callable=True,
    may_concede=False,
    king_half_to_declarer=False,
    king_wins_talon=True,
    free_tarock_discards=False,
    repeated_announcements=False,
    pagat_waits_for_all=True,
    colour_leads_free=True,
    bird_loss=BirdLoss.OTHER_SIDE,
    ultimo=Ultimo.ITSELF,
    ultimo_loss=True,
    mond_penalty=20,
    rings=True,
    options=s.OPTIONS,
)
OPTION_EFFECTS = s.EFFECTS
