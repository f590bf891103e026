"""Records in the game's terms: against the slow oracle both ways, broken records, views, results."""

import json
import random
from dataclasses import replace

import pytest

from tarock_env.actions import CONTRACTS
from tarock_env.engine.jit import JIT
from tarock_env.record import Record, RecordError, parse_record, read_records
from tarock_env.replay import replay, verify, view_of
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.sample import write_sample
from tests.oracle import new_deal
from tests.oracle.verify import play_random, random_header, verify_record

DEALS = 120 if JIT else 20  # each way; make test-full plays many more


def oracle_records(system, count, seed=1):
    """Deals of the oracle's own, with appetites for bidding and calling that change from deal to deal."""
    rng = random.Random(seed)
    for _ in range(count):
        rates = {"pass": rng.choice([0.3, 1, 8]), "announce": rng.choice([0.02, 0.2, 1]), "kontra": rng.choice([0.05, 0.4, 1])}
        header = random_header(system, rng)
        while misdealt(system, header):
            header = random_header(system, rng)
        yield play_random(header, rng, lambda name, rates=rates: rates.get(name.split(":")[0], 1))


def misdealt(system, header):
    """Whether a hand without a tarock calls for a redeal: about one Slovenian deal in three thousand."""
    return system in ("slovenian4", "slovenian3") and "forced" not in header and not all("T" in hand for hand in header["hands"])


def sampled(tmp_path_factory, system, count, seed):
    path = tmp_path_factory.mktemp("records") / f"{system}.jsonl"
    write_sample(path, load_rules(system), count, seed, legal=True)
    return path


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_oracles_deals_verify_on_the_engine(system):
    for number, record in enumerate(oracle_records(system, DEALS)):
        verify(parse_record(json.dumps(record), number))


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_engines_deals_verify_on_the_oracle(system, tmp_path_factory):
    for line in sampled(tmp_path_factory, system, DEALS, seed=2).read_text().splitlines():
        assert verify_record(json.loads(line)) == []


@pytest.mark.full
@pytest.mark.skipif(not JIT, reason="needs compiled kernels")
@pytest.mark.parametrize("system", SYSTEMS)
def test_thousands_of_deals_agree_both_ways(system, tmp_path_factory):
    for number, record in enumerate(oracle_records(system, 3000, seed=3)):
        verify(parse_record(json.dumps(record), number))
    for line in sampled(tmp_path_factory, system, 3000, seed=4).read_text().splitlines():
        assert verify_record(json.loads(line)) == []


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> list[Record]:
    """A few coverage deals of juegatu with legal sets."""
    return [record for _, record in read_records(sampled(tmp_path_factory, "juegatu", 40, seed=5))]


def error_of(record, line=1):
    with pytest.raises(RecordError) as caught:
        verify(record, line)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_beginning_of_a_record_is_a_position(records):
    record = records[0]
    for length in range(len(record.actions)):
        position = replace(record, actions=record.actions[:length], legal=record.legal[:length], result=None)
        verify(position)
        seat, name = record.actions[length]
        deal = replay(position)
        assert deal.seat == seat
        assert name in deal.legal_names().split()


def test_the_wrong_seat_is_named_with_what_was_legal(records):
    seat, name = records[0].actions[3]
    wrong = (*records[0].actions[:3], ((seat + 1) % 4, name), *records[0].actions[4:])
    message = error_of(replace(records[0], actions=wrong), line=9)
    assert message.startswith(f"line 9: action 4 ({(seat + 1) % 4} {name}): seat {seat} is to act; legal: ")


@pytest.mark.parametrize("name", ["play:T23", "fly", "bid:trischaken", "kontra:game@9", "play:"])
def test_an_illegal_action_is_named_with_what_was_legal(records, name):
    seat, _ = records[0].actions[-1]
    message = error_of(replace(records[0], actions=(*records[0].actions[:-1], (seat, name))))
    count = len(records[0].actions)
    assert message == f"line 1: action {count} ({seat} {name}): not legal; legal: {records[0].legal[-1]}"


def test_an_action_after_the_end_is_named(records):
    more = replace(records[0], actions=(*records[0].actions, (0, "good")), legal=None)
    assert error_of(more).endswith("(0 good): the deal was over before it")


def test_a_wrong_legal_set_is_named(records):
    legal = list(records[0].legal)
    names = legal[0].split()
    legal[0] = " ".join(names[1:])
    assert f"the record's legal set lacks {names[0]}; legal: " in error_of(replace(records[0], legal=tuple(legal)))
    legal[0] = " ".join([*names, "zzz"])
    assert "the record's legal set has zzz, not legal" in error_of(replace(records[0], legal=tuple(legal)))
    legal[0] = " ".join(reversed(names))
    assert "not sorted" in error_of(replace(records[0], legal=tuple(legal)))


def test_a_wrong_result_is_named(records):
    record = next(record for record in records if len(record.result["items"]) > 1 and record.result["declarer"] is not None)
    result = json.loads(json.dumps(record.result))

    def wrong(**changes):
        return error_of(replace(record, result=result | changes))

    assert "result payoffs: the record has" in wrong(payoffs=[0, 0, 0, 1])
    assert "result contract: the record has" in wrong(contract="trischaken")
    assert "result declarer: the record has" in wrong(declarer=(result["declarer"] + 1) % 4)
    assert "result items: the record lacks" in wrong(items=result["items"][1:])
    assert "which the rules do not give" in wrong(items=[*result["items"], result["items"][0]])
    assert 'result schrift: the record has [0], the rules give "absent"' in wrong(schrift=[0])
    del result["payoffs"]
    assert 'result payoffs: the record has "absent"' in wrong()
    verify(replace(record, result=record.result | {"items": list(reversed(record.result["items"]))}))  # order means nothing
    assert "but the record has no result" in error_of(replace(record, result=None))
    early = replace(record, actions=record.actions[:-1], legal=None)
    assert f"a result after {len(early.actions)} actions, but seat" in error_of(early)
    made = [item | {"made": 1 if item["made"] else 0} for item in result["items"]]
    assert "result items" in wrong(payoffs=record.result["payoffs"], items=made)  # 1 is not true


@pytest.mark.parametrize("system", SYSTEMS)
def test_views_hide_what_a_seat_cannot_know(system, tmp_path_factory):
    """A view with everything blanked that it may not show is itself; and its sides are the oracle's."""
    for line, record in read_records(sampled(tmp_path_factory, system, 25, seed=6)):
        rng = random.Random(line)
        length = rng.randrange(len(record.actions) + 1)
        position = replace(record, actions=record.actions[:length], legal=None, result=None)
        deal = replay(position)
        for viewer in range(record.rules.players):
            view = view_of(position, viewer)
            assert view.hands[viewer] == record.hands[viewer]
            assert all(hand is None for seat, hand in enumerate(view.hands) if seat != viewer)
            seen = int(deal.deals.talon_open[0])
            for card, shown in zip(record.talon, view.talon, strict=True):
                assert shown in (card, None)
                if seen >> card & 1:
                    assert shown == card
            for (seat, name), (_, shown) in zip(position.actions, view.actions, strict=True):
                hidden = name.startswith("discard:") and seat != viewer and shown != name
                assert shown == ("discard:?" if hidden else name)
            assert view.legal is None
            assert parse_record(view.to_json()) == view
            with pytest.raises(RecordError, match="it hides cards"):
                replay(view)


@pytest.mark.parametrize("system", SYSTEMS)
def test_known_sides_are_the_oracles(system, tmp_path_factory):
    for _, record in read_records(sampled(tmp_path_factory, system, 20, seed=7)):
        oracle = new_deal(json.loads(record.to_json()))
        for length, (_, name) in enumerate(record.actions):
            position = replace(record, actions=record.actions[:length], legal=None, result=None)
            if length % 5 == 0:
                for viewer in range(record.rules.players):
                    assert view_of(position, viewer).sides == oracle.sides_known_to(viewer), (position.to_json(), viewer)
            oracle.apply(name)


def test_two_worlds_that_look_alike_give_the_same_view(records):
    """Exchanging two cards of hidden hands before the first action changes no other seat's view."""
    position = replace(records[0], actions=(), legal=None, result=None)
    hands = [list(hand) for hand in position.hands]
    hands[1][0], hands[2][0] = hands[2][0], hands[1][0]
    other = replace(position, hands=tuple(map(tuple, hands)))
    for viewer in (0, 3):
        assert view_of(position, viewer).to_json() == view_of(other, viewer).to_json()


def test_results_name_contracts_that_exist(records):
    assert {record.result["contract"] for record in records} <= set(CONTRACTS)
    assert len({record.result["contract"] for record in records}) > 8
