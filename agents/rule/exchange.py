"""The declarer between auction and play: call, half of the talon, concession, discards; forehand's terms of a Trischaken."""

from __future__ import annotations

import numpy as np

from agents.rule.knowledge import COLOUR
from agents.rule.negative import hand_danger
from agents.rule.weights import (
    CALL_LENGTH, CALL_QUEEN, CALL_VOID, CONCEDE_BELOW, KING_SUIT, KING_WORTH, OTHER_HALF, SUIT_VOID, TAROCK_WORTH, VOID_WORTH,
)  # fmt: skip
from tarock_env.actions import CALL, CHOOSE_BEAT, CHOOSE_FREE, CHOOSE_TALON_FIRST, CHOOSE_TALON_LAST, CONCEDE, DISCARD, TALON
from tarock_env.engine.bits import (
    ALL_CARDS, KINGS, SUIT_MASKS, TAROCKS, ZERO, above, bit, card_thirds, lowest, size, suit_of, without_lowest,
)  # fmt: skip
from tarock_env.engine.exchange import FOURTH, QUEEN_CALLS, WORD_3, kept_cards, restricted_cards, talon_cards, talon_part
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import CHOOSE_BEAT as CHOOSE_BEAT_PHASE

KING_COMES_HOME = 0.6  # chance that a called king taken from the talon wins a trick


@kernel
def choose_call(view, weights):
    """The card to call: the fourth king where it can be named so, else in the shortest suit."""
    legal = view.legal[3]
    if legal & bit(CALL + FOURTH - WORD_3):
        return CALL + FOURTH
    hand = view.hands[view.seat]
    chosen, best = -1, -1e9
    for call in range(9):
        if call == FOURTH or not legal & bit(CALL + call - WORD_3):
            continue
        suit = (call if call < FOURTH else call - FOURTH - 1) + 1
        length = size(hand & SUIT_MASKS[suit])
        score = -weights[CALL_LENGTH] * length + (weights[CALL_VOID] if length == 0 else 0.0)
        if call < FOURTH and hand & bit(QUEEN_CALLS[call]):
            score += weights[CALL_QUEEN]
        if score > best:
            chosen, best = CALL + call, score
    return chosen


@kernel
def discard_value(view, rules, hand, card, owed, weights):
    """How good it is to lay a card away: its points and the void it helps to make."""
    suit = suit_of(card)
    coloured = rules.play[view.contract] == COLOUR
    points = float(card_thirds(bit(card)))
    if suit == 0:
        return 0.0 - card if coloured else -20.0 - card
    cards = hand & SUIT_MASKS[suit]
    length = size(cards)
    if coloured:
        return points - 4.0 * length - 3.0 * (card - 22 & 7)
    if cards & KINGS:
        return points - weights[KING_SUIT]
    return points + (weights[VOID_WORTH] / length if length <= owed else 0.0) - 0.5 * length


@kernel
def best_discard(view, rules, hand, legal, owed, weights):
    """The card to lay away next."""
    chosen, best = -1, -1e9
    while legal:
        card = lowest(legal)
        legal = without_lowest(legal)
        value = discard_value(view, rules, hand, card, owed, weights)
        if value > best:
            chosen, best = card, value
    return chosen


@kernel
def choose_discard(view, rules, weights):
    """Action of the next discard."""
    seat = view.seat
    return DISCARD + best_discard(view, rules, view.hands[seat], view.legal[1], view.owed[seat], weights)


@kernel
def tarock_strength(hand, unseen):
    """Tricks that the tarocks of a hand are worth."""
    total = 0.0
    rest = hand & TAROCKS
    while rest:
        card = lowest(rest)
        rest = without_lowest(rest)
        total += 0.35 + 0.65 * np.exp(-0.25 * size(unseen & TAROCKS & above(card)))
    return total


@kernel
def hand_value(view, rules, hand, laid, weights):
    """Worth of a hand after the exchange, in thirds; `laid`: its discards."""
    unseen = ALL_CARDS & ~(hand | laid)
    value = float(card_thirds(laid))
    if rules.play[view.contract] == COLOUR:
        for suit in range(1, 5):
            cards = hand & SUIT_MASKS[suit]
            outside = unseen & SUIT_MASKS[suit]
            while cards:
                card = lowest(cards)
                cards = without_lowest(cards)
                value += 20.0 * np.exp(-0.7 * size(outside & above(card)))
        return value
    value += weights[TAROCK_WORTH] * tarock_strength(hand, unseen)
    value += weights[KING_WORTH] * size(hand & KINGS)
    for suit in range(1, 5):
        if not hand & SUIT_MASKS[suit]:
            value += weights[SUIT_VOID]
    return value


@kernel
def after_exchange(view, rules, taken, weights):
    """(hand, discards) after taking talon cards and laying as many away."""
    seat = view.seat
    hand = view.hands[seat] | taken
    kept = kept_cards(view, seat)
    if view.called >= 0:
        kept |= bit(view.called)
    restricted = restricted_cards(view, rules)
    laid = ZERO
    for owed in range(size(taken), 0, -1):
        legal = hand & ~kept
        if size(legal & ~restricted) >= owed:
            legal &= ~restricted
        if not legal:
            break
        card = bit(best_discard(view, rules, hand, legal, owed, weights))
        hand &= ~card
        laid |= card
    return hand, laid


@kernel
def choose_talon(view, rules, weights):
    """The part of the talon that leaves the better hand, the other part being the opponents'."""
    count = rules.talon_group[view.contract]
    everything = talon_cards(view)
    chosen, best = 0, -1e9
    for group in range(6 // count):
        taken = talon_part(view, group, count)
        hand, laid = after_exchange(view, rules, taken, weights)
        value = hand_value(view, rules, hand, laid, weights)
        if rules.king_wins_talon and view.called >= 0 and taken & bit(view.called):
            value += KING_COMES_HOME * 2.0 * card_thirds(everything & ~taken)
        value -= weights[OTHER_HALF] * card_thirds(everything & ~taken)
        if value > best:
            chosen, best = group, value
    if view.legal[3] & bit(CONCEDE - WORD_3) and best < weights[CONCEDE_BELOW]:
        return CONCEDE
    return TALON + chosen


@kernel
def choose_terms(view, weights):
    """Forehand's choices in a Trischaken: must-beat with a hand of low cards; the talon last where others will have the tricks."""
    hand = view.hands[view.seat]
    low = hand_danger(ALL_CARDS & ~hand, hand, weights) < 2.5
    if view.phase == CHOOSE_BEAT_PHASE:
        return CHOOSE_BEAT if low else CHOOSE_FREE
    return CHOOSE_TALON_LAST if low else CHOOSE_TALON_FIRST
