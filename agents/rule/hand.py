"""What a hand of twelve looks like: the features behind bids, talon, announcements and kontra; families of contracts."""

from __future__ import annotations

import numpy as np

from agents.rule.knowledge import COLOUR, FEWEST_POINTS
from tarock_env.cards import KING_IDS, QUEEN_IDS
from tarock_env.engine.bits import (
    ALL_CARDS, KINGS, SUIT_MASKS, T1, T21, T22, TAROCKS, above, bit, card_thirds, lowest, size, suit_of, without_lowest,
)  # fmt: skip
from tarock_env.engine.jit import kernel
from tarock_env.rules.schema import Goal, Talon

FEATURES = (
    "one", "tarocks", "tarocks_squared", "skues", "mond", "pagat", "high_tarocks", "middle_tarocks", "kings", "queens",
    "lone_queens", "voids", "singletons", "longest", "masters", "suit_points", "suit_exposure", "tarock_exposure",
    "exposure_squared", "leads",
)  # fmt: skip
NUM_FEATURES = len(FEATURES)
TRICKS = int(Goal.TRICKS)
UNUSED, HALVES = int(Talon.UNUSED), int(Talon.HALVES)

# Families of contracts that are judged alike.
FAMILIES = (
    "bettler", "piccolo", "zwiccolo", "bettler_ouvert", "piccolo_ouvert", "zwiccolo_ouvert", "trischaken", "colour", "colour_solo",
    "calling", "calling_solo", "dreier", "sechserdreier", "solodreier",
)  # fmt: skip
FEWEST, COLOURED, COLOURED_SOLO, CALLING, CALLING_SOLO, DREIER, SECHSERDREIER, SOLODREIER = range(6, 14)


@kernel
def family_of(rules, contract):
    """The family of a contract, by its features alone."""
    goal = rules.goal[contract]
    unused = rules.talon[contract] == UNUSED
    if goal == FEWEST_POINTS:
        return FEWEST
    if goal == TRICKS:
        return min(rules.tricks[contract], 2) + (3 if rules.shown[contract] else 0)
    if rules.play[contract] == COLOUR:
        return COLOURED_SOLO if unused else COLOURED
    if rules.calls[contract]:
        return CALLING_SOLO if unused else CALLING
    return SOLODREIER if unused else DREIER if rules.talon[contract] == HALVES else SECHSERDREIER


@kernel
def masters_in(cards):
    """Cards that head a suit of the hand from its king down without a gap, and those behind them when the suit is long."""
    count = 0
    for suit in range(1, 5):
        held = cards & SUIT_MASKS[suit]
        top = KING_IDS[suit - 1]
        while held & bit(top):
            held &= ~bit(top)
            top -= 1
            count += 1
            if not held:
                break
    return count


@kernel
def exposure(unseen, card):
    """How likely a card is to win a trick against its holder's will. The fits stand on these numbers: change both or none."""
    if card < 22:
        return np.exp(-0.35 * size(unseen & TAROCKS & above(card)))
    higher = size(unseen & SUIT_MASKS[suit_of(card)] & above(card))
    return np.exp(-0.45 * higher - 0.08 * size(unseen & TAROCKS))


@kernel
def hand_features(hand, leads, out):
    """Overwrite `out` (NUM_FEATURES,) for a hand; `leads`: whether its seat leads to the first trick."""
    tarocks = hand & TAROCKS
    number = size(tarocks)
    lone, guarded, voids, singletons, longest = 0, 0, 0, 0, 0
    for suit in range(4):
        cards = hand & SUIT_MASKS[suit + 1]
        length = size(cards)
        longest = max(longest, length)
        voids += length == 0
        singletons += length == 1 and not cards & KINGS
        if hand & bit(QUEEN_IDS[suit]):
            if hand & bit(KING_IDS[suit]):
                guarded += 1
            else:
                lone += 1
    unseen = ALL_CARDS & ~hand
    suits, trumps = 0.0, 0.0
    rest = hand
    while rest:
        card = lowest(rest)
        rest = without_lowest(rest)
        if card < 22:
            trumps += exposure(unseen, card)
        else:
            suits += exposure(unseen, card)
    out[0] = 1.0
    out[1] = number
    out[2] = number * number / 10.0
    out[3] = hand & T22 != 0
    out[4] = hand & T21 != 0
    out[5] = hand & T1 != 0
    out[6] = size(hand & SUIT_MASKS[0] & ~np.uint64((1 << 16) - 1) & ~(T21 | T22))
    out[7] = size(hand & np.uint64((1 << 16) - (1 << 11)))
    out[8] = size(hand & KINGS)
    out[9] = guarded
    out[10] = lone
    out[11] = voids
    out[12] = singletons
    out[13] = longest
    out[14] = masters_in(hand)
    out[15] = card_thirds(hand & ~TAROCKS) / 10.0
    out[16] = suits
    out[17] = trumps
    out[18] = (suits + trumps) * (suits + trumps)
    out[19] = leads


@kernel
def dot(weights, features):
    """Sum of products."""
    total = 0.0
    for index in range(len(features)):
        total += weights[index] * features[index]
    return total


@kernel
def logistic(logit):
    """Logit to chance."""
    return 1.0 / (1.0 + np.exp(-logit))
