"""The exact endgame: what best play with open cards is worth, by the true payoffs (birds, ultimo, kontra included).

Two sides: alpha-beta on what the declarer's side gets in sum. All against all: every seat takes the line that is best for itself
(max^n), ties broken by the lowest card. Worlds must be complete deals in the play of the cards; `agents.sampler` makes them from views.

Two things keep the tree small and change no value: cards without a choice are played where they stand, and of neighbours in one hand
that do the same whatever happens only the lowest is tried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarock_env.cards import NUM_CARDS
from tarock_env.engine.bits import BIRDS, SUIT_MASKS, T21, T22, ZERO, above, bit, card_thirds, lowest, suit_of, without_lowest
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import DONE, MAX_SEATS, PLAY, Deals, new_deals
from tarock_env.engine.step import step

ILLEGAL = np.iinfo(np.int32).min
LIMIT = np.iinfo(np.int32).max
MAX_PLIES = 54  # cards that can still be played, so levels of the stack


@kernel
def play_on(deal, rules, card):
    """Play a card, and after it every card that is the only legal one."""
    step(deal, rules, card)
    while deal.phase != DONE and without_lowest(deal.legal[0]) == ZERO:
        step(deal, rules, lowest(deal.legal[0]))


@kernel
def same_as_next_lower(deal, card):
    """The next lower card of the acting seat's hand where `card` must be worth as much, else -1.

    Both are of one suit and equal points, nobody holds or has just played a card between them, and neither is one that scores by itself.
    """
    hand = deal.hands[deal.seat]
    suit = SUIT_MASKS[suit_of(card)]
    lower = hand & suit & ~above(card) & ~bit(card)
    own = BIRDS | T21 | T22
    if deal.called >= 0:
        own |= bit(deal.called)
    if not lower or bit(card) & own:
        return -1
    while without_lowest(lower):
        lower = without_lowest(lower)
    neighbour = lowest(lower)
    if lower & own or card_thirds(lower) != card_thirds(bit(card)):
        return -1
    others = ZERO
    for seat in range(deal.num_seats):
        if seat != deal.seat:
            others |= deal.hands[seat]
    for index in range(deal.trick_size):
        others |= bit(deal.trick[index])
    return -1 if others & suit & above(neighbour) & ~above(card) else neighbour


@kernel
def distinct_cards(deal):
    """The legal cards less those that are worth as much as the next lower one in hand."""
    cards = deal.legal[0]
    distinct = cards
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        neighbour = same_as_next_lower(deal, card)
        if neighbour >= 0 and deal.legal[0] & bit(neighbour):
            distinct &= ~bit(card)
    return distinct


@kernel
def declarers_payoff(deal):
    """What the declarer's side gets in sum, sixths, in a finished deal."""
    total = 0
    for seat in range(deal.num_seats):
        if with_declarer(deal, seat):
            total += deal.payoffs[seat]
    return total


@kernel
def solve_sides(stack, rules, low, high):
    """Minimax value of stack[0] for the declarer's side, sixths; exact inside (low, high).

    stack: (MAX_PLIES + 1,) scratch records, the position in stack[0]; overwritten from stack[1] on. Iterative alpha-beta: each level
    keeps its window, its best value and the cards it has not tried.
    """
    if stack[0].phase == DONE:
        return declarers_payoff(stack[0])
    alphas = np.empty(MAX_PLIES + 1, np.int64)
    betas = np.empty(MAX_PLIES + 1, np.int64)
    best = np.empty(MAX_PLIES + 1, np.int64)
    untried = np.empty(MAX_PLIES + 1, np.uint64)
    level = 0
    alphas[0], betas[0] = low, high
    untried[0] = distinct_cards(stack[0])
    best[0] = -LIMIT if with_declarer(stack[0], stack[0].seat) else LIMIT
    while True:
        if untried[level] and alphas[level] < betas[level]:
            card = lowest(untried[level])
            untried[level] = without_lowest(untried[level])
            stack[level + 1] = stack[level]
            child = stack[level + 1]
            play_on(child, rules, card)
            if child.phase != DONE:
                level += 1
                alphas[level], betas[level] = alphas[level - 1], betas[level - 1]
                untried[level] = distinct_cards(child)
                best[level] = -LIMIT if with_declarer(child, child.seat) else LIMIT
                continue
            value = declarers_payoff(child)
        else:
            value = best[level]
            if level == 0:
                return value
            level -= 1
        if with_declarer(stack[level], stack[level].seat):
            best[level] = max(best[level], value)
            alphas[level] = max(alphas[level], value)
        else:
            best[level] = min(best[level], value)
            betas[level] = min(betas[level], value)


@kernel
def solve_alone(stack, rules, values):
    """max^n values of stack[0], an all-against-all game, into values (MAX_SEATS,) sixths; stack as for solve_sides."""
    if stack[0].phase == DONE:
        values[:] = stack[0].payoffs
        return
    best = np.empty((MAX_PLIES + 1, MAX_SEATS), np.int64)
    untried = np.empty(MAX_PLIES + 1, np.uint64)
    level = 0
    untried[0] = distinct_cards(stack[0])
    best[0] = -LIMIT
    while True:
        if untried[level]:
            card = lowest(untried[level])
            untried[level] = without_lowest(untried[level])
            stack[level + 1] = stack[level]
            child = stack[level + 1]
            play_on(child, rules, card)
            if child.phase != DONE:
                level += 1
                untried[level] = distinct_cards(child)
                best[level] = -LIMIT
                continue
            values[:] = child.payoffs
        else:
            values[:] = best[level]
            if level == 0:
                return
            level -= 1
        seat = stack[level].seat
        if values[seat] > best[level, seat]:
            best[level] = values


@kernel
def solve_cards(world, rules, stack, out):
    """What each legal card is worth for the acting seat's side (alone: the seat), sixths; ILLEGAL elsewhere. out: (NUM_CARDS,)."""
    seat = world.seat
    alone = world.declarer < 0
    declarers = with_declarer(world, seat)
    values = np.empty(MAX_SEATS, np.int64)
    out[:] = ILLEGAL
    cards = world.legal[0]
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        neighbour = same_as_next_lower(world, card)
        if neighbour >= 0 and world.legal[0] & bit(neighbour):
            out[card] = out[neighbour]
            continue
        stack[0] = world
        play_on(stack[0], rules, card)
        if alone:
            solve_alone(stack, rules, values)
            out[card] = values[seat]
        else:
            value = solve_sides(stack, rules, -LIMIT, LIMIT)
            out[card] = value if declarers else -value


@kernel
def _solve_rows(worlds, tables, stack, out):
    for row in range(len(worlds)):
        world = worlds[row]
        if world.phase == PLAY:
            solve_cards(world, tables[world.rules_id], stack, out[row])
        else:
            out[row] = ILLEGAL


def new_stack() -> Deals:
    """Scratch records for one solver call at a time."""
    return new_deals(MAX_PLIES + 1)


def solve(worlds: Deals, tables: np.recarray) -> NDArray[np.int32]:
    """(n, 54) int32: value of every legal card in complete deals, in sixths, for the acting seat's side; ILLEGAL elsewhere.

    The cost grows by an order of magnitude a trick: four tricks take about a millisecond, six many seconds.
    """
    out = np.empty((len(worlds), NUM_CARDS), np.int32)
    _solve_rows(worlds, tables, new_stack(), out)
    return out
