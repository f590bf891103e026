"""Who belongs to whom: kontra rights and what a seat knows (rules.md 1.8.1, 1.8.13)."""

from __future__ import annotations


def may_double(factor: int, owns_item: bool) -> bool:
    """May a seat double an item that stands at `factor`?

    owns_item: the item belongs to the seat's own side. Kontra (to 2) and subkontra (to 8) are
    for the other side, rekontra (to 4) for the item's own.
    """
    if factor in (1, 4):
        return not owns_item
    return factor == 2 and owns_item


def known_sides(
    viewer: int,
    num_seats: int,
    declarer: int,
    partner: int | None,
    public: set[int],
    alone_is_public: bool,
) -> dict[int, str]:
    """Seats whose side the viewer knows after the call, where the own card may be called.

    public: seats that showed their side (announcement, kontra, called card played). Who is the
    partner, or knows him, knows all; the declarer also where only one seat is left.
    """
    sides = {seat: "declarer" if seat in (declarer, partner) else "defenders" for seat in range(num_seats)}
    known = {declarer, viewer} | public
    if alone_is_public or partner in known:
        return sides
    num_defenders = sum(sides[seat] == "defenders" for seat in known)
    if viewer == declarer and (partner is None or num_defenders == num_seats - 2):
        return sides
    return {seat: sides[seat] for seat in sorted(known)}
