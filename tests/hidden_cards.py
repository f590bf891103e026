"""Kernels that move the cards a seat cannot place, so that nothing it knows changes.

Every change is one that the seat would not notice: a world that fits all it has seen. Three kinds:

    relabelled   cards it has not seen change their names, wherever they lie: other hands, unseen talon, hidden discards
    rediscarded  a card in a hidden hand changes places with a hidden discard of the same seat
    recalled     the called card changes places with a hidden card of a seat whose side it does not know, who becomes the partner
"""

from __future__ import annotations

from tarock_env.actions import CALLS
from tarock_env.engine.bits import ALL_CARDS, ZERO, bit, lowest, nth, size, without_lowest
from tarock_env.engine.chance import random_below
from tarock_env.engine.exchange import talon_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.seats import knows_sides
from tarock_env.engine.state import DONE, MAX_SEATS
from tarock_env.engine.step import begin_deal, step, update_legal
from tarock_env.engine.view import called_known, hand_visible, talon_known
from tests.invariants import copy_dealt

RELABELLED, REDISCARDED, RECALLED = 1, 2, 4
LAST_QUEEN = CALLS.index("CQ")  # tarocks, which may be called from the own hand, come after it


@kernel
def restart(finals, tables, rings, deals):
    """deals[i], blank records, become the deals of `finals` before their first action."""
    for row in range(len(finals)):
        copy_dealt(finals[row], deals[row], rings[row])
        begin_deal(deals[row], tables[deals[row].rules_id])


@kernel
def step_all(deals, tables, actions):
    """Take actions[i] in every deal that is not over."""
    for row in range(len(deals)):
        if deals[row].phase != DONE:
            step(deals[row], tables[deals[row].rules_id], actions[row])


@kernel
def placed_cards(deal, rules, viewer):
    """Cards that the viewer has seen: where they are, or at least that they are not the unseen ones."""
    cards = deal.hands[viewer] | deal.discards[viewer] | deal.discards_shown | talon_known(deal, viewer)
    for seat in range(deal.num_seats):
        cards |= deal.played[seat]
        if hand_visible(deal, rules, viewer, seat):
            cards |= deal.hands[seat]
    return cards


@kernel
def renamed(cards, names):
    """A set under new names."""
    result = ZERO
    while cards:
        result |= bit(names[lowest(cards)])
        cards = without_lowest(cards)
    return result


@kernel
def rename(deal, names):
    """Give cards new names in the whole record; `called` stays."""
    for seat in range(MAX_SEATS):
        deal.dealt[seat] = renamed(deal.dealt[seat], names)
        deal.hands[seat] = renamed(deal.hands[seat], names)
        deal.discards[seat] = renamed(deal.discards[seat], names)
        deal.drawn[seat] = renamed(deal.drawn[seat], names)
    deal.talon_taken = renamed(deal.talon_taken, names)
    deal.peeked = renamed(deal.peeked, names)
    for index in range(6):
        deal.talon[index] = names[deal.talon[index]]


@kernel
def same_names(names):
    """Every card keeps its name."""
    for card in range(54):
        names[card] = card


@kernel
def relabel(deal, rules, viewer, streams, stream, names):
    """Shuffle the names of all cards that the viewer has not seen; a called card that he can name keeps its own."""
    hidden = ALL_CARDS & ~placed_cards(deal, rules, viewer)
    known = deal.called >= 0 and called_known(deal, viewer)
    if known:
        hidden &= ~bit(deal.called)
    same_names(names)
    count = size(hidden)
    for index in range(count - 1):
        one = nth(hidden, index)
        other = nth(hidden, index + random_below(streams, stream, count - index))
        names[one], names[other] = names[other], names[one]
    rename(deal, names)
    if deal.called >= 0 and not known:
        deal.called = names[deal.called]
    return count > 1


@kernel
def rediscard(deal, rules, viewer, streams, stream):
    """Swap a card of a hidden hand with a hidden discard of the same seat."""
    changed = False
    for seat in range(deal.num_seats):
        if seat == viewer or hand_visible(deal, rules, viewer, seat):
            continue
        hand, discards = deal.hands[seat], deal.discards[seat] & ~deal.discards_shown
        if deal.called >= 0:
            hand &= ~bit(deal.called)
        if hand and discards:
            kept = bit(nth(hand, random_below(streams, stream, size(hand))))
            laid = bit(nth(discards, random_below(streams, stream, size(discards))))
            deal.hands[seat] ^= kept | laid
            deal.discards[seat] ^= kept | laid
            changed = True
    return changed


@kernel
def recall(deal, rules, viewer, streams, stream, names):
    """Move the called card, whose holder the viewer does not know, to another seat or into the unseen talon."""
    if deal.called < 0 or knows_sides(deal, viewer) or not called_known(deal, viewer):
        return False
    called = bit(deal.called)
    if called & placed_cards(deal, rules, viewer):
        return False
    places = ZERO
    for seat in range(deal.num_seats):
        own = seat == deal.declarer
        if own:
            may_hold = rules.own_king_callable or deal.call > LAST_QUEEN
        else:
            may_hold = not deal.sides_public >> seat & 1
        if seat != viewer and may_hold and not hand_visible(deal, rules, viewer, seat):
            places |= deal.hands[seat] & ~talon_known(deal, viewer)
    if not deal.talon_open and not deal.talon_taken:
        places |= talon_cards(deal)
    places &= ~(called | placed_cards(deal, rules, viewer))
    if not places:
        return False
    other = nth(places, random_below(streams, stream, size(places)))
    same_names(names)
    names[deal.called], names[other] = other, deal.called
    rename(deal, names)
    deal.king_in_talon = talon_cards(deal) & called != ZERO
    deal.partner = -1
    for seat in range(deal.num_seats):
        if seat != deal.declarer and deal.hands[seat] & called:
            deal.partner = seat
    return True


@kernel
def move_hidden(deals, tables, viewers, kinds, streams, names):
    """Move what deals[i]'s viewer cannot place, and list the legal actions anew; kinds[i] becomes what was done, as a sum of kinds."""
    for row in range(len(deals)):
        kinds[row] = 0
        deal = deals[row]
        viewer = viewers[row]
        if deal.phase == DONE:
            continue
        rules = tables[deal.rules_id]
        if recall(deal, rules, viewer, streams, row, names):
            kinds[row] += RECALLED
        if relabel(deal, rules, viewer, streams, row, names):
            kinds[row] += RELABELLED
        if rediscard(deal, rules, viewer, streams, row):
            kinds[row] += REDISCARDED
        if deal.seat == viewer:
            update_legal(deal, rules)
