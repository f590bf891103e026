"""Dealing from an explicit generator: one `uint64` xorshift state per deal stream, held outside the DEAL record."""

from __future__ import annotations

import numpy as np

from tarock_env.engine.bits import TAROCKS, ZERO, bit
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import DEAL, Deals, new_deals

LOW_32 = np.uint64(0xFFFFFFFF)
SHIFT_A, SHIFT_B, SHIFT_C, SHIFT_32 = np.uint64(13), np.uint64(7), np.uint64(17), np.uint64(32)


def new_streams(seed: int | np.random.SeedSequence, count: int) -> np.ndarray:
    """(count,) independent non-zero generator states from one seed."""
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return np.maximum(sequence.generate_state(count, np.uint64), np.uint64(1))


@kernel
def random_below(streams, index, bound):
    """Next integer in 0..bound-1 of stream `index` (xorshift64, high 32 bits scaled; bound below 2**31)."""
    state = streams[index]
    state ^= state << SHIFT_A
    state ^= state >> SHIFT_B
    state ^= state << SHIFT_C
    streams[index] = state
    return np.int64((state >> SHIFT_32) * np.uint64(bound) >> SHIFT_32)


BLANK: Deals = new_deals(1)


@kernel
def deal_cards(deals, index, rules, streams, stream, forehand):
    """Fresh shuffled hands and talon for record `index`; everything else blank. The auction is not opened yet."""
    deck = np.arange(54)
    rules_id = deals[index].rules_id
    deals[index] = BLANK[0]
    deal = deals[index]
    deal.rules_id = rules_id
    deal.num_seats = rules.num_seats
    deal.forehand = forehand
    shuffle_hands(deal, rules, deck, streams, stream)
    while rules.rings and some_hand_without_tarocks(deal):
        deal.forced = 1
        shuffle_hands(deal, rules, deck, streams, stream)


@kernel
def some_hand_without_tarocks(deal):
    """Whether a hand without tarocks was dealt; such a deal is thrown in and dealt again as All Beggars (3.4)."""
    for seat in range(deal.num_seats):
        if deal.hands[seat] & TAROCKS == ZERO:
            return True
    return False


@kernel
def shuffle_hands(deal, rules, deck, streams, stream):
    """Shuffle the deck and hand it out."""
    for card in range(53):
        other = card + random_below(streams, stream, 54 - card)
        deck[card], deck[other] = deck[other], deck[card]
    for card in range(6):
        deal.talon[card] = deck[card]
    for seat in range(rules.num_seats):
        hand = ZERO
        for card in range(6 + seat * rules.hand_size, 6 + (seat + 1) * rules.hand_size):
            hand |= bit(deck[card])
        deal.hands[seat] = hand
        deal.dealt[seat] = hand


assert DEAL.itemsize < 2048
