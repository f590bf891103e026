"""`tarock doctor`: every finding says what to do."""

import sys

import pytest

from training import cli
from training.doctor import Finding, bf16, findings, package, python_version, ray_start, read_constraints, threads, writable


def test_findings_name_the_fix():
    assert python_version((3, 11)).state == "ok"
    assert "python3.11 -m venv" in python_version((3, 9)).text
    assert package("no-such-package", {}, None).state == "bad"
    assert "tarock[serve]" in package("no-such-package", {}, "serve").text
    assert package("numpy", {"numpy": "0.1"}, None).state == "note"
    assert [finding.state for finding in threads(2, {"OMP_NUM_THREADS": "8", "MKL_NUM_THREADS": "many"})] == ["ok", "note", "bad"]
    assert bf16({"avx512_bf16"}).state == "ok"
    assert bf16({"sse"}).state == bf16(None).state == "note"


def test_constraints_are_read(tmp_path):
    (tmp_path / "constraints.txt").write_text("# a==b\nnumpy==2.4.6\n")
    assert read_constraints(tmp_path / "constraints.txt") == {"numpy": "2.4.6"}
    assert read_constraints(tmp_path / "none") == {}


def test_the_cache_folder(tmp_path):
    assert writable(tmp_path / "new" / "folder").state == "ok"
    (tmp_path / "file").write_text("")
    finding = writable(tmp_path / "file")
    assert finding.state == "bad"
    assert "TAROCK_CACHE_DIR" in finding.text


def test_ray_that_does_not_start():
    assert ray_start([sys.executable, "-c", "pass"]).state == "ok"
    finding = ray_start([sys.executable, "-c", "raise SystemExit('no room')"])
    assert finding.state == "bad"
    assert "no room" in finding.text
    assert "within" in ray_start([sys.executable, "-c", "import time; time.sleep(9)"], limit=0.2).text


def test_this_installation_is_sound():
    assert all(finding.state != "bad" for finding in findings(ray=False))


@pytest.mark.full
def test_ray_starts_here():
    assert all(finding.state != "bad" for finding in findings(ray=True))


def test_the_command(monkeypatch, capsys):
    monkeypatch.setattr("training.doctor.findings", lambda ray: iter([Finding("ok", "fine"), Finding("bad", "broken: mend it")]))
    monkeypatch.setattr(sys, "argv", ["tarock", "doctor", "--no-ray"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == "ok    fine\nBAD   broken: mend it\n"
    assert captured.err.count("\n") == 1
