"""Settling the games in which everybody plays alone for few points (rules text 3.1, 3.3, 1.8.10, 1.8.13)."""

from __future__ import annotations

from tarock_env.engine.bits import card_groups, card_thirds
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import seat_after
from tarock_env.engine.settle import pay
from tarock_env.engine.state import SIXTHS
from tarock_env.rules.schema import FewestPoints

LOSER_PAYS_EACH, POT, POT_BASE, PLACES = (
    int(FewestPoints.LOSER_PAYS_EACH), int(FewestPoints.POT), int(FewestPoints.POT_BASE), int(FewestPoints.PLACES),
)  # fmt: skip
OWN_POINTS, LOSER_BY_POINTS = int(FewestPoints.OWN_POINTS), int(FewestPoints.LOSER_BY_POINTS)
HALF_POINTS = 35
GAME = 0


@kernel
def points_of(deal, rules, seat):
    """What a seat's tricks and won talon cards count, in thirds or whole points as the rules compare."""
    cards = deal.won[seat] | deal.awarded[seat]
    return card_thirds(cards) if rules.fewest_exact else card_groups(cards)


@kernel
def is_mayor(deal, rules, seat):
    """Whether a seat has so many points that it is "Bürgermeister"."""
    return card_thirds(deal.won[seat] | deal.awarded[seat]) >= rules.mayor_thirds


@kernel
def most_points(deal, rules):
    """Bit mask of the seats that share the highest count."""
    best, seats = -1, 0
    for seat in range(deal.num_seats):
        points = points_of(deal, rules, seat)
        if points > best:
            best, seats = points, 0
        if points == best:
            seats |= 1 << seat
    return seats


@kernel
def trickless(deal):
    """Bit mask of the seats without a trick."""
    seats = 0
    for seat in range(deal.num_seats):
        if deal.tricks_won[seat] == 0:
            seats |= 1 << seat
    return seats


@kernel
def count_seats(seats):
    """Number of seats in a bit mask."""
    return (seats & 1) + (seats >> 1 & 1) + (seats >> 2 & 1) + (seats >> 3 & 1)


@kernel
def share_pot(deal, rules, payers, receivers, sixths):
    """The payers share a pot equally, the receivers are paid from it equally."""
    for seat in range(deal.num_seats):
        if payers >> seat & 1:
            pay(deal, rules, GAME, seat, -(sixths // count_seats(payers)), 1)
        if receivers >> seat & 1:
            pay(deal, rules, GAME, seat, sixths // count_seats(receivers), 1)


@kernel
def loser_pays_each(deal, rules):
    """One loser pays each other seat; ties go to the seat closest before forehand, forehand first (3.1)."""
    highest = most_points(deal, rules)
    loser = deal.forehand
    for steps in range(1, deal.num_seats):
        if not highest >> loser & 1:
            loser = seat_after(deal, deal.forehand, deal.num_seats - steps)
    units = rules.value[deal.contract]
    if is_mayor(deal, rules, loser):
        units *= 2
    if loser == deal.forehand:
        units *= 2
    everyone = (1 << deal.num_seats) - 1
    share_pot(deal, rules, 1 << loser, everyone & ~(1 << loser), units * SIXTHS * (deal.num_seats - 1))


@kernel
def pot(deal, rules):
    """A pot from the losers to the trickless seats, else to all others; forehand in a tie loses alone."""
    losers = most_points(deal, rules)
    units = 3 * rules.value[deal.contract]
    everyone = (1 << deal.num_seats) - 1
    for seat in range(deal.num_seats):
        if losers >> seat & 1 and is_mayor(deal, rules, seat):
            units *= 2
    if losers >> deal.forehand & 1:
        losers = 1 << deal.forehand
        units *= 2
    receivers = trickless(deal)
    share_pot(deal, rules, losers, receivers if receivers else everyone & ~losers, units * SIXTHS)


@kernel
def pot_base(deal, rules):
    """Upper Austria: a base from each of three payments; tied losers pay 2 or 1 bases each (3.3, 1.8.13)."""
    losers = most_points(deal, rules)
    everyone = (1 << deal.num_seats) - 1
    base = rules.value[deal.contract] * SIXTHS
    if losers >> deal.forehand & 1:
        losers = 1 << deal.forehand
        base *= 2
    receivers = trickless(deal)
    tied = count_seats(losers)
    if tied == 1:
        mayor = False
        for seat in range(deal.num_seats):
            mayor |= losers >> seat & 1 == 1 and is_mayor(deal, rules, seat)
        if mayor:
            base *= 2
        sixths = 3 * base
        if count_seats(receivers) == 2 and base == rules.value[deal.contract] * SIXTHS:
            sixths = 4 * base
    else:
        sixths = (4 if tied == 2 else 3) * base
    share_pot(deal, rules, losers, receivers if receivers else everyone & ~losers, sixths)


@kernel
def places(deal, rules):
    """Tirol (1.8.10): the mayor, a losing forehand, the trickless; else the upper two pay the lower two."""
    highest = most_points(deal, rules)
    everyone = (1 << deal.num_seats) - 1
    free = trickless(deal)
    unit = rules.value[deal.contract] * SIXTHS
    mayor = -1
    for seat in range(deal.num_seats):
        if is_mayor(deal, rules, seat):
            mayor = seat
    if mayor >= 0 or highest >> deal.forehand & 1:
        loser = mayor if mayor >= 0 else deal.forehand
        sixths = 3 * unit * (2 if mayor == deal.forehand else 1)
        share_pot(deal, rules, 1 << loser, free if free else everyone & ~(1 << loser), sixths)
    elif free:
        share_pot(deal, rules, everyone & ~free, free, unit * count_seats(everyone & ~free))
    else:
        pay_places(deal, rules, unit)


@kernel
def pay_places(deal, rules, unit):
    """Places count -1, -1, +1, +1 units from the most points down; tied seats share the sum of their places."""
    for seat in range(deal.num_seats):
        more, tied = 0, 0
        points = points_of(deal, rules, seat)
        for other in range(deal.num_seats):
            more += points_of(deal, rules, other) > points
            tied += points_of(deal, rules, other) == points
        total = 0
        for place in range(more, more + tied):
            total += unit if place >= 2 else -unit
        pay(deal, rules, GAME, seat, total // tied, 1)


@kernel
def own_points(deal, rules):
    """Everybody loses the points of his own tricks; or fixed values for no trick and for more than half (3.4)."""
    for seat in range(deal.num_seats):
        points = card_groups(deal.won[seat])
        units = -points
        if rules.seventy:
            units = rules.seventy if deal.tricks_won[seat] == 0 else -rules.seventy if points > HALF_POINTS else 0
        pay(deal, rules, GAME, seat, units * SIXTHS, 1)


@kernel
def loser_by_points(deal, rules):
    """Warsaw: the highest count pays every other player by its size, a trickless one double; nothing where all four tie (3.6)."""
    losers = most_points(deal, rules)
    points = 0
    for seat in range(deal.num_seats):
        points = max(points, points_of(deal, rules, seat))
    step = 1 if points < 30 else 2 if points < 40 else 4
    sixths = rules.value[deal.contract] * step * SIXTHS
    for seat in range(deal.num_seats):
        if not losers >> seat & 1:
            share_pot(deal, rules, losers, 1 << seat, sixths * (2 if deal.tricks_won[seat] == 0 else 1))


@kernel
def settle_fewest(deal, rules):
    """Settle an all-against-all game as its only item, if anybody pays or gets anything."""
    scheme = rules.fewest_scheme
    if scheme == LOSER_PAYS_EACH:
        loser_pays_each(deal, rules)
    elif scheme == POT:
        pot(deal, rules)
    elif scheme == POT_BASE:
        pot_base(deal, rules)
    elif scheme == PLACES:
        places(deal, rules)
    elif scheme == OWN_POINTS:
        own_points(deal, rules)
    elif scheme == LOSER_BY_POINTS:
        loser_by_points(deal, rules)
    deal.made[GAME] = -1
    for seat in range(deal.num_seats):
        if deal.item_payoffs[GAME, seat] != 0:
            deal.settled[GAME] = 1
