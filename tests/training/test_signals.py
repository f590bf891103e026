"""Runs that are stopped from outside: nothing is lost but what was not yet in a checkpoint, and nothing of Ray is left behind."""

import os
import signal
import subprocess
import time

import pytest

from agents.policy_bot import run_snapshots
from tests.training.conftest import SMALL, curve, small_config
from tests.training.processes import alive, all_end, descendants, start_training
from training.checkpoint import damage_of, list_checkpoints
from training.ray_setup import own_sessions
from training.run import train

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")  # noqa: PTH110


LONG = SMALL | {"run": SMALL["run"] | {"iterations": 1000}}


def stopped_run(folder, stop):
    """Train in another process until its second checkpoint, then stop(process); (what it said, processes it had started)."""
    with folder.with_suffix(".stderr").open("w+") as said:
        process = start_training(LONG, folder, said)
        try:
            while len(list_checkpoints(folder)) < 2:
                assert process.poll() is None, folder.with_suffix(".stderr").read_text()
                time.sleep(0.05)
            children = descendants(process.pid)
            assert len(alive(children)) >= 2  # Ray's store and its scheduler at least
            stop(process)
            process.wait(timeout=240)
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        return said.read(), children


def test_a_killed_run_goes_on(tmp_path):
    """Killed with SIGKILL in another process, resumed in this one: counters, pool and learning curve have no gap."""
    folder = tmp_path / "killed"
    _, children = stopped_run(folder, lambda process: process.kill())
    assert all_end(children)
    reached = int(list_checkpoints(folder)[-1].name.rpartition("_")[2])
    summary = train(small_config(run={"iterations": reached + 2}), folder, resume=True)
    assert summary["iterations"] == reached + 2
    assert [entry["iteration"] for entry in curve(folder)] == list(range(1, reached + 3))
    counters = [(entry["progress/decisions"], entry["pool/snapshots"]) for entry in curve(folder)]
    assert counters == sorted(counters)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_whole_group_ends_a_run_with_its_checkpoint(tmp_path, number):
    """As a batch system's end or a terminal's Ctrl-C: Ray must live until the last checkpoint is written, and no longer."""
    folder = tmp_path / "stopped"
    said, children = stopped_run(folder, lambda process: os.killpg(process.pid, number))
    assert "stopping after this iteration" in said
    assert "Traceback" not in said
    assert all_end(children)
    reached = [entry["iteration"] for entry in curve(folder)]
    assert list_checkpoints(folder)[-1].name == f"iteration_{reached[-1]:06d}"
    assert damage_of(list_checkpoints(folder)[-1]) is None
    assert reached[-1] in run_snapshots(folder)
    if number == signal.SIGTERM:
        assert train(small_config(run={"iterations": reached[-1] + 1}), folder, resume=True)["iterations"] == reached[-1] + 1
    assert [entry["iteration"] for entry in curve(folder)][: len(reached)] == reached == list(range(1, reached[-1] + 1))


def test_daemons_of_a_start_that_failed_do_not_go_on():
    from ray._private import services

    started = []

    def start_and_fail():
        with own_sessions():
            started.append(services.ConsolePopen(["sleep", "60"], stdin=subprocess.DEVNULL))
            assert os.getsid(started[0].pid) == started[0].pid
            raise RuntimeError

    before = services.ConsolePopen
    with pytest.raises(RuntimeError):
        start_and_fail()
    assert started[0].poll() is not None
    assert services.ConsolePopen is before
