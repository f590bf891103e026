"""The auction: who may bid what, and when it ends (rules text 3.1, 3.3)."""

from __future__ import annotations

import numpy as np

from tarock_env.actions import BID, FOREHAND, PASS
from tarock_env.engine.bits import BIRDS, KINGS, QUEENS, SUIT_CARDS, SUIT_MASKS, bit, size
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import next_seat
from tarock_env.rules.schema import Auction

PASS_BIT = np.uint64(1 << (PASS - BID))
FOREHAND_BIT = np.uint64(1 << (FOREHAND - BID))
FOREHAND_LAST = int(Auction.FOREHAND_LAST)
FOREHAND_FIRST = int(Auction.FOREHAND_FIRST)
ONE_ROUND = int(Auction.ONE_ROUND)


@kernel
def longest_suit(hand):
    """Most cards of one suit in a hand, tarocks apart."""
    longest = 0
    for suit in range(1, 5):
        longest = max(longest, size(hand & SUIT_MASKS[suit]))
    return longest


@kernel
def qualified_bids(rules, hand):
    """Contracts that this hand may play at all, whatever has been bid."""
    bids = rules.offered
    if hand & KINGS == KINGS and not rules.own_king_callable:
        if not rules.queens_with_four_kings or hand & QUEENS == QUEENS:
            bids &= ~rules.calls_king
    for bird in range(4):
        if not hand & bit(bird):
            bids &= ~rules.needs_bird[bird]
    if not hand & BIRDS:
        bids &= ~rules.needs_any_bird
    demanding = rules.minimum_suit_bids
    if demanding:
        held = size(hand & SUIT_CARDS) if rules.any_suit_minimum else longest_suit(hand)
        for contract in range(48):
            if demanding & bit(contract) and held < rules.minimum_suit[contract]:
                bids &= ~bit(contract)
    return bids


@kernel
def count_passed(deal):
    """How many seats are out of the auction."""
    passed = 0
    for seat in range(deal.num_seats):
        passed += deal.passed >> seat & 1
    return passed


@kernel
def legal_auction(deal, rules):
    """Word 2 of the legal mask in the auction."""
    seat = deal.seat
    bids = qualified_bids(rules, deal.hands[seat])
    at_forehand = seat == deal.forehand
    if at_forehand:
        bids &= ~rules.others_only
    if deal.contract >= 0:
        allowed = rules.higher[deal.contract] & ~(rules.forehand_only | rules.opening_only)
        if at_forehand and rules.forehand_may_hold:
            allowed |= bit(deal.contract)
        return bids & allowed | PASS_BIT
    if not at_forehand:
        return bids & ~(rules.forehand_only | rules.opening_only) | PASS_BIT
    if rules.auction == FOREHAND_FIRST and not deal.opened:
        opening = rules.opening_only
        if rules.opening_games:
            opening |= ~rules.forehand_only
        return bids & opening | FOREHAND_BIT
    bids &= ~rules.opening_only
    return bids if rules.forehand_must_bid else bids | PASS_BIT


@kernel
def auction_over(deal, rules):
    """Whether nobody may speak any more: every seat has spoken, all have passed, or only the highest bidder is left."""
    if rules.auction == ONE_ROUND:
        return deal.seat == deal.forehand
    out = count_passed(deal)
    return out == deal.num_seats or (deal.contract >= 0 and out == deal.num_seats - 1)


@kernel
def apply_auction(deal, rules, action):
    """One auction action. Leaves the next speaker in `deal.seat`; the caller asks `auction_over`."""
    seat = deal.seat
    if action == PASS:
        deal.passed |= 1 << seat
    elif action == FOREHAND:
        deal.opened = 1
    else:
        deal.opened = 1
        deal.contract = action - BID
        deal.declarer = seat
        deal.bids[seat] |= bit(deal.contract)
    if rules.auction == ONE_ROUND:
        deal.seat = next_seat(deal, seat)
    elif count_passed(deal) < deal.num_seats:
        seat = next_seat(deal, seat)
        while deal.passed >> seat & 1:
            seat = next_seat(deal, seat)
        deal.seat = seat


@kernel
def legal_conversion(deal, rules):
    """Word 2: P0, whose contract all others passed, keeps it (`pass`) or turns it into another."""
    return PASS_BIT | bit(rules.converts_to[deal.contract])


@kernel
def apply_conversion(deal, action):
    """Take P0's answer."""
    if action != PASS:
        deal.contract = action - BID
        deal.bids[deal.seat] |= bit(deal.contract)


@kernel
def start_auction(deal, rules):
    """Set the first speaker."""
    deal.seat = next_seat(deal, deal.forehand) if rules.auction == FOREHAND_LAST else deal.forehand


@kernel
def lowest_bid(rules, bids):
    """The bid action of lowest rank in a set of contracts."""
    best, action = 99, -1
    for contract in range(48):
        if bids & bit(contract) and rules.rank[contract] < best:
            best, action = rules.rank[contract], BID + contract
    return action


@kernel
def steer_auction(deal, rules, declarer, contract):
    """The action that leads the auction towards `declarer` playing `contract`; -1 where it cannot get there from here.

    Where P0 cannot pass and is not the declarer, he makes his lowest bid and is overbid.
    """
    legal = legal_auction(deal, rules)
    if deal.seat == declarer:
        if legal & bit(contract):
            return BID + contract
        return FOREHAND if legal & FOREHAND_BIT else -1
    if legal & PASS_BIT:
        return PASS
    if legal & FOREHAND_BIT:
        return FOREHAND
    return lowest_bid(rules, legal) if rules.auction == ONE_ROUND else -1
