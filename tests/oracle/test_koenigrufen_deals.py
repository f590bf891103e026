"""Random deals of the Königrufen oracle keep its invariants; `verify` finds what was changed in one."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction

import pytest

from tests.oracle import new_deal, verify
from tests.oracle.core import DECK, groups
from tests.oracle.koenigrufen_positions import start
from tests.oracle.koenigrufen_tables import CUPS, contracts, default_options
from tests.oracle.verify import play_random, random_header, verify_record

SYSTEMS = ("juegatu", *CUPS)


def towards(target, rng):
    """Weights that usually reach the contract and then mix calls and play."""
    talkative = rng.choice([0.1, 1, 10])

    def weight(name):
        if name == f"bid:{target}":
            return 1000
        if name in ("pass", "forehand"):
            return 100
        if name == "good":
            return 1
        if name.startswith(("announce:", "kontra:")):
            return talkative / 4
        return 1

    return weight


def check_deal(record):
    """The invariants of a finished deal."""
    deal = new_deal(record)
    for action in record["actions"]:
        deal.apply(action.partition(" ")[2])
    result = deal.result()
    assert result == record["result"]
    for payments in [result["payoffs"], result.get("schrift", []), *(item["payoffs"] for item in result["items"])]:
        assert sum(Fraction(amount) for amount in payments) == 0
    played = [card for trick in deal.tricks for card in trick.cards]
    held = [card for hand in deal.hands for card in hand]
    if deal.contract.positive:
        assert sorted(played + held + deal.discards + deal.awarded + deal.left) == sorted(DECK)
        if len(deal.tricks) == 12:
            both = deal.facts()
            assert groups(both.pile("declarer")) + groups(both.pile("defenders")) == 70
    else:
        assert sorted(played + held + deal.talon) == sorted(DECK)
    return result


@pytest.mark.parametrize("rules", SYSTEMS)
def test_random_deals_keep_the_cards_and_the_money(rules):
    rng = random.Random(rules)
    played = set()
    for target in contracts(rules, default_options(rules)):
        for _ in range(20):
            record = play_random(random_header(rules, rng), rng, towards(target, rng))
            assert verify_record(record) == []
            played.add(check_deal(record)["contract"])
    assert len(played) >= 12


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("juegatu", {"bonus_scale": 1, "forehand_may_hold": True, "hard_hold": False, "emperor_trick": False}),
        ("steirisch", {"valat_scheme": "replace", "colour_min_scope": "any_suit_cards", "silent_bird_loss": True}),
        ("wiener", {"sixer_loss_factor": 1, "trischaken_exact": False, "forehand_may_hold": True}),
        ("oberoesterreichisch", {"hard_hold": True, "emperor_trick": True, "forehand_may_hold": False}),
        ("tiroler", {"trischaken_exact": False, "emperor_trick": True, "valat_scheme": "replace"}),
    ],
)
def test_random_deals_with_options(rules, options):
    rng = random.Random(rules)
    targets = list(contracts(rules, {**default_options(rules), **options}))
    for number in range(100):
        target = targets[number % len(targets)]
        check_deal(play_random(random_header(rules, rng, options), rng, towards(target, rng)))


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match="no option"):
        start("oberoesterreichisch", {}, valat_scheme="add")


# -- verify -----------------------------------------------------------------------------------------


@pytest.fixture
def record():
    rng = random.Random(7)
    return play_random(random_header("juegatu", rng), rng)


def test_verify_names_the_action_and_what_was_legal(record):
    wrong = copy.deepcopy(record)
    seat = wrong["actions"][0].split()[0]
    wrong["actions"][0] = f"{seat} bid:rufer"
    assert any("action 1 " in line and "not legal" in line for line in verify_record(wrong))
    wrong["actions"][0] = f"{(int(seat) + 1) % 4} pass"
    assert any(f"seat {seat} acts" in line for line in verify_record(wrong))


def test_verify_compares_legal_sets_and_results(record):
    wrong = copy.deepcopy(record)
    wrong["legal"][0] = wrong["legal"][0].replace("pass", "")
    wrong["result"]["payoffs"][0] += 1
    wrong["result"]["items"][0]["made"] = None
    text = "\n".join(verify_record(wrong))
    for part in ("lacks pass", "result payoffs", "only in the record", "only in the oracle"):
        assert part in text


def test_verify_command(tmp_path, capsys, record):
    path = tmp_path / "deals.jsonl"
    short = {**record, "actions": record["actions"][:3], "legal": record["legal"][:3]}
    del short["result"]
    path.write_text("\n".join(json.dumps(line) for line in (record, short)), encoding="utf-8")
    assert verify.main([str(path)]) == 0
    assert "2 records checked, 0 differ" in capsys.readouterr().out
    record["result"]["declarer"] = 9
    path.write_text(json.dumps(record), encoding="utf-8")
    assert verify.main([str(path), "--max", "1"]) == 1
