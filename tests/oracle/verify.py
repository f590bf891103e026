"""Check deal records against the oracle.

    python -m tests.oracle.verify FILE.jsonl [--max N]

Exit code 1 when a record differs. Actions are numbered from 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.oracle import SYSTEMS, new_deal
from tests.oracle.core import DECK, OracleDeal, record_number

PROGRESS_EVERY = 1000


def verify_record(record: dict[str, Any]) -> list[str]:
    """Replay a record; returns one line for each difference, none when all agrees.

    An action of the wrong seat or not legal ends the comparison.
    """
    try:
        deal = new_deal(record)
    except (KeyError, ValueError) as error:
        return [f"record: {error}"]
    problems: list[str] = []
    actions = record.get("actions") or []
    legal_sets = record.get("legal")
    if legal_sets is not None and len(legal_sets) != len(actions):
        problems.append(f"{len(actions)} actions but {len(legal_sets)} legal sets")
        legal_sets = None
    for index, action in enumerate(actions):
        where = f"action {index + 1} ({action!r})"
        seat_text, _, name = action.partition(" ")
        if deal.finished:
            return [*problems, f"{where}: the deal was over before it"]
        if seat_text != str(deal.seat):
            return [*problems, f"{where}: seat {deal.seat} acts: {_names(deal.legal())}"]
        if legal_sets is not None:
            problems += _legal_differences(where, legal_sets[index], deal)
        if name not in deal.legal():
            return [*problems, f"{where}: not legal; legal: {_names(deal.legal())}"]
        deal.apply(name)
    if record.get("result") is not None:
        if not deal.finished:
            problems.append(f"a result, but seat {deal.seat} still acts: {_names(deal.legal())}")
        else:
            problems += result_differences(record["result"], deal.result())
    elif deal.finished:
        problems.append("the deal is over, but the record has no result")
    return problems


def _names(names: set[str]) -> str:
    return " ".join(sorted(names))


def _legal_differences(where: str, recorded: str, deal: OracleDeal) -> list[str]:
    names, legal = recorded.split(), deal.legal()
    problems = []
    if missing := legal - set(names):
        problems.append(f"{where}: the record's legal set lacks {_names(missing)}")
    if extra := set(names) - legal:
        problems.append(f"{where}: the record's legal set has {_names(extra)}, not legal")
    if not problems and names != sorted(names):
        problems.append(f"{where}: legal set not sorted or with a name twice")
    return problems


def _number(text: Any) -> Any:
    """A record number as an exact one; a form that records do not use stays as it is."""
    if isinstance(text, bool) or not isinstance(text, (int, str)):
        return f"no record number: {text!r}"
    exact = Fraction(text)
    return exact if record_number(exact) == text else f"no record number: {text!r}"


def _numbers(values: Any) -> Any:
    return [_number(value) for value in values] if isinstance(values, list) else values


def _item_key(item: dict[str, Any]) -> str:
    fields = {**item, "payoffs": [str(number) for number in _numbers(item.get("payoffs"))]}
    return json.dumps(fields, sort_keys=True)


def result_differences(recorded: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    problems = []
    for name in sorted(set(recorded) | set(expected)):
        mine, theirs = expected.get(name, "absent"), recorded.get(name, "absent")
        if name == "items":
            continue
        if name in ("payoffs", "schrift"):
            same = _numbers(mine) == _numbers(theirs)
        else:
            same = mine == theirs
        if not same:
            problems.append(f"result {name}: record {theirs}, oracle {mine}")
    mine_items = sorted(_item_key(item) for item in expected["items"])
    their_items = sorted(_item_key(item) for item in recorded.get("items", []))
    for key in list(mine_items):
        if key in their_items:
            mine_items.remove(key)
            their_items.remove(key)
    problems += [f"result item only in the record: {key}" for key in their_items]
    problems += [f"result item only in the oracle: {key}" for key in mine_items]
    return problems


# -- deals of the oracle's own ------------------------------------------------------------------


def random_header(rules: str, rng: random.Random, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """A record header with shuffled cards and a random forehand."""
    num_seats = 3 if rules == "slovenian3" else 4
    deck = list(DECK)
    rng.shuffle(deck)
    size = (len(deck) - 6) // num_seats
    return {
        "format": "tarock-deal/1",
        "rules": rules,
        "options": dict(options or {}),
        "forehand": rng.randrange(num_seats),
        "hands": [" ".join(deck[seat * size : (seat + 1) * size]) for seat in range(num_seats)],
        "talon": " ".join(deck[-6:]),
    }


def play_random(
    record_header: dict[str, Any],
    rng: random.Random,
    weight: Any = None,
) -> dict[str, Any]:
    """Play a deal by random legal actions of the oracle alone; returns the full record.

    weight: name -> relative chance of an action, all equal by default.
    """
    deal = new_deal(record_header)
    record = {**record_header, "actions": [], "legal": []}
    while not deal.finished:
        names = sorted(deal.legal())
        weights = [weight(name) if weight else 1 for name in names]
        name = rng.choices(names, weights)[0]
        record["actions"].append(f"{deal.seat} {name}")
        record["legal"].append(" ".join(names))
        deal.apply(name)
    record["result"] = deal.result()
    return record


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check deal records against the oracle.")
    parser.add_argument("file", type=Path, help="records, one JSON object a line")
    parser.add_argument("--max", type=int, default=None, help="stop after so many records")
    args = parser.parse_args(arguments)
    checked = differing = 0
    skipped: dict[str, int] = {}
    with args.file.open(encoding="utf-8") as lines:
        for line_number, line in enumerate(lines, start=1):
            if args.max is not None and checked >= args.max:
                break
            if not line.strip():
                continue
            record = json.loads(line)
            if record.get("rules") not in SYSTEMS:
                skipped[str(record.get("rules"))] = skipped.get(str(record.get("rules")), 0) + 1
                continue
            problems = verify_record(record)
            checked += 1
            differing += bool(problems)
            for problem in problems:
                print(f"line {line_number} ({record['rules']}): {problem}")
            if checked % PROGRESS_EVERY == 0:
                print(f"... {checked} records, {differing} differ", file=sys.stderr, flush=True)
    for rules, count in skipped.items():
        print(f"unknown rules {rules!r}: {count} records")
    print(f"{checked} records checked, {differing} differ")
    return 1 if differing or skipped else 0


if __name__ == "__main__":
    raise SystemExit(main())
