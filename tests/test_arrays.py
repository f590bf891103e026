"""Deals as arrays: there and back exactly, what the seats saw row by row, files, and what is refused."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from tarock_env.array_files import ArraysError, read_corpus, record_file_arrays, write_corpus
from tarock_env.arrays import arrays_to_records, decision_rows, deals_of, join_arrays, num_deals, records_to_arrays, rules_of
from tarock_env.batch import DealBatch
from tarock_env.record import RecordError, read_records
from tarock_env.replay import start, view_of
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
