import errno
import io
from contextlib import contextmanager

import numpy as np
import pytest

from tests.training.conftest import small_config
from training.ablate import Variant, check_variants, compared, result_lines, run_ablation
from training.algorithm import tarock_config
from training.console import UserError

pytestmark = pytest.mark.usefixtures("_ray")


@contextmanager
def quiet(title):
    yield lambda done, total: None


def test_variants_are_trained_with_every_seed_and_compared_with_the_first(tmp_path):
    variants = [
        Variant("baseline", small_config(run={"iterations": 1})),
        Variant("own_view_critic", small_config(run={"iterations": 1}, network={"privileged_critic": False})),
    ]
    result = run_ablation(variants, 2, 8, tmp_path, quiet)
    assert [(row["variant"], row["seed"]) for row in result["runs"]] == [
        ("baseline", 1), ("baseline", 2), ("own_view_critic", 1), ("own_view_critic", 2),
    ]  # fmt: skip
    means = {row["variant"]: row["points"] for row in result["variants"]}
    (difference,) = result["differences"]
    assert difference["points"] == pytest.approx(means["own_view_critic"] - means["baseline"])
    assert len(result_lines(result)) == 4 + 2 + 1
    before = sorted(path.stat().st_mtime_ns for path in tmp_path.rglob("*.jsonl"))
    assert run_ablation(variants, 2, 8, tmp_path, quiet) == result
    assert sorted(path.stat().st_mtime_ns for path in tmp_path.rglob("*.jsonl")) == before
    kept = tmp_path / "baseline-seed1" / "points-8.npy"
    whole = kept.read_bytes()
    another = io.BytesIO()
    np.save(another, np.zeros(3))
    for damaged in (b"", whole[:20], whole[:-9], b"nothing of numpy's", another.getvalue()):  # all are measured again
        kept.write_bytes(damaged)
        assert run_ablation(variants, 1, 8, tmp_path, quiet)["runs"][0] == result["runs"][0]
        assert kept.read_bytes() == whole
    with pytest.raises(UserError, match="baseline-seed1: holds a run with another config"):
        run_ablation([Variant("baseline", small_config(run={"iterations": 2})), variants[1]], 1, 8, tmp_path, quiet)


def test_points_that_cannot_be_written_whole_are_not_there(tmp_path, monkeypatch):
    def full(file, points):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("training.ablate.np.save", full)
    with pytest.raises(OSError, match="No space left"):
        run_ablation([Variant("a", small_config(run={"iterations": 1}))], 1, 8, tmp_path, quiet)
    assert not (tmp_path / "a-seed1" / "points-8.npy").exists()


def test_differences_are_paired_by_deal():
    luck = np.random.default_rng(1).normal(0, 50, 2000)
    result = compared({"a": [luck, luck + 1], "b": [luck + 2, luck + 3]}, 2000)
    (difference,) = result["differences"]
    assert difference["points"] == pytest.approx(2)
    assert difference["high"] - difference["low"] < 1e-9
    assert difference["by_seed"] == pytest.approx([2, 2])
    assert result["variants"][0]["sd_between_trainings"] == pytest.approx(2**-0.5)


def test_variants_that_cannot_be_compared_are_refused():
    one = small_config()
    with pytest.raises(UserError, match="the same file name"):
        check_variants([Variant("a", one), Variant("a", one)])
    with pytest.raises(UserError, match="one rule system, the same one"):
        check_variants([Variant("a", one), Variant("b", small_config(rules={"systems": ["wiener"]}))])


def test_a_critic_without_the_hidden_cards_has_no_weights_for_them(tmp_path):
    shapes = {}
    for privileged in (True, False):
        config = tarock_config(small_config(network={"privileged_critic": privileged}), tmp_path)
        module = config.get_rl_module_spec().build()
        shapes[privileged] = {name: tuple(value.shape) for name, value in module.critic.state_dict().items()}
        assert (module.cast_critic().extra is None) == (not privileged)
    assert set(shapes[True]) - set(shapes[False]) == {"extra.weight"}
