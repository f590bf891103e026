"""The numbers behind the play of the cards, by name. Unless said otherwise they are thirds of a card point."""

from __future__ import annotations

import numpy as np

WEIGHTS_BY_NAME: dict[str, float] = {
    # what cards are worth in a trick beyond their points: shares of the silent bonus they belong to
    "bonus_unit": 40.0,  # thirds worth one table unit of bonus, in a game worth one unit
    "king_stake": 0.2,
    "trull_stake": 0.25,
    "honour_stake": 0.2,
    "called_stake": 0.5,
    "later_card": 4.0,  # what a card still to be played to the trick brings on average
    "tempo": 2.0,  # winning the trick oneself and leading next
    # what cards are worth later
    "tarock_trick": 22.0,  # a trick that the highest tarock still out will win
    "tarock_decay": 0.25,  # how fast that falls with every higher tarock unseen
    "tarock_low": 2.0,  # any tarock
    "pagat_save": 0.5,  # share of the Pagat's stake that can be expected from playing it later
    "mond_save": 0.85,
    "save_declarer": 0.5,  # share of a card's stake that its side gets later anyway
    "save_partner": 0.5,
    "save_defender": 0.45,
    "suit_trick": 8.0,  # a trick won by the highest card of a suit
    "suit_top": 0.3,  # more of the stake saved by the highest card of a suit
    "suit_decay": 0.8,
    "mond_risk": 20.0,
    "bird_hope": 0.6,  # share of a silent bird's value that holding it back is worth, at best
    "bird_announced": 3.0,
    "bird_tarock": 0.05,  # share of an announced bird's value that every other tarock of its holder is worth
    "bird_defence": 0.03,  # ... and of an opponent
    "bird_draw": 0.0,  # drawing tarocks while holding an announced bird
    # leads
    "draw_declarer": 6.0,  # for every tarock that a tarock lead pulls from an opponent
    "draw_partner": 4.0,
    "draw_defender": -6.0,
    "draw_length": 0.5,  # ... more, for every own tarock above five
    "called_declarer": 4.0,  # leading the called card's suit
    "called_partner": 0.0,
    "called_defender": 2.0,
    "force_declarer": 0.0,  # leading a suit that an opponent must ruff
    "force_partner": 0.0,
    "force_defender": 4.0,
    "short_lead": 2.0,  # leading the only card of a suit while holding tarocks
    "long_lead": 0.5,  # for every card of the suit led beyond the second
    # negative games: no unit unless said
    "tarock_danger": 0.35,  # how fast the danger of winning with a tarock falls with every higher one unseen
    "suit_danger": 0.45,
    "ruff_danger": 0.08,  # ... of a suit card, with every tarock unseen
    "shed_high": 0.15,  # a defender's wish to be rid of cards that win
    "shed_points": 0.5,  # all against all: getting rid of a third of a point in somebody else's trick
    "shed_danger": 14.0,  # ... of a card that would win
}

NAMES = tuple(WEIGHTS_BY_NAME)
WEIGHTS = np.array(list(WEIGHTS_BY_NAME.values()))
(
    BONUS_UNIT, KING_STAKE, TRULL_STAKE, HONOUR_STAKE, CALLED_STAKE, LATER_CARD, TEMPO,
    TAROCK_TRICK, TAROCK_DECAY, TAROCK_LOW, PAGAT_SAVE, MOND_SAVE, SAVE_DECLARER, SAVE_PARTNER, SAVE_DEFENDER,
    SUIT_TRICK, SUIT_TOP, SUIT_DECAY, MOND_RISK, BIRD_HOPE, BIRD_ANNOUNCED,
    BIRD_TAROCK, BIRD_DEFENCE, BIRD_DRAW,
    DRAW_DECLARER, DRAW_PARTNER, DRAW_DEFENDER, DRAW_LENGTH, CALLED_DECLARER, CALLED_PARTNER, CALLED_DEFENDER,
    FORCE_DECLARER, FORCE_PARTNER, FORCE_DEFENDER, SHORT_LEAD, LONG_LEAD,
    TAROCK_DANGER, SUIT_DANGER, RUFF_DANGER, SHED_HIGH, SHED_POINTS, SHED_DANGER,
) = range(len(NAMES))  # fmt: skip
