"""How likely a sampled world makes what the other seats did: their decisions, replayed in the world and judged by a policy.

A DEAL record keeps what every seat bid and in which trick each card fell. In a complete deal that is enough to go back to the first
bid and to the first lead and to replay from there. Of every other seat, all bids and the last few cards count.

Two things a record does not tell are settled by rule: in the auction a seat makes its bids in ascending order and passes once it has
made them all; sides that the called card revealed when it fell are taken to have been hidden before. Worlds whose auction cannot be
replayed so are judged by the cards alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.beliefs import played_in
from agents.network import PolicyNetwork, masked_probabilities
from agents.views import observe_views
from tarock_env.actions import FOREHAND, PASS
from tarock_env.engine.auction import FOREHAND_BIT, PASS_BIT, lowest_bid
from tarock_env.engine.bits import ZERO, size
from tarock_env.engine.chance import BLANK
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import FEWEST_POINTS, begin_play
from tarock_env.engine.state import AUCTION, PLAY, Deals, new_deals
from tarock_env.engine.step import begin_deal, is_legal, step, update_legal

MOST_BIDS = 24  # bids of other seats that are judged; longer auctions hardly exist
TREMBLE = 0.05  # share of uniformly random play in the policy that judges: no single surprise rules a world out
LEAST_EFFECTIVE = 0.25  # share of the worlds that must stay effective; likelihoods are flattened until they do


@kernel
def back_to_auction(world, rules, start):
    """Put the world before its first bid into start[0]; False where the dealt hands cannot be told."""
    start[0] = BLANK[0]
    deal = start[0]
    deal.rules_id, deal.forehand = world.rules_id, world.forehand
    for seat in range(rules.num_seats):
        dealt = (world.hands[seat] | world.played[seat] | world.discards[seat]) & ~world.drawn[seat]
        if size(dealt) != rules.hand_size:
            return False
        deal.hands[seat] = dealt
        deal.dealt[seat] = dealt
    for seat in range(4):
        deal.rings[seat], deal.totals[seat] = world.rings[seat], world.totals[seat]
    for index in range(6):
        deal.talon[index] = world.talon[index]
    begin_deal(deal, rules)
    return True


@kernel
def back_to_first_lead(world, rules, start):
    """Put the world before its first card into start[0]."""
    start[0] = world
    deal = start[0]
    for seat in range(rules.num_seats):
        deal.hands[seat] |= deal.played[seat]
        deal.played[seat], deal.won[seat], deal.awarded[seat] = ZERO, ZERO, ZERO
        deal.tricks_won[seat], deal.voids[seat] = 0, 0
        deal.trick[seat] = -1
    for card in range(54):
        deal.trick_of[card] = -1
    for bird in range(4):
        deal.bird_seat[bird], deal.bird_won[bird] = -1, 0
    deal.trick_size, deal.trick_number = 0, 0
    deal.ultimo_seat, deal.ultimo_winner, deal.ultimo_itself = -1, -1, 0
    deal.mond_seat, deal.mond_winner, deal.king_winner, deal.king_itself = -1, -1, -1, 0
    if rules.goal[deal.contract] == FEWEST_POINTS:
        deal.talon_open = ZERO
    if deal.called >= 0 and world.trick_of[deal.called] >= 0:
        deal.sides_public = 1 << deal.declarer
    begin_play(deal, rules)
    update_legal(deal, rules)


@kernel
def next_bid(deal, rules, bids):
    """What the acting seat, whose bids in the whole auction are `bids`, said here; -1 where that cannot be."""
    unmade = bids & ~deal.bids[deal.seat]
    if unmade:
        return lowest_bid(rules, unmade)
    if deal.legal[2] & PASS_BIT:
        return PASS
    return FOREHAND if deal.legal[2] & FOREHAND_BIT else -1


@kernel
def replay_bids(world, rules, viewer, start, past, actions, first):
    """past[first...] = the world before each bid of the other seats, actions[...] = the bids; returns how many, 0 where it cannot tell."""
    if world.forced or not back_to_auction(world, rules, start):
        return 0
    deal = start[0]
    count = 0
    while deal.phase == AUCTION:
        now = world.phase == AUCTION and deal.seat == world.seat and deal.passed == world.passed and deal.contract == world.contract
        if now and deal.opened == world.opened:
            return count
        action = next_bid(deal, rules, world.bids[deal.seat])
        if action < 0 or not is_legal(deal, action):
            return 0
        if deal.seat != viewer:
            if count == MOST_BIDS:
                return count
            past[first + count] = deal
            actions[first + count] = action
            count += 1
        step(deal, rules, action)
    return count


@kernel
def replay_cards(world, rules, viewer, most, start, past, actions, first):
    """past[first...] = the world before each of the last `most` cards of every other seat, actions[...] = the cards; returns how many."""
    back_to_first_lead(world, rules, start)
    deal = start[0]
    count = 0
    while deal.phase == PLAY:
        seat = deal.seat
        card = played_in(world, seat, deal.trick_number)
        if card < 0 or not is_legal(deal, card):
            return count
        if seat != viewer and size(world.played[seat]) - size(deal.played[seat]) <= most:
            past[first + count] = deal
            actions[first + count] = card
            count += 1
        step(deal, rules, card)
    return count


@kernel
def replay_worlds(worlds, tables, most, start, past, actions, owner):
    """Decisions of the other seats in all worlds, one after another; owner[i] = the world of past[i]. Returns how many."""
    total = 0
    for index in range(len(worlds)):
        world = worlds[index]
        rules = tables[world.rules_id]
        count = replay_bids(world, rules, world.seat, start, past, actions, total)
        if world.phase == PLAY:
            count += replay_cards(world, rules, world.seat, most, start, past, actions, total + count)
        for decision in range(total, total + count):
            owner[decision] = index
        total += count
    return total


def log_likelihoods(worlds: Deals, tables: np.recarray, network: PolicyNetwork, most: int) -> NDArray[np.float64]:
    """(n,) log of the probability that the policy bids and plays as the other seats did, in each complete world.

    worlds: (n,) worlds of one view, the viewer to act. most: cards of each other seat that count, the latest ones.
    """
    room = len(worlds) * (MOST_BIDS + 3 * most)
    past, actions, owner = new_deals(room), np.zeros(room, np.int64), np.zeros(room, np.int64)
    count = replay_worlds(worlds, tables, most, new_deals(1), past, actions, owner)
    total = np.zeros(len(worlds))
    if count == 0:
        return total
    observation, mask = observe_views(past[:count], tables)
    chances = masked_probabilities(network.logits(observation), mask)[np.arange(count), actions[:count]]
    steady = (1 - TREMBLE) * chances.astype(np.float64) + TREMBLE / mask.sum(axis=1)
    np.add.at(total, owner[:count], np.log(steady))
    return total


def world_weights(log_likelihood: NDArray[Any]) -> NDArray[np.float64]:
    """(n,) weights with sum 1, in proportion to likelihood ** flatness, the largest of 1, 1/2, 1/4 ... that keeps enough worlds effective.

    Effective worlds: 1 / sum of squared weights. Without the floor a few lucky worlds would carry the decision.
    """
    shifted = log_likelihood - log_likelihood.max()
    while True:
        weights = np.exp(shifted)
        weights /= weights.sum()
        if 1 / np.square(weights).sum() >= LEAST_EFFECTIVE * len(weights):
            return np.asarray(weights)
        shifted = shifted / 2
