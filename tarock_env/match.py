"""Matches: what one deal hands on to the next, and what is settled at the end (rules text 3.4, 1.8.11).

The forehand moves on. Totals and, where the rules have them, open rings carry over; a total of 0 or a multiple of 500 makes the
next deal an all-against-all game (never the first deal of a match); at the end every open ring is paid for.
"""

from __future__ import annotations

from collections.abc import Sequence

from tarock_env.engine.chance import deal_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import next_seat
from tarock_env.engine.state import MAX_SEATS, SIXTHS
from tarock_env.engine.step import begin_deal
from tarock_env.rules.schema import Rules

RING_PRICE = 100  # units that an open ring costs its owner to each other player at the end
FORCING_MULTIPLE = 500


def forces_all_against_all(rules: Rules, totals_sixths: Sequence[int]) -> bool:
    """Whether these totals, after a deal, set the contract of the next one (the 0-or-500 rule)."""
    return rules.rings and any(int(total) % (FORCING_MULTIPLE * SIXTHS) == 0 for total in totals_sixths)


def ring_settlement(rules: Rules, rings: Sequence[int]) -> list[int]:
    """What each seat gets (or pays) for open rings at the end of a match, in sixths; zeros where the rules have none."""
    if not rules.rings:
        return [0] * rules.players
    price = RING_PRICE * SIXTHS
    return [price * (sum(map(int, rings)) - rules.players * int(own)) for own in rings]


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
