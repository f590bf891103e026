"""Engine and oracle agree at every decision: player, exact legal set, known sides; contract, items, payoffs, Schrift, level, rings.

Deals are weighted so that everything in a rule system occurs (tests/differential.py); what occurred is asserted.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tarock_env.rules import SYSTEMS, Rules, load_rules
from tests import differential
from tests.differential import Difference, compare_deals, events
from tests.oracle import new_deal

DEALS, FULL_DEALS = 300, 20_000
OPTION_DEALS, FULL_OPTION_DEALS = 30, 600
SURE = (
    "contract ",
    "announce:",
    "kontra:game",
    "own kontra",
    "meld:",
    "raise:",
    "choose:",
    "bid:",
    "concede",
    "forced",
    "declarer with",
    "level ",
)


def option_values() -> list[tuple[str, str, object]]:
    """Every value of every option that is not the default."""
    return [
        (system, option.name, value)
        for system in SYSTEMS
        for option in load_rules(system).options
        for value in option.values[1:]
    ]  # fmt: skip


def random_options(rules: Rules, rng: random.Random) -> dict[str, object]:
    """Every option at random, about half of them not at their defaults."""
    return {option.name: rng.choice(option.values) for option in rules.options}


def missing(rules: Rules, seen: Counter[str], at_least: int) -> list[str]:
    """What occurred less than so often, with its count."""
    return [f"{event}: {seen[event]}" for event in sorted(events(rules)) if seen[event] < at_least]


@pytest.mark.parametrize("system", SYSTEMS)
def test_engine_and_oracle_agree(system):
    rules = load_rules(system)
    seen = compare_deals(rules, DEALS, seed=1)
    assert not [event for event in missing(rules, seen, 1) if event.startswith(SURE)]
    assert not [event for event in missing(rules, seen, 3) if event.startswith("contract ")]
    assert len(missing(rules, seen, 1)) <= 4, missing(rules, seen, 1)


@pytest.mark.full
@pytest.mark.parametrize("system", SYSTEMS)
def test_engine_and_oracle_agree_in_many_deals(system):
    rules = load_rules(system)
    seen = compare_deals(rules, FULL_DEALS, seed=2)
    print(*(f"{seen[event]:7} {event}" for event in sorted(events(rules))), sep="\n")
    assert not missing(rules, seen, 20)
    assert not [event for event in missing(rules, seen, 50) if event.startswith("contract ")]


@pytest.mark.parametrize(("system", "option", "value"), option_values())
def test_engine_and_oracle_agree_under_each_option(system, option, value):
    compare_deals(load_rules(system, {option: value}), OPTION_DEALS, seed=3)


@pytest.mark.parametrize("system", SYSTEMS)
def test_engine_and_oracle_agree_under_random_options(system):
    rng = random.Random(system)
    for mix in range(4):
        compare_deals(load_rules(system, random_options(load_rules(system), rng)), OPTION_DEALS // 2, seed=mix)


@pytest.mark.full
@pytest.mark.parametrize(("system", "option", "value"), option_values())
def test_engine_and_oracle_agree_under_each_option_in_many_deals(system, option, value):
    compare_deals(load_rules(system, {option: value}), FULL_OPTION_DEALS, seed=4)


@pytest.mark.full
@pytest.mark.parametrize("system", SYSTEMS)
def test_engine_and_oracle_agree_under_many_random_options(system):
    rng = random.Random(system)
    for mix in range(200):
        compare_deals(load_rules(system, random_options(load_rules(system), rng)), 20, seed=mix)


@pytest.mark.parametrize(
    ("system", "change"),
    [
        ("steirisch", {"rules": "kaerntner"}),  # a lost Sechserdreier
        ("wiener", {"options": {"hard_hold": False}}),  # cards that are not held back
        ("juegatu", {"options": {"emperor_trick": False}}),
        ("slovenian4", {"match": {"rings": [0, 0, 0, 0]}}),
        ("czech19", {"options": {"forehand_second_duty": True}}),
    ],
)
def test_a_rule_that_differs_is_found(system, change, monkeypatch):
    monkeypatch.setattr(differential, "new_deal", lambda header: new_deal({**header, **change}))
    with pytest.raises(Difference, match="actions of"):
        compare_deals(load_rules(system), DEALS, seed=1)
