"""The auction: every contract that may be bid gets an expected payoff; the best one is bid if it is better than passing."""

from __future__ import annotations

import numpy as np

from agents.rule.fits import BIRD_FIT, BONUS_FIT, GAME_FIT
from agents.rule.graded import bid_by_worth, worth
from agents.rule.hand import FEWEST, NUM_FEATURES, dot, family_of, hand_features, logistic
from agents.rule.kinds import counts_points, kind_of
from agents.rule.weights import PASS_AFTER, PASS_OPEN, PASS_TAROCK, SHIFT, SHIFT_BIRD, WAIT_PAY, WAIT_SHARE
from tarock_env.actions import ANNOUNCE, BID, FOREHAND, NUM_CONTRACT_SLOTS, PASS
from tarock_env.engine.auction import FOREHAND_BIT, PASS_BIT, qualified_bids
from tarock_env.engine.bits import bit, lowest, without_lowest
from tarock_env.engine.bonus import HONNEURS, PAGAT, TRULL_ITEM
from tarock_env.engine.jit import kernel

CONTRACT_BITS = np.uint64((1 << NUM_CONTRACT_SLOTS) - 1)


@kernel
def bird_chance(features, bird, weights):
    """Chance to bring an announced bird home."""
    return logistic(dot(BIRD_FIT[bird], features) + weights[SHIFT_BIRD])


@kernel
def bird_payoff(rules, bird, features, weights):
    """What announcing a bird with the bid is expected to pay, beyond a silent try."""
    return rules.announced[PAGAT + bird] * (2.0 * bird_chance(features, bird, weights) - 1.0)


@kernel
def best_bird(rules, hand, features, weights):
    """The bird in hand that promises most when announced; -1 without one."""
    chosen, best = -1, -1e9
    for bird in range(4):
        if hand & bit(bird) and bird_payoff(rules, bird, features, weights) > best:
            chosen, best = bird, bird_payoff(rules, bird, features, weights)
    return chosen


@kernel
def tariff_unit(rules):
    """Table units of a silent Trull: what the tariff is built on."""
    return max(rules.silent[TRULL_ITEM], 1)


@kernel
def expected_payoff(rules, hand, contract, features, weights):
    """What declaring a contract with a hand can be expected to pay, in table units."""
    if kind_of(rules, contract) >= 0:
        return worth(rules, contract, 0, features)
    family = family_of(rules, contract)
    value = float(rules.value[contract])
    fitted = dot(GAME_FIT[family], features) + weights[SHIFT + family]
    if family == FEWEST:
        return value * fitted
    chance = logistic(fitted)
    lost = value * rules.loss_factor[contract]
    opponents = 1.0 if rules.calls[contract] else rules.num_seats - 1.0
    payoff = opponents * (value * chance - lost * (1.0 - chance))
    if rules.bonuses[contract]:
        rich = 1 if rules.silent[HONNEURS] else 0
        factor = 2.0 if rules.solo[contract] else 1.0
        payoff += tariff_unit(rules) * factor * dot(BONUS_FIT[rich, family], features)
    if rules.bird[contract]:
        bird = rules.bird[contract] - PAGAT if rules.bird[contract] > 0 else best_bird(rules, hand, features, weights)
        if bird >= 0:
            payoff += bird_payoff(rules, bird, features, weights)
    return payoff


@kernel
def best_bid(rules, hand, bids, features, weights):
    """(contract, payoff) of the most promising contract of a set; (-1, -1e9) where it is empty."""
    chosen, best = -1, -1e9
    while bids:
        contract = lowest(bids)
        bids = without_lowest(bids)
        payoff = expected_payoff(rules, hand, contract, features, weights)
        if payoff > best:
            chosen, best = contract, payoff
    return chosen, best


@kernel
def choose_bid(view, rules, weights):
    """Bid, `forehand` or pass."""
    if counts_points(rules):
        return bid_by_worth(view, rules)
    legal = view.legal[2]
    hand = view.hands[view.seat]
    features = np.empty(NUM_FEATURES)
    hand_features(hand, view.seat == view.forehand, features)
    bids = legal & CONTRACT_BITS
    contract, payoff = best_bid(rules, hand, bids, features, weights)
    payoff /= tariff_unit(rules)
    if legal & PASS_BIT:
        passing = weights[PASS_AFTER] if view.contract >= 0 else weights[PASS_OPEN]
        return PASS if payoff < passing + weights[PASS_TAROCK] * (features[1] - 5.0) else BID + contract
    if legal & FOREHAND_BIT:
        later = best_bid(rules, hand, qualified_bids(rules, hand) & ~rules.opening_only, features, weights)[1] / tariff_unit(rules)
        return FOREHAND if payoff < weights[WAIT_SHARE] * later + weights[WAIT_PAY] else BID + contract
    return BID + contract


@kernel
def choose_bird(view, rules, weights):
    """The bird that a Besserrufer names."""
    features = np.empty(NUM_FEATURES)
    hand = view.hands[view.seat]
    hand_features(hand, view.seat == view.forehand, features)
    return ANNOUNCE + best_bird(rules, hand, features, weights)
