"""Announcements and kontras: announce what is very likely, double what is likely to fail, answer when sure."""

from __future__ import annotations

import numpy as np

from agents.rule.bids import bird_chance
from agents.rule.fits import CHANCE_FIT, ITEM_FIT
from agents.rule.graded import graded_game_chance, graded_item_chance, kontra_chance
from agents.rule.hand import NUM_FEATURES, dot, family_of, hand_features, logistic
from agents.rule.kinds import kind_of
from agents.rule.tricks import role_of
from agents.rule.weights import ANNOUNCE_SURE, KONTRA_ANSWER, KONTRA_GAME
from tarock_env.actions import ANNOUNCE, GOOD, KONTRA, MELD, MELDS, NUM_CALLABLE_ITEMS
from tarock_env.engine.bits import TAROCKS, T22, bit, size
from tarock_env.engine.bonus import ABSOLUT, FOUR_KINGS, HONNEURS, PAGAT, QUAPIL, TRULL_ITEM, VALAT
from tarock_env.engine.exchange import WORD_3
from tarock_env.engine.jit import kernel

FITTED_ITEMS = np.array((TRULL_ITEM, FOUR_KINGS, HONNEURS, ABSOLUT, VALAT), np.int64)


@kernel
def item_chance(view, rules, item, features, weights):
    """Chance that the own side makes a bonus."""
    kind = role_of(view) if view.called >= 0 or view.call >= 0 else 3 if view.seat == view.declarer else 4
    if kind_of(rules, view.contract) >= 0:
        return graded_item_chance(view, rules, item, kind, features)
    if PAGAT <= item <= QUAPIL:
        bird = item - PAGAT
        return bird_chance(features, bird, weights) if view.hands[view.seat] & bit(bird) else 0.0
    for index in range(len(FITTED_ITEMS)):
        if FITTED_ITEMS[index] == item:
            return logistic(dot(ITEM_FIT[index, kind], features))
    return 0.0


@kernel
def game_chance(view, rules, features):
    """Chance that the declarer's side wins the game, as the acting seat sees it."""
    if kind_of(rules, view.contract) >= 0:
        return graded_game_chance(rules, view.contract, role_of(view), features)
    return logistic(dot(CHANCE_FIT[family_of(rules, view.contract), role_of(view)], features))


@kernel
def doubled(view, rules, item, features, weights):
    """Whether to double an item that stands open to a kontra of this seat, or to answer one."""
    steps = view.kontra[item]
    if item == 0:
        chance = game_chance(view, rules, features)
        own = chance if role_of(view) < 2 else 1.0 - chance
        first = kontra_chance(view, rules) if kind_of(rules, view.contract) >= 0 else weights[KONTRA_GAME]
        return own > (first if steps == 0 else weights[KONTRA_ANSWER] + 0.05 * steps)
    if item == VALAT and kind_of(rules, view.contract) >= 0:
        return steps == 0 and view.hands[view.seat] & T22 != 0
    if PAGAT <= item <= QUAPIL and steps == 0:
        hand = view.hands[view.seat]
        return size(hand & TAROCKS) >= 7 and hand & T22 != 0
    return False


@kernel
def choose_announcement(view, rules, weights):
    """One announcement or kontra, or `good`."""
    legal = view.legal[3]
    hand = view.hands[view.seat]
    for meld in range(len(MELDS)):
        if legal & bit(MELD + meld - WORD_3):
            return MELD + meld
    features = np.empty(NUM_FEATURES)
    hand_features(hand, view.seat == view.forehand, features)
    for item in range(1, NUM_CALLABLE_ITEMS):
        if legal & bit(ANNOUNCE + item - 1 - WORD_3) and item_chance(view, rules, item, features, weights) > weights[ANNOUNCE_SURE]:
            return ANNOUNCE + item - 1
    for item in range(NUM_CALLABLE_ITEMS):
        if legal & bit(KONTRA + item - WORD_3):
            if view.seat_kontra[view.seat] > 0 and item == 0:
                continue
            if doubled(view, rules, item, features, weights):
                return KONTRA + item
    return GOOD
