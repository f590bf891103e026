"""What one seat knows: a DEAL record with everything else blanked.

Bots get views only, so that none can see hidden cards; the observation of a deal and of its view are the same row.
"""

from __future__ import annotations

import numpy as np

from tarock_env.actions import NUM_WORDS
from tarock_env.engine.bits import ZERO, bit
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import hands_shown
from tarock_env.engine.seats import called_card_public, knows_sides
from tarock_env.engine.state import Deals, new_deals


@kernel
def hand_visible(deal, rules, viewer, seat):
    """Whether the viewer sees the seat's hand."""
    if viewer == seat:
        return True
    shown = hands_shown(deal, rules)
    return shown == 1 or (shown == 2 and seat == deal.declarer)


@kernel
def called_known(deal, viewer):
    """Whether the viewer knows which card was called."""
    return viewer == deal.declarer or viewer == deal.partner or called_card_public(deal)


@kernel
def talon_known(deal, viewer):
    """Talon cards that the viewer has seen."""
    seen = deal.talon_open | deal.drawn[viewer]
    return seen | deal.peeked if viewer == deal.declarer else seen


@kernel
def blank_hidden(deal, rules, viewer):
    """Blank in place what the viewer cannot know."""
    if not called_known(deal, viewer):
        deal.called = -1
    seen = talon_known(deal, viewer)
    for index in range(6):
        if not seen & bit(deal.talon[index]):
            deal.talon[index] = -1
    deal.talon_taken &= seen
    deal.peeked &= seen
    if not deal.talon_open:
        deal.king_in_talon = 0
    for seat in range(deal.num_seats):
        if not hand_visible(deal, rules, viewer, seat):
            deal.hands[seat] = ZERO
        if seat != viewer:
            deal.dealt[seat] = ZERO
            deal.discards[seat] &= deal.discards_shown
            deal.drawn[seat] &= deal.talon_open
    if not knows_sides(deal, viewer):
        deal.partner = -1
    if deal.seat != viewer:
        for word in range(NUM_WORDS):
            deal.legal[word] = ZERO


@kernel
def fill_views(deals, tables, rows, views):
    """views[i] = what the acting seat of deals[rows[i]] knows; rows of finished deals are copied as they are."""
    for index in range(len(rows)):
        views[index] = deals[rows[index]]
        view = views[index]
        if view.seat >= 0:
            blank_hidden(view, tables[view.rules_id], view.seat)


def make_views(deals: Deals, tables: np.recarray, rows: np.ndarray | None = None) -> Deals:
    """(n,) views of the acting seats of the given rows (all by default); new records, the deals stay as they are."""
    chosen = np.arange(len(deals)) if rows is None else np.asarray(rows, np.int64)
    views = new_deals(len(chosen))
    fill_views(deals, tables, chosen, views)
    return views


@kernel
def view_seat(deals, tables, seat):
    """Blank in place what `seat` cannot know, in every record, whoever acts."""
    for index in range(len(deals)):
        blank_hidden(deals[index], tables[deals[index].rules_id], seat)


def make_view(deals: Deals, tables: np.recarray, row: int, seat: int) -> Deals:
    """(1,) record: what `seat` knows of deal `row`, whoever acts."""
    view = deals[row : row + 1].copy().view(np.recarray)
    view_seat(view, tables, seat)
    return view
