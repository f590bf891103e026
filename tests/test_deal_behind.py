"""Views are checked: every view of a true deal is accepted, and one that no deal can look like is refused with its place."""

import json
import random
from dataclasses import replace

import pytest

from tarock_env.arrays import records_of
from tarock_env.cards import CARD_NAMES
from tarock_env.engine.jit import JIT
from tarock_env.record import RecordError, parse_record, read_records
from tarock_env.render import render_record
from tarock_env.replay import replay, verify, view_of
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.sample import covering_chunks, write_sample

DEALS = 10 if JIT else 2


def sampled(folder, system, count, seed):
    write_sample(folder / f"{system}.jsonl", load_rules(system), count, seed, legal=True)
    return read_records(folder / f"{system}.jsonl")


def cut(record, length):
    """The position after so many actions."""
    return record if length == len(record.actions) else replace(record, actions=record.actions[:length], legal=None, result=None)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_view_of_a_deal_verifies(system, tmp_path):
    rng = random.Random(3)
    for line, record in sampled(tmp_path, system, DEALS, seed=11):
        for length in (len(record.actions), rng.randrange(len(record.actions)), rng.randrange(1 + len(record.actions) // 2)):
            view = view_of(cut(record, length), rng.randrange(record.rules.players), line)
            verify(parse_record(view.to_json(), line), line)


def check_moments(records, rng, moments=3):
    """Views of records, cut at some moments, by any of the seats, hands that lie open shown or not."""
    for line, record in enumerate(records, start=1):
        for _ in range(moments):
            part = cut(record, rng.randrange(1 + len(record.actions)))
            view = view_of(part, rng.randrange(record.rules.players), line, open_hands=rng.random() < 0.5)
            verify(parse_record(view.to_json(), line), line)


def coverage_records(system, count, seed):
    """Records of coverage deals, and the DEAL of each."""
    rules = load_rules(system)
    for deals, arrays, _ in covering_chunks(rules, count, seed):
        yield from zip(records_of(arrays, rules, deals), deals, strict=True)


# Discards that are shown because hardly any others were left: suit cards of colour games, tarocks of other ones.
SHOWN = ("steirisch", "kaerntner", "wiener", "oberoesterreichisch", "tiroler", "slovenian4", "slovenian3", "czech19")


@pytest.mark.parametrize("system", SHOWN)
def test_every_view_of_a_deal_with_shown_discards_verifies(system):
    """They say that the seat had laid away whatever it could, and bids of colour games that it has a long suit."""
    shown = [record for record, deal in coverage_records(system, 1024, seed=21) if deal.discards_shown]
    colour = [record for record in shown if record.result["contract"].startswith("farben")]
    assert shown
    check_moments([*colour[: 2 * DEALS], *shown[:DEALS]], random.Random(4))


@pytest.mark.full
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_view_of_many_deals_verifies(system):
    check_moments([record for record, _ in coverage_records(system, 300, seed=22)], random.Random(5))


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """A whole deal of juegatu with a called king, seen by the seat that had the first lead, as JSON."""
    for _, record in sampled(tmp_path_factory.mktemp("views"), "juegatu", 40, seed=5):
        plays = [seat for seat, name in record.actions if name.startswith("play:")]
        if any(name.startswith("call:") for _, name in record.actions) and len(plays) == 48:
            return json.loads(view_of(record, plays[0]).to_json())
    raise AssertionError("no such deal")


def error_of(content):
    with pytest.raises(RecordError) as caught:
        verify(parse_record(json.dumps(content), 4), 4)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def changed(view, index, action):
    return view | {"actions": [action if number == index else known for number, known in enumerate(view["actions"])]}


def first_play(view, others=False):
    """Index of the first card that the seat itself, or another one, plays."""
    return next(index for index, action in enumerate(view["actions"]) if " play:" in action and (int(action[0]) != view["view"]) == others)


def test_a_wrong_seat_is_named(view):
    index = first_play(view)
    action = view["actions"][index]
    wrong = f"{(int(action[0]) + 1) % 4}{action[1:]}"
    assert f"line 4: action {index + 1} ({wrong}): seat {action[0]} is to act; legal: " in error_of(changed(view, index, wrong))


def test_a_card_that_the_seat_does_not_hold_is_named(view):
    own = view["hands"][view["view"]].split()
    index = first_play(view)
    card = next(name for name in CARD_NAMES if name not in own and name not in view["talon"])
    wrong = f"{view['view']} play:{card}"
    assert f"action {index + 1} ({wrong}): not legal; legal: " in error_of(changed(view, index, wrong))


def test_a_card_of_the_seats_own_hand_is_played_by_nobody_else(view):
    index = first_play(view, others=True)
    seat = view["actions"][index][0]
    wrong = f"{seat} play:{view['hands'][view['view']].split()[0]}"
    assert f"action {index + 1} ({wrong}): not legal, whatever cards are hidden; legal: " in error_of(changed(view, index, wrong))


@pytest.mark.parametrize("card", ["?", "T99", ""])
def test_what_is_no_card_is_played_by_nobody(card, view):
    index = first_play(view, others=True)
    wrong = f"{view['actions'][index][0]} play:{card}"
    assert f"action {index + 1} ({wrong}): not legal, whatever cards are hidden; legal: " in error_of(changed(view, index, wrong))


def test_a_card_that_is_laid_away_twice_is_refused(view):
    index = next(number for number, action in enumerate(view["actions"]) if action.endswith(" discard:?"))
    seat = view["actions"][index][0]
    own = next(action for action in view["actions"] if action.startswith(f"{seat} play:")).split(":")[1]
    twice = changed(changed(view, index, f"{seat} discard:{own}"), index + 1, f"{seat} discard:{own}")
    assert f"({seat} discard:{own}): not legal" in error_of(twice)


def test_a_result_that_cannot_be_is_named(view):
    payoffs = [0] * 4 if any(view["result"]["payoffs"]) else [1, 1, 1, -3]
    wrong = view | {"result": view["result"] | {"payoffs": payoffs}}
    assert f"result payoffs: the record has {json.dumps(payoffs)}, the rules give" in error_of(wrong)
    assert "the deal is over, but the view has no result" in error_of({key: value for key, value in view.items() if key != "result"})
    assert "a result, but seat" in error_of(view | {"actions": view["actions"][:-1]})


def test_a_view_shows_neither_more_nor_less_than_its_seat_sees(view):
    talon = view["talon"].split()
    assert "?" not in talon  # exposed to all in a game with a called king
    assert "talon 1: it is hidden, but seat" in error_of(view | {"talon": " ".join(["?", *talon[1:]])})
    side = {"declarer": "defenders", "defenders": "declarer"}[view["sides"][str(view["view"])]]
    assert "sides are " in error_of(view | {"sides": view["sides"] | {str(view["view"]): side}})
    own = view["hands"][view["view"]].split()
    played = {seat: [action.split(":")[1] for action in view["actions"] if action.startswith(f"{seat} play:")] for seat in range(4)}
    other = next(seat for seat, cards in played.items() if seat != view["view"] and not {*cards} & {*own, *talon})
    shown = [hand if seat != other else " ".join(played[other]) for seat, hand in enumerate(view["hands"])]
    assert f"hand {other}: seat {view['view']} does not see it; write null" in error_of(view | {"hands": shown})


def test_legal_sets_of_others_are_no_part_of_a_view(tmp_path):
    _, record = next(iter(sampled(tmp_path, "wiener", 1, seed=2)))
    seen = view_of(record, 1)
    own = tuple(names if seat == 1 else "" for (seat, _), names in zip(record.actions, record.legal, strict=True))
    verify(replace(seen, legal=own))
    with pytest.raises(RecordError, match="seat 1 cannot know what was legal"):
        verify(replace(seen, legal=record.legal))
    number = next(index for index, names in enumerate(own) if names)
    short = replace(seen, legal=tuple("pass" if index == number else names for index, names in enumerate(own)))
    if own[number] != "pass":
        with pytest.raises(RecordError, match=f"action {number + 1} .*legal set"):
            verify(short)


def test_a_view_is_shown_with_the_winner_of_its_last_trick(view):
    text = render_record(parse_record(json.dumps(view)))
    assert f"as seat {view['view']} sees it" in text
    assert text.count("->") == 12
    with pytest.raises(RecordError, match="it hides cards"):
        replay(parse_record(json.dumps(view)))
