"""Negative games: a declarer who wants exactly so many tricks, defenders who spoil it, and all against all for few points."""

from __future__ import annotations

import numpy as np

from agents.rule.knowledge import FEWEST_POINTS, beat_chance, outlook, seat_of_trick
from agents.rule.weights import FIRST_TRICK, MOST_POINTS, RUFF_DANGER, SHED_DANGER, SHED_HIGH, SHED_POINTS, SUIT_DANGER, TAROCK_DANGER
from tarock_env.engine.bits import SUIT_MASKS, TAROCKS, above, bit, card_thirds, lowest, size, suit_of, without_lowest
from tarock_env.engine.fewest import LOSER_PAYS_EACH, OWN_POINTS
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import FIRST_SIX, LAST, trick_cards, winning_card
from tarock_env.engine.seats import seat_after

TALON_THIRDS = 24.0  # six cards on average
LATER_THIRDS = 4.0


@kernel
def danger(unseen, card, weights):
    """Chance that a card will win a trick some day: it falls with every unseen card that beats it."""
    suit = suit_of(card)
    higher = size(unseen & SUIT_MASKS[suit] & above(card))
    if suit == 0:
        return np.exp(-weights[TAROCK_DANGER] * higher)
    return np.exp(-weights[SUIT_DANGER] * higher - weights[RUFF_DANGER] * size(unseen & TAROCKS))


@kernel
def hand_danger(unseen, hand, weights):
    """Tricks that a hand can be expected to make."""
    total = 0.0
    while hand:
        total += danger(unseen, lowest(hand), weights)
        hand = without_lowest(hand)
    return total


@kernel
def exactly(tricks, expected):
    """Chance of exactly so many tricks where so many are expected (Poisson)."""
    if tricks < 0:
        return 0.0
    chance = np.exp(-expected)
    for count in range(1, tricks + 1):
        chance *= expected / count
    return chance


@kernel
def score_declarer(view, rules, know, card, weights):
    """Chance to end on exactly the tricks of the contract."""
    need = rules.tricks[view.contract] - view.tricks_won[view.seat]
    rest = hand_danger(know.unseen, view.hands[view.seat] & ~bit(card), weights)
    itself = outlook(view, rules, know, card)[1]
    return itself * exactly(need - 1, rest) + (1.0 - itself) * exactly(need, rest)


@kernel
def declarer_takes(view, rules, know, card):
    """Chance that the declarer wins the trick if the acting defender plays `card`."""
    contract = view.contract
    led = view.trick[0] if view.trick_size else card
    best = winning_card(trick_cards(view) | bit(card), led, rules.play[contract], rules.emperor[contract])
    owner = seat_of_trick(view, best)
    chance = 1.0 if owner == view.declarer else 0.0
    for steps in range(view.trick_size + 1, view.num_seats):
        seat = seat_after(view, view.leader, steps)
        beats = beat_chance(view, rules, know, seat, best, led)
        if seat == view.declarer:
            chance += (1.0 - chance) * beats
        else:
            chance *= 1.0 - beats * (1.0 if owner == view.declarer else 0.5)
    return chance


@kernel
def score_defender(view, rules, know, card, weights):
    """Tricks for the declarer, and low cards kept for later."""
    tricks, won = rules.tricks[view.contract], view.tricks_won[view.declarer]
    left = rules.num_tricks - view.trick_number
    wish = 1.0 if won >= tricks else -1.0 if left <= 2 * (tricks - won) + 1 else 0.3
    return wish * declarer_takes(view, rules, know, card) + weights[SHED_HIGH] * danger(know.unseen, card, weights)


@kernel
def talon_thirds(view, rules):
    """What the talon adds to this trick in an all-against-all game."""
    mode = view.talon_tricks if view.talon_tricks >= 0 else rules.fewest_talon
    if mode == FIRST_SIX and view.trick_number < 6:
        return TALON_THIRDS / 6
    return TALON_THIRDS if mode == LAST and view.trick_number == rules.num_tricks - 1 else 0.0


@kernel
def surplus(view):
    """How far above the average the own points are, -0.5..1: 1 for 40 thirds."""
    total = 0
    for seat in range(view.num_seats):
        total += card_thirds(view.won[seat] | view.awarded[seat])
    mine = card_thirds(view.won[view.seat] | view.awarded[view.seat])
    return min(max((mine - total / view.num_seats) / 40.0, -0.5), 1.0)


@kernel
def score_alone(view, rules, know, card, weights):
    """Few points for oneself: not to win what lies there, and to be rid of what would win later."""
    itself = outlook(view, rules, know, card)[1]
    own = float(card_thirds(bit(card)))
    lying = float(card_thirds(trick_cards(view))) + talon_thirds(view, rules)
    lying += own + LATER_THIRDS * (view.num_seats - 1 - view.trick_size)
    if rules.fewest_scheme == OWN_POINTS and not rules.seventy:  # everybody pays for himself
        return weights[SHED_POINTS] * own + weights[SHED_DANGER] * danger(know.unseen, card, weights) - itself * lying
    cost = itself * lying * (1.0 + weights[MOST_POINTS] * surplus(view))
    if rules.fewest_scheme != LOSER_PAYS_EACH and view.tricks_won[view.seat] == 0:
        cost += itself * weights[FIRST_TRICK]
    return weights[SHED_POINTS] * own + weights[SHED_DANGER] * danger(know.unseen, card, weights) - cost


@kernel
def play_negative(view, rules, know, weights):
    """The card to play in a negative game."""
    goal = rules.goal[view.contract]
    chosen, highest_score = -1, -1e9
    legal = view.legal[0]
    while legal:
        card = lowest(legal)
        legal = without_lowest(legal)
        if goal == FEWEST_POINTS:
            score = score_alone(view, rules, know, card, weights)
        elif view.seat == view.declarer:
            score = score_declarer(view, rules, know, card, weights)
        else:
            score = score_defender(view, rules, know, card, weights)
        if score > highest_score + 1e-9:
            chosen, highest_score = card, score
    return chosen
