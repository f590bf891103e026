"""Coverage play: whole deals by chance, weighted so that every contract, announcement, kontra chain and concession occurs often.

Uniformly random play would make nine in ten deals one of the highest three contracts, and announce everything in each. Here every deal
gets a mood of its own: most aim at a contract drawn uniformly (dealing anew until somebody may bid it), the others bid with one of
several appetites; announcing and doubling have rates from never to nearly always; and cards are played by chance, holding birds and the
called king back for their tricks, or with one side strong and the other weak, so that slams, lost games and lone tricks happen too.
"""

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import ANNOUNCE, CONCEDE, ITEM_IDS, KONTRA, MELD, MELDS, NUM_WORDS, PASS
from tarock_env.engine.auction import qualified_bids, steer_auction
from tarock_env.engine.bits import KINGS, ZERO, bit, lowest, nth, size, without_lowest
from tarock_env.engine.chance import deal_cards, random_below
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import ANNOUNCE as ANNOUNCE_PHASE
from tarock_env.engine.state import AUCTION, DONE, MAX_SEATS, PLAY, TALON, Deals, new_deals
from tarock_env.engine.state import KONTRA as KONTRA_PHASE
from tarock_env.engine.step import begin_deal, count_legal, legal_at, step
from tarock_env.rules import Rules
from tarock_env.rules.table import rules_table

MAX_ACTIONS = 512  # more than a deal can have, announcements and kontras included
WORD_2, WORD_3 = 128, 192
# Chances in a thousand; where there are several, a deal draws one.
AIMED = 850
PASS_RATES = np.array([200, 500, 850])
ANNOUNCE_RATES = np.array([0, 100, 300, 600])
KONTRA_RATES = np.array([0, 200, 600, 900])
CONCEDE_RATE = 400
FORCED_RATE = 30  # contracts set by the match, where there are rings
RING_RATE = 150  # one, and again as often two, open rings of a seat
VALAT_RATE = 250  # of the turns in which a Valat could be announced: one voids much of what else a deal could show
WHIM = 150  # a card by chance whatever the style
HOLDING, DECLARERS_STRONG, DEFENDERS_STRONG, NUM_STYLES = 1, 2, 3, 5  # the others play by chance
PASS_BIT = np.uint64(1 << (PASS - WORD_2))
CONCEDE_BIT = np.uint64(1 << (CONCEDE - WORD_3))
ANNOUNCE_BITS = np.uint64(((1 << 12) - 1) << (ANNOUNCE - WORD_3) | ((1 << len(MELDS)) - 1) << (MELD - WORD_3))
VALAT_BIT = np.uint64(1 << (ANNOUNCE + ITEM_IDS["valat"] - 1 - WORD_3))
KONTRA_BITS = np.uint64(((1 << 16) - 1) << (KONTRA - WORD_3))  # with the declarer's answers to single opponents
TRIES = 400  # deals until a seat may bid what is aimed at; colour games that need six cards of a suit take some twenty


class CoveragePlay:
    """Coverage play of one rule system, in batches of any size; deal k of a seed is always the same deal.

    After `play(streams)`: `deals` (B,) finished DEAL records, `counts` (B,) actions in each, and (B, MAX_ACTIONS) `seats`, `actions`, and
    with `keep_legal` `legal` (..., 4): who acted, what was played, what was legal; `rings` (B, 4): open ones before the deal. Overwritten
    by the next call.
    """

    def __init__(self, rules: Rules, num_deals: int, keep_legal: bool = False) -> None:
        self.rules = rules
        self.tables = rules_table(rules)
        self.deals: Deals = new_deals(num_deals)
        self.counts = np.zeros(num_deals, np.int64)
        self.seats = np.zeros((num_deals, MAX_ACTIONS), np.int8)
        self.actions = np.zeros((num_deals, MAX_ACTIONS), np.int16)
        self.rings = np.zeros((num_deals, MAX_SEATS), np.int8)
        self.legal = np.zeros((num_deals, MAX_ACTIONS if keep_legal else 0, NUM_WORDS), np.uint64)

    def play(self, streams: NDArray[np.uint64]) -> int:
        """Play one deal for each generator state (at most B; they are advanced); returns how many."""
        count = len(streams)
        _play(self.deals, self.tables, streams, count, self.counts, self.seats, self.actions, self.legal, self.rings)
        if (self.counts[:count] > MAX_ACTIONS).any():
            raise RuntimeError(f"a deal of {self.rules.id} has more than {MAX_ACTIONS} actions")
        return count


@kernel
def _play(deals, tables, streams, count, counts, seats, actions, legal, rings):
    """Deal and play rows 0..count-1; counts above MAX_ACTIONS mean that the rest of a deal was not written down."""
    for row in range(count):
        rules = tables[deals[row].rules_id]
        aim_seat, aim_contract = -1, -1
        if happens(streams, row, AIMED):
            aim_contract = pick(streams, row, rules.offered)
            aim_seat = deal_towards(deals, row, rules, streams, aim_contract)
        else:
            deal_open(deals, row, rules, streams)
        deal = deals[row]
        rings[row] = deal.rings
        pass_rate = PASS_RATES[random_below(streams, row, len(PASS_RATES))]
        announce_rate = ANNOUNCE_RATES[random_below(streams, row, len(ANNOUNCE_RATES))]
        kontra_rate = KONTRA_RATES[random_below(streams, row, len(KONTRA_RATES))]
        style = random_below(streams, row, NUM_STYLES)
        number = 0
        while deal.phase != DONE:
            if deal.phase == AUCTION:
                action = auction_action(deal, rules, streams, row, aim_seat, aim_contract, pass_rate)
            elif deal.phase == ANNOUNCE_PHASE or deal.phase == KONTRA_PHASE:
                action = announcement_action(deal, streams, row, announce_rate, kontra_rate)
            elif deal.phase == PLAY:
                action = card_action(deal, rules, streams, row, style)
            elif deal.phase == TALON and deal.legal[3] & CONCEDE_BIT:
                action = CONCEDE if happens(streams, row, CONCEDE_RATE) else WORD_3 + pick(streams, row, deal.legal[3] & ~CONCEDE_BIT)
            else:
                action = legal_at(deal, random_below(streams, row, count_legal(deal)))
            if number < MAX_ACTIONS:
                seats[row, number] = deal.seat
                actions[row, number] = action
                if legal.shape[1]:
                    legal[row, number] = deal.legal
            number += 1
            step(deal, rules, action)
        counts[row] = number


@kernel
def happens(streams, stream, rate):
    """True with a chance of `rate` in a thousand."""
    return random_below(streams, stream, 1000) < rate


@kernel
def pick(streams, stream, bits):
    """The index of one bit of a non-empty set, uniformly."""
    return nth(bits, random_below(streams, stream, size(bits)))


@kernel
def deal_open(deals, row, rules, streams):
    """Fresh cards, the auction open; where there are rings, some are, and some contracts are set by the match."""
    deal_cards(deals, row, rules, streams, row, random_below(streams, row, rules.num_seats))
    deal = deals[row]
    if rules.rings:
        for seat in range(rules.num_seats):
            deal.rings[seat] = happens(streams, row, RING_RATE) + happens(streams, row, RING_RATE)
        if happens(streams, row, FORCED_RATE):
            deal.forced = 1
    begin_deal(deal, rules)


@kernel
def deal_towards(deals, row, rules, streams, contract):
    """Deal until a seat may bid `contract`; returns the seat, -1 where nobody could in many deals."""
    for _ in range(TRIES):
        deal_open(deals, row, rules, streams)
        deal = deals[row]
        seat = random_below(streams, row, rules.num_seats)
        if (rules.forehand_only | rules.opening_only) & bit(contract):
            seat = deal.forehand
        if deal.phase == AUCTION and qualified_bids(rules, deal.hands[seat]) & bit(contract):
            return seat
    return -1


@kernel
def auction_action(deal, rules, streams, stream, aim_seat, aim_contract, pass_rate):
    """Towards the contract aimed at, where it can still come about; else pass or bid by chance."""
    if aim_seat >= 0:
        action = steer_auction(deal, rules, aim_seat, aim_contract)
        if action >= 0:
            return action
    legal = deal.legal[2]
    if legal == PASS_BIT or (legal & PASS_BIT and happens(streams, stream, pass_rate)):
        return PASS
    return WORD_2 + pick(streams, stream, legal & ~PASS_BIT)


@kernel
def announcement_action(deal, streams, stream, announce_rate, kontra_rate):
    """Double, announce, or end the turn."""
    legal = deal.legal[3]
    kontras, announcements = legal & KONTRA_BITS, legal & ANNOUNCE_BITS
    rest = legal & ~(kontras | announcements)
    if announcements & VALAT_BIT and not happens(streams, stream, VALAT_RATE):
        announcements &= ~VALAT_BIT
    if kontras and happens(streams, stream, kontra_rate):
        return WORD_3 + pick(streams, stream, kontras)
    if announcements and happens(streams, stream, announce_rate):
        return WORD_3 + pick(streams, stream, announcements)
    return WORD_3 + pick(streams, stream, rest)


@kernel
def card_action(deal, rules, streams, stream, style):
    """A card in the deal's style."""
    cards = deal.legal[0]
    if size(cards) > 1 and not happens(streams, stream, WHIM):
        if style == HOLDING:
            cards = without_held(deal, rules, cards)
        elif style == DECLARERS_STRONG or style == DEFENDERS_STRONG:
            return extreme(cards, with_declarer(deal, deal.seat) == (style == DECLARERS_STRONG))
    return pick(streams, stream, cards)


@kernel
def without_held(deal, rules, cards):
    """Birds and the called card only at their tricks, where there is a choice; there they go first."""
    last = rules.num_tricks - 1
    due, held = ZERO, ZERO
    for bird in range(4):
        if deal.trick_number == last - bird:
            due |= bit(bird)
        elif deal.trick_number < last - bird:
            held |= bit(bird)
    if deal.called >= 0 and deal.trick_number < last:
        held |= bit(deal.called)
    if cards & due:
        return cards & due
    return cards & ~held if cards & ~held else cards


@kernel
def extreme(cards, strongest):
    """The strongest or the weakest card: tarocks over kings over the rest, then by height within the suit."""
    chosen, best = -1, -1
    while cards:
        card = lowest(cards)
        cards = without_lowest(cards)
        strength = 100 + card if card < 22 else (card - 22) % 8 + (50 if KINGS & bit(card) else 0)
        if not strongest:
            strength = 200 - strength
        if strength > best:
            chosen, best = card, strength
    return chosen
