"""Playing for points (tarock and colour games): every legal card gets a score in thirds of a card point; the best is played.

score = chance that our side wins the trick * what lies in it - what the card would be worth later + what the lead does
"""

from __future__ import annotations

import numpy as np

from agents.rule.knowledge import COLOUR, behind, outlook, seat_of_trick, some_of
from agents.rule.weights import (
    BIRD_ANNOUNCED, BIRD_DEFENCE, BIRD_DRAW, BIRD_HOPE, BIRD_TAROCK, BONUS_UNIT, CALLED, CALLED_STAKE, DRAW,
    DRAW_LENGTH, FORCE, HONOUR_STAKE, KING_STAKE, LATER_CARD, LONG_LEAD, LONG_LEAD_AGAINST, LONG_LEAD_COLOUR,
    MOND_RISK, MOND_SAVE, PAGAT_SAVE, SAVE, SHORT_LEAD, SUIT_DECAY, SUIT_TOP, SUIT_TRICK, TAROCK_DECAY, TAROCK_LOW,
    TAROCK_TRICK, TEMPO, TRULL_STAKE, VALAT_PUSH,
)  # fmt: skip
from tarock_env.cards import MOND, PAGAT
from tarock_env.engine.announce import item_bit
from tarock_env.engine.bits import (
    FIVES, KINGS, SUIT_MASKS, T21, T22, TAROCKS, above, bit, card_thirds, lowest, size, suit_of, without_lowest,
)  # fmt: skip
from tarock_env.engine.bonus import FOUR_KINGS, HONNEURS, KOENIGFANG, MONDFANG, OTHER_SIDE, TRULL_ITEM, ULTIMO_ITSELF, VALAT
from tarock_env.engine.bonus import PAGAT as PAGAT_ITEM
from tarock_env.engine.bonus import ULTIMO as ULTIMO_ITEM
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import trick_cards, winning_card
from tarock_env.engine.score import ADDED, MULTIPLIED, STAGED, valat_units

TURNING = 0.08  # twice the chance that one card point turns a game: its spread is ten points
NEVER = -1000.0  # a play that is only made where nothing else is legal


@kernel
def role_of(view):
    """0 declarer, 1 partner, 2 defender."""
    return 0 if view.seat == view.declarer else 1 if view.seat == view.partner else 2


@kernel
def part_of(view):
    """0 declarer with a partner, 1 the partner, 2 their opponent, 3 a lone declarer, 4 a lone declarer's opponent."""
    role = role_of(view)
    return role if view.call >= 0 else 3 if role == 0 else 4


@kernel
def bonus_unit(view, rules, weights):
    """Thirds that one table unit of bonus is worth in this contract."""
    contract = view.contract
    value = float(rules.value[contract])
    if rules.difference[contract] == ADDED:  # a point counts, and may turn the game
        return 3.0 / (1.0 + TURNING * value)
    if rules.difference[contract] == MULTIPLIED:
        return 3.0 / (value * (view.talon_choice + 1 if rules.talon[contract] == STAGED else 1))
    return weights[BONUS_UNIT] / rules.value[contract] * (2.0 if rules.solo[contract] else 1.0)


@kernel
def silent_value(view, rules, item, unit):
    """What a silent bonus of this contract is worth in thirds; 0 where it does not count."""
    return rules.silent[item] * unit if rules.bonuses[view.contract] & item_bit(item) else 0.0


@kernel
def stake(view, rules, card, unit, weights):
    """What it means to win a card: its points and its share of the bonuses about piles."""
    own = bit(card)
    value = float(card_thirds(own))
    if own & FIVES:
        value += weights[HONOUR_STAKE] * silent_value(view, rules, HONNEURS, unit)
        if own & KINGS:
            value += weights[KING_STAKE] * silent_value(view, rules, FOUR_KINGS, unit)
        else:
            value += weights[TRULL_STAKE] * silent_value(view, rules, TRULL_ITEM, unit)
    if card == view.called:
        value += weights[CALLED_STAKE] * silent_value(view, rules, KOENIGFANG, unit)
    return value


@kernel
def bird_value(view, rules, bird, unit):
    """What bringing a bird home is worth in thirds; 0 where it does not count."""
    item = PAGAT_ITEM + bird
    if not rules.bonuses[view.contract] & item_bit(item):
        return 0.0
    return (rules.announced[item] if view.announced_by[item] >= 0 else rules.silent[item]) * unit


@kernel
def announced_birds(view, rules, know, unit):
    """Value of the announced birds still to come: (held by this seat, to be spoilt by it)."""
    held, against = 0.0, 0.0
    for bird in range(4):
        by = view.announced_by[PAGAT_ITEM + bird]
        if by < 0 or view.trick_of[bird] >= 0:
            continue
        value = rules.announced[PAGAT_ITEM + bird] * unit
        if view.hands[view.seat] & bit(bird):
            held += value
        elif know.friend[by] < 0.5:
            against += value
    return held, against


@kernel
def tarock_hold(view, rules, know):
    """How well the own tarocks will outlast the others', 0..1: the hope for a bird."""
    mine = size(view.hands[view.seat] & TAROCKS)
    others = size(know.unseen & TAROCKS)
    left = rules.num_tricks - view.trick_number
    return min(max(((view.num_seats - 1.0) * mine - others) / (2.0 * left) + 0.2, 0.0), 1.0)


@kernel
def keep_value(view, rules, know, card, unit, weights):
    """What a card in hand is worth later on."""
    worth = stake(view, rules, card, unit, weights)
    base = weights[SAVE + part_of(view)]
    suit = suit_of(card)
    higher = size(know.unseen & SUIT_MASKS[suit] & above(card))
    if suit == 0:
        if rules.play[view.contract] == COLOUR:
            return base * worth
        strength = np.exp(-weights[TAROCK_DECAY] * higher)
        value = weights[TAROCK_TRICK] * strength + weights[TAROCK_LOW]
        if card == PAGAT:
            value += weights[PAGAT_SAVE] * worth
        elif card == MOND:
            value += (weights[MOND_SAVE] if higher else 1.0) * worth
        else:
            value += max(strength, base) * worth
        held, against = announced_birds(view, rules, know, unit)
        value += held * weights[BIRD_TAROCK] + against * weights[BIRD_DEFENCE]
        if card < 4 and view.trick_number < rules.num_tricks - 1 - card:
            announced = view.announced_by[PAGAT_ITEM + card] >= 0
            hope = weights[BIRD_ANNOUNCED] if announced else weights[BIRD_HOPE] * tarock_hold(view, rules, know)
            value += hope * bird_value(view, rules, card, unit)
        return value
    strength = np.exp(-weights[SUIT_DECAY] * higher)
    lasting = min(size(know.unseen & SUIT_MASKS[suit]) / 6.0, 1.0)
    top = strength * lasting
    return weights[SUIT_TRICK] * top + min(base + weights[SUIT_TOP] * top, 1.0) * worth


@kernel
def lead_value(view, rules, know, card, weights):
    """What leading a suit does beyond this trick."""
    part = part_of(view)
    me = view.seat
    hand = view.hands[me]
    suit = suit_of(card)
    value = 0.0
    tarock_game = rules.play[view.contract] != COLOUR
    draw = weights[DRAW + part] + weights[DRAW_LENGTH + part] * (size(hand & TAROCKS) - 5)
    if suit == 0 and announced_birds(view, rules, know, 1.0)[0] > 0.0:
        draw = weights[BIRD_DRAW]
    for seat in range(view.num_seats):
        if seat == me:
            continue
        against = 1.0 - 2.0 * know.friend[seat]
        tarocks = some_of(know.share[seat, 0], size(know.may_hold[seat] & TAROCKS))
        if suit == 0:
            value += draw * against * tarocks
        elif tarock_game and not know.may_hold[seat] & SUIT_MASKS[suit]:
            value += weights[FORCE + part] * against * tarocks
    if suit == 0:
        return value
    if view.called >= 0 and suit == suit_of(view.called) and know.unseen & bit(view.called):
        value += weights[CALLED + min(part, 2)]
    length = size(hand & SUIT_MASKS[suit])
    if length == 1 and hand & TAROCKS and tarock_game:
        value += weights[SHORT_LEAD + part]
    longer = weights[LONG_LEAD + part]
    if not tarock_game:
        longer = weights[LONG_LEAD_COLOUR] if part == 3 else weights[LONG_LEAD_AGAINST]
    return value + longer * max(length - 2, 0)


@kernel
def birds_in_trick(view, rules, know, card, best, good, itself, unit):
    """Birds at their trick: our own card's, and those already lying there."""
    value = 0.0
    bird = rules.num_tricks - 1 - view.trick_number
    if bird > 3:
        return value
    worth = bird_value(view, rules, bird, unit)
    announced = view.announced_by[PAGAT_ITEM + bird] >= 0
    if card == bird:
        return worth * (2.0 * itself - 1.0 if announced or rules.bird_loss == OTHER_SIDE else itself)
    if trick_cards(view) & bit(bird) and best == bird:
        friend = know.friend[seat_of_trick(view, bird)]
        beaten = winning_card(trick_cards(view) | bit(card), view.trick[0], rules.play[view.contract], rules.emperor[view.contract])
        if beaten != bird:
            value += worth * (1.0 - 2.0 * friend) * (2.0 if announced or rules.bird_loss == OTHER_SIDE else 1.0)
    return value


@kernel
def valat_stake(view, rules, know, unit, weights):
    """What the trick is worth beyond its cards where one side has made every trick so far."""
    if view.trick_number < 5 or not rules.bonuses[view.contract] & item_bit(VALAT):
        return 0.0
    ours, theirs = 0, 0
    for seat in range(view.num_seats):
        if know.friend[seat] > 0.99:
            ours += view.tricks_won[seat]
        elif know.friend[seat] < 0.01:
            theirs += view.tricks_won[seat]
    if ours < view.trick_number and theirs < view.trick_number:
        return 0.0
    units = valat_units(view, rules, view.announced_by[VALAT] >= 0)
    progress = view.trick_number / rules.num_tricks
    if rules.difference[view.contract]:
        return weights[VALAT_PUSH] * progress * progress * units * unit
    return weights[VALAT_PUSH] * progress * progress * units * weights[BONUS_UNIT] / rules.value[view.contract]


@kernel
def skues_behind(view, know):
    """Whether a seat that still has to play to this trick may hold the Sküs and is not a sure friend."""
    for seat in range(view.num_seats):
        if seat != view.seat and behind(view, seat) and know.may_hold[seat] & T22:
            return True
    return False


@kernel
def needless_overtrump(view, rules, know, card, best):
    """Whether a tarock would beat a sure friend's card with nobody behind but sure friends; bringing the Mond home is a need."""
    if view.trick_size == 0 or card >= 22 or card == MOND or know.friend[seat_of_trick(view, best)] < 1.0:
        return False
    contract = view.contract
    if winning_card(trick_cards(view) | bit(card), view.trick[0], rules.play[contract], rules.emperor[contract]) != card:
        return False
    for seat in range(view.num_seats):
        if seat != view.seat and behind(view, seat) and know.friend[seat] < 1.0:
            return False
    return True


@kernel
def score_card(view, rules, know, card, best, lying, unit, weights):
    """The score of one legal card. best: the winning card so far, -1 on lead. lying: stakes in the trick."""
    good, itself = outlook(view, rules, know, card)
    remaining = view.num_seats - 1 - view.trick_size
    if rules.mond_penalty and trick_cards(view) & T21 and know.friend[seat_of_trick(view, MOND)] < 0.5:
        lying += rules.mond_penalty * unit
    lying += valat_stake(view, rules, know, unit, weights)
    score = good * (lying + stake(view, rules, card, unit, weights) + weights[LATER_CARD] * remaining)
    score += weights[TEMPO + part_of(view)] * itself - keep_value(view, rules, know, card, unit, weights)
    score += birds_in_trick(view, rules, know, card, best, good, itself, unit)
    if card == view.called and view.trick_number == rules.num_tricks - 1:
        wins = itself if rules.ultimo == ULTIMO_ITSELF else good
        score += wins * silent_value(view, rules, ULTIMO_ITEM, unit)
    if card == MOND and itself < 1.0:
        score -= (1.0 - itself) * (weights[MOND_RISK] + silent_value(view, rules, MONDFANG, unit) + rules.mond_penalty * unit)
        if trick_cards(view) & T22 or (know.unseen & T22 and skues_behind(view, know)):
            score += NEVER
    if best >= 0 and needless_overtrump(view, rules, know, card, best):
        score += NEVER / 2
    if view.trick_size == 0:
        score += lead_value(view, rules, know, card, weights)
    return score


@kernel
def play_for_points(view, rules, know, weights):
    """The card to play in a tarock or colour game."""
    unit = bonus_unit(view, rules, weights)
    contract = view.contract
    best, lying = -1, 0.0
    for index in range(view.trick_size):
        lying += stake(view, rules, view.trick[index], unit, weights)
    if view.trick_size:
        best = winning_card(trick_cards(view), view.trick[0], rules.play[contract], rules.emperor[contract])
    chosen, highest_score = -1, -1e9
    legal = view.legal[0]
    while legal:
        card = lowest(legal)
        legal = without_lowest(legal)
        score = score_card(view, rules, know, card, best, lying, unit, weights)
        if score > highest_score + 1e-9:
            chosen, highest_score = card, score
    return chosen
