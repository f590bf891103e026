"""Games of the kinds that agents.rule.kinds lists: what they promise, the auction, the staged talon, the raise, announcements."""

from __future__ import annotations

import numpy as np

from agents.rule.exchange import after_exchange
from agents.rule.graded_fits import BONUS, DIFFERENCE, ITEM, PASSING, ROLE_CHANCE, SHIFT, STAGED_POINTS, WIN
from agents.rule.hand import NUM_FEATURES, dot, hand_features, logistic
from agents.rule.kinds import (
    ALL_BEGGARS, BEGGAR, CALL_THREE, COLOUR_SLAM, DUTY, DUTY_ALONE, OF_THREE, SLAM_KIND, SOLO_THREE, WARSAW, group_of, kind_of,
)  # fmt: skip
from agents.rule.weights import CALL_LENGTH, CALL_QUEEN, CALL_VOID
from tarock_env.actions import BID, CALL, EXPOSE, GOOD, NUM_CONTRACT_SLOTS, PASS, RAISE, RETURN, TAKE
from tarock_env.engine.auction import PASS_BIT, count_passed
from tarock_env.engine.bits import QUEENS, SUIT_MASKS, ZERO, bit, card_thirds, lowest, size, without_lowest
from tarock_env.engine.bonus import FOUR_KINGS, PAGAT, TRULL_ITEM, ULTIMO, VALAT
from tarock_env.engine.exchange import CALLS_TAROCK, FOURTH, KING_CALLS, STAGED, WORD_3, XIX_CALL, talon_part
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import SLAM
from tarock_env.engine.score import ADDED, MULTIPLIED

CONTRACT_BITS = np.uint64((1 << NUM_CONTRACT_SLOTS) - 1)
ITEMS_FITTED = np.array((TRULL_ITEM, FOUR_KINGS, PAGAT, ULTIMO), np.int64)  # order of graded_fits.ITEM
KONTRA_SURE, KONTRA_LEVEL_ONE, KONTRA_LEVELS = 0.72, 0.55, 0.85
SURE_SLAM = 0.85  # chance of a slam from which it is bid or announced
FAIR_CHANCE = 0.5  # nobody bids a game that he will rather lose, however much it promises
SURE_RAISE = 0.95  # ... to which a solo is raised, which would pay without it too
UNFAIR = 1000.0  # where he must bid, such games come last
ALONE_CHANCE, ALONE_MARGIN = 0.75, 1.5  # own card called: alone must be so sure and promise so much more


@kernel
def all_against_all(kind):
    """Whether a kind of game has no declarer."""
    return kind == WARSAW or kind == ALL_BEGGARS or kind == ALL_BEGGARS + OF_THREE


@kernel
def win_chance(kind, over, features):
    """Chance to win a game bid over another bid (1) or over none (0)."""
    return logistic(dot(WIN[kind], features) + SHIFT[kind, over, 0])


@kernel
def worth_as(rules, contract, kind, over, features):
    """What declaring a contract promises, in table units, as a game of some kind (a call may be played alone)."""
    if all_against_all(kind):
        return dot(DIFFERENCE[kind], features)
    alone = kind == DUTY_ALONE or not rules.calls[contract] or SOLO_THREE <= kind < BEGGAR
    opponents = rules.num_seats - 1.0 if alone else 1.0
    value = float(rules.value[contract])
    bonus = dot(BONUS[kind], features)
    if rules.difference[contract] == MULTIPLIED:
        return opponents * (value * dot(DIFFERENCE[kind], features) + bonus) + SHIFT[kind, over, 1]
    game = value * (2.0 * win_chance(kind, over, features) - 1.0)
    if rules.difference[contract] == ADDED:
        game += dot(DIFFERENCE[kind], features)
    return opponents * (game + bonus) + SHIFT[kind, over, 1]


@kernel
def worth(rules, contract, over, features):
    """What declaring a contract promises, in table units; `over`: 1 where somebody has bid, else 0."""
    return worth_as(rules, contract, kind_of(rules, contract), over, features)


@kernel
def bid_by_worth(view, rules):
    """Bid what promises most if it promises more than passing. Also P0's answer to three passes (Warsaw)."""
    legal = view.legal[2]
    features = np.empty(NUM_FEATURES)
    hand_features(view.hands[view.seat], view.seat == view.forehand, features)
    chosen, best = PASS, -1e9
    over = 1 if view.contract >= 0 else 0
    may_pass = legal & PASS_BIT != ZERO
    bids = legal & CONTRACT_BITS
    while bids:
        contract = lowest(bids)
        bids = without_lowest(bids)
        kind = kind_of(rules, contract)
        value = worth(rules, contract, over, features)
        needed = SURE_SLAM if rules.goal[contract] == SLAM else FAIR_CHANCE
        if not all_against_all(kind) and win_chance(kind, over, features) < needed:
            if may_pass:
                continue
            value -= UNFAIR
        if value > best:
            chosen, best = BID + contract, value
    if not may_pass:
        return chosen
    passed = count_passed(view)
    if view.contract >= 0 and passed == view.num_seats - 1:
        return PASS if best < worth(rules, view.contract, over, features) else chosen
    situation = 1 if over else 2 if passed == view.num_seats - 1 else 0
    return PASS if best < dot(PASSING[group_of(rules), situation], features) else chosen


@kernel
def convert(view, rules):
    """P0, whose contract all others passed: keep it, or play all against all."""
    features = np.empty(NUM_FEATURES)
    hand_features(view.hands[view.seat], True, features)
    other = int(rules.converts_to[view.contract])
    return BID + other if worth(rules, other, 0, features) > worth(rules, view.contract, 0, features) else PASS


@kernel
def call_by_worth(view, rules, weights):
    """A partner's card, by length and queen of its suit; the own one where playing alone promises clearly more."""
    legal = view.legal[3]
    hand = view.hands[view.seat]
    tarocks = rules.calls[view.contract] == CALLS_TAROCK
    features = np.empty(NUM_FEATURES)
    hand_features(hand, view.seat == view.forehand, features)
    kind = kind_of(rules, view.contract)
    alone_kind = DUTY_ALONE if tarocks else SOLO_THREE + kind - CALL_THREE
    alone = worth_as(rules, view.contract, alone_kind, 0, features)
    sure = win_chance(alone_kind, 0, features) > ALONE_CHANCE
    wants_alone = sure and alone > ALONE_MARGIN * worth_as(rules, view.contract, kind, 0, features)
    if legal & bit(CALL + FOURTH - WORD_3) and not wants_alone:
        return CALL + FOURTH
    chosen, best = -1, -1e9
    for call in range(13):
        if call == FOURTH or not legal & bit(CALL + call - WORD_3):
            continue
        if call >= XIX_CALL:
            own = hand & bit(18 - (call - XIX_CALL)) != ZERO
            score = 0.0
        else:
            suit = (call if call < FOURTH else call - FOURTH - 1) + 1
            cards = hand & SUIT_MASKS[suit]
            own = call < FOURTH and hand & bit(KING_CALLS[call]) != ZERO
            score = -weights[CALL_LENGTH] * size(cards) + (weights[CALL_VOID] if not cards else 0.0)
            score += weights[CALL_QUEEN] if cards & QUEENS else 0.0
        score += 100.0 if own == wants_alone else 0.0
        if score > best:
            chosen, best = CALL + call, score
    return chosen


@kernel
def staged_points(view, rules, taken, weights):
    """Card points over half that a hand promises after taking these talon cards."""
    hand, laid = after_exchange(view, rules, taken, weights)
    features = np.empty(NUM_FEATURES)
    hand_features(hand, view.seat == view.forehand, features)
    return dot(STAGED_POINTS[:NUM_FEATURES], features) + STAGED_POINTS[NUM_FEATURES] * card_thirds(laid) / 10.0


@kernel
def choose_staged(view, rules, weights):
    """Take a group or look on: each look multiplies the points over half by one more, won or lost."""
    first = staged_points(view, rules, talon_part(view, 0, 3), weights)
    if view.legal[3] & bit(EXPOSE - WORD_3):
        return EXPOSE if first > 0.0 else TAKE
    second = staged_points(view, rules, talon_part(view, 1, 3), weights)
    return RETURN if 3.0 * first > 2.0 * second else TAKE


@kernel
def slam_chance(view, rules, kind):
    """Chance to win every trick with the hand after the exchange."""
    features = np.empty(NUM_FEATURES)
    hand_features(view.hands[view.seat], True, features)
    return logistic(dot(WIN[kind + (OF_THREE if rules.num_seats == 3 else 0)], features))


@kernel
def choose_raise(view, rules):
    """Raise a solo to a colour slam where that is nearly sure."""
    return RAISE if slam_chance(view, rules, COLOUR_SLAM) > SURE_RAISE else GOOD


@kernel
def graded_item_chance(view, rules, item, kind, features):
    """Chance that the own side makes a bonus: `kind` 0..2 declarer, partner, defender; 3, 4 in games without a partner."""
    if item == VALAT:
        chance = slam_chance(view, rules, SLAM_KIND) if kind == 3 and view.seat == view.forehand else 0.0
        return chance if chance > SURE_SLAM else 0.0
    for index in range(len(ITEMS_FITTED)):
        if ITEMS_FITTED[index] == item:
            return logistic(dot(ITEM[group_of(rules), index, kind], features))
    return 0.0


@kernel
def kontra_chance(view, rules):
    """Chance of a failure from which a kontra pays. Whoever looks on in a staged talon multiplies what he expects to win."""
    if rules.talon[view.contract] == STAGED:
        return KONTRA_LEVEL_ONE if view.talon_choice == 0 else KONTRA_LEVELS
    return KONTRA_SURE


@kernel
def graded_game_chance(rules, contract, role, features):
    """Chance that the declarer's side wins the game; role 0..2: declarer, partner, defender."""
    kind = kind_of(rules, contract)
    if kind >= DUTY:
        return logistic(dot(ROLE_CHANCE[kind - DUTY, role], features))
    if role == 0:
        return logistic(dot(WIN[kind], features))
    return 0.5
