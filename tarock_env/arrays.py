"""Deals as arrays, for offline learning: records to arrays and back, exactly, and what every seat saw at every decision.

    arrays = records_to_arrays(records, rules)        # a dict of arrays
    records = arrays_to_records(arrays)               # the same records
    rows = decision_rows(arrays, 0, 1000)             # observation, mask, action, payoff ... of deals 0 to 999

A corpus of D deals with N actions (P seats, hands of H cards) is kept as

    forehand (D,)  hands (D, P, H)  talon (D, 6)      card ids in the order of the record
    totals (D, P)  rings (D, P)  match (D,)  forced (D,)  what the match brought: sixths, open rings; whether the record says so
    finished (D,)  payoffs (D, P)                     sixths of a unit, zero where the deal stops early
    offsets (D + 1,)  seat (N,)  action (N,)          actions offsets[d] to offsets[d + 1] are deal d's
    format, rules, options                            texts: this format, the rule system's id, its options as JSON

some 200 bytes a deal. Observations are five hundred times that, and made anew faster than they are read from a disk: `decision_rows` does.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarock_env.actions import NUM_ACTIONS, NUM_WORDS
from tarock_env.array_check import FORMAT, ArraysError, check_deals, check_form, check_offsets, options_of, place_of, text_of
from tarock_env.array_kernels import observe_played, play_rows
from tarock_env.engine.bits import TAROCKS
from tarock_env.engine.state import DONE, MAX_SEATS, SIXTHS, Deals, new_deals
from tarock_env.legal import all_legal_names, ids_by_seat, mask_bits, names_by_seat
from tarock_env.observation import OBSERVATION_SIZE
from tarock_env.record import TALON_SIZE, Record, RecordError
from tarock_env.replay import replay
from tarock_env.results import results_of
from tarock_env.rules import Rules, known_rules
from tarock_env.single_deal import table_of

CHUNK = 1024  # deals played at a time
BY_DEAL = ("forehand", "hands", "talon", "totals", "rings", "match", "forced", "finished", "payoffs")
BY_ROW = ("seat", "action")
Arrays = dict[str, NDArray[Any]]


def records_to_arrays(records: Iterable[Record], rules: Rules, first_line: int = 1) -> Arrays:
    """The arrays of records of one rule system; legal sets and results are left out, since the rules give them again.

    Raises RecordError for a view, a record of other rules, and what the rules forbid; its line is counted from `first_line`.
    """
    found = list(records)
    for line, record in enumerate(found, first_line):
        if record.view is not None:
            raise RecordError(f"line {line}: a view of seat {record.view}: it hides cards, so its deal is not known")
        if record.rules is not rules and record.rules != rules:
            raise RecordError(f"line {line}: {record.rules.id} with options {dict(record.rules.chosen)}; one corpus is of one rule system")
    ids, players = ids_by_seat(rules.players), rules.players
    counts = [len(record.actions) for record in found]
    actions = [ids[seat].get(name, -1) for record in found for seat, name in record.actions]
    zeros = (0,) * players
    arrays: Arrays = _head(rules) | {
        "forehand": np.array([record.forehand for record in found], np.int8),
        "hands": np.array([record.hands for record in found], np.uint8).reshape(-1, players, rules.hand_size),
        "talon": np.array([record.talon for record in found], np.uint8).reshape(-1, TALON_SIZE),
        "totals": np.array([record.totals or zeros for record in found], np.int32).reshape(-1, players),
        "rings": np.array([record.rings or zeros for record in found], np.int8).reshape(-1, players),
        "match": np.array([bool(record.totals or record.rings) for record in found], np.bool_),
        "forced": np.array([record.forced for record in found], np.bool_),
        "offsets": np.cumsum([0, *counts], dtype=np.int64),
        "seat": np.array([seat for record in found for seat, _ in record.actions], np.int8),
        "action": np.array(actions, np.int16),
    }
    deals = _dealt(arrays, rules)
    thrown_in = bool(rules.rings) & ~arrays["forced"] & ((deals["dealt"][:, :players] & TAROCKS) == 0).any(axis=1)
    fault = _play(deals, rules, arrays["offsets"], arrays["seat"], arrays["action"])
    if fault >= 0 or thrown_in.any():
        bad = thrown_in.argmax() if thrown_in.any() else np.searchsorted(arrays["offsets"], fault, side="right") - 1
        replay(found[bad], first_line + int(bad))  # says what is wrong
    return arrays | {"action": arrays["action"].astype(np.uint8)} | _ends(deals, players)


def deals_to_arrays(deals: Any, rules: Rules, counts: NDArray[Any], seats: Any, actions: Any, rings: NDArray[Any] | None = None) -> Arrays:
    """The arrays of (D,) DEAL records that are played.

    counts: (D,) actions of each. seats, actions: (N,). rings: (D, 4) open ones before the deals.
    """
    players = rules.players
    dealt = np.nonzero(mask_bits(deals["dealt"][:, :players, np.newaxis]))[2]
    before = np.zeros((len(deals), players), np.int8) if rings is None else rings[:, :players]
    totals = deals["totals"][:, :players]
    return (
        _head(rules)
        | {
            "forehand": deals["forehand"].copy(),
            "hands": dealt.reshape(len(deals), players, -1).astype(np.uint8),
            "talon": deals["talon"].astype(np.uint8),
            "totals": totals.copy(),
            "rings": before.copy(),
            "match": totals.any(axis=1) | before.any(axis=1),
            "forced": deals["forced"] == 1,
            "offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            "seat": np.asarray(seats, np.int8),
            "action": np.asarray(actions, np.uint8),
        }
        | _ends(deals, players)
    )


def arrays_to_records(arrays: Arrays, legal: bool = False, rules: Rules | None = None) -> Iterator[Record]:
    """The records of a corpus, with what was legal at every action if asked for; rules: of the corpus, read from its texts by default.

    Raises ArraysError for damaged arrays, RecordError for actions that are not legal, ValueError for rules that are not known.
    """
    check_form(arrays)
    chosen = rules or rules_of(arrays)
    check_form(arrays, chosen)
    for start in range(0, num_deals(arrays), CHUNK):
        part = checked_deals(arrays, start, start + CHUNK, chosen)
        deals = _dealt(part, chosen)
        words = np.zeros((len(part["action"]) if legal else 0, NUM_WORDS), np.uint64)
        fault = _play(deals, chosen, part["offsets"], part["seat"], part["action"], words)
        _check_play(part, deals, fault, start)
        yield from records_of(part, chosen, deals, words if legal else None)


def records_of(arrays: Arrays, rules: Rules, deals: Any, legal: NDArray[np.uint64] | None = None) -> Iterator[Record]:
    """The records of arrays whose (D,) DEAL records are played already. legal: (N, 4) words."""
    names = None if legal is None else all_legal_names(legal, arrays["seat"], rules.players)
    moves = _moves(rules.players)[arrays["seat"].astype(np.int64) * NUM_ACTIONS + arrays["action"]].tolist()
    finished = arrays["finished"]
    results = iter(results_of(deals[finished], rules))
    columns = [arrays[name].tolist() for name in ("forehand", "hands", "talon", "totals", "rings", "match", "forced", "finished")]
    ends = arrays["offsets"].tolist()
    for row, (forehand, hands, talon, totals, rings, match, forced, over) in enumerate(zip(*columns, strict=True)):
        start, end = ends[row], ends[row + 1]
        yield Record(
            rules=rules,
            forehand=forehand,
            hands=tuple(map(tuple, hands)),
            talon=tuple(talon),
            actions=tuple(moves[start:end]),
            legal=None if names is None else tuple(names[start:end]),
            result=next(results) if over else None,
            totals=tuple(totals) if match else (),
            rings=tuple(rings) if match else (),
            forced=forced,
        )


def decision_rows(arrays: Arrays, start: int = 0, stop: int | None = None, choices_only: bool = True, rules: Rules | None = None) -> Arrays:
    """What the acting seats saw and did in deals start to stop - 1, a row for each decision (choices_only: with two legal actions or more).

    observation (n, F) uint8, mask (n, A) bool, action (n,) int64, seat (n,) int8, deal (n,) int64, payoff (n,) float32: what the deal
    brought the acting seat, in table units; zero where the record stops early. rules, errors: as for `arrays_to_records`; only these deals
    are looked at.
    """
    check_form(arrays)
    chosen = rules or rules_of(arrays)
    check_form(arrays, chosen)
    begin, end, _ = slice(start, stop).indices(num_deals(arrays))
    part = checked_deals(arrays, begin, max(begin, end), chosen)
    size = len(part["action"])
    rows, observation = np.empty(size, np.int64), np.empty((size, OBSERVATION_SIZE), np.uint8)
    mask = np.empty((size, NUM_ACTIONS), np.bool_)
    deals = _dealt(part, chosen)
    count, fault = observe_played(
        deals, table_of(chosen), part["offsets"], part["seat"], _whole(part["action"]), choices_only, rows, observation, mask
    )  # fmt: skip
    _check_play(part, deals, fault, begin)
    rows = rows[:count]
    deal = np.searchsorted(part["offsets"], rows, side="right") - 1
    seat = part["seat"][rows]
    return {
        "observation": observation[:count],
        "mask": mask[:count],
        "action": part["action"][rows].astype(np.int64),
        "seat": seat,
        "deal": deal + begin,
        "payoff": (part["payoffs"][deal, seat] / SIXTHS).astype(np.float32),
    }


def num_deals(arrays: Arrays) -> int:
    """How many deals there are."""
    return len(arrays["offsets"]) - 1


def deals_of(arrays: Arrays, start: int, stop: int) -> Arrays:
    """The arrays of deals start to stop - 1."""
    offsets = arrays["offsets"][start : stop + 1]
    rows = slice(int(offsets[0]), int(offsets[-1]))
    cut = {name: arrays[name][start:stop] for name in BY_DEAL} | {name: arrays[name][rows] for name in BY_ROW}
    return arrays | cut | {"offsets": offsets - offsets[0]}


def checked_deals(arrays: Arrays, start: int, stop: int, rules: Rules | None) -> Arrays:
    """The same, every number checked, in the types that kernels take. arrays: their form is checked. Raises ArraysError."""
    check_offsets(arrays["offsets"][start : stop + 1], len(arrays["action"]), start)
    return check_deals(deals_of(arrays, start, stop), rules, start)


def join_arrays(parts: Sequence[Arrays]) -> Arrays:
    """One corpus of several of the same rules, in their order."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in (*BY_DEAL, *BY_ROW)}
    counts = np.concatenate([np.diff(part["offsets"]) for part in parts])
    return parts[0] | joined | {"offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)}


def rules_of(arrays: Mapping[str, Any]) -> Rules:
    """The rule system of a corpus. Raises ArraysError for texts that name none, RulesError where it is not known here."""
    return known_rules(text_of(arrays, "rules"), options_of(arrays))


def _head(rules: Rules) -> Arrays:
    texts = {"format": FORMAT, "rules": rules.id, "options": json.dumps(dict(rules.chosen))}
    return {name: np.array(text) for name, text in texts.items()}


def _ends(deals: Any, players: int) -> Arrays:
    finished = deals["phase"] == DONE
    return {"finished": finished, "payoffs": np.where(finished[:, np.newaxis], deals["payoffs"][:, :players], 0)}


def _dealt(arrays: Arrays, rules: Rules) -> Deals:
    """(D,) DEAL records before their first action."""
    deals = new_deals(num_deals(arrays))
    players = rules.players
    hands = np.bitwise_or.reduce(np.uint64(1) << arrays["hands"].astype(np.uint64), axis=2)
    for name, values in (("dealt", hands), ("hands", hands), ("totals", arrays["totals"]), ("rings", arrays["rings"])):
        deals[name][:, :players] = values
    deals["num_seats"] = players
    for name in ("forehand", "talon", "forced"):
        deals[name] = arrays[name]
    return deals


def _play(deals: Deals, rules: Rules, offsets: Any, seats: Any, actions: Any, legal: NDArray[np.uint64] | None = None) -> int:
    words = np.zeros((0, NUM_WORDS), np.uint64) if legal is None else legal
    return int(play_rows(deals, table_of(rules), offsets, seats, _whole(actions), words))


def _check_play(part: Arrays, deals: Deals, fault: int, first: int) -> None:
    """Whether deals went as their arrays say. fault: row that is not legal, or -1. first: number of the first deal."""
    if fault >= 0:
        deal, action = place_of(part["offsets"], fault)
        raise RecordError(f"deal {first + deal}: action {action} is not legal")
    ends = _ends(deals, part["payoffs"].shape[1])
    for name, values in ends.items():
        wrong = (part[name] != values).any(axis=tuple(range(1, values.ndim)))
        if wrong.any():
            deal = int(wrong.argmax())
            found, right = part[name][deal].tolist(), values[deal].tolist()
            raise ArraysError(f"{name}: deal {first + deal + 1}: {json.dumps(found)}, by its actions it is {json.dumps(right)}")


def _whole(actions: NDArray[Any]) -> NDArray[np.int16]:
    """Actions as the kernels take them: one type, so one compilation."""
    return actions.astype(np.int16)


@cache
def _moves(players: int) -> NDArray[np.object_]:
    """[seat * NUM_ACTIONS + action] -> (seat, name), the pairs that records hold."""
    moves = np.empty(MAX_SEATS * NUM_ACTIONS, object)
    for seat, names in enumerate(names_by_seat(players)):
        for action, name in enumerate(names):
            moves[seat * NUM_ACTIONS + action] = (seat, name)
    return moves
