"""What a seat gains by another bot: paired on the same deals, as table and picture."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agents.base import load_bot
from agents.gain import gain_over, seat_payoffs
from tarock_env.rules import load_rules
from training.gains import draw_gains, label, measure_gains


def test_gains_are_paired_with_the_base_and_with_the_bot_before(tmp_path):
    rules = [load_rules("juegatu"), load_rules("slovenian3")]
    random, rule = load_bot("random"), load_bot("rule")
    seen = []
    bots = [("random", [random, random]), ("rule", [rule, rule])]
    result = measure_gains(("random", [random, random]), bots, rules, 40, 3, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (240, 240)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    for system in rules:
        same, better = result["systems"][system.id]
        plain, payoffs = seat_payoffs([random, rule], random, system, 40, 3)
        assert same["gain"]["points"] == 0
        assert same["over_previous"] is None
        assert better["gain"] == gain_over(payoffs, plain, 3).as_dict()
        assert better["over_previous"]["points"] == pytest.approx(float((payoffs - plain).mean()))
        assert better["gain"]["low"] > 0
    assert json.loads(json.dumps(result)) == result
    draw_gains(result, tmp_path / "gain.png")
    assert (tmp_path / "gain.png").read_bytes().startswith(b"\x89PNG")


def test_labels_tell_bots_apart():
    assert label("search:file:a/b.safetensors@worlds=3,eta=0") == "worlds=3\neta=0"
    assert label("file:a/b.safetensors") == "b"
    assert label("pimc:20") == "pimc:20"


def test_the_command_prints_draws_and_names_mistakes(tarock, tmp_path):
    code, text, _ = tarock("gain", "random", "rule", "--deals", 30, "--out", tmp_path / "g.svg", "--json", tmp_path / "g.json")
    assert code == 0
    assert "one seat of random replaced, 30 duplicate deals" in text
    rows = json.loads((tmp_path / "g.json").read_text())["systems"]["juegatu"]
    assert [row["bot"] for row in rows] == ["rule"]
    assert np.isfinite(rows[0]["gain"]["points"])
    assert (tmp_path / "g.svg").exists()
    for arguments, message in (
        (("random", "rul"), "did you mean rule?"),
        (("random", "rule", "--out", tmp_path / "g.txt"), "write *.png or *.svg"),
        (("random", "rule", "--rules", "wine"), "did you mean wiener?"),
        (("random",), "Missing argument"),
    ):
        code, text, err = tarock("gain", *arguments)
        assert (code, text) == (2, "")
        assert message in err
        assert err.count("\n") == 1
