"""Golden playthroughs: one whole deal of each rule system, from a fixed seed, as text that a person can follow and as a deal record.

python -m tests.playthrough            # write what tests/playthroughs lacks
python -m tests.playthrough --all      # write all of them anew, after rules have changed on purpose; read the difference
python -m tests.playthrough --search   # look for seeds whose deals show much
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tarock_env.batch import DealBatch
from tarock_env.cards import CARD_NAMES, mask_cards
from tarock_env.engine.state import PHASES, PLAY
from tarock_env.rules import SYSTEMS, load_rules
from tests.differential import COUNTED, Mood, note_action
from tests.positions import Position, act, begin

FOLDER = Path(__file__).with_name("playthroughs")
SEEDS = {
    "juegatu": 243,
    "steirisch": 21,
    "kaerntner": 44,
    "wiener": 102,
    "oberoesterreichisch": 332,
    "tiroler": 40,
    "slovenian4": 54,
    "slovenian3": 3,
    "czech19": 147,
}
SUIT_STARTS = (0, 22, 30, 38, 46)


def dealt(system: str, seed: int) -> dict[str, Any]:
    """The deal record, without actions, of the first deal that the engine deals from a seed."""
    deal = DealBatch(1, load_rules(system), seed, skip_forced=False).deals[0]
    record: dict[str, Any] = {
        "format": "tarock-deal/1",
        "rules": system,
        "options": {},
        "forehand": int(deal.forehand),
        "hands": [cards_text(int(deal.dealt[seat])) for seat in range(int(deal.num_seats))],
        "talon": " ".join(CARD_NAMES[card] for card in deal.talon),
    }
    if deal.forced:
        record["forced"] = "all_beggars"
    return record


def cards_text(cards: int) -> str:
    """Cards from the top: tarocks, then suit by suit."""
    suits = [[card for card in mask_cards(cards) if start <= card < start + (22 if start == 0 else 8)] for start in SUIT_STARTS]
    return " ".join(CARD_NAMES[card] for suit in suits for card in reversed(suit))


def play(system: str, seed: int) -> dict[str, Any]:
    """The whole record: actions by chance, in the mood that the seed draws."""
    record = dealt(system, seed)
    rng = random.Random(seed)
    rules = load_rules(system)
    mood = Mood.draw(rng, rng.choice([contract for contract in rules.contracts if contract.bid]))
    at = begin(record)
    actions, legal = [], []
    while not at.finished:
        names = at.legal_names
        name = rng.choices(names, [mood.weight(name, at) + 1e-9 for name in names])[0]
        actions.append(f"{at.seat} {name}")
        legal.append(" ".join(names))
        act(at, name)
    return {**record, "actions": actions, "legal": legal, "result": at.result}


def text(record: dict[str, Any], seed: int) -> str:
    """A deal record as a person follows it: cards, every decision with what was legal, tricks, settlement."""
    at = begin(record)
    lines = [f"{at.rules.title} ({at.rules.id}), seed {seed}", "", f"forehand: seat {record['forehand']}"]
    lines += [f"seat {seat}: {hand}" for seat, hand in enumerate(record["hands"])]
    lines.append(f"talon:  {record['talon']}")
    phase = -1
    for number, action in enumerate(record["actions"], start=1):
        seat, name = action.split(" ", 1)
        starts_trick = at.deal.phase == PLAY and at.deal.trick_size == 0
        if starts_trick:
            lines += ["", f"trick {at.deal.trick_number + 1}"]
        elif at.deal.phase != phase and at.deal.phase != PLAY:
            lines += ["", PHASES[at.deal.phase].replace("_", " ")]
        phase = at.deal.phase
        legal = " ".join(at.legal_names).replace("play:", "").replace("discard:", "")
        lines.append(f"  {number:3}  seat {seat}  {name:<22} legal: {legal}")
        tricks = int(at.deal.trick_number)
        act(at, name)
        if phase == PLAY and at.deal.trick_number > tricks:
            lines.append(f"       seat {int(at.deal.leader)} takes the trick")
    return "\n".join([*lines, "", *settlement(at), ""])


def settlement(at: Position) -> list[str]:
    """The result, item by item."""
    result = at.result
    lines = ["settlement", f"  contract {result['contract']}, declarer {result['declarer']}, partner {result['partner']}"]
    lines += [f"  {name} {result[name]}" for name in ("level", "rings") if name in result]
    for item in result["items"]:
        how = f"made {item['made']}, announced {item['announced']}, kontra {item['kontra']}"
        lines.append(f"  {item['item']:<16} {how:<50} {numbers(item['payoffs'])}")
    lines.append(f"  {'payoffs':<67} {numbers(result['payoffs'])}")
    if "schrift" in result:
        lines.append(f"  {'schrift':<67} {numbers(result['schrift'])}")
    return lines


def numbers(values: list[Any]) -> str:
    return " ".join(f"{value:>6}" for value in values)


def richness(record: dict[str, Any]) -> int:
    """How much a deal shows: kinds of calls, kontras, items; a partner."""
    at, seen = begin(record), Counter()
    for action in record["actions"]:
        name = action.split(" ", 1)[1]
        note_action(name, at, seen)
        act(at, name)
    kinds = {name for name in seen if name.startswith((*COUNTED, "kontra", "own kontra"))}
    made = {item["made"] for item in record["result"]["items"]}
    return len(kinds) + 2 * len(record["result"]["items"]) + 3 * (record["result"]["partner"] is not None) + 2 * len(made)


def write(system: str) -> None:
    record = play(system, SEEDS[system])
    (FOLDER / f"{system}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (FOLDER / f"{system}.txt").write_text(text(record, SEEDS[system]), encoding="utf-8")


def main() -> None:
    for system in SYSTEMS:
        if "--search" in sys.argv:
            scores = sorted(((richness(play(system, seed)), -seed) for seed in range(400)), reverse=True)[:5]
            print(system, [(-seed, score, play(system, -seed)["result"]["contract"]) for score, seed in scores])
        elif "--all" in sys.argv or not (FOLDER / f"{system}.txt").exists():
            write(system)


if __name__ == "__main__":
    main()
