"""One deal as one record: the dtype DEAL, and the phases it goes through.

Seats are absolute (0..3); P0 of the rules text is `forehand`. A seat of -1 means nobody, an item, card or contract of -1 means
none. Sets of cards are `uint64`, sets of seats small bit masks. Payoffs are integers in sixths of a table unit, because ties
are split by two and by three. The record holds no randomness: the dealing generator stays outside (engine.chance).

Copying a record is a memcpy and comparing goes by field (the dtype is aligned, so its padding bytes mean nothing).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tarock_env.actions import MELDS, NUM_ITEMS, NUM_WORDS
from tarock_env.engine.jit import JIT, record_dtype

MAX_SEATS = 4
SIXTHS = 6

# Phases, in the order in which a deal can meet them.
(AUCTION, NAME_BIRD, CHOOSE_BEAT, CHOOSE_TALON, WARSAW, CALL, TALON, STAGED, DISCARD, RAISE, ANNOUNCE, KONTRA, PLAY, DONE) = range(14)
PHASES = (
    "auction", "name_bird", "choose_beat", "choose_talon", "warsaw", "call", "talon", "staged", "discard", "raise",
    "announce", "kontra", "play", "done",
)  # fmt: skip

_P = (MAX_SEATS,)
_I = (NUM_ITEMS,)

DEAL = record_dtype(
    [
        ("legal", "u8", (NUM_WORDS,)),  # what the acting seat may do (actions.py); all zero when done
        # cards
        ("dealt", "u8", _P), ("hands", "u8", _P), ("played", "u8", _P), ("won", "u8", _P),
        ("talon_open", "u8"),  # talon cards that every seat has seen
        ("talon_taken", "u8"),  # ... that went into a hand
        ("drawn", "u8", _P),  # ... that each seat took or was given
        ("peeked", "u8"),  # ... that the declarer looked at
        ("awarded", "u8", _P),  # ... won with tricks
        ("discards", "u8", _P), ("discards_shown", "u8"),
        ("bids", "u8", _P),  # contracts bid by each seat
        # result, sixths of a unit
        ("item_payoffs", "i4", (NUM_ITEMS, MAX_SEATS)), ("payoffs", "i4", _P), ("schrift", "i4", _P),
        ("totals", "i4", _P),
        ("talon", "i1", (6,)),  # card ids in dealt order
        ("trick_of", "i1", (54,)),  # trick in which each card fell, -1 before
        ("trick", "i1", _P),  # cards of the current trick in order of play
        ("trick_size", "i1"), ("trick_number", "i1"), ("leader", "i1"), ("tricks_won", "i1", _P),
        ("voids", "i1", _P),  # suits (bit 0 tarock, 1..4 H D S C) that a seat has shown it lacks
        ("rules_id", "i1"), ("num_seats", "i1"), ("forehand", "i1"), ("phase", "i1"), ("seat", "i1"),
        # auction and contract
        ("passed", "i1"), ("opened", "i1"), ("contract", "i1"), ("declarer", "i1"), ("forced", "i1"),
        ("must_beat", "i1"), ("talon_tricks", "i1"),
        # partnership
        ("call", "i1"), ("called", "i1"), ("partner", "i1"), ("sides_public", "i1"), ("king_in_talon", "i1"),
        # exchange
        ("owed", "i1", _P), ("talon_choice", "i1"), ("raised", "i1"), ("conceded", "i1"),
        # announcements: who announced an item, how often it was doubled and when it last changed
        ("announced_by", "i1", _I), ("kontra", "i1", _I), ("item_clock", "i2", _I),
        ("seat_kontra", "i1", _P), ("seat_clock", "i2", _P),
        ("turn_clock", "i2", _P), ("clock", "i2"), ("turns", "i1", _P), ("turn_calls", "i1"),
        ("quiet_turns", "i1"), ("called_out", "i1"), ("melds", "i1", _P),
        ("meld_units", "i2", (MAX_SEATS, len(MELDS))),  # what each meld of each seat was worth, after the deal
        # events that score: who played a bird or the called king to its trick, whether it won, who won the trick
        ("bird_seat", "i1", (4,)), ("bird_won", "i1", (4,)),
        ("ultimo_seat", "i1"), ("ultimo_winner", "i1"), ("ultimo_itself", "i1"),
        ("mond_seat", "i1"), ("mond_winner", "i1"), ("king_winner", "i1"), ("king_itself", "i1"),
        ("settled", "i1", _I), ("made", "i1", _I), ("void_kontra", "u4"),  # items settled; those whose kontra fell away
        ("rings", "i1", _P),
    ],
)  # fmt: skip

Deals: TypeAlias = np.recarray
"""(B,) records of DEAL."""


def new_deals(count: int) -> Deals:
    """`count` blank records. A recarray, so that kernels read fields as attributes with the JIT off as well."""
    deals: np.recarray = np.zeros(count, DEAL).view(np.recarray)
    for name in ("talon", "trick_of", "trick", "announced_by", "bird_seat"):
        deals[name] = -1
    for name in ("contract", "declarer", "call", "called", "partner", "talon_choice", "ultimo_seat", "ultimo_winner",
                 "mond_seat", "mond_winner", "king_winner", "leader", "must_beat", "talon_tricks"):  # fmt: skip
        deals[name] = -1
    deals["turn_clock"] = -1
    deals["made"] = -1
    return deals


def for_kernels(records: np.ndarray) -> np.ndarray:
    """The same records in the form that a compiled kernel takes quickest.

    numba reads the type of an ndarray in a tenth of the time it needs for a recarray: 0.7 instead of 4 microseconds a call.
    """
    return records.view(np.ndarray) if JIT else records
