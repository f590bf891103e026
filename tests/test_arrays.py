"""Deals as arrays: there and back exactly, what the seats saw row by row, files, and what is refused."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from tarock_env.array_check import ArraysError
from tarock_env.array_files import read_corpus, record_file_arrays, write_corpus
from tarock_env.arrays import arrays_to_records, decision_rows, deals_of, join_arrays, num_deals, records_to_arrays, rules_of
from tarock_env.batch import DealBatch
from tarock_env.record import RecordError, parse_record, read_records
from tarock_env.replay import start, verify, view_of
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.sample import write_sample, write_sample_arrays

# What a seed gives, byte for byte, legal sets included: who published a corpus by its seed must get it again.
CORPORA = {
    "juegatu": "d45ace0595e4", "steirisch": "85d4d3a29a52", "kaerntner": "bcff2ce44d41", "wiener": "15117215721a",
    "oberoesterreichisch": "1ca22e3fca1e", "tiroler": "c75709964083", "slovenian4": "c6c198134225", "slovenian3": "aa9862cc0fb4",
    "czech19": "c5f5f79e770c",
}  # fmt: skip


def sampled(tmp_path, system, deals=40, seed=3, legal=True):
    """A file of records, and the records."""
    file = tmp_path / f"{system}.jsonl"
    write_sample(file, load_rules(system), deals, seed, legal=legal)
    return file, [record for _, record in read_records(file)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_seed_gives_the_same_bytes_as_ever(system, tmp_path):
    file, _ = sampled(tmp_path, system, deals=300)
    assert hashlib.sha256(file.read_bytes()).hexdigest()[:12] == CORPORA[system]


@pytest.mark.parametrize("system", SYSTEMS)
def test_records_become_arrays_and_the_same_records_again(system, tmp_path):
    _, records = sampled(tmp_path, system)
    records[5] = replace(records[5], actions=records[5].actions[:7], legal=records[5].legal[:7], result=None)  # a position
    records[6] = replace(
        records[6], hands=tuple(hand[::-1] for hand in records[6].hands), legal=None, totals=(0,) * records[6].rules.players
    )
    records[6] = replace(records[6], rings=records[6].rings or (0,) * records[6].rules.players)
    arrays = records_to_arrays(records, load_rules(system))
    again = list(arrays_to_records(arrays, legal=True))
    assert [record.to_json() for record in again[:6]] == [record.to_json() for record in records[:6]]
    assert replace(again[6], legal=None) == records[6]
    assert again[7:] == records[7:]
    assert [record.to_json() for record in arrays_to_records(arrays)] == [replace(record, legal=None).to_json() for record in records]


@pytest.mark.parametrize("system", ["juegatu", "slovenian3"])
def test_sampled_arrays_are_the_sampled_records(system, tmp_path):
    file, records = sampled(tmp_path, system, legal=False)
    counts, files = write_sample_arrays(tmp_path / "a.npz", load_rules(system), 40, 3)
    assert files == [tmp_path / "a.npz"]
    assert counts == write_sample(None, load_rules(system), 40, 3)
    arrays, (from_records,) = read_corpus(files[0]), record_file_arrays(file)
    for name, values in from_records.items():
        np.testing.assert_array_equal(arrays[name], values, err_msg=name)
    assert list(arrays_to_records(arrays)) == records


@pytest.mark.parametrize("system", ["wiener", "slovenian4", "czech19"])
def test_a_row_is_what_the_acting_seat_saw_and_was_paid(system, tmp_path):
    _, records = sampled(tmp_path, system, deals=6)
    rows = decision_rows(records_to_arrays(records, load_rules(system)), choices_only=False)
    at = 0
    for number, record in enumerate(records):
        single = start(record)
        for seat, name in record.actions:
            batch = DealBatch(1, record.rules, 0)
            batch.deals[0] = single.deal
            observation, mask = np.zeros((1, rows["observation"].shape[1]), np.uint8), np.zeros((1, 256), np.bool_)
            batch.observe(observation, mask)
            assert (rows["observation"][at] == observation[0]).all()
            assert (rows["mask"][at] == mask[0]).all()
            assert (rows["deal"][at], rows["seat"][at]) == (number, seat)
            assert rows["mask"][at, rows["action"][at]]
            single.play_name(name)
            assert single.actions[-1] == (seat, rows["action"][at])
            at += 1
        assert rows["payoff"][at - 1] == np.float32(single.payoffs[rows["seat"][at - 1]] / 6)
    assert at == len(rows["action"])


def test_forced_decisions_are_left_out_unless_asked_for(tmp_path):
    _, records = sampled(tmp_path, "juegatu")
    arrays = records_to_arrays(records, load_rules("juegatu"))
    every, choices = decision_rows(arrays, 3, 9, choices_only=False), decision_rows(arrays, 3, 9)
    kept = every["mask"].sum(axis=1) > 1
    assert 0 < kept.sum() < len(kept)
    for name, values in choices.items():
        np.testing.assert_array_equal(values, every[name][kept], err_msg=name)
    assert set(choices["deal"]) == set(range(3, 9))


def test_parts_join_and_split():
    rules = load_rules("juegatu")
    whole = next(iter(_chunks(rules, 30)))
    parts = [deals_of(whole, 0, 11), deals_of(whole, 11, 12), deals_of(whole, 12, 30)]
    for name, values in join_arrays(parts).items():
        np.testing.assert_array_equal(values, whole[name], err_msg=name)


def _chunks(rules, deals):
    from tarock_env.sample import covering_chunks

    return (arrays for _, arrays, _ in covering_chunks(rules, deals, 1))


def test_a_big_corpus_is_several_files(tmp_path):
    rules = load_rules("juegatu", {"bonus_scale": 1})
    files = write_corpus(tmp_path / "a.npz", _chunks(rules, 25), 10, observations=True)
    assert [file.name for file in files] == ["a-0001.npz", "a-0002.npz", "a-0003.npz"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name for file in files]  # nothing else is left
    parts = [read_corpus(file) for file in files]
    assert [num_deals(part) for part in parts] == [10, 10, 5]
    assert rules_of(parts[0]) == rules
    assert len(parts[2]["row_action"]) == len(parts[2]["row_observation"]) == len(parts[2]["row_payoff"])
    assert parts[2]["row_deal"].max() == 4


def test_what_is_no_deal_of_these_rules_is_refused(tmp_path):
    _, records = sampled(tmp_path, "slovenian4", deals=4)
    rules = records[0].rules
    with pytest.raises(RecordError, match="line 2: a view of seat 1"):
        records_to_arrays([records[0], view_of(records[1], 1)], rules)
    with pytest.raises(RecordError, match=r"line 1: slovenian4 with options \{\}; one corpus is of one rule system"):
        records_to_arrays(records, load_rules("juegatu"))
    broken = replace(records[2], actions=(*records[2].actions[:3], (records[2].actions[3][0], "play:T99")))
    with pytest.raises(RecordError, match=r"line 3: action 4 \(. play:T99\): not legal; legal: "):
        records_to_arrays([*records[:2], broken], rules)
    with pytest.raises(RecordError, match=r"line 1: action .*: the deal was over before it"):
        records_to_arrays([replace(records[0], actions=(*records[0].actions, (0, "pass")))], rules)
    arrays = records_to_arrays(records, rules)
    arrays["action"][arrays["offsets"][2] + 1] = 63
    with pytest.raises(RecordError, match="deal 3: action 2 is not legal"):
        list(arrays_to_records(arrays))


@pytest.mark.parametrize("damage", ["cut", "text", "format", "short", "lacks"])
def test_a_damaged_file_is_one_line(tmp_path, damage):
    file = tmp_path / "a.npz"
    write_corpus(file, _chunks(load_rules("wiener"), 5))
    arrays = read_corpus(file)
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    elif damage == "text":
        file.write_text("no corpus")
    else:
        changed = {"format": {"format": np.array("tarock-arrays/9")}, "short": {"seat": arrays["seat"][1:]}, "lacks": {}}[damage]
        content = {name: values for name, values in (arrays | changed).items() if damage != "lacks" or name != "talon"}
        with file.open("wb") as target:
            np.savez(target, **content)
    with pytest.raises(ArraysError, match=r"a\.npz: (no corpus|damaged)"):
        read_corpus(file)


def changed(name, place, value, kind=None):
    """One number of an array changed, in a wider type where it needs one."""

    def change(arrays):
        values = arrays[name].astype(kind) if kind else arrays[name].copy()
        values[place] = value
        return {name: values}

    return change


def whole(name, made):
    """An array made of the one that is there."""
    return lambda arrays: {name: made(arrays[name])}


def text(name, value):
    return lambda arrays: {name: np.array(value)}


def two_cards_alike(arrays):
    hands = arrays["hands"].copy()
    hands[2, 0, 0] = arrays["talon"][2, 0]
    return {"hands": hands}


def a_hand_without_tarocks(arrays):
    """The 22 tarocks in three places, so that seat 3 has none; deal 3."""
    cards = [*range(22), *range(22, 54)]
    return {
        "hands": np.concatenate([arrays["hands"][:2], [np.reshape(cards[:36] + cards[42:], (4, 12))], arrays["hands"][3:]]),
        "talon": np.concatenate([arrays["talon"][:2], [cards[36:42]], arrays["talon"][3:]]),
    }


# What a file or a dict may say that no corpus says: what is changed in one of slovenian4, and what the line has.
DAMAGE = {
    "lacks": (lambda arrays: {"talon": None}, "it lacks talon"),
    "format": (text("format", "tarock-arrays/9"), "this version of Tarock reads tarock-arrays/1"),
    "rules of two": (text("rules", ["wiener", "tiroler"]), "rules: it must be one text"),
    "rules as a number": (text("rules", 7), "rules: it must be one text"),
    "options no JSON": (text("options", "{"), "options: it must be a JSON object"),
    "options nested": (text("options", "[" * 100_000), "options: it must be a JSON object"),
    "options of digits": (text("options", '{"a": ' + "9" * 5000 + "}"), "options: "),
    "options a list": (text("options", "[1]"), "options: it must be a JSON object of true"),
    "option a list": (text("options", '{"bonus_scale": []}'), "options: it must be a JSON object of true"),
    "offsets empty": (whole("offsets", lambda values: values[:0]), "offsets: empty"),
    "offsets one number": (whole("offsets", lambda values: values[-1]), "offsets: it must be an array of 1 dimension"),
    "offsets as a column": (whole("offsets", lambda values: values[:, None]), "offsets: it must be an array of 1 dimension"),
    "offsets floats": (whole("offsets", lambda values: values.astype(float)), "offsets: float64 numbers, they must be int64"),
    "offsets begin late": (changed("offsets", 0, 5), "offsets: deal 1 begins at 5, it must be 0"),
    "offsets begin early": (changed("offsets", 0, -1000), "offsets: deal 1 begins at -1000, it must be 0"),
    "offsets end early": (changed("offsets", -1, 7), "offsets: arrays of different lengths: deal 6 ends at 7"),
    "offsets far away": (changed("offsets", 3, 10**9), "offsets: deal 3 begins at "),
    "offsets negative": (changed("offsets", 3, -(10**9)), "offsets: deal 3 begins at "),
    "offsets beyond whole": (changed("offsets", 3, 2**64 - 1, np.uint64), "offsets: deal 3 begins at "),
    "offsets decrease": (lambda arrays: {"offsets": arrays["offsets"][[0, 1, 3, 2, 4, 5, 6]]}, "offsets: deal 3 begins at "),
    "seat 9": (changed("seat", 3, 9), "seat: deal 1: action 4 has 9, it must be 0..3"),
    "seat -1": (changed("seat", -1, -1), "seat: deal 6: action "),
    "seats too few": (whole("seat", lambda values: values[1:]), "seat: arrays of different lengths"),
    "seats in a column": (whole("seat", lambda values: values[:, None]), "seat: it must be an array of 1 dimension"),
    "action 256": (changed("action", 2, 256, np.int16), "action: deal 1: action 3 has 256, it must be 0..255"),
    "action beyond 16 bits": (changed("action", 2, 65536, np.int64), "action: deal 1: action 3 has 65536, it must be 0..255"),
    "action -1": (changed("action", 2, -1, np.int16), "action: deal 1: action 3 has -1, it must be 0..255"),
    "actions floats": (whole("action", lambda values: values + 0.5), "action: float64 numbers, they must be uint8"),
    "actions not a number": (changed("action", 0, np.nan, float), "action: float64 numbers, they must be uint8"),
    "actions complex": (whole("action", lambda values: values.astype(complex)), "action: complex128 numbers"),
    "actions texts": (whole("action", lambda values: values.astype(str)), "action: <U3 numbers"),
    "forehand 4": (changed("forehand", 1, 4), "forehand: deal 2 has 4, it must be 0..3"),
    "forehands too few": (whole("forehand", lambda values: values[1:]), "forehand: arrays of different lengths: 5 entries"),
    "card 54": (changed("hands", (1, 2, 3), 54), "hands: deal 2 has 54, it must be 0..53"),
    "card -1": (changed("talon", (1, 2), -1, np.int8), "talon: deal 2 has -1, it must be 0..53"),
    "a card twice": (two_cards_alike, "hands, talon: deal 3: card "),
    "a hand without tarocks": (a_hand_without_tarocks, "hands: deal 3: a hand without tarocks is thrown in"),
    "hands short": (whole("hands", lambda values: values[:, :, :5]), "hands: 4 hands of 5 cards"),
    "hands of three": (whole("hands", lambda values: values[:, :3]), "hands: 3 hands of 12 cards"),
    "hands flat": (whole("hands", lambda values: values[:, 0, 0]), "hands: it must be an array of 3 dimensions"),
    "talon of five": (whole("talon", lambda values: values[:, :5]), "talon: 5 numbers a deal, it must be 6"),
    "totals too large": (changed("totals", (4, 0), 2**31 - 1), "totals: deal 5 has 2147483647, it must be -60000000..60000000"),
    "totals for three": (whole("totals", lambda values: values[:, :3]), "totals: 3 numbers a deal, it must be 4"),
    "rings too many": (changed("rings", (4, 0), 101), "rings: deal 5 has 101, it must be 0..100"),
    "rings without match": (changed("rings", (4, 0), 1), "match: deal 5: false, with totals or rings"),
    "match numbers": (whole("match", lambda values: values.astype(int)), "match: int64 numbers, they must be bool"),
    "forced numbers": (whole("forced", lambda values: values + np.int8(7)), "forced: int8 numbers, they must be bool"),
    "payoffs floats": (whole("payoffs", lambda values: values * np.inf), "payoffs: float64 numbers, they must be int32"),
    "payoffs for two": (whole("payoffs", lambda values: values[:, :2]), "payoffs: 2 numbers a deal, it must be 4"),
    "payoffs too large": (changed("payoffs", (0, 0), 2**40, np.int64), "payoffs: deal 1 has 1099511627776, it must be "),
}  # fmt: skip


def too_long(arrays):
    """An action after the end of deal 2."""
    end = arrays["offsets"][2]
    longer = {name: np.insert(arrays[name], end, 0) for name in ("seat", "action")}
    return longer | {"offsets": arrays["offsets"] + (np.arange(7) >= 2)}


def too_short(arrays):
    """Deal 6 without its last two actions, still said to be over."""
    return {name: arrays[name][:-2] for name in ("seat", "action")} | {"offsets": arrays["offsets"] - 2 * (np.arange(7) == 6)}


# What only playing shows.
PLAY = {
    "an action that is not legal": (changed("action", 1, 0), "deal 1: action 2 is not legal"),
    "no action at all": (changed("action", 1, 255), "deal 1: action 2 is not legal"),
    "another seat": (lambda arrays: {"seat": (arrays["seat"] + 1) % 4}, "deal 1: action 1 is not legal"),
    "too long": (too_long, "deal 2: action "),
    "too short": (too_short, "finished: deal 6: true, by its actions it is false"),
    "over, not said": (changed("finished", 3, False), "finished: deal 4: false, by its actions it is true"),
    "other payoffs": (whole("payoffs", lambda values: values + 6 * (np.arange(6) == 4)[:, None]), "payoffs: deal 5: ["),
    "another system": (text("rules", "wiener"), "deal 1: action 1 is not legal"),
    "three players": (text("rules", "slovenian3"), "hands: 4 hands of 12 cards, it must be 3 of 16"),
    "unknown rules": (text("rules", "nosuch"), "unknown rules 'nosuch'"),
    "unknown option": (text("options", '{"zzz": 1}'), "unknown option zzz"),
}


@pytest.fixture(scope="module")
def sound():
    """The arrays of six finished deals, none of a match."""
    arrays = deals_of(next(iter(_chunks(load_rules("slovenian4"), 60))), 0, 60)
    plain = [number for number in range(60) if not arrays["match"][number] and not arrays["forced"][number]][:6]
    return join_arrays([deals_of(arrays, number, number + 1) for number in plain])


def damaged(arrays, change):
    return {name: values for name, values in (arrays | change(arrays)).items() if values is not None}


def saved(file, arrays):
    with file.open("wb") as target:
        np.savez(target, **arrays)
    return file


@pytest.mark.parametrize("damage", [*DAMAGE, *PLAY])
def test_damaged_arrays_are_one_line_that_names_the_array(damage, sound, tarock, tmp_path):
    change, expected = (DAMAGE | PLAY)[damage]
    arrays = damaged(sound, change)
    for use in (lambda: list(arrays_to_records(arrays)), lambda: decision_rows(arrays), lambda: decision_rows(arrays, choices_only=False)):
        with pytest.raises(ValueError) as found:  # noqa: PT011 (the line is looked at)
            use()
        assert expected in str(found.value)
        assert "\n" not in str(found.value)
        assert isinstance(found.value, ArraysError | RecordError) or "unknown" in damage
    file = saved(tmp_path / "a.npz", arrays)
    if damage in DAMAGE:
        with pytest.raises(ArraysError) as refused:
            read_corpus(file)
        assert expected in str(refused.value)
        assert str(refused.value).startswith(f"{file}: ")
    code, out, error = tarock("arrays", file, "--out", tmp_path / "a.jsonl")
    assert (code, out) == (2, "")
    assert expected in " ".join(error.split())
    assert error.count("a.npz") == 1
    assert "Traceback" not in error
    assert not (tmp_path / "a.jsonl").exists()


def test_forced_deals_and_rings_belong_to_some_systems_only(tmp_path):
    arrays = next(iter(_chunks(load_rules("wiener"), 3)))
    for name, line in (("forced", "forced: deal 2: true; wiener has no"), ("rings", r"rings: deal 2 has 1, it must be 0\.\.0")):
        values = arrays[name].copy()
        values[1] = 1
        wrong = arrays | {name: values, "match": np.ones(3, np.bool_)}
        with pytest.raises(ArraysError, match=line):
            decision_rows(wrong)
        with pytest.raises(ArraysError, match=line):
            read_corpus(saved(tmp_path / "a.npz", wrong))


def test_deals_are_counted_from_the_first_of_the_corpus(sound):
    with pytest.raises(RecordError, match="deal 5: action 1 is not legal"):
        decision_rows(sound | changed("action", sound["offsets"][4], 255)(sound), 3, 6)
    assert len(decision_rows(sound, 4, 2)["action"]) == 0


def test_other_whole_types_are_the_same_corpus(sound, tmp_path):
    kinds = {"offsets": np.uint64, "action": np.int64, "seat": np.dtype(">i4"), "hands": np.int16, "totals": np.int64, "payoffs": np.int64}
    wider = sound | {name: sound[name].astype(kind) for name, kind in kinds.items()}
    wider["hands"] = np.asfortranarray(wider["hands"])
    for name, values in decision_rows(wider).items():
        np.testing.assert_array_equal(values, decision_rows(sound)[name], err_msg=name)
    again = read_corpus(saved(tmp_path / "a.npz", wider))
    assert {name: values.dtype for name, values in again.items()} == {name: values.dtype for name, values in sound.items()}
    assert list(arrays_to_records(again)) == list(arrays_to_records(wider)) == list(arrays_to_records(sound))


def test_rules_that_are_not_known_here_may_be_given(sound, tmp_path):
    other = read_corpus(saved(tmp_path / "a.npz", sound | {"rules": np.array("mine")}))
    rows = decision_rows(other, rules=load_rules("slovenian4"))
    np.testing.assert_array_equal(rows["observation"], decision_rows(sound)["observation"])


@pytest.mark.parametrize("seed", range(20))
def test_a_file_with_wrong_bytes_is_refused_or_read(seed, sound, tmp_path):
    """Whatever the bytes: never anything but one line, and records only of what is right."""
    content = bytearray(saved(tmp_path / "a.npz", sound).read_bytes())
    rng = np.random.default_rng(seed)
    for place in rng.integers(len(content), size=(1, 3, 20)[seed % 3]):
        content[place] = rng.integers(256)
    (tmp_path / "a.npz").write_bytes(content)
    line, records = "", []
    try:
        records = list(arrays_to_records(read_corpus(tmp_path / "a.npz")))
    except (ArraysError, RecordError) as error:
        line = str(error)
    assert "\n" not in line
    for record in records:
        verify(parse_record(record.to_json()))


def test_the_commands_make_one_of_the_other(tarock, tmp_path):
    code, out, _ = tarock("sample", "--rules", "tiroler", "--deals", 30, "--arrays", tmp_path / "a.npz")
    assert code == 0
    assert out.startswith(f"30 deals of tiroler in {tmp_path / 'a.npz'}\n")
    assert tarock("arrays", tmp_path / "a.npz", "--out", tmp_path / "a.jsonl", "--legal")[0] == 0
    assert tarock("replay", tmp_path / "a.jsonl", "--verify")[0] == 0
    assert tarock("sample", "--rules", "tiroler", "--deals", 30, "--legal", "--out", tmp_path / "b.jsonl")[0] == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    code, out, _ = tarock("arrays", tmp_path / "b.jsonl", "--out", tmp_path / "b.npz", "--observations", "--deals-per-file", 20)
    assert (code, out) == (0, f"30 deals in {tmp_path / 'b-0001.npz'} to b-0002.npz\n")


def test_a_corpus_is_whole_or_absent(tmp_path):
    file, records = sampled(tmp_path, "juegatu", deals=25, legal=False)
    lines = file.read_text().splitlines()
    lines[20] = lines[20].replace(records[20].actions[-1][1], "play:T99")
    file.write_text("\n".join(lines))
    with pytest.raises(RecordError, match=r"juegatu\.jsonl: line 21: action "):
        write_corpus(tmp_path / "a.npz", _of_ten(file), 10)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def _of_ten(file):
    """The file's arrays, ten records at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tarock_env.array_files.CHUNK", 10)
        yield from record_file_arrays(file)
