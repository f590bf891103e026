"""Kernels of coverage play (tarock_env.coverage): every choice by chance, with the chances of one WEIGHTS record."""

import numpy as np

from tarock_env.actions import ANNOUNCE, CONCEDE, GOOD, ITEM_IDS, KONTRA, MELD, MELDS, PASS, RAISE
from tarock_env.engine.auction import qualified_bids, steer_auction
from tarock_env.engine.bits import (
    KINGS, ONE, QUEENS, SUIT_CARDS, SUIT_MASKS, T1, TAROCKS, ZERO, bit, highest, lowest, nth, size, without_lowest,
)  # fmt: skip
from tarock_env.engine.chance import deal_cards, random_below
from tarock_env.engine.jit import kernel, record_dtype
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import ANNOUNCE as ANNOUNCE_PHASE
from tarock_env.engine.state import AUCTION, DONE, PLAY, TALON
from tarock_env.engine.state import KONTRA as KONTRA_PHASE
from tarock_env.engine.state import RAISE as RAISE_PHASE
from tarock_env.engine.step import begin_deal, count_legal, legal_at, step
from tarock_env.rules.schema import Goal, Play

# Who plays strong cards first: each card by chance, the declarer's side, the defenders, nobody (the best cards stay to the end).
BY_CHANCE, DECLARERS_STRONG, DEFENDERS_STRONG, ALL_WEAK = range(4)
# Chances in a thousand; of an array, each deal draws one entry. Names that begin with `stacked` hold in stacked deals.
WEIGHTS = record_dtype(
    [
        ("aimed", "i4"), ("forced", "i4"), ("ring", "i4"), ("pass_rates", "i4", (3,)),
        ("announce_rates", "i4", (4,)), ("valat", "i4"), ("kontra_rates", "i4", (4,)), ("concede", "i4"), ("raise_slam", "i4"),
        ("styles", "i4", (12,)), ("whims", "i4", (2,)), ("hold", "i4"),
        ("stacked", "i4"), ("stacked_gaps", "i4", (4,)), ("stacked_king", "i4"), ("stacked_bird", "i4"),
        ("stacked_announce_rates", "i4", (2,)), ("stacked_valat", "i4"),
    ]
)  # fmt: skip
TRICKS, COLOUR = int(Goal.TRICKS), int(Play.COLOUR)
WORD_2, WORD_3 = 128, 192
PASS_BIT = np.uint64(1 << (PASS - WORD_2))
CONCEDE_BIT = np.uint64(1 << (CONCEDE - WORD_3))
ANNOUNCE_BITS = np.uint64(((1 << 12) - 1) << (ANNOUNCE - WORD_3) | ((1 << len(MELDS)) - 1) << (MELD - WORD_3))
VALAT_BIT = np.uint64(1 << (ANNOUNCE + ITEM_IDS["valat"] - 1 - WORD_3))
KONTRA_BITS = np.uint64(((1 << 16) - 1) << (KONTRA - WORD_3))  # with the declarer's answers to single opponents
LOW_SUIT_CARDS = np.uint64(sum(15 << 22 + 8 * suit for suit in range(4)))
TRIES = 400  # deals until a seat may bid what is aimed at; colour games that need six cards of a suit take some twenty


@kernel
def play_deals(deals, tables, weights, streams, count, counts, seats, actions, legal, rings):
    """Deal and play rows 0..count-1; a count beyond the width of `actions` means that the rest of a deal was not written down."""
    chances = weights[0]
    for row in range(count):
        rules = tables[deals[row].rules_id]
        aim_seat, aim_contract = -1, -1
        stacked = False
        if happens(streams, row, chances.aimed):
            aim_contract = pick(streams, row, rules.offered)
            stacked = happens(streams, row, chances.stacked)
            aim_seat = deal_towards(deals, row, rules, chances, streams, aim_contract, stacked)
        else:
            deal_cards(deals, row, rules, streams, row, random_below(streams, row, rules.num_seats))
            open_deal(deals[row], rules, chances, streams, row)
        deal = deals[row]
        rings[row] = deal.rings
        pass_rate = chances.pass_rates[random_below(streams, row, len(chances.pass_rates))]
        announce_rate = chances.announce_rates[random_below(streams, row, len(chances.announce_rates))]
        kontra_rate = chances.kontra_rates[random_below(streams, row, len(chances.kontra_rates))]
        valat_rate = chances.valat
        style = chances.styles[random_below(streams, row, len(chances.styles))]
        whim = chances.whims[random_below(streams, row, len(chances.whims))]
        holds = happens(streams, row, chances.hold)
        if stacked:
            announce_rate = chances.stacked_announce_rates[random_below(streams, row, len(chances.stacked_announce_rates))]
            style = DEFENDERS_STRONG if rules.goal[aim_contract] == TRICKS else DECLARERS_STRONG
            whim = 0
            valat_rate = chances.stacked_valat
        number = 0
        while deal.phase != DONE:
            if deal.phase == AUCTION:
                action = auction_action(deal, rules, streams, row, aim_seat, aim_contract, pass_rate)
            elif deal.phase == ANNOUNCE_PHASE or deal.phase == KONTRA_PHASE:
                action = announcement_action(deal, streams, row, announce_rate, kontra_rate, valat_rate)
            elif deal.phase == PLAY:
                action = card_action(deal, rules, streams, row, style, whim, holds)
            elif deal.phase == TALON and deal.legal[3] & CONCEDE_BIT:
                action = CONCEDE if happens(streams, row, chances.concede) else WORD_3 + pick(streams, row, deal.legal[3] & ~CONCEDE_BIT)
            elif deal.phase == RAISE_PHASE:
                action = RAISE if happens(streams, row, chances.raise_slam) else GOOD
            else:
                action = legal_at(deal, random_below(streams, row, count_legal(deal)))
            if number < actions.shape[1]:
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
def open_deal(deal, rules, chances, streams, stream):
    """Open the auction of a dealt record; where there are rings, some are open, and some contracts are set by the match."""
    if rules.rings:
        for seat in range(rules.num_seats):
            deal.rings[seat] = int(happens(streams, stream, chances.ring)) + int(happens(streams, stream, chances.ring))
        if happens(streams, stream, chances.forced):
            deal.forced = 1
    begin_deal(deal, rules)


@kernel
def deal_towards(deals, row, rules, chances, streams, contract, stacked):
    """Deal until a seat may bid `contract`; returns the seat, -1 where nobody could in many deals. stacked: with cards to win it."""
    for _ in range(TRIES):
        deal_cards(deals, row, rules, streams, row, random_below(streams, row, rules.num_seats))
        deal = deals[row]
        seat = random_below(streams, row, rules.num_seats)
        if (rules.forehand_only | rules.opening_only) & bit(contract):
            seat = deal.forehand
        if stacked:
            wanted = winning_cards(rules, chances, streams, row, contract)
            stack_hand(deal, rules, seat, wanted, rules.goal[contract] == TRICKS)
        open_deal(deal, rules, chances, streams, row)
        if deal.phase == AUCTION and qualified_bids(rules, deal.hands[seat]) & bit(contract):
            return seat
    return -1


@kernel
def winning_cards(rules, chances, streams, stream, contract):
    """What wins a contract: low suit cards with a king for each trick due; a long suit; high tarocks. Perhaps kings and birds too."""
    gaps = chances.stacked_gaps[random_below(streams, stream, len(chances.stacked_gaps))]
    if rules.goal[contract] == TRICKS:
        cards = LOW_SUIT_CARDS
        for _ in range(rules.tricks[contract]):
            cards |= bit(nth(KINGS, random_below(streams, stream, 4)))
        return cards
    if rules.play[contract] == COLOUR:
        cards = SUIT_MASKS[1 + random_below(streams, stream, 4)]
        if gaps == 0:
            cards |= KINGS | QUEENS
    else:
        cards = TAROCKS & ~(bit(26 - rules.hand_size + gaps) - ONE)  # at most four fewer than a hand
    kings = KINGS
    while kings:
        king = lowest(kings)
        kings = without_lowest(kings)
        if happens(streams, stream, chances.stacked_king):
            cards |= bit(king)
    if happens(streams, stream, chances.stacked_bird):
        cards |= T1
    if happens(streams, stream, chances.stacked_bird):
        cards |= bit(random_below(streams, stream, 4))
    return cards


@kernel
def stack_hand(deal, rules, seat, wanted, low):
    """Exchange the seat's other cards for the wanted ones, wherever they are. low: its highest cards first, else its low suit cards.

    Nobody gives his last tarock away: where there are rings, such a hand is thrown in.
    """
    missing = wanted & ~deal.hands[seat]
    while missing:
        card = highest(missing)
        missing &= ~bit(card)
        spare = deal.hands[seat] & ~wanted
        if size(deal.hands[seat] & TAROCKS) == 1:
            spare &= ~TAROCKS
        if not spare:
            return
        given = highest(spare) if low else lowest(spare & SUIT_CARDS) if spare & SUIT_CARDS else lowest(spare)
        for index in range(len(deal.talon)):
            if deal.talon[index] == card:
                deal.talon[index] = given
                exchange(deal, seat, card, given)
        for other in range(rules.num_seats):
            if other != seat and deal.hands[other] & bit(card) and deal.hands[other] & TAROCKS != bit(card):
                exchange(deal, other, card, given)
                exchange(deal, seat, card, given)


@kernel
def exchange(deal, seat, one, other):
    """One card for the other in a hand that has one of the two, as if dealt so."""
    deal.hands[seat] ^= bit(one) | bit(other)
    deal.dealt[seat] = deal.hands[seat]


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
def announcement_action(deal, streams, stream, announce_rate, kontra_rate, valat_rate):
    """Double, announce, or end the turn."""
    legal = deal.legal[3]
    kontras, announcements = legal & KONTRA_BITS, legal & ANNOUNCE_BITS
    rest = legal & ~(kontras | announcements)
    if announcements & VALAT_BIT and not happens(streams, stream, valat_rate):
        announcements &= ~VALAT_BIT
    if kontras and happens(streams, stream, kontra_rate):
        return WORD_3 + pick(streams, stream, kontras)
    if announcements and happens(streams, stream, announce_rate):
        return WORD_3 + pick(streams, stream, announcements)
    return WORD_3 + pick(streams, stream, rest)


@kernel
def card_action(deal, rules, streams, stream, style, whim, holds):
    """A card in the deal's style."""
    cards = deal.legal[0]
    if size(cards) > 1 and not happens(streams, stream, whim):
        if holds:
            cards = without_held(deal, rules, cards)
        if style != BY_CHANCE:
            return extreme(cards, style != ALL_WEAK and with_declarer(deal, deal.seat) == (style == DECLARERS_STRONG))
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
