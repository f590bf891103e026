import json
import os
import signal

import numpy as np
import pytest

from agents.policy_bot import run_snapshots
from agents.weights import critic_path, read_manifest, read_weights
from tests.training.conftest import curve, small_config
from training.checkpoint import find_checkpoint, list_checkpoints
from training.console import UserError
from training.metrics import meaning
from training.report import read_curve
from training.run import train
from training.run_folder import refuse_finished, run_folder

pytestmark = pytest.mark.usefixtures("_ray")


@pytest.fixture(scope="module")
def finished(tmp_path_factory, _ray):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    return folder, train(small_config(run={"iterations": 4}), folder)


def test_a_run_leaves_what_it_promises(finished):
    folder, summary = finished
    assert summary["iterations"] == 4
    assert not summary["interrupted"]
    assert json.loads((folder / "config.json").read_text())["run"]["iterations"] == 4
    assert {"commit", "packages", "rules", "seed"} <= set(json.loads((folder / "run.json").read_text()))
    assert [entry["iteration"] for entry in curve(folder)] == [1, 2, 3, 4]
    assert list((folder / "tensorboard").glob("events*"))
    assert sorted(run_snapshots(folder)) == [0, 1, 2, 3, 4]
    assert len(list_checkpoints(folder)) == 3


def test_every_scalar_has_a_meaning(finished):
    for entry in read_curve(finished[0]):
        assert all(meaning(name) for name in entry if name != "iteration")


def test_a_run_repeats_bit_for_bit(finished, tmp_path):
    train(small_config(run={"iterations": 4}), tmp_path / "again")
    assert curve(tmp_path / "again") == curve(finished[0])
    assert hash_of(tmp_path / "again", 4) == hash_of(finished[0], 4)


def hash_of(folder, iteration):
    return read_manifest(run_snapshots(folder)[iteration]).sha256


def test_resuming_a_shorter_run_equals_the_longer_one(finished, tmp_path, monkeypatch):
    """Stopped cleanly after two of four iterations by SIGTERM, then resumed: the very same weights."""
    from training.algorithm import TarockPPO

    folder = tmp_path / "stopped"
    step = TarockPPO.training_step

    def interrupted(self):
        step(self)
        if self.iteration == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(TarockPPO, "training_step", interrupted)
    summary = train(small_config(run={"iterations": 4}), folder)
    assert (summary["interrupted"], summary["iterations"]) == (True, 2)
    monkeypatch.undo()
    summary = train(small_config(run={"iterations": 4}), folder, resume=True)
    assert (summary["interrupted"], summary["iterations"]) == (False, 4)
    assert curve(folder) == curve(finished[0])
    assert hash_of(folder, 4) == hash_of(finished[0], 4)


def test_a_folder_in_use_is_not_overwritten(finished):
    with pytest.raises(UserError, match="not empty; go on with that run with --resume"):
        train(small_config(), finished[0])


def test_a_finished_run_is_not_resumed(finished):
    before = sorted(finished[0].rglob("*"))
    with pytest.raises(UserError, match=r"this run is finished: 4 iterations, [0-9,]+ decisions; .* as in --set run.iterations=8"):
        refuse_finished(small_config(run={"iterations": 4}), finished[0])
    refuse_finished(small_config(run={"iterations": 5}), finished[0])
    assert sorted(finished[0].rglob("*")) == before


def test_one_run_at_a_time_in_a_folder(finished, tmp_path):
    for folder, new in ((finished[0], False), (tmp_path / "new", True)):
        with run_folder(folder, new), pytest.raises(UserError, match=r"another tarock train \(process \d+\) is running in this folder"):
            train(small_config(), folder, resume=not new)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    with pytest.raises(UserError, match="not empty"):
        train(small_config(), tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter"]


def test_damaged_checkpoints_are_named_in_one_line(tmp_path):
    folder = tmp_path / "run"
    train(small_config(run={"iterations": 2}), folder)
    newest = list_checkpoints(folder)[-1]
    state = newest / "rllib" / "algorithm_state.pkl"
    state.write_bytes(state.read_bytes()[:-7])
    with pytest.raises(UserError, match=r"algorithm_state.pkl has \d+ bytes instead of \d+; --fall-back goes on from iteration_000001"):
        find_checkpoint(folder)
    assert find_checkpoint(folder, fall_back=True).name == "iteration_000001"
    summary = train(small_config(run={"iterations": 3}), folder, resume=True, fall_back=True)
    assert summary["iterations"] == 3
    for checkpoint in list_checkpoints(folder):
        (checkpoint / "contents.json").write_text("{")
    with pytest.raises(UserError, match="every checkpoint is damaged"):
        find_checkpoint(folder, fall_back=True)
    with pytest.raises(UserError, match="no checkpoint to go on from"):
        find_checkpoint(tmp_path / "nothing")


def test_a_warm_start_begins_with_the_exported_weights(finished, tmp_path):
    bot = finished[1]["bot"]
    tiny = {"learning_rate": 1e-12, "final_learning_rate": 1e-12}
    train(small_config(run={"iterations": 1}, checkpoint={"warm_start": bot}, ppo=tiny), tmp_path / "warm")
    for kind, path in (("actor", run_snapshots(tmp_path / "warm")[1]), ("critic", critic_path(run_snapshots(tmp_path / "warm")[1]))):
        _, before = read_weights(bot if kind == "actor" else critic_path(run_snapshots(finished[0])[4]), kind)
        _, after = read_weights(path, kind)
        for name, value in before.items():
            np.testing.assert_allclose(value, after[name], atol=1e-6)


def test_a_warm_start_of_another_size_is_one_line(finished, tmp_path):
    config = small_config(network={"width": 64}, checkpoint={"warm_start": finished[1]["bot"]})
    with pytest.raises(ValueError, match=r"warm start: the file has actor.norm.0.bias of shape \(32,\), the config implies shape"):
        train(config, tmp_path / "warm")


def test_a_warm_start_whose_critic_reaches_elsewhere_is_one_line(finished, tmp_path):
    """The same tensors with other value bins would be other values, and no shape tells."""
    config = small_config(network={"value_limit": 300.0}, checkpoint={"warm_start": finished[1]["bot"]})
    with pytest.raises(ValueError, match=r"its values reach to 20000 points, the config says network.value_limit = 300"):
        train(config, tmp_path / "warm")
