"""What arrays must be before the kernels of tarock_env.arrays may read them. One line for what is not: which array, which deal."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS
from tarock_env.cards import CARD_NAMES, NUM_CARDS, NUM_TAROCKS
from tarock_env.engine.state import MAX_SEATS, SIXTHS
from tarock_env.record import FORCED, LARGEST_RINGS, LARGEST_TOTAL, TALON_SIZE
from tarock_env.rules import Rules

FORMAT = "tarock-arrays/1"
TEXTS = ("format", "rules", "options")
# Dimensions of each array, and the type as which kernels take it; another integer type is converted where its numbers fit.
FORMS: Mapping[str, tuple[int, type[np.generic]]] = {
    "forehand": (1, np.int8), "hands": (3, np.uint8), "talon": (2, np.uint8), "totals": (2, np.int32), "rings": (2, np.int8),
    "match": (1, np.bool_), "forced": (1, np.bool_), "finished": (1, np.bool_), "payoffs": (2, np.int32),
    "seat": (1, np.int8), "action": (1, np.uint8), "offsets": (1, np.int64),
}  # fmt: skip
BY_ROW = ("seat", "action")


class ArraysError(ValueError):
    """Arrays that are no corpus, or a damaged one. One line: the array, the deal counted from 1, what was found, what is allowed."""


def check_form(arrays: Mapping[str, Any], rules: Rules | None = None) -> None:
    """What holds of a corpus as a whole: nothing is missing, types, dimensions and lengths are right. Takes no longer for more deals."""
    missing = [name for name in (*FORMS, *TEXTS) if name not in arrays]
    if missing:
        raise ArraysError(f"it lacks {', '.join(missing)}")
    if text_of(arrays, "format") != FORMAT:
        raise ArraysError(f"format: this version of Tarock reads {FORMAT}")
    text_of(arrays, "rules")
    options_of(arrays)
    for name, (dimensions, kind) in FORMS.items():
        values = arrays[name]
        if not isinstance(values, np.ndarray) or values.ndim != dimensions:
            raise ArraysError(f"{name}: it must be an array of {dimensions} dimension{'s' * (dimensions > 1)}")
        if values.dtype.kind not in ("b" if kind is np.bool_ else "iu"):
            raise ArraysError(f"{name}: {values.dtype} numbers, they must be {np.dtype(kind)}")
    offsets = arrays["offsets"]
    if not len(offsets):
        raise ArraysError("offsets: empty; it begins with 0")
    deals, rows = len(offsets) - 1, len(arrays["action"])
    for name in FORMS:
        wanted = rows if name in BY_ROW else deals
        if name != "offsets" and len(arrays[name]) != wanted:
            than = "action" if name in BY_ROW else "offsets"
            raise ArraysError(f"{name}: arrays of different lengths: {len(arrays[name])} entries, by {than} there are {wanted}")
    if offsets[0] != 0:
        raise ArraysError(f"offsets: deal 1 begins at {offsets[0]}, it must be 0")
    if offsets[-1] != rows:
        raise ArraysError(f"offsets: arrays of different lengths: deal {deals} ends at {offsets[-1]}, there are {rows} actions")
    _check_sizes(arrays, rules)


def _check_sizes(arrays: Mapping[str, Any], rules: Rules | None) -> None:
    """How many seats and cards a deal has."""
    players, size = arrays["hands"].shape[1:]
    if not 1 < players <= MAX_SEATS or players * size + TALON_SIZE != NUM_CARDS or (rules is not None and players != rules.players):
        wanted = "54 cards with the talon" if rules is None else f"{rules.players} of {rules.hand_size}"
        raise ArraysError(f"hands: {players} hands of {size} cards, it must be {wanted}")
    for name, width in (("talon", TALON_SIZE), ("totals", players), ("rings", players), ("payoffs", players)):
        if arrays[name].shape[1] != width:
            raise ArraysError(f"{name}: {arrays[name].shape[1]} numbers a deal, it must be {width}")


def check_offsets(offsets: NDArray[Any], rows: int, first: int = 0) -> None:
    """Where deals begin and end. offsets: of deals first, first + 1 ..., a slice of the whole. rows: actions of the corpus."""
    bad = (offsets[1:] < offsets[:-1]) | (offsets[:-1] < 0) | (offsets[1:] > rows)
    if bad.any():
        deal = int(bad.argmax())
        begin, end = offsets[deal], offsets[deal + 1]
        raise ArraysError(f"offsets: deal {first + deal + 1} begins at {begin} and ends at {end}; there are {rows} actions")


def check_deals(part: Mapping[str, Any], rules: Rules | None, first: int = 0) -> dict[str, NDArray[Any]]:
    """Every number of some deals whose form and offsets are checked; returns them as the kernels take them.

    first: number of the first of them. rules: None leaves out what only the rules know.
    """
    players = part["hands"].shape[1]
    with_rings = rules is None or rules.rings
    whole = np.iinfo(np.int32)
    limits = {
        "forehand": (0, players - 1),
        "hands": (0, NUM_CARDS - 1),
        "talon": (0, NUM_CARDS - 1),
        "totals": (-LARGEST_TOTAL * SIXTHS, LARGEST_TOTAL * SIXTHS),
        "rings": (0, LARGEST_RINGS if with_rings else 0),
        "payoffs": (int(whole.min), int(whole.max)),
        "seat": (0, players - 1),
        "action": (0, NUM_ACTIONS - 1),
    }
    for name, (low, high) in limits.items():
        values = part[name]
        if values.size and (values.min() < low or values.max() > high):
            place = np.argwhere((values < low) | (values > high))[0]
            raise ArraysError(f"{name}: {_where(part, name, int(place[0]), first)} has {values[tuple(place)]}, it must be {low}..{high}")
    _check_cards(part, first)
    _refuse("match", ~part["match"] & (part["totals"].any(axis=1) | part["rings"].any(axis=1)), first, "false, with totals or rings")
    if rules is not None:
        if not rules.rings or FORCED not in {contract.name for contract in rules.contracts}:
            _refuse("forced", part["forced"], first, f"true; {rules.id} has no forced contract")
        if rules.rings:
            without = ~(part["hands"] < NUM_TAROCKS).any(axis=2).all(axis=1)
            _refuse("hands", without & ~part["forced"], first, "a hand without tarocks is thrown in")
    found = {name: part[name] for name in TEXTS}
    return found | {name: np.ascontiguousarray(part[name], kind) for name, (_, kind) in FORMS.items()}


def _check_cards(part: Mapping[str, Any], first: int) -> None:
    talon = part["talon"]
    cards = np.concatenate([part["hands"].reshape(len(talon), NUM_CARDS - TALON_SIZE), talon], axis=1).astype(np.uint64)
    whole = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1) == np.uint64((1 << NUM_CARDS) - 1)
    if not whole.all():
        deal = int(whole.argmin())
        card = int(np.bincount(cards[deal].astype(np.int64)).argmax())
        raise ArraysError(f"hands, talon: deal {first + deal + 1}: card {CARD_NAMES[card]} appears twice")


def _refuse(name: str, bad: NDArray[np.bool_], first: int, what: str) -> None:
    if bad.any():
        raise ArraysError(f"{name}: deal {first + int(bad.argmax()) + 1}: {what}")


def _where(part: Mapping[str, Any], name: str, index: int, first: int) -> str:
    if name not in BY_ROW:
        return f"deal {first + index + 1}"
    deal, action = place_of(part["offsets"], index)
    return f"deal {first + deal}: action {action}"


def place_of(offsets: NDArray[Any], row: int) -> tuple[int, int]:
    """The deal and the action of a row, both counted from 1."""
    deal = int(np.searchsorted(offsets, row, side="right"))
    return deal, row - int(offsets[deal - 1]) + 1


def text_of(arrays: Mapping[str, Any], name: str) -> str:
    """One of the texts of a corpus. Raises ArraysError."""
    text = np.asarray(arrays[name])
    if text.shape != () or text.dtype.kind != "U" or not str(text).isprintable():
        raise ArraysError(f"{name}: it must be one text")
    return str(text)


def options_of(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a corpus names; whether its rules have them is the rules' business. Raises ArraysError."""
    try:
        options = json.loads(text_of(arrays, "options"))
    except (json.JSONDecodeError, RecursionError):
        raise ArraysError("options: it must be a JSON object") from None
    except ArraysError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise ArraysError(f"options: {error}") from None
    if not isinstance(options, dict) or not all(isinstance(value, bool | int | str) for value in options.values()):
        raise ArraysError("options: it must be a JSON object of true, false, whole numbers and texts")
    return options
