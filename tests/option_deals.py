"""Whole deals that an option changes: `tests/option_deals.jsonl`, one record for every value of every option but the default.

Each was played under the option. Under the defaults the same actions lead to another result, or a player's legal actions differ.

    python -m tests.option_deals        # look for the deals again and write the file
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.table import rules_table
from tests import differential
from tests.positions import act, begin

FILE = Path(__file__).with_name("option_deals.jsonl")
TRIES = 6000
CONTRACT = {"trischaken_exact": "trischaken", "sixer_loss_factor": "sechserdreier", "beggars_seventy": "all_beggars"}  # where it can show


def option_values() -> list[tuple[str, str, Any]]:
    """(system, option, value) for every value that is not the default."""
    return [(system, option.name, value) for system in SYSTEMS for option in load_rules(system).options for value in option.values[1:]]


def course(record: dict[str, Any], options: dict[str, Any]) -> list[Any]:
    """Seat and legal actions at each action of the record, then the result; cut off where an action is not legal or the deal ends early."""
    at = begin({**record, "options": options})
    seen: list[Any] = []
    for action in record["actions"]:
        seat, name = action.split(" ", 1)
        if at.finished:
            return [*seen, "over"]
        seen.append((at.seat, at.legal_names))
        if at.seat != int(seat) or name not in at.legal_names:
            return [*seen, f"{action} is not legal"]
        act(at, name)
    return [*seen, at.result if at.finished else "not over"]


def find(system: str, option: str, value: Any) -> dict[str, Any]:
    """The first deal of a fixed sequence that the option changes."""
    rules = load_rules(system, {option: value})
    table = rules_table(rules)[0]
    for number in range(TRIES):
        rng = random.Random(f"{system} {option} {value} {number}")
        aims = [contract for contract in rules.contracts if contract.name == CONTRACT.get(option, contract.name)]
        contract = rng.choice([contract for contract in aims if contract.name != "colour_slam"])
        header = differential.random_header(rules, table, rng, contract)
        actions: list[str] = []
        mood = differential.Mood.draw(rng, contract)
        at = begin(header)
        while not at.finished:
            names = at.legal_names
            name = rng.choices(names, [mood.weight(name, at) + 1e-9 for name in names])[0]
            actions.append(f"{at.seat} {name}")
            act(at, name)
        record = {**header, "actions": actions, "result": at.result}
        if course(record, {option: value}) != course(record, {}):
            return record
    raise LookupError(f"no deal of {system} is changed by {option}={value}")


def read() -> dict[tuple[str, str, Any], dict[str, Any]]:
    """The stored deals by (system, option, value)."""
    records = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return {(record["rules"], *next(iter(record["options"].items()))): record for record in records}


def main() -> None:
    with FILE.open("w", encoding="utf-8") as file:
        for system, option, value in option_values():
            record = find(system, option, value)
            file.write(json.dumps(record) + "\n")
            print(system, option, value, record["result"]["contract"])


if __name__ == "__main__":
    main()
