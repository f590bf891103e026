"""Rows of decisions stored beside the deals: read back as written, and refused in one line where they do not belong to their deals."""

import numpy as np
import pytest

from tarock_env.array_check import ArraysError
from tarock_env.array_files import read_corpus
from tarock_env.arrays import decision_rows, num_deals
from tarock_env.observation import OBSERVATION_SIZE, SCHEMA_VERSION
from tarock_env.rules import load_rules
from tarock_env.sample import write_sample_arrays


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A file of twelve deals with their rows, as it stands on the disk."""
    folder = tmp_path_factory.mktemp("rows")
    _, files = write_sample_arrays(folder / "a.npz", load_rules("wiener"), 12, 3, observations=True)
    with np.load(files[0]) as file:
        return {name: file[name] for name in file.files}


def saved(folder, arrays):
    file = folder / "b.npz"
    with file.open("wb") as target:
        np.savez(target, **{name: values for name, values in arrays.items() if values is not None})
    return file


def whole(name, change):
    return lambda arrays: {name: change(arrays[name])}


def at(name, place, change):
    """The arrays with one number changed."""

    def changed(values):
        values = values.copy()
        values[place] = change(values[place])
        return values

    return whole(name, changed)


def every_row(change):
    return lambda arrays: {name: change(values) for name, values in arrays.items() if name.startswith("row_") and values.ndim}


DAMAGE = {
    "an array is gone": (lambda _: {"row_mask": None}, "it lacks row_mask"),
    "no version": (lambda _: {"row_schema_version": None}, "it lacks row_schema_version"),
    "another layout": (whole("row_schema_version", lambda version: version + 1), f"layout {SCHEMA_VERSION + 1}, this version"),
    "no number of a layout": (whole("row_schema_version", lambda _: np.array("two")), "row_schema_version: it must be one whole number"),
    "narrow": (whole("row_observation", lambda values: values[:, 1:]), f"shape ({{rows}}, {OBSERVATION_SIZE - 1}), it must be"),
    "observations as floats": (whole("row_observation", lambda values: values.astype(np.float32)), "row_observation: float32 of shape"),
    "masks as numbers": (whole("row_mask", lambda values: values.astype(np.uint8)), "row_mask: uint8 of shape"),
    "payoffs as whole numbers": (whole("row_payoff", lambda values: values.astype(int)), "row_payoff: int64 of shape"),
    "one action more": (whole("row_action", lambda values: np.append(values, 0)), "row_action: int64 of shape"),
    "one number for all": (whole("row_deal", lambda values: values[0]), "row_deal: int64 of shape ()"),
    "the last row is gone": (every_row(lambda values: values[:-1]), "rows: deal 12 has "),
    "no rows at all": (every_row(lambda values: values[:0]), "rows: deal 1 has 0, by its actions there are "),
    "a row twice": (every_row(lambda values: np.insert(values, 0, values[0], axis=0)), "rows: deal 1 has "),
    "a deal too many": (at("row_deal", -1, lambda _: 12), "row_deal: the rows must be of deals 0 to 11"),
    "deals in disorder": (at("row_deal", 0, lambda _: 5), "row_deal: the rows must be of deals 0 to 11"),
    "another action": (at("row_action", 4, lambda action: action + 1), "row_action: row 5, of deal 1, is not what its actions give"),
    "another seat": (at("row_seat", 4, lambda seat: seat ^ 1), "row_seat: row 5, of deal 1"),
    "another payoff": (at("row_payoff", 4, lambda payoff: payoff + 1), "row_payoff: row 5, of deal 1"),
    "a payoff that is none": (at("row_payoff", 4, lambda _: np.nan), "row_payoff: row 5, of deal 1"),
    "another mask": (at("row_mask", (4, 255), lambda legal: not legal), "row_mask: row 5, of deal 1"),
    "another observation": (at("row_observation", (-1, 0), lambda value: value ^ 1), "of deal 12, is not what its actions give"),
    "rows of other deals": (every_row(lambda values: np.concatenate([values[1:], values[:1]])), "row_deal: "),
    "a deal that went otherwise": (at("payoffs", 2, lambda values: values + 6), "payoffs: deal 3: "),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_rows_that_do_not_belong_to_their_deals_are_refused_in_one_line(damage, stored, tarock, tmp_path):
    change, expected = DAMAGE[damage]
    file = saved(tmp_path, stored | change(stored))
    with pytest.raises(ArraysError) as refused:
        read_corpus(file)
    line = str(refused.value)
    assert line.startswith(f"{file}: ")
    assert "\n" not in line
    assert expected.replace("{rows}", str(len(stored["row_deal"]))) in line
    assert "read_corpus(path, rows=False)" in line
    code, out, error = tarock("arrays", file, "--out", tmp_path / "a.jsonl")
    assert (code, out) == (2, "")
    assert "Traceback" not in error
    assert not (tmp_path / "a.jsonl").exists()
    deals = read_corpus(file, rows=False)  # its deals are there still
    assert num_deals(deals) == 12
    assert not any(name.startswith("row_") for name in deals)


def test_sound_rows_are_read_as_they_were_written(stored, tmp_path):
    arrays = read_corpus(saved(tmp_path, stored))
    for name, values in decision_rows(arrays).items():
        np.testing.assert_array_equal(arrays[f"row_{name}"], values, err_msg=name)


def test_rows_of_rules_that_are_not_known_are_checked_as_far_as_that_goes(stored, tmp_path):
    unknown = stored | {"rules": np.array("mine")}
    assert len(read_corpus(saved(tmp_path, unknown))["row_deal"]) == len(stored["row_deal"])
    with pytest.raises(ArraysError, match="row_seat: int8 of shape"):
        read_corpus(saved(tmp_path, unknown | {"row_seat": stored["row_seat"][1:]}))
