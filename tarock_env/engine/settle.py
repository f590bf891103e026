"""Paying one item between the sides, in both ledgers (rules text 1.5)."""

from __future__ import annotations

from tarock_env.actions import NUM_ITEMS
from tarock_env.engine.announce import item_bit
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import with_declarer
from tarock_env.engine.state import SIXTHS
from tarock_env.rules.schema import Schrift

NO_SCHRIFT, SINGLE_KONTRA = int(Schrift.NONE), int(Schrift.SINGLE_KONTRA)


@kernel
def kontra_factor(deal, item):
    """1, 2, 4 or 8; 1 where the item's kontra fell away."""
    return 1 if deal.void_kontra & item_bit(item) else 1 << deal.kontra[item]


@kernel
def ring_factor(deal, rules):
    """2 where the declarer has an open ring, else 1 (1.8.9)."""
    return 2 if rules.rings and deal.declarer >= 0 and deal.rings[deal.declarer] > 0 else 1


@kernel
def schrift_factor(rules, factor):
    """What the second ledger keeps of a kontra factor; 0 where there is no second ledger."""
    if rules.schrift == NO_SCHRIFT:
        return 0
    return min(factor, 2) if rules.schrift == SINGLE_KONTRA else 1


@kernel
def pay(deal, rules, item, seat, sixths, factor):
    """Add one seat's payment for an item. `sixths` is before kontra."""
    deal.item_payoffs[item, seat] += sixths * factor
    deal.schrift[seat] += sixths * schrift_factor(rules, factor)


@kernel
def settle(deal, rules, item, units, to_declarers, made):
    """Each loser pays `units`, each winner gets them; a lone declarer settles with every opponent."""
    factor = int(kontra_factor(deal, item)) * ring_factor(deal, rules)
    for seat in range(deal.num_seats):
        member = with_declarer(deal, seat)
        sixths = int(units) * SIXTHS
        if member and deal.partner < 0:
            sixths *= int(deal.num_seats) - 1
        pay(deal, rules, item, seat, sixths if member == to_declarers else -sixths, factor)
    deal.settled[item] = 1
    deal.made[item] = made


@kernel
def clear_items(deal):
    """Forget every settled item."""
    for item in range(NUM_ITEMS):
        deal.settled[item] = 0
        deal.made[item] = -1
        for seat in range(4):
            deal.item_payoffs[item, seat] = 0
    for seat in range(4):
        deal.payoffs[seat] = 0
        deal.schrift[seat] = 0


@kernel
def add_up(deal):
    """Sum the items into the payoffs."""
    for seat in range(deal.num_seats):
        total = 0
        for item in range(NUM_ITEMS):
            total += deal.item_payoffs[item, seat]
        deal.payoffs[seat] = total
