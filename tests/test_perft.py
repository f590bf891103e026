"""Golden counts of endgame lines: from fixed positions every line is played out, so any change of a rule of play or scoring shows."""

from __future__ import annotations

import pytest

from tarock_env.engine.jit import JIT
from tarock_env.engine.state import PLAY
from tarock_env.rules import SYSTEMS
from tests.oracle import new_deal
from tests.perft import POSITIONS, count, read
from tests.positions import act, begin

GOLDEN = [golden for golden in read() if JIT or golden["lines"] < 600]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_lines_of_an_endgame(golden):
    counted = count(golden["record"])
    assert counted == {key: golden[key] for key in ("lines", "nodes", "payoffs")}


def test_every_system_has_its_positions():
    systems = [golden["record"]["rules"] for golden in read()]
    assert {system: systems.count(system) >= min(POSITIONS, 5) for system in systems} == dict.fromkeys(SYSTEMS, True)
    contracts = [golden["name"].split()[1] for golden in read()]
    assert {"trischaken", "all_beggars", "warsaw", "farbensolo"} <= set(contracts)


def oracle_lines(record):
    """The same count by the oracle, which can only start anew for every line."""
    deal = new_deal(record)
    for action in record["actions"]:
        deal.apply(action.split(" ", 1)[1])
    if deal.finished:
        return 1
    return sum(oracle_lines({**record, "actions": [*record["actions"], f"{deal.seat} {name}"]}) for name in sorted(deal.legal()))


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_oracle_counts_the_same_lines_of_two_tricks(system):
    for golden in [golden for golden in read() if golden["record"]["rules"] == system][:2]:
        record = golden["record"]
        at = begin(record)
        actions = list(record["actions"])
        for action in actions:
            act(at, action.split(" ", 1)[1])
        while not at.finished and at.deal.phase == PLAY and at.deal.trick_number < at.rules.hand_size - 2:
            actions.append(f"{at.seat} {at.legal_names[-1]}")
            act(at, at.legal_names[-1])
        shorter = {**record, "actions": actions}
        assert count(shorter)["lines"] == oracle_lines(shorter)
