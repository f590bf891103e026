"""Seats and sides: who comes next, who belongs to the declarer, and what everybody knows about it."""

from __future__ import annotations

from tarock_env.engine.bits import ZERO, bit
from tarock_env.engine.jit import kernel


@kernel
def next_seat(deal, seat):
    """The seat that plays after `seat`."""
    return seat + 1 if seat + 1 < deal.num_seats else 0


@kernel
def seat_after(deal, seat, steps):
    """The seat `steps` places after `seat`, 0 <= steps < num_seats."""
    other = seat + steps
    return other if other < deal.num_seats else other - deal.num_seats


@kernel
def seats_from(deal, start, seat):
    """How many places after `start` the seat sits."""
    steps = int(seat) - int(start)
    return steps if steps >= 0 else steps + int(deal.num_seats)


@kernel
def with_declarer(deal, seat):
    """Whether a seat is on the declarer's side. True facts, not what others know."""
    return seat == deal.declarer or seat == deal.partner


@kernel
def reveal_all(deal):
    """From now on every seat's side is public."""
    deal.sides_public = (1 << deal.num_seats) - 1


@kernel
def reveal(deal, rules, seat):
    """Make a seat's side public, and what follows from it (1.8.1).

    A public partner settles everything. Two public defenders settle it only where the called card cannot lie unseen in the
    talon, because then the fourth seat must be the partner.
    """
    deal.sides_public |= 1 << seat
    if seat == deal.partner:
        reveal_all(deal)
        return
    if deal.called < 0:
        return
    defenders = public_defenders(deal)
    if defenders == deal.num_seats - 1:
        reveal_all(deal)
    elif defenders == deal.num_seats - 2 and deal.talon_open and not rules.own_king_callable:
        reveal_all(deal)


@kernel
def public_defenders(deal):
    """How many seats are publicly against the declarer."""
    defenders = 0
    for seat in range(deal.num_seats):
        if deal.sides_public >> seat & 1 and not with_declarer(deal, seat):
            defenders += 1
    return defenders


@kernel
def side_known(deal, viewer, seat):
    """Whether `viewer` knows which side `seat` is on."""
    return deal.sides_public >> seat & 1 == 1 or viewer == seat or knows_sides(deal, viewer)


@kernel
def knows_sides(deal, viewer):
    """Whether a seat knows every side: all are public, or it holds, or held, the called card itself.

    A declarer without the called card, who knows that it is not in the talon, is left with one seat beside two public defenders.
    """
    if viewer == deal.partner or deal.sides_public == (1 << deal.num_seats) - 1:
        return True
    if viewer != deal.declarer or deal.called < 0:
        return False
    if (deal.hands[viewer] | deal.played[viewer]) & bit(deal.called) != ZERO:
        return True
    return deal.talon_taken != ZERO and public_defenders(deal) == deal.num_seats - 2


@kernel
def called_card_public(deal):
    """Whether every seat knows which card was called: named outright, or the fourth king once it has shown itself."""
    if deal.called < 0:
        return False
    if deal.call != 4:
        return True
    seen = deal.talon_open
    for seat in range(deal.num_seats):
        if seat != deal.declarer:
            seen |= deal.played[seat]
    return seen & bit(deal.called) != 0
