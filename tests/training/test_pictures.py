"""Pictures of a run: in TensorBoard at every evaluation, and drawn from its event files afterwards."""

import numpy as np
import pytest

from tests.training.conftest import small_config
from training import report
from training.calibration import Expectations, calibrate
from training.console import UserError
from training.events import read_events, series_of
from training.pictures import PICTURES, contract_shares, overview_figure, systems_of
from training.report import Reporter, read_curve
from training.run import train

SYSTEMS = ("juegatu", "czech19")
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def run(tmp_path_factory, _ray):
    folder = tmp_path_factory.mktemp("runs") / "two"
    train(small_config(run={"iterations": 2}, rules={"systems": list(SYSTEMS)}, evaluation={"every": 1}), folder)
    return folder


@pytest.fixture(scope="module")
def events(run):
    return read_events(run)


def test_every_system_has_its_pictures(events):
    names = {name.format(system=system) for name in PICTURES for system in SYSTEMS}
    assert set(events[1]) == names
    assert all(image.startswith(PNG) for image in events[1].values())


def test_event_files_say_what_the_curve_says(run, events):
    curve = series_of(read_curve(run))
    assert set(events[0]) == set(curve)
    iterations, values = events[0]["value/error"]
    assert list(iterations) == [1, 2]
    assert values == pytest.approx(curve["value/error"][1], rel=1e-4)
    assert systems_of(curve) == list(SYSTEMS)


def test_shares_of_contracts_fill_the_chart(events):
    for system in SYSTEMS:
        x, shares = contract_shares(events[0], system)
        assert len(x) == 2
        assert np.sum(list(shares.values()), axis=0) == pytest.approx(1)


def test_the_rest_of_the_contracts_is_one_band():
    entries = [{"iteration": 1, "progress/decisions": 1e6, **{f"contract_share/{number}": 0.1 for number in range(10)}}]
    _, shares = contract_shares(series_of(entries), "juegatu")
    assert list(shares)[-1] == "other"
    assert shares["other"] == pytest.approx([0.3])


def test_calibration_orders_decisions_by_what_was_expected():
    rng = np.random.default_rng(1)
    expected = rng.normal(0, 10, 4000).astype(np.float32)
    paid = expected + rng.normal(0, 5, 4000).astype(np.float32)
    system = (np.arange(4000) % 2).astype(np.uint8)
    found = calibrate(Expectations(system, expected, paid), 1, groups=8)
    assert found.rows == 2000
    assert (np.diff(found.expected) > 0).all()
    assert found.paid == pytest.approx(found.expected, abs=1.5)
    assert (found.low < found.paid).all()
    assert (found.high > found.paid).all()
    assert calibrate(Expectations(system, expected, paid), 2).rows == 0


def test_the_command_writes_pictures(tarock, run, tmp_path):
    code, out, _ = tarock("pictures", run, "--out", tmp_path / "new", "--rules", "czech19")
    assert code == 0
    assert "3 pictures of two" in out
    files = {path.name: path.read_bytes()[:4] for path in (tmp_path / "new").iterdir()}
    assert files == {f"two_{name}.png": PNG for name in ("overview", "bidding", "calibration_czech19")}


def test_a_run_that_was_never_evaluated_can_be_looked_at():
    entries = [{"iteration": 1, "progress/decisions": 5.0, "entropy/play": 0.5}]
    assert len(overview_figure(series_of(entries), "x").axes) == 6


def test_without_event_files_it_is_one_line(tmp_path):
    with pytest.raises(UserError, match="no event files of TensorBoard"):
        read_events(tmp_path)


def test_without_matplotlib_a_run_has_no_pictures_and_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(report, "can_draw", lambda: False)
    with Reporter(tmp_path, 0) as reporter:
        reporter.write(1, {"progress/decisions": 5.0})
        reporter.pictures(1, SYSTEMS, None)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "no pictures" in error
    assert "tarock[plot]" in error
    assert not read_events(tmp_path)[1]
