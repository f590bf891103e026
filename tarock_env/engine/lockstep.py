"""Kernels over many deals in lockstep: dealing, steering auctions, stepping, random play, the next deal of a match."""

from __future__ import annotations

from tarock_env.engine.auction import qualified_bids, steer_auction
from tarock_env.engine.bits import nth, size
from tarock_env.engine.chance import deal_cards, random_below
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import next_seat
from tarock_env.engine.state import AUCTION, DONE, MAX_SEATS, SIXTHS
from tarock_env.engine.step import begin_deal, is_legal, legal_at, skip_forced, step

FORCING_MULTIPLE = 500  # a match total at 0 or a multiple of this sets the next contract (rules text 3.4)


@kernel
def forced_by_totals(rules, totals):
    """The 0-or-500 rule on an array of totals in sixths."""
    if rules.rings:
        for seat in range(rules.num_seats):
            if totals[seat] % (FORCING_MULTIPLE * SIXTHS) == 0:
                return True
    return False


@kernel
def next_deal(deals, index, rules, streams, stream):
    """Replace a finished deal by the next of its match, dealt from the stream and opened."""
    deal = deals[index]
    forehand = next_seat(deal, deal.forehand)
    totals, rings = deal.totals + deal.payoffs, deal.rings.copy()
    deal_cards(deals, index, rules, streams, stream, forehand)
    deal = deals[index]
    for seat in range(MAX_SEATS):
        deal.totals[seat] = totals[seat]
        deal.rings[seat] = rings[seat]
    if forced_by_totals(rules, totals):
        deal.forced = 1
    begin_deal(deal, rules)


@kernel
def steer_to_random_contract(deal, rules, streams, stream):
    """Play the auction out to a random contract of a random seat that the hand and the auction allow."""
    for _ in range(8):
        seat = random_below(streams, stream, deal.num_seats)
        bids = qualified_bids(rules, deal.hands[seat])
        if seat != deal.forehand:
            bids &= ~(rules.forehand_only | rules.opening_only)
        if not bids:
            continue
        contract = nth(bids, random_below(streams, stream, size(bids)))
        while deal.phase == AUCTION:
            action = steer_auction(deal, rules, seat, contract)
            if action < 0:
                return
            step(deal, rules, action)
        return


@kernel
def reset_rows(deals, tables, streams, rows, forced_share, skip):
    """Fresh deals with a random forehand in the given rows; a share of them starts after a forced auction."""
    for row in rows:
        rules = tables[deals[row].rules_id]
        forehand = random_below(streams, row, rules.num_seats)
        deal_cards(deals, row, rules, streams, row, forehand)
        deal = deals[row]
        begin_deal(deal, rules)
        if forced_share > 0.0 and random_below(streams, row, 1 << 30) < forced_share * (1 << 30):
            steer_to_random_contract(deal, rules, streams, row)
        if skip:
            skip_forced(deal, rules)


@kernel
def next_deal_rows(deals, tables, streams, rows, skip):
    """The next deal of the match in the given rows."""
    for row in rows:
        rules = tables[deals[row].rules_id]
        next_deal(deals, row, rules, streams, row)
        if skip:
            skip_forced(deals[row], rules)


@kernel
def step_rows(deals, tables, actions, start, stop, skip):
    """Apply actions[row] to every unfinished deal of start..stop-1."""
    for row in range(start, stop):
        deal = deals[row]
        if deal.phase != DONE:
            rules = tables[deal.rules_id]
            step(deal, rules, actions[row])
            if skip:
                skip_forced(deal, rules)


@kernel
def open_deal(deals, tables, row):
    """Open the auction of one freshly dealt deal."""
    begin_deal(deals[row], tables[deals[row].rules_id])


@kernel
def play_action(deals, tables, row, action):
    """Apply an action to one deal if it is legal there; returns whether it was. In a finished deal nothing is legal."""
    deal = deals[row]
    if not is_legal(deal, action):
        return False
    step(deal, tables[deal.rules_id], action)
    return True


@kernel
def first_illegal(deals, actions):
    """The first row whose action is not legal, or -1."""
    for row in range(len(deals)):
        if deals[row].phase != DONE and not is_legal(deals[row], actions[row]):
            return row
    return -1


@kernel
def pick_random(deals, streams, actions, start, stop):
    """Uniformly random legal actions for rows start..stop-1, -1 for finished deals."""
    for row in range(start, stop):
        deal = deals[row]
        count = 0
        for word in deal.legal:
            count += size(word)
        actions[row] = legal_at(deal, random_below(streams, row, count)) if count else -1


@kernel
def play_random(deals, tables, streams, start, stop, rounds):
    """Deal and play rows start..stop-1 with uniformly random legal actions, `rounds` times over; returns the decisions made."""
    decisions = 0
    for row in range(start, stop):
        rules = tables[deals[row].rules_id]
        for _ in range(rounds):
            deal_cards(deals, row, rules, streams, row, random_below(streams, row, rules.num_seats))
            deal = deals[row]
            begin_deal(deal, rules)
            while deal.phase != DONE:
                count = 0
                for word in deal.legal:
                    count += size(word)
                step(deal, rules, legal_at(deal, random_below(streams, row, count)))
                decisions += 1
    return decisions
