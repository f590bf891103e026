"""Which sides a seat knows of, as a view states them (deal-record format, `sides`)."""

from __future__ import annotations

from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import side_known, with_declarer


@kernel
def known_and_with_declarer(deal, calls_somebody, own_king_callable, viewer):
    """(seats whose side the viewer knows, his own included; seats on the declarer's side), two seat masks.

    calls_somebody: whether the contract has a call at all. Nobody's side is known before there is a declarer.
    """
    known, declaring, defenders = 0, 0, 0
    if deal.declarer < 0 or deal.sides_public == 0:
        return known, declaring
    everybody = (1 << deal.num_seats) - 1
    for seat in range(deal.num_seats):
        if with_declarer(deal, seat):
            declaring |= 1 << seat
        if seat == viewer or side_known(deal, viewer, seat):
            known |= 1 << seat
            defenders += 1 - (declaring >> seat & 1)
    if calls_somebody and deal.called < 0 and deal.sides_public != everybody:
        return 1 << deal.declarer, declaring  # nobody is called yet: the partner is open, even to himself
    # Two known defenders leave one seat for the partner, where the talon is seen not to hold the called card.
    if defenders == deal.num_seats - 2 and deal.talon_open and not own_king_callable:
        known = everybody
    return known, declaring
