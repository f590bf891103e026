"""Kernels that replay recorded deals and check at every decision what always holds."""

from __future__ import annotations

from tarock_env.actions import NUM_WORDS
from tarock_env.engine.bits import ALL_CARDS, ZERO, bit, card_groups, size
from tarock_env.engine.bonus import declarers_pile
from tarock_env.engine.exchange import talon_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import DONE, MAX_SEATS
from tarock_env.engine.step import begin_deal, is_legal, step

FAULTS = (
    "a card is in two places or nowhere", "a played card is in no pile", "the acting seat does not exist", "nothing is legal",
    "a reserved action is legal", "another seat acts than before", "a legal action is refused", "the deal outlasts its last action",
    "payoffs differ from those before", "payments do not add up to nothing", "the two sides' piles are not the deck",
    "the two sides' points are not 70", "a seat that does not exist is paid",
)  # fmt: skip
(
    CARDS, PILES, SEAT, NOTHING, RESERVED, OTHER_SEAT, REFUSED, UNENDED, OTHER_PAYOFFS, SUM, SIDES, SEVENTY, EMPTY_SEAT,
) = range(len(FAULTS))  # fmt: skip


@kernel
def copy_dealt(source, target, rings):
    """Make `target`, a blank record, the deal of `source` before its first action."""
    target.rules_id = source.rules_id
    target.num_seats = source.num_seats
    target.forehand = source.forehand
    target.forced = source.forced
    for index in range(6):
        target.talon[index] = source.talon[index]
    for seat in range(MAX_SEATS):
        target.dealt[seat] = source.dealt[seat]
        target.hands[seat] = source.dealt[seat]
        target.totals[seat] = source.totals[seat]
        target.rings[seat] = rings[seat]


@kernel
def check_cards(deal, faults):
    """Every card is in one hand, played, discarded or left in the talon; played cards are in a pile or in the trick."""
    everything, count = ZERO, 0
    won, played, in_trick = ZERO, ZERO, ZERO
    for seat in range(MAX_SEATS):
        for cards in (deal.hands[seat], deal.played[seat], deal.discards[seat]):
            everything |= cards
            count += size(cards)
        won |= deal.won[seat]
        played |= deal.played[seat]
    left = talon_cards(deal) & ~deal.talon_taken
    everything |= left
    count += size(left)
    if everything != ALL_CARDS or count != 54:
        faults[CARDS] += 1
    for index in range(deal.trick_size):
        in_trick |= bit(deal.trick[index])
    if won | in_trick != played or won & in_trick != ZERO:
        faults[PILES] += 1


@kernel
def check_actor(deal, known, faults):
    """One seat acts, and has something to do that has a name."""
    if deal.seat < 0 or deal.seat >= deal.num_seats:
        faults[SEAT] += 1
    legal = ZERO
    for word in range(NUM_WORDS):
        legal |= deal.legal[word]
        if deal.legal[word] & ~known[word] != ZERO:
            faults[RESERVED] += 1
    if legal == ZERO:
        faults[NOTHING] += 1


@kernel
def check_payments(deal, zero_sum, faults):
    """Payments add up to nothing, and only seats that exist are paid."""
    payoffs, schrift = 0, 0
    for seat in range(MAX_SEATS):
        payoffs += deal.payoffs[seat]
        schrift += deal.schrift[seat]
        if seat >= deal.num_seats and (deal.payoffs[seat] != 0 or deal.schrift[seat] != 0):
            faults[EMPTY_SEAT] += 1
    if zero_sum and (payoffs != 0 or schrift != 0):
        faults[SUM] += 1
    for item in range(len(deal.settled)):
        total = 0
        for seat in range(MAX_SEATS):
            total += deal.item_payoffs[item, seat]
            if not deal.settled[item] and deal.item_payoffs[item, seat] != 0:
                faults[SUM] += 1
        if zero_sum and total != 0:
            faults[SUM] += 1


@kernel
def check_sides(deal, rules, faults):
    """The piles of the two sides are the deck, and count 70 points, where a deal with a declarer was played to its end."""
    if deal.declarer < 0 or deal.trick_number < rules.num_tricks:
        return
    declarers = declarers_pile(deal, rules)
    defenders = ZERO
    for seat in range(deal.num_seats):
        if not with_declarer(deal, seat):
            defenders |= deal.won[seat] | deal.discards[seat]
    left = talon_cards(deal) & ~deal.talon_taken
    if declarers & defenders != ZERO or declarers | defenders | left != ALL_CARDS or defenders & left != ZERO:
        faults[SIDES] += 1
    if card_groups(declarers) + card_groups(ALL_CARDS & ~declarers) != 70:
        faults[SEVENTY] += 1


@kernel
def replay_checked(finals, tables, rings, counts, seats, actions, known, own_points, scratch, faults):
    """Replay finished deals from their first decision; returns the decisions made.

    finals: (B,) finished DEAL records; rings: (B, 4) before the deal; counts (B,), seats and actions (B, n): what was played. known: (4,)
    legal words of all actions that have a name. own_points: contracts that need not add up to nothing, as a set. scratch: (1,) DEAL blank.
    faults: (len(FAULTS),), counted up.
    """
    decisions = 0
    for row in range(len(finals)):
        final = finals[row]
        rules = tables[final.rules_id]
        deals = scratch.copy()
        deal = deals[0]
        copy_dealt(final, deal, rings[row])
        begin_deal(deal, rules)
        for number in range(counts[row]):
            if deal.phase == DONE:
                break
            check_cards(deal, faults)
            check_actor(deal, known, faults)
            if deal.seat != seats[row, number]:
                faults[OTHER_SEAT] += 1
            if not is_legal(deal, actions[row, number]):
                faults[REFUSED] += 1
                break
            step(deal, rules, actions[row, number])
            decisions += 1
        if deal.phase != DONE:
            faults[UNENDED] += 1
            continue
        check_cards(deal, faults)
        check_payments(deal, own_points & bit(deal.contract) == ZERO, faults)
        check_sides(deal, rules, faults)
        for seat in range(MAX_SEATS):
            if deal.payoffs[seat] != final.payoffs[seat]:
                faults[OTHER_PAYOFFS] += 1
    return decisions
