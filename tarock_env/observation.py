"""The observation: named fields of small unsigned integers, relative to the acting seat.

`FIELDS` is the layout for the actor, `HIDDEN_FIELDS` what only a privileged critic sees beside it. A row is `uint8`; a network's
input is `row * SCALE` (1 for 0/1 fields). Seats are relative: 0 is the acting seat, 1 the next, and so on. The layouts hold
every rule system and are part of `SCHEMA_VERSION`, which exported bots carry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarock_env.actions import MELDS, NUM_CALLABLE_ITEMS, NUM_CONTRACT_SLOTS, NUM_WORDS
from tarock_env.engine.announce import MAX_KONTRA, announced_items, without_lowest_item
from tarock_env.engine.bits import ALL_CARDS, SUIT_MASKS, ZERO, bit, card_thirds, lowest, size, suit_of, without_lowest
from tarock_env.engine.exchange import talon_cards
from tarock_env.engine.jit import kernel
from tarock_env.engine.play import beating_cards, trick_cards, winning_card
from tarock_env.engine.seats import knows_sides, seat_after, seats_from, with_declarer
from tarock_env.engine.state import DISCARD, PLAY
from tarock_env.engine.view import hand_visible, talon_known
from tarock_env.rules.table import NUM_RULE_FEATURES, RULE_VALUES

SCHEMA_VERSION = 2
NUM_MELDS = len(MELDS)
PLACE_FEATURES = 6  # of a talon card: its rank in the place of its suit (tarock H D S C), its points


@dataclass(frozen=True)
class Field:
    """One named block of features; `scale` brings its values to about 0..1."""

    name: str
    size: int
    meaning: str
    scale: float = 1.0


FIELDS: tuple[Field, ...] = (
    Field("hand", 54, "cards in the own hand"),
    Field("legal_cards", 54, "cards that may be played or discarded now"),
    Field("winning_cards", 54, "legal cards that would be winning the trick now"),
    Field("played", 4 * 54, "cards played by each relative seat"),
    Field("in_trick", 54, "cards of the current trick"),
    Field("trick_of", 54, "number of the trick in which a card fell, from 1", 1 / 16),
    Field("talon_left", 54, "talon cards seen and not taken"),
    Field("talon_taken", 54, "talon cards seen and taken by the declarer"),
    Field("discards", 54, "discards that this seat made or was shown"),
    Field("shown_hands", 3 * 54, "cards that lie open in the hands of relative seats 1..3"),
    Field("unseen", 54, "cards that this seat cannot place"),
    Field("void", 3 * 5, "suits (tarock H D S C) that relative seats 1..3 have shown they lack"),
    Field("bids", 4 * 20, "ranks of the contracts that each relative seat has bid"),
    Field("passed", 4, "relative seats that have passed"),
    Field("contract", NUM_CONTRACT_SLOTS, "the highest bid, later the contract"),
    Field("declarer", 4, "relative seat of the highest bidder, later the declarer"),
    Field("forehand", 4, "relative seat of the forehand"),
    Field("leader", 4, "relative seat that led the current trick"),
    Field("winner", 4, "relative seat that is winning the current trick"),
    Field("seats", 4, "relative seats that exist"),
    Field("call", 13, "what was called (actions.CALLS)"),
    Field("role", 3, "own role: declarer, partner, defender"),
    Field("sides", 3 * 2, "relative seats 1..3 known to be with the declarer, against him"),
    Field("partner_known", 1, "all sides are known to this seat"),
    Field("phase", 16, "phase of the deal (engine.state.PHASES)"),
    Field("announced", 4 * 12, "bonuses announced by each relative seat"),
    Field("kontra", NUM_CALLABLE_ITEMS * 3, "kontra steps of game and bonuses, as a thermometer"),
    Field("seat_kontra", 4 * 3, "own kontra of each relative seat, as a thermometer"),
    Field("melds", 4 * 8, "melds of each relative seat"),
    Field("tricks_won", 4, "tricks won by each relative seat", 1 / 16),
    Field("points", 4, "card thirds won by each relative seat", 1 / 105),
    Field("lengths", 10, "own and unseen cards in tarock H D S C", 1 / 8),
    Field("trick_number", 16, "tricks finished"),
    Field("trick_size", 4, "cards in the current trick"),
    Field("led_suit", 5, "suit of the led card: tarock H D S C"),
    Field("choices", 4, "chosen: must-beat, free, talon to first tricks, talon to last trick"),
    Field("talon_choice", 6, "talon group that was taken"),
    Field("owed", 1, "discards still owed", 1 / 6),
    Field("rings", 4 * 3, "open rings of each relative seat, as a thermometer"),
    Field("totals", 4, "match total of each relative seat above the last multiple of 500, halved", 1 / 250),
    Field("forced", 1, "the contract was set by a match rule"),
    Field("rules", NUM_RULE_FEATURES, "features of the rule system", 1.0),
    Field("talon_places", 6 * PLACE_FEATURES, "seen talon cards by place, so by group: rank in tarock H D S C, card thirds"),
    Field("reserved", 4, "always zero"),
)
HIDDEN_FIELDS: tuple[Field, ...] = (
    Field("hands", 3 * 54, "hands of relative seats 1..3"),
    Field("talon", 54, "talon cards that nobody has taken"),
    Field("discards", 54, "all discards"),
    Field("with_declarer", 4, "relative seats on the declarer's side"),
    Field("king_in_talon", 1, "the called card lies in the talon"),
    Field("reserved", 13, "always zero"),
)


def _layout(fields: tuple[Field, ...]) -> tuple[dict[str, slice], int]:
    slices, start = {}, 0
    for field in fields:
        slices[field.name] = slice(start, start + field.size)
        start += field.size
    return slices, start


def _scales(fields: tuple[Field, ...]) -> np.ndarray:
    return np.concatenate([np.full(field.size, field.scale, np.float32) for field in fields])


SLICES, OBSERVATION_SIZE = _layout(FIELDS)
HIDDEN_SLICES, HIDDEN_SIZE = _layout(HIDDEN_FIELDS)
SCALE, HIDDEN_SCALE = _scales(FIELDS), _scales(HIDDEN_FIELDS)
# The log-scaled bonus values of the rules vector reach 16 * log2(251), about 128.
SCALE[SLICES["rules"]][RULE_VALUES] = 1 / 64
SCALE[SLICES["talon_places"]] = np.tile(np.array([1 / 22, 1 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 13], np.float32), 6)


def _at(name: str) -> int:
    return int(SLICES[name].start)


(HAND, LEGAL, WINNING, PLAYED, IN_TRICK, TRICK_OF, LEFT, TAKEN, DISCARDS, SHOWN, UNSEEN, VOID, BIDS, PASSED, CONTRACT,
 DECLARER, FOREHAND, LEADER, WINNER, SEATS, CALL, ROLE, SIDES, PARTNER_KNOWN, PHASE, ANNOUNCED, KONTRA, SEAT_KONTRA,
 MELDS_AT, TRICKS_WON, POINTS, LENGTHS, TRICK_NUMBER, TRICK_SIZE, LED_SUIT, CHOICES, TALON_CHOICE, OWED, RINGS, TOTALS,
 FORCED, RULES_AT, PLACES) = (_at(field.name) for field in FIELDS[:-1])  # fmt: skip
H_HANDS, H_TALON, H_DISCARDS, H_SIDES, H_KING = (HIDDEN_SLICES[field.name].start for field in HIDDEN_FIELDS[:-1])


@kernel
def put_cards(row, start, cards):
    """Set the features of a card set that begin at `start`."""
    while cards:
        row[start + lowest(cards)] = 1
        cards = without_lowest(cards)


@kernel
def encode_place(card, row, start):
    """One talon card: its rank from 1 in the feature of its suit, then its points."""
    suit = suit_of(card)
    row[start + int(suit)] = card + 1 - lowest(SUIT_MASKS[suit])
    row[start + 5] = card_thirds(bit(card))


@kernel
def encode_cards(deal, rules, viewer, row):
    """Fields about where cards are."""
    hand = deal.hands[viewer]
    put_cards(row, HAND, hand)
    legal = ZERO
    if deal.seat == viewer:
        legal = deal.legal[1] if deal.phase == DISCARD else deal.legal[0]
    put_cards(row, LEGAL, legal)
    placed = hand
    for steps in range(deal.num_seats):
        seat = seat_after(deal, viewer, steps)
        put_cards(row, PLAYED + 54 * steps, deal.played[seat])
        placed |= deal.played[seat]
        if steps > 0 and hand_visible(deal, rules, viewer, seat):
            put_cards(row, SHOWN + 54 * (steps - 1), deal.hands[seat])
            placed |= deal.hands[seat]
    seen = talon_known(deal, viewer)
    put_cards(row, LEFT, seen & ~deal.talon_taken)
    put_cards(row, TAKEN, seen & deal.talon_taken)
    for place in range(6):
        card = deal.talon[place]
        if card >= 0 and seen & ~deal.talon_taken & bit(card):
            encode_place(card, row, PLACES + PLACE_FEATURES * place)
    discards = deal.discards[viewer] | deal.discards_shown
    put_cards(row, DISCARDS, discards)
    placed |= discards | (seen & ~deal.talon_taken)
    unseen = ALL_CARDS & ~placed
    put_cards(row, UNSEEN, unseen)
    for suit in range(5):
        row[LENGTHS + suit] = size(hand & SUIT_MASKS[suit])
        row[LENGTHS + 5 + suit] = size(unseen & SUIT_MASKS[suit])


@kernel
def encode_trick(deal, rules, viewer, row):
    """Fields about the tricks."""
    for seat in range(deal.num_seats):
        cards = deal.played[seat]
        while cards:
            card = lowest(cards)
            row[TRICK_OF + card] = deal.trick_of[card] + 1
            cards = without_lowest(cards)
    row[TRICK_NUMBER + int(deal.trick_number)] = 1
    row[TRICK_SIZE + int(deal.trick_size)] = 1
    if deal.leader >= 0:
        row[LEADER + seats_from(deal, viewer, deal.leader)] = 1
    if deal.trick_size:
        contract = deal.contract
        cards = trick_cards(deal)
        put_cards(row, IN_TRICK, cards)
        led = deal.trick[0]
        row[LED_SUIT + int(suit_of(led))] = 1
        play, emperor = rules.play[contract], rules.emperor[contract]
        best = winning_card(cards, led, play, emperor)
        for index in range(deal.trick_size):
            if deal.trick[index] == best:
                row[WINNER + seats_from(deal, viewer, seat_after(deal, deal.leader, index))] = 1
        if deal.seat == viewer and deal.phase == PLAY:
            put_cards(row, WINNING, deal.legal[0] & beating_cards(cards, led, play, emperor))


@kernel
def encode_seats(deal, rules, viewer, row):
    """Fields that hold one block for each relative seat."""
    announced = announced_items(deal)
    while announced:
        item = lowest(announced)
        row[ANNOUNCED + 12 * seats_from(deal, viewer, deal.announced_by[item]) + item - 1] = 1
        announced = without_lowest_item(announced)
    contract_stands = deal.contract >= 0 and deal.declarer >= 0
    sides_known = 0 if not contract_stands else -1 if knows_sides(deal, viewer) else int(deal.sides_public)
    for steps in range(deal.num_seats):
        seat = seat_after(deal, viewer, steps)
        row[SEATS + steps] = 1
        row[PASSED + steps] = deal.passed >> seat & 1
        row[TRICKS_WON + steps] = deal.tricks_won[seat]
        row[POINTS + steps] = card_thirds(deal.won[seat] | deal.awarded[seat])
        bids = deal.bids[seat]
        while bids:
            row[BIDS + 20 * steps + int(rules.rank[lowest(bids)])] = 1
            bids = without_lowest(bids)
        for meld in range(NUM_MELDS):
            row[MELDS_AT + 8 * steps + meld] = deal.melds[seat] >> meld & 1
        for level in range(deal.seat_kontra[seat]):
            row[SEAT_KONTRA + 3 * steps + level] = 1
        for ring in range(min(deal.rings[seat], 3)):
            row[RINGS + 3 * steps + ring] = 1
        if deal.totals[seat]:  # divisions cost more than all else here, and most deals stand alone
            row[TOTALS + steps] = deal.totals[seat] // 6 % 500 // 2
        if steps > 0:
            voids = deal.voids[seat]
            for suit in range(5):
                row[VOID + 5 * (steps - 1) + suit] = voids >> suit & 1
            known, with_him = sides_known >> seat & 1, int(with_declarer(deal, seat))
            row[SIDES + 2 * (steps - 1)] = known & with_him
            row[SIDES + 2 * (steps - 1) + 1] = known & ~with_him


@kernel
def encode_contract(deal, rules, viewer, row):
    """Fields about auction, contract, sides, kontras and the rule system."""
    row[PHASE + int(deal.phase)] = 1
    row[FOREHAND + seats_from(deal, viewer, deal.forehand)] = 1
    if deal.contract >= 0:
        row[CONTRACT + int(deal.contract)] = 1
    if deal.declarer >= 0:
        row[DECLARER + seats_from(deal, viewer, deal.declarer)] = 1
        role = 0 if viewer == deal.declarer else 1 if viewer == deal.partner else 2
        row[ROLE + role] = 1
    if deal.call >= 0:
        row[CALL + int(deal.call)] = 1
    row[PARTNER_KNOWN] = knows_sides(deal, viewer)
    for item in range(NUM_CALLABLE_ITEMS):
        for level in range(MAX_KONTRA):
            row[KONTRA + 3 * item + level] = deal.kontra[item] > level
    if deal.must_beat >= 0:
        row[CHOICES + 1 - int(deal.must_beat)] = 1
    if deal.talon_tricks > 0:
        row[CHOICES + 1 + int(deal.talon_tricks)] = 1
    if deal.talon_choice >= 0:
        row[TALON_CHOICE + int(deal.talon_choice)] = 1
    row[OWED] = deal.owed[viewer]
    row[FORCED] = deal.forced
    for feature in range(NUM_RULE_FEATURES):
        row[RULES_AT + feature] = rules.vector[feature]


@kernel
def encode_observation(deal, rules, row):
    """Overwrite one row (F,) uint8 with what the acting seat knows; zeros for a finished deal."""
    row[:] = 0
    viewer = deal.seat
    if viewer < 0:
        return
    encode_cards(deal, rules, viewer, row)
    encode_trick(deal, rules, viewer, row)
    encode_seats(deal, rules, viewer, row)
    encode_contract(deal, rules, viewer, row)


@kernel
def encode_hidden(deal, row):
    """Overwrite one row (H,) uint8 with what the acting seat does not know. Needs the true deal, not a view."""
    row[:] = 0
    viewer = deal.seat
    if viewer < 0:
        return
    for steps in range(deal.num_seats):
        seat = seat_after(deal, viewer, steps)
        if steps > 0:
            put_cards(row, H_HANDS + 54 * (steps - 1), deal.hands[seat])
        put_cards(row, H_DISCARDS, deal.discards[seat])
        row[H_SIDES + steps] = with_declarer(deal, seat) and deal.declarer >= 0
    put_cards(row, H_TALON, talon_cards(deal) & ~deal.talon_taken)
    row[H_KING] = deal.king_in_talon


@kernel
def encode_mask(deal, mask):
    """Overwrite one row (A,) bool with the legal actions."""
    mask[:] = False
    for word in range(NUM_WORDS):
        bits = deal.legal[word]
        while bits:
            mask[64 * word + lowest(bits)] = True
            bits = without_lowest(bits)


@kernel
def observe_rows(deals, tables, observation, mask, start, stop):
    """Encode observation and action mask of the acting seats of rows start..stop-1."""
    for row in range(start, stop):
        deal = deals[row]
        encode_observation(deal, tables[deal.rules_id], observation[row])
        encode_mask(deal, mask[row])


@kernel
def hidden_rows(deals, hidden, start, stop):
    """Encode what the acting seats of rows start..stop-1 do not know."""
    for row in range(start, stop):
        encode_hidden(deals[row], hidden[row])


assert OBSERVATION_SIZE % 32 == 0, OBSERVATION_SIZE
assert HIDDEN_SIZE % 32 == 0, HIDDEN_SIZE
