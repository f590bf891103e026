"""The form of records: what is written is read back; what is broken gets one clear line."""

import json
import random

import pytest

from tarock_env.record import FORMAT, RecordError, parse_record, read_records, sixths, units, write_records
from tests.oracle.verify import play_random, random_header

SYSTEMS = ("juegatu", "oberoesterreichisch")


def oracle_record(rules="juegatu", seed=1):
    rng = random.Random(seed)
    return play_random(random_header(rules, rng), rng)


def error_of(content, line=1):
    text = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(RecordError) as caught:
        parse_record(text, line)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("rules", SYSTEMS)
def test_a_record_survives_reading_and_writing(rules):
    for seed in range(30):
        content = oracle_record(rules, seed)
        assert json.loads(parse_record(json.dumps(content)).to_json()) == content


def test_a_file_survives_reading_and_writing(tmp_path):
    records = [parse_record(json.dumps(oracle_record(seed=seed))) for seed in range(5)]
    path = tmp_path / "deals.jsonl"
    assert write_records(path, records) == 5
    path.write_text(path.read_text() + "\n   \n")  # empty lines are no records
    assert [record for _, record in read_records(path)] == records
    assert [line for line, _ in read_records(path)] == [1, 2, 3, 4, 5]
    assert [file.name for file in tmp_path.iterdir()] == ["deals.jsonl"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "deals.jsonl"
    path.write_text("old")

    def broken():
        yield parse_record(json.dumps(oracle_record()))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_records(path, broken())
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_numbers_are_integers_or_fractions_in_lowest_terms():
    assert [units(value) for value in (0, 6, -12, -20, 3, 4)] == [0, 1, -2, "-10/3", "1/2", "2/3"]
    for value in (-700, -20, -3, 0, 1, 2, 3, 5, 6, 12):
        assert sixths(units(value)) == value
    for wrong in ("2/4", "6/3", "4", "x", "1/0", 1.5, True, None, "1/5", [1]):
        with pytest.raises(ValueError, match="no record number"):
            sixths(wrong)


def test_a_truncated_line_is_said_to_be_cut_off():
    text = json.dumps(oracle_record())
    for length in range(1, len(text) - 1, 97):
        assert "line 7: not valid JSON" in error_of(text[:length], line=7)
    assert "seems cut off" in error_of(text[: len(text) // 2])


def replaced(**changes):
    return oracle_record() | changes


def item(**changes):
    return {"item": "game", "made": True, "announced": False, "kontra": 1, "payoffs": [0] * 4} | changes


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2]", "line 1: a record is one JSON object"),
        ("[" * 100_000, "line 1: not a record:"),
        ('{"forehand": ' + "9" * 5000 + "}", "line 1: not a record:"),
        ({"format": "tarock-deal/2"}, f'format is "tarock-deal/2", this version of Tarock reads "{FORMAT}"'),
        ({"format": FORMAT}, "field rules is missing"),
        (replaced(rules="juegato"), "unknown rules 'juegato'; did you mean juegatu?"),
        (replaced(rules=3), "rules is 3, it must be a text"),
        (replaced(options={"bonus_scale": 7}), "option bonus_scale is 7; allowed are 2, 1"),
        (replaced(options={"bonus": 1}), "unknown option bonus"),
        (replaced(forehand=4), "forehand is 4, seats are 0..3"),
        (replaced(forehand=True), "forehand is true, seats are 0..3"),
        (replaced(hands=["T1"] * 3), "3 hands, juegatu has 4 players"),
        (replaced(hands=["T1"] * 4), "hand 0 has 1 cards, it must have 12"),
        (replaced(hands=[None] * 4), "hand 0 is null, it must be a text of card names"),
        (replaced(talon="T23 T2 T3 T4 T5 T6"), 'unknown card "T23"'),
        (replaced(talon="? ? ? ? ? ?"), 'unknown card "?"'),
        (replaced(actions=["pass"]), 'action 1: "pass" is no action; write seat, space, name'),
        (replaced(actions=["1 pass", "9 pass"]), "action 2: seat 9"),
        (replaced(actions={}), "actions is {}, it must be a list"),
        (replaced(legal=["pass"]), "but 1 legal sets"),
        (replaced(legal="pass"), "legal is a list of texts"),
        (replaced(result=[]), "result is [], it must be an object"),
        (replaced(match={"totals": [0, 0]}), "match totals: give one number for each of 4 seats"),
        (replaced(match={"rings": [0, 0, 0, -1]}), "match rings: open rings are counted from 0"),
        (replaced(match={"rings": [0, 0, 0, 101]}), "match rings: open rings are counted from 0 to 100"),
        (replaced(match={"totals": [0, 0, 0, 10**30]}), "match totals: they lie between"),
        (replaced(options={"a\nb": 1}), "unknown option a b"),
        (replaced(actions=["0 pass\n"]), 'action 1: "0 pass\\n" is no action'),
        (replaced(actions=["0 \x1b[31m"]), "action 1: "),
        (replaced(actions=["\u0663 pass"]), "action 1: "),
        (replaced(actions=["0 " + "x" * 100]), "action 1: "),
        (replaced(actions=["0 pass"], legal=["pass  x"]), "legal set 1: "),
        (replaced(forced="all_beggars"), "only the Slovenian systems have it"),
        (replaced(view=5), "view is 5, seats are 0..3"),
        (replaced(sides={"1": "declarer"}), "sides belongs to a view"),
        (replaced(hand=[]), 'unknown field "hand"'),
        (replaced(match={"rings": [0, 0, 0, 1]}), "match rings: juegatu has no rings; leave them out"),
        ('{"forehand": 0, "forehand": 1}', 'line 1: not a record: field "forehand" stands twice in one object'),
        ('{"match": {"rings": [], "rings": []}}', 'field "rings" stands twice in one object'),
        ("\0" * 40, "line 1: a null byte at character 1"),
        (json.dumps(oracle_record())[:50] + "\0\0", "line 1: a null byte at character 51"),
        (replaced(result={"payoffs": [0, 0, 0, float("nan")]}), "line 1: not a record: NaN is no JSON number"),
        (replaced(options={"bonus_scale": nested(200)}), "line 1: not a record: it is nested too deeply"),
        (replaced(result={"items": nested(900)}), "line 1: not a record: it is nested too deeply"),
        (replaced(actions=[nested(50)]), "line 1: not a record: it is nested too deeply"),
        (replaced(result={"item": []}), 'result: unknown field "item"; fields are contract declarer'),
        (replaced(result={"contract": "\x1b[31m"}), "result contract is "),
        (replaced(result={"payoffs": [0, 0]}), "result payoffs is [0, 0], it must be 4 numbers"),
        (replaced(result={"payoffs": [0, 0, 0, "2/4"]}), "result payoffs is "),
        (replaced(result={"items": [{"item": "game"}]}), "result item 1: it must be an object with item made announced kontra payoffs"),
        (
            replaced(result={"items": [{"item": "a\nb", "made": True, "announced": False, "kontra": 1, "payoffs": [0] * 4}]}),
            "result item 1: item is",
        ),
        (
            replaced(result={"items": [{"item": "game", "made": 1, "announced": False, "kontra": 1, "payoffs": [0] * 4}]}),
            "result item 1: made is 1",
        ),
    ],
)
def test_a_malformed_record_is_one_line(content, message):
    assert message in error_of(content)


def test_a_card_dealt_twice_is_named_with_both_places():
    content = oracle_record()
    first, second = (hand.split() for hand in content["hands"][:2])
    second[3] = first[0]
    content["hands"][1] = " ".join(second)
    assert f"card {first[0]} appears twice: in hand 0 and in hand 1" in error_of(content)


def test_errors_in_a_file_name_file_and_line(tmp_path):
    path = tmp_path / "deals.jsonl"
    path.write_bytes(json.dumps(oracle_record()).encode() + b"\n{\n")
    with pytest.raises(RecordError, match=r"deals\.jsonl: line 2: not valid JSON"):
        list(read_records(path))
    path.write_bytes(b"\xff\n")
    with pytest.raises(RecordError, match=r"line 1: not UTF-8"):
        list(read_records(path))
