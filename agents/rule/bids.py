"""The auction: every contract that may be bid gets an expected payoff; the best one is bid if it is better than passing."""

from __future__ import annotations

import numpy as np

from agents.rule.fits import BIRD_FIT, BONUS_FIT, GAME_FIT
from agents.rule.hand import CALLING_SOLO, FEWEST, NUM_FEATURES, CALLING, dot, family_of, hand_features, logistic
from tarock_env.actions import ANNOUNCE, BID, FOREHAND, NUM_CONTRACT_SLOTS, PASS
from tarock_env.engine.auction import FOREHAND_BIT, PASS_BIT
from tarock_env.engine.bits import bit
from tarock_env.engine.bonus import HONNEURS, PAGAT, TRULL_ITEM
from tarock_env.engine.jit import kernel

PASS_VALUE = 0.0


@kernel
def bird_chance(features, bird):
    """Chance to bring an announced bird home."""
    return logistic(dot(BIRD_FIT[bird], features))


@kernel
def bird_payoff(rules, bird, features):
    """What announcing a bird with the bid is expected to pay, beyond a silent try."""
    return rules.announced[PAGAT + bird] * (2.0 * bird_chance(features, bird) - 1.0)


@kernel
def best_bird(rules, hand, features):
    """The bird in hand that promises most when announced; -1 without one."""
    chosen, best = -1, -1e9
    for bird in range(4):
        if hand & bit(bird) and bird_payoff(rules, bird, features) > best:
            chosen, best = bird, bird_payoff(rules, bird, features)
    return chosen


@kernel
def expected_payoff(rules, hand, contract, features):
    """What declaring a contract with a hand can be expected to pay, in table units."""
    family = family_of(rules, contract)
    value = float(rules.value[contract])
    if family == FEWEST:
        return value * dot(GAME_FIT[family], features)
    chance = logistic(dot(GAME_FIT[family], features))
    lost = value * rules.loss_factor[contract]
    opponents = 1.0 if family == CALLING or family == CALLING_SOLO else rules.num_seats - 1.0
    payoff = opponents * (value * chance - lost * (1.0 - chance))
    factor = 2.0 if rules.solo[contract] else 1.0
    if rules.bonuses[contract]:
        rich = 1 if rules.silent[HONNEURS] else 0
        payoff += rules.silent[TRULL_ITEM] * factor * dot(BONUS_FIT[rich, family], features)
    if rules.bird[contract]:
        bird = rules.bird[contract] - PAGAT if rules.bird[contract] > 0 else best_bird(rules, hand, features)
        if bird >= 0:
            payoff += bird_payoff(rules, bird, features)
    return payoff


@kernel
def choose_bid(view, rules):
    """Bid, `forehand` or pass."""
    legal = view.legal[2]
    hand = view.hands[view.seat]
    features = np.empty(NUM_FEATURES)
    hand_features(hand, view.seat == view.forehand, features)
    chosen, best = -1, -1e9
    for contract in range(NUM_CONTRACT_SLOTS):
        if legal & bit(contract):
            payoff = expected_payoff(rules, hand, contract, features)
            if payoff > best:
                chosen, best = BID + contract, payoff
    if legal & PASS_BIT and best < PASS_VALUE:
        return PASS
    if legal & FOREHAND_BIT and best < PASS_VALUE:
        return FOREHAND
    return chosen


@kernel
def choose_bird(view, rules):
    """The bird that a Besserrufer names."""
    features = np.empty(NUM_FEATURES)
    hand = view.hands[view.seat]
    hand_features(hand, view.seat == view.forehand, features)
    return ANNOUNCE + best_bird(rules, hand, features)
