"""The numbers behind the rule bot, by name: plain numbers, so that they can be tuned by play against earlier versions.

Unless said otherwise those about cards are thirds of a card point, those about bids table units of a tariff in which a silent
Trull counts one, and chances are logits where they are added to a fitted logit.
"""

from __future__ import annotations

import numpy as np

WEIGHTS_BY_NAME: dict[str, float] = {
    # what cards are worth in a trick beyond their points: shares of the silent bonus they belong to
    "bonus_unit": 29.4,  # thirds worth one table unit of bonus, in a game worth one unit
    "king_stake": 0.259,
    "trull_stake": 0.582,
    "honour_stake": 0.298,
    "called_stake": 6.66,
    "later_card": 3.01,  # what a card still to be played to the trick brings on average
    "tempo_declarer": 2.54,  # winning the trick oneself and leading next
    "tempo_partner": 2.54,
    "tempo_defender": 2.54,
    "tempo_loner": 2.54,
    "tempo_hunter": 2.54,
    "valat_push": 0.3,  # share of a Valat's value that a trick is worth to a side that has made all so far, late in the deal
    # what cards are worth later
    "tarock_trick": 29.3,  # a trick that the highest tarock still out will win
    "tarock_decay": 0.0787,  # how fast that falls with every higher tarock unseen
    "tarock_low": 4.19,  # any tarock
    "pagat_save": 0.496,  # share of the Pagat's stake that can be expected from playing it later
    "mond_save": 0.862,
    # by part: a declarer with a partner, the partner, their opponent, a lone declarer, a lone declarer's opponent
    "save_declarer": 0.253,  # share of a card's stake that its side gets later anyway
    "save_partner": 0.423,
    "save_defender": 0.62,
    "save_loner": 0.253,
    "save_hunter": 0.62,
    "suit_trick": 5.59,  # a trick won by the highest card of a suit
    "suit_top": 0.146,  # more of the stake saved by the highest card of a suit
    "suit_decay": 1.0,
    "mond_risk": 28.5,
    "bird_hope": 0.275,  # share of a silent bird's value that holding it back is worth, at best
    "bird_announced": 6.08,
    "bird_tarock": -0.102,  # share of an announced bird's value that every other tarock of its holder is worth
    "bird_defence": 0.189,  # ... and of an opponent
    "bird_draw": -3.08,  # drawing tarocks while holding an announced bird
    # leads
    "draw_declarer": -1.53,  # for every tarock that a tarock lead pulls from an opponent
    "draw_partner": 10.6,
    "draw_defender": -0.538,
    "draw_loner": -1.53,
    "draw_hunter": -0.538,
    "draw_length_declarer": -1.7,  # ... more, for every own tarock above five
    "draw_length_partner": -1.7,
    "draw_length_defender": -1.7,
    "draw_length_loner": -1.7,
    "draw_length_hunter": -1.7,
    "called_declarer": -9.06,  # leading the called card's suit
    "called_partner": 8.39,
    "called_defender": 1.66,
    "force_declarer": 6.06,  # leading a suit that an opponent must ruff
    "force_partner": -4.34,
    "force_defender": 14.9,
    "force_loner": 6.06,
    "force_hunter": 14.9,
    "short_lead_declarer": 2.43,  # leading the only card of a suit while holding tarocks
    "short_lead_partner": 2.43,
    "short_lead_defender": 2.43,
    "short_lead_loner": 2.43,
    "short_lead_hunter": 2.43,
    "long_lead_declarer": 0.556,  # for every card of the suit led beyond the second
    "long_lead_partner": 0.556,
    "long_lead_defender": 0.556,
    "long_lead_loner": 0.556,
    "long_lead_hunter": 0.556,
    "long_lead_colour": 1.0,  # ... for the declarer of a colour game
    "long_lead_against": 0.0,
    # negative games: no unit unless said
    "tarock_danger": 0.106,  # how fast the danger of winning with a tarock falls with every higher one unseen
    "suit_danger": 0.708,
    "ruff_danger": 0.152,  # ... of a suit card, with every tarock unseen
    "shed_high": 0.137,  # a defender's wish to be rid of cards that win
    "shed_points": 0.157,  # all against all: getting rid of a third of a point in somebody else's trick
    "shed_danger": 6.71,  # ... of a card that would win
    "first_trick": 5.0,  # the first own trick where trickless seats are paid
    "most_points": 0.5,  # how much more points hurt who has most already
    # exchange
    "void_worth": 30.0,  # a void suit that discards make
    "king_suit": 8.0,  # cards beside a king, kept rather than laid away
    "tarock_worth": 22.0,  # choosing a half of the talon: one trick's worth of tarocks
    "king_worth": 16.0,
    "suit_void": 15.0,
    "other_half": 1.0,  # share of the points of the other half that count against a half
    "concede_below": 60.0,  # a worse hand is given up when the called card lies in the talon
    "call_length": 1.0,  # no unit: a suit is called by its length, its queen, its being void
    "call_queen": 0.5,
    "call_void": 0.0,
    # announcements: chances
    "announce_sure": 0.75,  # an announcement doubles the bonus and loses it where it fails: worth it from two thirds up
    "kontra_game": 0.62,  # chance of a failure from which a kontra pays
    "kontra_answer": 0.75,  # chance of success from which a kontra is answered
    # bids
    "pass_open": 0.0,  # what passing pays where nobody has bid
    "pass_after": 0.0,  # ... where somebody has
    "pass_tarock": 0.0,  # ... for every tarock above five
    "wait_share": 0.8,  # forehand's wait: share of the best later game that it still plays
    "wait_pay": 0.0,
    # shifts of the chance of a family of contracts, as logits: a fit to forced games does not know who else wanted to bid
    "shift_bettler": 0.0,
    "shift_piccolo": 0.0,
    "shift_zwiccolo": 0.0,
    "shift_bettler_ouvert": 0.0,
    "shift_piccolo_ouvert": 0.0,
    "shift_zwiccolo_ouvert": 0.0,
    "shift_trischaken": 0.0,  # in values of the game
    "shift_colour": 0.0,
    "shift_colour_solo": 0.0,
    "shift_calling": 0.0,
    "shift_calling_solo": 0.0,
    "shift_dreier": 0.0,
    "shift_sechserdreier": 0.0,
    "shift_solodreier": 0.0,
    "shift_bird": 0.0,
}

NAMES = tuple(WEIGHTS_BY_NAME)
WEIGHTS = np.array(list(WEIGHTS_BY_NAME.values()))
# Where they stand in WEIGHTS. Weights by part: TEMPO + part, and so on.
BONUS_UNIT = NAMES.index("bonus_unit")
KING_STAKE = NAMES.index("king_stake")
TRULL_STAKE = NAMES.index("trull_stake")
HONOUR_STAKE = NAMES.index("honour_stake")
CALLED_STAKE = NAMES.index("called_stake")
LATER_CARD = NAMES.index("later_card")
TEMPO = NAMES.index("tempo_declarer")
TAROCK_TRICK = NAMES.index("tarock_trick")
TAROCK_DECAY = NAMES.index("tarock_decay")
TAROCK_LOW = NAMES.index("tarock_low")
PAGAT_SAVE = NAMES.index("pagat_save")
MOND_SAVE = NAMES.index("mond_save")
SAVE = NAMES.index("save_declarer")
SUIT_TRICK = NAMES.index("suit_trick")
SUIT_TOP = NAMES.index("suit_top")
SUIT_DECAY = NAMES.index("suit_decay")
MOND_RISK = NAMES.index("mond_risk")
BIRD_HOPE = NAMES.index("bird_hope")
BIRD_ANNOUNCED = NAMES.index("bird_announced")
BIRD_TAROCK = NAMES.index("bird_tarock")
BIRD_DEFENCE = NAMES.index("bird_defence")
BIRD_DRAW = NAMES.index("bird_draw")
DRAW = NAMES.index("draw_declarer")
DRAW_LENGTH = NAMES.index("draw_length_declarer")
CALLED = NAMES.index("called_declarer")
VALAT_PUSH = NAMES.index("valat_push")
FORCE = NAMES.index("force_declarer")
SHORT_LEAD = NAMES.index("short_lead_declarer")
LONG_LEAD = NAMES.index("long_lead_declarer")
LONG_LEAD_COLOUR = NAMES.index("long_lead_colour")
LONG_LEAD_AGAINST = NAMES.index("long_lead_against")
TAROCK_DANGER = NAMES.index("tarock_danger")
SUIT_DANGER = NAMES.index("suit_danger")
RUFF_DANGER = NAMES.index("ruff_danger")
SHED_HIGH = NAMES.index("shed_high")
SHED_POINTS = NAMES.index("shed_points")
SHED_DANGER = NAMES.index("shed_danger")
FIRST_TRICK = NAMES.index("first_trick")
MOST_POINTS = NAMES.index("most_points")
VOID_WORTH = NAMES.index("void_worth")
KING_SUIT = NAMES.index("king_suit")
TAROCK_WORTH = NAMES.index("tarock_worth")
KING_WORTH = NAMES.index("king_worth")
SUIT_VOID = NAMES.index("suit_void")
OTHER_HALF = NAMES.index("other_half")
CONCEDE_BELOW = NAMES.index("concede_below")
CALL_LENGTH = NAMES.index("call_length")
CALL_QUEEN = NAMES.index("call_queen")
CALL_VOID = NAMES.index("call_void")
ANNOUNCE_SURE = NAMES.index("announce_sure")
KONTRA_GAME = NAMES.index("kontra_game")
KONTRA_ANSWER = NAMES.index("kontra_answer")
PASS_OPEN = NAMES.index("pass_open")
PASS_AFTER = NAMES.index("pass_after")
PASS_TAROCK = NAMES.index("pass_tarock")
WAIT_SHARE = NAMES.index("wait_share")
WAIT_PAY = NAMES.index("wait_pay")
SHIFT = NAMES.index("shift_bettler")  # + family (hand.FAMILIES)
SHIFT_BIRD = NAMES.index("shift_bird")
