"""A golden playthrough of every rule system: it is there, it is as the engine plays it now, and the oracle agrees with it."""

from __future__ import annotations

import json

import pytest

from tarock_env.record import RecordError, parse_record
from tarock_env.replay import verify
from tarock_env.rules import SYSTEMS
from tests.oracle.verify import verify_record
from tests.playthrough import FOLDER, SEEDS, dealt, text

HINT = "python -m tests.playthrough writes what is missing, --all after rules have changed on purpose"


def test_every_system_has_a_playthrough():
    assert tuple(SEEDS) == SYSTEMS
    expected = {f"{system}.{kind}" for system in SYSTEMS for kind in ("txt", "jsonl")}
    assert {path.name for path in FOLDER.iterdir()} == expected, HINT


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_playthrough_is_as_it_was(system):
    line = (FOLDER / f"{system}.jsonl").read_text(encoding="utf-8")
    record = json.loads(line)
    seed = SEEDS[system]
    assert {name: record[name] for name in dealt(system, seed)} == dealt(system, seed), "the seed deals other cards than before"
    verify(parse_record(line))
    assert verify_record(record) == []
    assert text(record, seed) == (FOLDER / f"{system}.txt").read_text(encoding="utf-8"), HINT


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_changed_record_is_found(system):
    """A legal set that lacks an action, a payment that is one more."""
    record = json.loads((FOLDER / f"{system}.jsonl").read_text(encoding="utf-8"))
    first, *others = record["legal"]
    fewer = {**record, "legal": [first.partition(" ")[2], *others]}
    paid = {**record, "result": {**record["result"], "payoffs": [number + 1 for number in record["result"]["payoffs"]]}}
    for wrong in (fewer, paid):
        assert verify_record(wrong)
        with pytest.raises(RecordError, match="line 1"):
            verify(parse_record(json.dumps(wrong)))
