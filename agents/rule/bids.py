"""The auction: every contract that may be bid gets an expected payoff; the best one is bid if it is better than passing."""

from __future__ import annotations

import numpy as np

from agents.rule.fits import BONUS_FIT, GAME_FIT
from agents.rule.hand import CALLING_SOLO, FEWEST, NUM_FEATURES, CALLING, dot, family_of, hand_features, logistic
from tarock_env.actions import ANNOUNCE, BID, FOREHAND, NUM_CONTRACT_SLOTS, PASS
from tarock_env.engine.auction import FOREHAND_BIT, PASS_BIT
from tarock_env.engine.bits import TAROCKS, bit, size
from tarock_env.engine.bonus import PAGAT, TRULL_ITEM
from tarock_env.engine.exchange import WORD_3
from tarock_env.engine.jit import kernel

PASS_VALUE = 0.0


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
        payoff += rules.silent[TRULL_ITEM] * factor * dot(BONUS_FIT[family], features)
    return payoff


@kernel
def bird_chance(hand, bird):
    """Chance to bring an announced bird home."""
    return 0.3


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
def choose_bird(view):
    """The bird of a Besserrufer: the highest-valued one that still has good chances; the lowest is the safest."""
    for bird in range(4):
        if view.legal[3] & bit(ANNOUNCE + bird - WORD_3):
            return ANNOUNCE + bird
    return -1
