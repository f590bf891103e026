"""Slovenian Tarok for three: sixteen cards each, no calling, one against two."""

from __future__ import annotations

from dataclasses import replace

from tarock_env.rules import slovenian as s
from tarock_env.rules.schema import Auction, BirdLoss, Option, Rules, Talon, Ultimo

RULES = Rules(
    id="slovenian3",
    title="Slovenian Tarok for three",
    version=1,
    sources=s.SOURCES,
    players=3,
    hand_size=16,
    auction=Auction.FOREHAND_LAST,
    forehand_may_hold=True,
    forehand_must_bid=False,
    contracts=(
        s.all_beggars(bid=False),
        s.solo("solo_three", 2, 10, Talon.HALVES),
        s.solo("solo_two", 3, 20, Talon.PAIRS),
        s.solo("solo_one", 4, 30, Talon.SINGLES),
        s.beggar("beggar", 5, 70),
        s.beggar("beggar_exposed", 7, 90, shown=True),
        s.slam("colour_slam_without", 8, 125, colour=True),
        s.slam("slam_without", 9, 500),
        s.slam("colour_slam", 10, 125, colour=True, bid=False),
    ),
    bonuses=s.BONUSES,
    valat=s.VALAT,
    all_against_all=s.OWN_POINTS,
    may_concede=False,
    king_half_to_declarer=False,
    free_tarock_discards=False,
    repeated_announcements=False,
    pagat_waits_for_all=True,
    colour_leads_free=True,
    bird_loss=BirdLoss.OTHER_SIDE,
    ultimo=Ultimo.ITSELF,
    mond_penalty=20,
    rings=True,
    options=(
        *s.OPTIONS,
        Option(name="solo_without", values=(False, True), meaning="Solo Without (80) can be bid"),
    ),
)


def _solo_without(rules: Rules, on: bool) -> Rules:
    """Rank 6 is kept free for it."""
    assert on
    place = [c.name for c in rules.contracts].index("beggar_exposed")
    contracts = (*rules.contracts[:place], s.solo_without(6), *rules.contracts[place:])
    if any(c.kontra for c in rules.contracts):
        contracts = tuple(replace(c, kontra=rules.contract("solo_one").kontra) if c.bonuses else c for c in contracts)
    if not rules.contract("beggar").emperor:
        contracts = tuple(replace(c, emperor=rules.contract("beggar").emperor) for c in contracts)
    return replace(rules, contracts=contracts)


OPTION_EFFECTS = {**s.EFFECTS, "solo_without": _solo_without}
