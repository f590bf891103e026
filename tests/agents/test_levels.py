"""Graded levels: the formula, its caps, risk, what a bot may see, and every way of asking for one."""

from __future__ import annotations

import copy
import json
import time
from functools import reduce
from operator import getitem

import numpy as np
import pytest

import agents
from agents.grading import bid_shares
from agents.levels import (
    LEVELS,
    LEVELS_FILE,
    MASTER_BUDGET,
    TITLES,
    LevelBot,
    LevelError,
    load,
    load_level,
    read_levels,
    strong_network,
    weights_of,
)
from agents.random_bot import RandomBot
from agents.sparse import distinct_rows, first_layer
from agents.softness import CLEAR_FACTOR, LATE_TRICKS, bid_rows, cap_tightness, move_probabilities, regrets_of, setting_of
from agents.views import observe_views
from agents.weights import BotFileError
from tarock_env.actions import BID, GOOD
from tarock_env.actions import RAISE as RAISE_ACTION
from tarock_env.batch import DealBatch
from tarock_env.engine.chance import new_streams
from tarock_env.engine.jit import JIT
from tarock_env.engine.state import ANNOUNCE, AUCTION, DISCARD, DONE, KONTRA, NAME_BIRD, PLAY, RAISE, WARSAW
from tarock_env.engine.view import make_views
from tarock_env.rules import load_rules
from tests.agents.bot_files import write_player
from tests.agents.levels_entry import levels_entry, master_entry
from tests.hidden_cards import move_hidden

SOFT = setting_of(0.5)


def one_row(logits, values, bids=False, tightness=1.0, setting=SOFT, unit=1.0):
    """Probabilities of one decision in which everything is legal."""
    logits, values = np.array([logits], np.float32), np.array([values], np.float32)
    mask = np.ones(logits.shape, bool)
    regrets = regrets_of(values, logits, mask, unit)
    return move_probabilities(logits, regrets, mask, np.array([bids]), np.array([tightness], np.float32), setting)[0]


def test_moves_are_chosen_by_the_formula():
    logits, values = [2.0, 1.0, 0.5, -1.0], [0.10, 0.02, 0.10, 0.30]
    prior = np.exp(logits) / np.exp(logits).sum()
    regret = np.array([0, 0.08, 0, 0])  # against the policy's choice; a higher action value than its is no gain
    expected = prior ** (1 / SOFT.temperature) * np.exp(-np.maximum(0, regret - SOFT.delta) / SOFT.scale)
    np.testing.assert_allclose(one_row(logits, values), expected / expected.sum(), rtol=1e-5)
    np.testing.assert_allclose(one_row(logits, [16 * value for value in values], unit=16.0), expected / expected.sum(), rtol=1e-5)


def test_bids_follow_the_prior_at_their_own_temperature():
    logits = [2.0, 1.5, 1.0]
    expected = np.exp(np.array(logits) / SOFT.bid_temperature)
    np.testing.assert_allclose(one_row(logits, [0.0, -99.0, 99.0], bids=True), expected / expected.sum(), rtol=1e-5)
    assert SOFT.bid_temperature < SOFT.temperature


@pytest.mark.parametrize("softness", [0.05, 0.5, 1.0])
def test_nothing_beyond_a_cap_is_ever_chosen(softness):
    setting = setting_of(softness)
    over, under = setting.cap + 0.01, setting.cap - 0.01
    for tightness in (1.0, 0.5):
        played = one_row([0.0, -0.1, -0.1], [0.0, -over * tightness, -under * tightness], tightness=tightness, setting=setting)
        assert played[1] == 0
        assert played[0] > played[2] > 0
    bids = one_row([0.0, -setting.bid_odds - 0.01, -setting.bid_odds + 0.01], [0.0] * 3, bids=True, setting=setting)
    assert bids[1] == 0
    assert bids[2] > 0


def test_level_five_plays_the_choice_of_the_policy_and_illegal_moves_have_no_probability():
    assert one_row([1.0, 3.0, 2.0], [9.0, 0.0, 9.0], setting=setting_of(0.0)).tolist() == [0, 1, 0]
    logits = np.array([[1.0, 3.0, 2.0]], np.float32)
    mask = np.array([[True, False, True]])
    tight, bids = np.ones(1, np.float32), np.array([False])
    for softness in (0.0, 0.001, 1.0):
        played = move_probabilities(logits, np.zeros_like(logits), mask, bids, tight, setting_of(softness))[0]
        assert played[1] == 0
        assert played.argmax() == 2
    assert played.sum() == pytest.approx(1)


def test_everything_grows_with_softness():
    settings = [setting_of(softness) for softness in np.linspace(0, 1, 11)]
    for name in ("temperature", "bid_temperature", "delta", "scale", "cap", "bid_odds"):
        values = [getattr(setting, name) for setting in settings]
        assert values == sorted(values)
        assert len(set(values)) == len(values)
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="between 0 and 1"):
            setting_of(wrong)


def test_softer_play_loses_more_in_expectation():
    """On random decisions whose values are true and whose prior is right, expected regret grows with softness."""
    rng = np.random.default_rng(1)
    values = rng.normal(0, 0.2, (2000, 6)).astype(np.float32)
    logits, mask = 8 * values, np.ones(values.shape, bool)
    regrets = regrets_of(values, logits, mask, 1.0)
    losses = []
    for softness in (0.0, 0.1, 0.2, 0.4, 0.7, 1.0):
        played = move_probabilities(logits, regrets, mask, np.zeros(2000, bool), np.ones(2000, np.float32), setting_of(softness))
        losses.append(float((played * regrets).sum(axis=1).mean()))
    assert losses[0] == 0
    assert losses == sorted(set(losses))
    uniform = float(regrets.mean())
    assert losses[-1] < uniform / 2  # even the softest play is far from random


def test_caps_are_tighter_late_and_where_one_move_is_clearly_right():
    batch = DealBatch(4, load_rules("juegatu"), 1)
    deals = batch.deals.copy()
    deals["phase"] = [PLAY, PLAY, PLAY, PLAY - 1]
    tricks = int(batch.tables["num_tricks"][0])
    deals["trick_number"] = [0, tricks - 2, tricks - 1, 0]
    mask = np.ones((4, 2), bool)
    open_choice, clear = np.zeros((4, 2), np.float32), np.tile(np.array([4.0, 0.0], np.float32), (4, 1))
    expected = np.array([1, 2 / LATE_TRICKS, 1 / LATE_TRICKS, 1])
    np.testing.assert_allclose(cap_tightness(deals, batch.tables, open_choice, mask), expected)
    np.testing.assert_allclose(cap_tightness(deals, batch.tables, clear, mask), expected * CLEAR_FACTOR)


def test_bids_are_the_calls_of_the_auction_announcements_and_kontras():
    met = set()
    for system in ("juegatu", "slovenian3", "czech19"):
        batch, rng, bot = DealBatch(60 if JIT else 4, load_rules(system), 1), np.random.default_rng(1), RandomBot()
        while not batch.finished.all():
            acting = np.flatnonzero(~batch.finished)
            views = make_views(batch.deals, batch.tables, acting)
            legal = observe_views(views, batch.tables)[1]
            calls = legal[:, BID : GOOD + 1].any(axis=1) | legal[:, RAISE_ACTION:].any(axis=1)
            np.testing.assert_array_equal(bid_rows(views), calls)
            met |= set(views["phase"].tolist())
            actions = np.zeros(batch.num_deals, np.int64)
            actions[acting] = bot.act(views, batch.tables, rng)
            batch.step(actions)
    assert met >= {AUCTION, ANNOUNCE, KONTRA, DISCARD, PLAY}
    deals = batch.deals[np.zeros(DONE, np.int64)]
    deals["phase"] = range(DONE)
    assert np.flatnonzero(bid_rows(deals)).tolist() == sorted([AUCTION, NAME_BIRD, WARSAW, RAISE, ANNOUNCE, KONTRA])


@pytest.fixture(scope="module")
def strong(tmp_path_factory):
    """A small network with random weights, for juegatu and slovenian3."""
    return strong_network("juegatu", write_player(tmp_path_factory.mktemp("bots") / "all.safetensors"))


def test_hidden_cards_do_not_change_what_a_level_plays(strong):
    bot = LevelBot(strong, 0.6, 10.0, "bold")
    batch = DealBatch(64 if JIT else 2, load_rules("juegatu"), 3)
    streams, rng = new_streams(4, batch.num_deals), np.random.default_rng(5)
    decisions = 0
    while not batch.finished.all():
        acting = np.flatnonzero(batch.deals["phase"] != DONE)
        moved = batch.deals.copy()
        move_hidden(
            moved, batch.tables, batch.deals["seat"].astype(np.int64), np.zeros(batch.num_deals, np.int64), streams, np.zeros(54, np.int64)
        )
        seen, other = (bot.policy(make_views(deals, batch.tables, acting), batch.tables) for deals in (batch.deals, moved))
        np.testing.assert_array_equal(seen, other)
        decisions += len(acting)
        actions = np.zeros(batch.num_deals, np.int64)
        actions[acting] = bot.act(make_views(batch.deals, batch.tables, acting), batch.tables, rng)
        batch.step(actions)  # raises where an action is not legal
    assert decisions > 20 * batch.num_deals


def test_bolder_bots_bid_and_announce_more(strong):
    for softness in (0.0, 0.5):
        shares = [
            bid_shares(LevelBot(strong, softness, 10.0, risk), load_rules("juegatu"), 200 if JIT else 2, 1)
            for risk in ("cautious", "normal", "bold")
        ]
        bids, announcements = ([share[name] for share in shares] for name in ("bids", "announcements_per_deal"))
        assert bids == sorted(bids)
        assert announcements == sorted(announcements)
        assert not JIT or (bids[0] < bids[2] and announcements[0] < announcements[2])


def test_equal_rows_are_computed_once():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (50, 64), np.uint8)[rng.integers(0, 50, 400)]
    first, back = distinct_rows(rows)
    np.testing.assert_array_equal(rows[first][back], rows)
    assert len(first) == len(np.unique(rows, axis=0)) or not JIT
    weight, bias = rng.normal(size=(64, 9)).astype(np.float32), rng.normal(size=9).astype(np.float32)
    np.testing.assert_allclose(first_layer(rows, weight, bias), rows.astype(np.float32) @ weight + bias, rtol=1e-4, atol=1e-4)


def test_one_decision_costs_little_more_than_the_forward_pass(tmp_path):
    """The bound of 2 ms is measured by `tarock bench`; here, on any machine, a decision is held against two plain matrix products."""
    strong = strong_network("juegatu", write_player(tmp_path / "all.safetensors", hidden_sizes=(512, 512, 512)))
    bot, batch, rng = LevelBot(strong, 0.5, 10.0), DealBatch(1, load_rules("juegatu"), 1), np.random.default_rng(1)
    row, weights = np.ones((1, 1376), np.float32), rng.random((1376, 512), np.float32)
    ours, plain = [], []
    for _ in range(60):
        start = time.process_time()
        bot.act(make_views(batch.deals, batch.tables), batch.tables, rng)
        ours.append(time.process_time() - start)
        start = time.process_time()
        for _ in range(2):
            row @ weights
        plain.append(time.process_time() - start)
    assert not JIT or np.median(ours) < 20 * max(np.median(plain), 1e-4)


@pytest.fixture
def folder(tmp_path):
    """A folder of shipped networks with fitted levels for juegatu, two of them."""
    path = write_player(tmp_path / "all.safetensors")
    sha256 = strong_network("juegatu", path).manifest.sha256
    entry = levels_entry(sha256, {level: (5 - level) / 10 for level in (3, 4, 5)})
    (tmp_path / LEVELS_FILE).write_text(json.dumps({"format": "tarock-levels/1", "systems": {"juegatu": entry}}))
    return tmp_path


def test_levels_are_loaded_by_system_and_number(folder, monkeypatch):
    bot = load_level("juegatu", 4, "bold", folder)
    assert (bot.name, bot.softness, bot.risk) == ("level 4 bold", 0.1, "bold")
    assert load_level("slovenian3", 5, folder=folder).softness == 0
    assert weights_of("juegatu", folder).name == "all.safetensors"
    master = load_level("slovenian3", 6)
    assert (master.name, master.budget) == ("level 6", MASTER_BUDGET)
    assert master.critic is not None
    with pytest.raises(BotFileError, match=r"all.critic.safetensors: no such file"):
        load_level("slovenian3", 6, folder=folder)
    monkeypatch.setattr("agents.levels.load_level", lambda *arguments: arguments)
    assert load("4@risk=bold", "wiener") == ("wiener", 4, "bold")
    assert agents.load_bot("wiener", level=4) == ("wiener", 4, "normal")
    assert agents.load_bot("level:3", rules="wiener") == ("wiener", 3, "normal")


def test_a_network_of_its_own_comes_before_the_one_for_all(folder):
    for system in ("wiener", "slovenian3"):
        write_player(folder / f"{system}.safetensors", systems=(system,))
        assert weights_of(system, folder).name == f"{system}.safetensors"
    with pytest.raises(LevelError, match=r"^tiroler: no levels, since no network in .* plays it"):
        weights_of("tiroler", folder)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda folder: load_level("juegatu", 1, folder=folder), "juegatu: no level 1; its network has levels 3, 4, 5"),
        (
            lambda folder: load_level("slovenian3", 4, folder=folder),
            "level 4 is not fitted yet, only levels 5 and 6; run tarock ladder --rules slovenian3",
        ),
        (lambda folder: load_level("juegatu", 7, folder=folder), "there are levels 1 to 6"),
        (lambda folder: agents.load_bot("wiener", level=True), "level True: a level is a whole number, 1 to 6"),
        (lambda folder: agents.load_bot("wiener", level=6.0), "level 6.0: a level is a whole number, 1 to 6"),
        (lambda folder: agents.load_bot("wiener", level="4"), "level '4': a level is a whole number, 1 to 6"),
        (lambda folder: agents.load_bot("level:\u0666", rules="juegatu"), "write level:N or level:N@risk=bold"),
        (lambda folder: load_level("juegatu", 6, "bold", folder), "level 6: risk is for levels 1 to 5"),
        (lambda folder: load_level("juegatu", 4, "brave", folder), "risk is 'brave'; known: cautious, normal, bold"),
        (lambda folder: load_level("tiroler", 4, folder=folder), "tiroler: no levels, since no network"),
        (lambda folder: agents.load_bot("level:4"), "differs by rule system; write load_bot"),
        (lambda folder: agents.load_bot("level"), "write level:N"),
        (lambda folder: agents.load_bot("level:strong", rules="juegatu"), "write level:N or level:N@risk=bold"),
        (lambda folder: agents.load_bot("level:4@bold", rules="juegatu"), "write level:N or level:N@risk=bold"),
        (lambda folder: agents.load_bot("level:4@", rules="juegatu"), "write level:N or level:N@risk=bold"),
        (lambda folder: agents.load_bot("level:4@risk=", rules="juegatu"), "write level:N or level:N@risk=bold"),
        (lambda folder: agents.load_bot("rule", risk="bold"), "risk goes with a level"),
    ],
)
def test_what_cannot_be_had_is_said_in_one_line(folder, ask, message):
    with pytest.raises(ValueError, match=message.replace("[", r"\[")) as error:
        ask(folder)
    assert "\n" not in str(error.value)


def test_levels_of_another_network_are_refused(folder):
    write_player(folder / "all.safetensors", seed=9)
    strong_network.cache_clear()
    with pytest.raises(LevelError, match="was fitted to another network"):
        load_level("juegatu", 4, folder=folder)
    write_player(folder / "all.safetensors", q=False)
    strong_network.cache_clear()
    with pytest.raises(BotFileError, match="no action values for juegatu"):
        load_level("juegatu", 5, folder=folder)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "tarock-levels/1", "systems": {"juegatu": {}}}', '{"format": "x", "systems": {}}']
)
def test_a_damaged_levels_file_is_named(tmp_path, text):
    (tmp_path / LEVELS_FILE).write_text(text)
    with pytest.raises(LevelError, match=rf"{LEVELS_FILE}: .*; delete or move it, then run tarock ladder$"):
        read_levels(tmp_path / LEVELS_FILE)


def nested(value, *keys):
    """The way to every dict and list of the value, itself included."""
    if isinstance(value, dict | list):
        yield keys
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from nested(inner, *keys, key)


def refused(folder, entry):
    """The line for a file with this entry of juegatu."""
    (folder / LEVELS_FILE).write_text(json.dumps({"format": "tarock-levels/1", "systems": {"juegatu": entry}}))
    with pytest.raises(LevelError) as error:
        read_levels(folder / LEVELS_FILE)
    assert str(error.value).endswith("; delete or move it, then run tarock ladder")
    assert "\n" not in str(error.value)
    return str(error.value)


def test_an_entry_that_lacks_what_a_reader_uses_is_refused_with_its_place(tmp_path):
    risk = [{"level": 4, "risk": "bold", "bids": 0.5, "announcements_per_deal": 0.1, "points_per_deal": 0.5, "low": 0.4, "high": 0.6}]
    entry = levels_entry(softness={5: 0.0, 4: 0.5}, master=master_entry(), risk=risk)
    optional = {("levels", "4"), ("master",), ("risk", 0, "low")}
    checked = 0
    for way in nested(entry):
        spoilt = copy.deepcopy(entry)
        place = reduce(getitem, way, spoilt)
        for key in list(place) if isinstance(place, dict) else range(len(place)):
            kept = place[key]
            for wrong in (None, [kept], float("nan")):
                place[key] = wrong
                assert f"juegatu.{(*way, key)[0]}" in refused(tmp_path, spoilt)
            if isinstance(place, dict) and (*way, key) not in optional:
                del place[key]
                refused(tmp_path, spoilt)
            place[key] = kept
            checked += 1
    assert checked > 50
    (tmp_path / LEVELS_FILE).write_text(json.dumps({"format": "tarock-levels/1", "systems": {"juegatu": entry}}))
    assert read_levels(tmp_path / LEVELS_FILE) == {"juegatu": entry}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"unit": 0}, "juegatu.unit: 0"),
        ({"unit": -1.0}, "juegatu.unit: -1.0"),
        ({"unit": float("inf")}, "juegatu.unit"),
        ({"unit": 10**400}, "too large"),
        ({"unit": True}, "juegatu.unit"),
        ({"levels": {"4": {"softness": 0.1, "title": ""}}}, "juegatu.levels: 4"),
        ({"levels": {"5": {"softness": 0.0, "title": ""}, "x": {"softness": 0.1, "title": ""}}}, "juegatu.levels: 5, x"),
        ({"levels": {"5": {"softness": 0.0, "title": ""}, "6": {"softness": 0.1, "title": ""}}}, "juegatu.levels: 5, 6"),
        ({"levels": {"5": {"softness": 1.1, "title": ""}}}, "juegatu.levels.5.softness: 1.1"),
        ({"levels": {"5": {"softness": -0.1, "title": ""}}}, "juegatu.levels.5.softness: -0.1"),
        ({"levels": {}}, "juegatu.levels: none"),
        ({"risk": []}, "juegatu.risk: none"),
        ({"master": {"against": []}}, "juegatu.master.weights"),
    ],
)
def test_a_value_out_of_its_range_is_refused_with_its_place(tmp_path, changes, place):
    assert place in refused(tmp_path, levels_entry() | changes)


def test_every_level_has_a_title():
    assert LEVELS == tuple(TITLES) == (1, 2, 3, 4, 5, 6)
