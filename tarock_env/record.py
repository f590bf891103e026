"""Deal records: one deal as one line of JSON (`tarock-deal/1`), the form in which deals are stored, shown, checked and exchanged.

    for line, record in read_records("deals.jsonl"): ...
    write_records("deals.jsonl", records)

A record may stop early: it is then a position. A *view* is a record as one seat sees it: the other hands are None, talon cards that
the seat has not seen are `?`, other seats' hidden discards are `discard:?`. What a record says in the game's terms (legal actions,
results) is checked by tarock_env/replay.py; here stands its form.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tarock_env.actions import CONTRACT_IDS
from tarock_env.cards import CARD_IDS, CARD_NAMES
from tarock_env.engine.state import SIXTHS
from tarock_env.files import new_file
from tarock_env.result_form import result_fault
from tarock_env.rules import Rules, known_rules

FORMAT = "tarock-deal/1"
TALON_SIZE = 6
UNSEEN = "?"
HIDDEN_DISCARD = f"discard:{UNSEEN}"
DECLARER = "declarer"
SIDES = (DECLARER, "defenders")
FORCED = "all_beggars"
LONGEST_NAME = 40
DEEPEST = 8  # a result's items are 5 deep
LARGEST_TOTAL = 10_000_000  # units, and
LARGEST_RINGS = 100  # open rings before a deal: what the engine's integers hold, and far more than any match comes to
KIND_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}
# Every field in the order in which it is written.
FIELDS = ("format", "rules", "options", "forehand", "hands", "talon", "match", "forced", "view", "sides", "actions", "legal", "result")
_ENCODER = json.JSONEncoder(ensure_ascii=False)


class RecordError(ValueError):
    """A record that is malformed or breaks the rules. One line: line number, action number, what was found, what was allowed."""


@dataclass(frozen=True)
class Record:
    """One deal record, its form checked.

    rules: the rule system with its options. hands: card ids by seat as dealt, None for a hand that a view hides. talon: six card ids
    in dealt order, None for unseen ones. totals, rings: before the deal, by seat; totals in sixths of a unit. actions: (seat, name) in
    order. legal: the legal names at each action, or None. result: as read, or None for a position. view: the seat whose view it is.
    sides: seat -> side, in views only.
    """

    rules: Rules
    forehand: int
    hands: tuple[tuple[int, ...] | None, ...]
    talon: tuple[int | None, ...]
    actions: tuple[tuple[int, str], ...] = ()
    legal: tuple[str, ...] | None = None
    result: Mapping[str, Any] | None = None
    totals: tuple[int, ...] = ()
    rings: tuple[int, ...] = ()
    forced: bool = False
    view: int | None = None
    sides: Mapping[int, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """The record as one line of JSON, without a line break."""
        return _ENCODER.encode(self.to_content())

    def to_content(self) -> dict[str, Any]:
        """What that line says, as Python objects."""
        content: dict[str, Any] = {
            "format": FORMAT,
            "rules": self.rules.id,
            "options": dict(self.rules.chosen),
            "forehand": self.forehand,
            "hands": [None if hand is None else " ".join(CARD_NAMES[card] for card in hand) for hand in self.hands],
            "talon": " ".join(UNSEEN if card is None else CARD_NAMES[card] for card in self.talon),
        }
        if self.totals or self.rings:
            zeros = (0,) * self.rules.players
            content["match"] = {"totals": [units(total) for total in self.totals or zeros], "rings": list(self.rings or zeros)}
        if self.forced:
            content["forced"] = FORCED
        if self.view is not None:
            content["view"] = self.view
            content["sides"] = {str(seat): side for seat, side in sorted(self.sides.items())}
        content["actions"] = [f"{seat} {name}" for seat, name in self.actions]
        if self.legal is not None:
            content["legal"] = list(self.legal)
        if self.result is not None:
            content["result"] = self.result
        return content


def units(sixths: int) -> int | str:
    """Sixths of a table unit as a record writes them: an integer, or a fraction such as "-10/3"."""
    exact = Fraction(int(sixths), SIXTHS)
    return exact.numerator if exact.denominator == 1 else str(exact)


def sixths(number: object) -> int:
    """The reverse of `units`. Raises ValueError for what no record writes: floats, "2/4", "6/3", true."""
    if isinstance(number, int) and not isinstance(number, bool):
        return number * SIXTHS
    try:
        exact = Fraction(number) if isinstance(number, str) else None
    except (ValueError, ZeroDivisionError):
        exact = None
    if exact is None or str(exact) != number or exact.denominator == 1 or SIXTHS % exact.denominator:
        raise ValueError(f'{json.dumps(number)} is no record number; write an integer or a fraction in lowest terms such as "-10/3"')
    return int(exact * SIXTHS)


def write_records(path: str | Path, records: Iterable[Record]) -> int:
    """Write records, one a line; returns how many. The file appears under its name only when it is whole. Raises OSError."""
    count = 0
    with new_file(path) as file:
        for record in records:
            file.write(record.to_json() + "\n")
            count += 1
    return count


def read_records(path: str | Path) -> Iterator[tuple[int, Record]]:
    """(line number from 1, record) of each line of a file; empty lines are skipped. Raises RecordError, its file named."""
    systems: dict[str, Rules] = {}
    with Path(path).open("rb") as file:
        for line, text in enumerate(file, start=1):
            if text.strip():
                try:
                    yield line, parse_record(text.decode("utf-8"), line, systems)
                except UnicodeDecodeError:
                    raise RecordError(f"{path}: line {line}: not UTF-8 text") from None
                except RecordError as error:
                    raise RecordError(f"{path}: {error}") from None


def parse_record(text: str, line: int = 1, systems: dict[str, Rules] | None = None) -> Record:
    """The record of one line of JSON. Raises RecordError naming the line and what is wrong with its form.

    systems: filled with the rule systems met; give the same dict again and records of one system share one Rules object.
    """
    return record_of_json(read_json(text, line), line, systems)


def read_json(text: str, line: int = 1) -> Any:
    """What one line of JSON says, read as strictly as records are. Raises RecordError."""
    if "\0" in text:
        raise RecordError(f"line {line}: a null byte at character {text.index(chr(0)) + 1}; the file was cut off or is no text")
    try:
        content = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        cut = " (the line seems cut off)" if error.pos >= len(text.rstrip()) - 1 or "Unterminated" in error.msg else ""
        raise RecordError(f"line {line}: not valid JSON: {error.msg} at character {error.pos + 1}{cut}") from None
    except RecursionError:
        raise RecordError(f"line {line}: not a record: it is nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits, a field twice
        raise RecordError(f"line {line}: not a record: {error}") from None
    if _depth(content) > DEEPEST:
        raise RecordError(f"line {line}: not a record: it is nested too deeply")
    return content


def record_of_json(content: Any, line: int = 1, systems: dict[str, Rules] | None = None) -> Record:
    """The record of what `read_json` read. systems, errors: as `parse_record`."""
    try:
        return _record(content, {} if systems is None else systems)
    except ValueError as error:
        raise RecordError(f"line {line}: {' '.join(str(error).split())}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a record; a reader that takes the last of two equal fields, as JSON readers do, would hide the first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"field {json.dumps(twice)[:60]} stands twice in one object")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _depth(content: object) -> int:
    """How deeply lists and objects are nested, found without recursion; counted up to one more than records ever are."""
    depth, level = 0, [content]
    while level and depth <= DEEPEST:
        inside = [value for value in level if isinstance(value, (dict, list))]
        level = [part for value in inside for part in (value.values() if isinstance(value, dict) else value)]
        depth += bool(inside)
    return depth


def _record(content: object, systems: dict[str, Rules]) -> Record:
    if not isinstance(content, dict):
        raise ValueError("a record is one JSON object")
    if content.get("format") != FORMAT:
        raise ValueError(f"format is {json.dumps(content.get('format'))}, this version of Tarock reads {json.dumps(FORMAT)}")
    for key in content:
        if key not in FIELDS:
            raise ValueError(f"unknown field {json.dumps(key)}; fields are {' '.join(FIELDS)}")
    for key in ("rules", "forehand", "hands", "talon", "actions"):
        if key not in content:
            raise ValueError(f"field {key} is missing")
    options = _typed(content, "options", dict, {})
    system = _typed(content, "rules", str)
    key = json.dumps([system, options], sort_keys=True)
    if key not in systems:
        systems[key] = known_rules(system, options)
    rules = systems[key]
    view = content.get("view")
    if view is not None:
        _seat(view, rules, "view")
    hands, talon = _cards(content, rules, view)
    totals, rings = _match(content, rules)
    actions = tuple(_action(number, action, rules) for number, action in enumerate(_typed(content, "actions", list), start=1))
    legal = content.get("legal")
    if legal is not None and (not isinstance(legal, list) or not all(isinstance(names, str) for names in legal)):
        raise ValueError("legal is a list of texts, one for each action")
    for number, names in enumerate(legal or (), start=1):
        if not all(map(_speakable, names.split(" ") if names else ())):
            raise ValueError(f"legal set {number}: {json.dumps(names)[:60]} is no list of action names with single spaces between")
    if legal is not None and len(legal) != len(actions):
        raise ValueError(f"{len(actions)} actions but {len(legal)} legal sets")
    return Record(
        rules=rules,
        forehand=_seat(content["forehand"], rules, "forehand"),
        hands=hands,
        talon=talon,
        actions=actions,
        legal=None if legal is None else tuple(legal),
        result=_result(content, rules),
        totals=totals,
        rings=rings,
        forced=_forced(content, rules),
        view=view,
        sides=_sides(content, rules, view),
    )


def _result(content: Mapping[str, Any], rules: Rules) -> dict[str, Any] | None:
    result: dict[str, Any] | None = _typed(content, "result", dict, None)
    fault = "" if result is None else result_fault(result, rules.players, _is_number)
    if fault:
        raise ValueError(fault)
    return result


def _is_number(value: object) -> bool:
    try:
        sixths(value)
    except ValueError:
        return False
    return True


def _typed(content: Mapping[str, Any], key: str, kind: type, default: Any = None) -> Any:
    value = content.get(key, default)
    if value is default and key in ("options", "result"):
        return default
    if not isinstance(value, kind):
        shown = KIND_NAMES[kind]
        raise ValueError(f"{key} is {json.dumps(value)[:60]}, it must be {shown}")
    return value


def _seat(value: object, rules: Rules, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < rules.players:
        raise ValueError(f"{what} is {json.dumps(value)}, seats are 0..{rules.players - 1}")
    return value


def _cards(content: Mapping[str, Any], rules: Rules, view: int | None) -> tuple[tuple[tuple[int, ...] | None, ...], tuple[int | None, ...]]:
    """Hands and talon: the right sizes, known names, no card twice; all 54 unless a view hides some."""
    hands = _typed(content, "hands", list)
    if len(hands) != rules.players:
        raise ValueError(f"{len(hands)} hands, {rules.id} has {rules.players} players")
    seen: dict[int, str] = {}
    dealt: list[tuple[int, ...] | None] = []
    for seat, text in enumerate(hands):
        if text is None and view is not None and seat != view:
            dealt.append(None)
        else:
            dealt.append(tuple(_card_ids(text, rules.hand_size, f"hand {seat}", seen)))
    talon = tuple(_card_ids(content["talon"], TALON_SIZE, "talon", seen, unseen=view is not None))
    return tuple(dealt), talon


def _card_ids(text: object, size: int, place: str, seen: dict[int, str], unseen: bool = False) -> list[Any]:
    if not isinstance(text, str):
        raise ValueError(f"{place} is {json.dumps(text)[:60]}, it must be a text of card names")
    names = text.split()
    if len(names) != size:
        raise ValueError(f"{place} has {len(names)} cards, it must have {size}")
    cards: list[int | None] = []
    for name in names:
        if unseen and name == UNSEEN:
            cards.append(None)
            continue
        if name not in CARD_IDS:
            raise ValueError(f"{place}: unknown card {json.dumps(name)}; cards are T1..T22 and H D S C with a rank, as HK or S10")
        card = CARD_IDS[name]
        if card in seen:
            raise ValueError(f"card {name} appears twice: in {seen[card]} and in {place}")
        seen[card] = place
        cards.append(card)
    return cards


def _match(content: Mapping[str, Any], rules: Rules) -> tuple[tuple[int, ...], tuple[int, ...]]:
    match = content.get("match")
    if match is None:
        return (), ()
    if not isinstance(match, dict) or set(match) - {"totals", "rings"}:
        raise ValueError("match is an object with totals and rings")
    zeros = [0] * rules.players
    totals, rings = match.get("totals", zeros), match.get("rings", zeros)
    for name, values in (("totals", totals), ("rings", rings)):
        if not isinstance(values, list) or len(values) != rules.players:
            raise ValueError(f"match {name}: give one number for each of {rules.players} seats")
    if not all(isinstance(ring, int) and not isinstance(ring, bool) and 0 <= ring <= LARGEST_RINGS for ring in rings):
        raise ValueError(f"match rings: open rings are counted from 0 to {LARGEST_RINGS}")
    if any(rings) and not rules.rings:
        raise ValueError(f"match rings: {rules.id} has no rings; leave them out")
    exact = tuple(sixths(total) for total in totals)
    if any(abs(total) > LARGEST_TOTAL * SIXTHS for total in exact):
        raise ValueError(f"match totals: they lie between -{LARGEST_TOTAL} and {LARGEST_TOTAL}")
    return exact, tuple(rings)


def _speakable(name: str) -> bool:
    """Whether a text can be shown as an action's name in a line for people: one word, nothing that moves a terminal's cursor."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and " " not in name


def _action(number: int, text: object, rules: Rules) -> tuple[int, str]:
    seat, space, name = text.partition(" ") if isinstance(text, str) else ("", "", "")
    if not space or len(seat) != 1 or seat not in "0123456789" or not _speakable(name):
        raise ValueError(f'action {number}: {json.dumps(text)[:60]} is no action; write seat, space, name, as "0 pass"')
    if int(seat) >= rules.players:
        raise ValueError(f"action {number}: seat {seat} in {json.dumps(text)}, seats are 0..{rules.players - 1}")
    return int(seat), name


def _forced(content: Mapping[str, Any], rules: Rules) -> bool:
    forced = content.get("forced")
    if forced is None:
        return False
    contracts = {contract.name for contract in rules.contracts}
    if forced != FORCED or FORCED not in contracts or FORCED not in CONTRACT_IDS:
        raise ValueError(f"forced is {json.dumps(forced)}; only the Slovenian systems have it, as {json.dumps(FORCED)}")
    return True


def _sides(content: Mapping[str, Any], rules: Rules, view: int | None) -> dict[int, str]:
    sides = content.get("sides")
    if sides is None:
        return {}
    known = {str(seat): seat for seat in range(rules.players)}
    if view is None or not isinstance(sides, dict) or not all(key in known and side in SIDES for key, side in sides.items()):
        raise ValueError("sides belongs to a view: an object from seat to declarer or defenders")
    return {known[key]: side for key, side in sides.items()}
