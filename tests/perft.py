"""Endgames counted to the last line: positions near the end of a deal, and how many ways lead on from each.

`tests/perft.jsonl` has the positions, as deal records that stop early, with their golden counts.

    python -m tests.perft        # look for positions again, count, write the file
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from tarock_env.actions import CONTRACT_IDS
from tarock_env.engine.jit import kernel
from tarock_env.engine.state import DONE, PLAY, new_deals
from tarock_env.engine.step import count_legal, legal_at, step
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.schema import Goal, Rules
from tarock_env.rules.table import rules_table
from tests.differential import Mood, random_header
from tests.positions import act, begin

FILE = Path(__file__).with_name("perft.jsonl")
TRICKS_LEFT = {4: 4, 3: 5}  # by players
POSITIONS = 8  # for each system, each of another contract, the all-against-all game among them
FEWEST_LINES = 300


@kernel
def count_lines(stack, rules, chosen, nodes, payoffs):
    """Play every line from stack[0] to its end, depth first; returns the number of lines.

    stack: (D,) DEAL records, the first one the position. chosen: (D,) scratch. nodes: (D,) positions reached after so many actions.
    payoffs: (4,) sum of the payoffs by seat at the ends of all lines, in sixths.
    """
    lines, depth = 0, 0
    chosen[0] = 0
    while depth >= 0:
        deal = stack[depth]
        if deal.phase == DONE:
            lines += 1
            for seat in range(4):
                payoffs[seat] += deal.payoffs[seat]
            depth -= 1
            continue
        if chosen[depth] == count_legal(deal):
            depth -= 1
            continue
        action = legal_at(deal, chosen[depth])
        chosen[depth] += 1
        depth += 1
        stack[depth] = deal
        step(stack[depth], rules, action)
        nodes[depth] += 1
        chosen[depth] = 0
    return lines


def count(record: dict[str, Any]) -> dict[str, Any]:
    """The lines from the position in which a record stops, the positions after each action, and the sum of all payoffs."""
    at = begin(record)
    for action in record["actions"]:
        act(at, action.split(" ", 1)[1])
    depth = sum(int(hand).bit_count() for hand in at.deal.hands) + 2
    stack = new_deals(depth)
    stack[0] = at.deal
    nodes, payoffs = np.zeros(depth, np.int64), np.zeros(4, np.int64)
    lines = count_lines(stack, at.table, np.zeros(depth, np.int64), nodes, payoffs)
    return {"lines": int(lines), "nodes": nodes[nodes > 0].tolist(), "payoffs": payoffs[: at.rules.players].tolist()}


def find(rules: Rules, contract_name: str) -> dict[str, Any] | None:
    """A position with that contract and many lines, or None."""
    table = rules_table(rules)[0]
    contract = rules.contract(contract_name)
    for number in range(60):
        rng = random.Random(f"{rules.id} {contract_name} {number}")
        header = random_header(rules, table, rng, contract)
        mood = Mood.draw(rng, contract)
        at = begin(header)
        actions: list[str] = []
        stop = rules.hand_size - TRICKS_LEFT[rules.players]
        while not at.finished and not (at.deal.phase == PLAY and at.deal.trick_number == stop):
            names = at.legal_names
            name = rng.choices(names, [mood.weight(name, at) + 1e-9 for name in names])[0]
            actions.append(f"{at.seat} {name}")
            act(at, name)
        record = {**header, "actions": actions}
        if not at.finished and at.deal.contract == CONTRACT_IDS[contract_name] and count(record)["lines"] >= FEWEST_LINES:
            return record
    return None


def read() -> list[dict[str, Any]]:
    """The positions with their golden counts: {"record", "lines", "nodes", "payoffs"}."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    with FILE.open("w", encoding="utf-8") as file:
        for system in SYSTEMS:
            rules = load_rules(system)
            names = [contract.name for contract in rules.contracts if contract.name != "colour_slam"]
            random.Random(system).shuffle(names)
            names.sort(key=lambda name: rules.contract(name).goal != Goal.FEWEST_POINTS)
            found = 0
            for name in names:
                record = find(rules, name) if found < POSITIONS else None
                if record is not None:
                    found += 1
                    counted = count(record)
                    file.write(json.dumps({"name": f"{system} {name}", **counted, "record": record}) + "\n")
                    print(system, name, counted["lines"])


if __name__ == "__main__":
    main()
