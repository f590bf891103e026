"""What a person can get wrong, at every command: one line that says what, exit code 2, and nothing half-written."""

import json
import socket
from pathlib import Path

import pytest

from tests.test_cli import write_bot
from training.curve import COLUMNS

TAKES_RULES = {
    "arena": ["arena", "random", "random", "--rules"],
    "gain": ["gain", "random", "random", "--rules"],
    "audit": ["audit", "random", "--rules"],
    "ladder": ["ladder", "--rules"],
    "sample": ["sample", "--rules"],
    "rules": ["rules"],
    "check-rules": ["check-rules"],
    "play": ["play", "--rules"],
    "exploit": ["exploit", "file:{tmp}/bot.safetensors", "--rules"],
}
TAKES_A_BOT = {
    "arena": ["arena", "random"],
    "gain": ["gain", "random"],
    "audit": ["audit"],
    "sample": ["sample", "--bots"],
    "play": ["play", "--bot"],
    "serve": ["serve", "--bot"],
    "exploit": ["exploit"],
}
READS = {
    "train": ["train", "{file}"],
    "train --resume": ["train", "--resume", "{file}"],
    "ablate": ["ablate", "{file}", "{tmp}/good.toml"],
    "bench": ["bench", "--config", "{file}"],
    "ladder": ["ladder", "--weights", "{file}"],
    "replay": ["replay", "{file}"],
    "arrays": ["arrays", "{file}", "--out", "{tmp}/new.npz"],
    "arrays back": ["arrays", "{file}.npz", "--out", "{tmp}/new.jsonl"],
    "export": ["export", "{file}", "--out", "{tmp}/new.safetensors"],
    "exploit --start": ["exploit", "rule", "--start", "{file}"],
    "exploit --resume": ["exploit", "--resume", "{file}"],
    "curve": ["curve", "{file}", "--out", "{tmp}/new.csv"],
    "pictures": ["pictures", "{file}", "--out", "{tmp}/pictures"],
    "rules": ["rules", "{file}.py"],
    "check-rules": ["check-rules", "{file}.py"],
    **{f"{name} file:": [*command, "file:{file}"] for name, command in TAKES_A_BOT.items()},
    **{f"{name} run:": [*command, "run:{file}"] for name, command in TAKES_A_BOT.items()},
}
WRITES = {
    "arena --json": ["arena", "random", "random", "--deals", "2", "--json", "{out}"],
    "audit --json": ["audit", "random", "--deals", "2", "--json", "{out}"],
    "check-rules --json": ["check-rules", "wiener", "--deals", "1", "--json", "{out}"],
    "bench --json": ["bench", "--json", "{out}"],
    "bench --scaling": ["bench", "--scaling", "{out}.png"],
    "exploit --json": ["exploit", "file:{tmp}/bot.safetensors", "--json", "{out}"],
    "ablate --json": ["ablate", "{tmp}/good.toml", "{tmp}/good2.toml", "--json", "{out}"],
    "sample --out": ["sample", "--deals", "2", "--out", "{out}"],
    "sample --arrays": ["sample", "--deals", "2", "--arrays", "{out}.npz"],
    "arrays": ["arrays", "{tmp}/good.jsonl", "--out", "{out}.npz"],
    "replay --svg": ["replay", "{tmp}/good.jsonl", "--svg", "{out}"],
    "export --out": ["export", "{tmp}/bot.safetensors", "--out", "{out}.safetensors"],
    "export --onnx": ["export", "{tmp}/bot.safetensors", "--onnx", "{out}.onnx"],
    "play --save": ["play", "--save", "{out}"],
    "ladder --out": ["ladder", "--out", "{out}"],
    "gain --out": ["gain", "random", "random", "--out", "{out}.png"],
    "gain --json": ["gain", "random", "random", "--deals", "2", "--json", "{out}"],
    "curve --out": ["curve", "{tmp}/good.csv", "--out", "{out}.csv"],
}
NUMBERS = {
    "--deals": [
        "arena random random",
        "gain random random",
        "audit random",
        "sample",
        "check-rules",
        "play",
        "exploit rule",
        "ablate a b",
        "ladder",
    ],
    "--seed": ["arena random random", "gain random random", "audit random", "sample", "check-rules", "play", "exploit rule", "ladder"],
    "--match": ["arena random random"],
    "--deals-per-file": ["sample --arrays a.npz", "arrays a.jsonl --out a.npz"],
    "--deal": ["replay a.jsonl"],
    "--view": ["replay a.jsonl"],
    "--seat": ["play"],
    "--level": ["play"],
    "--port": ["serve"],
    "--iteration": ["export a --out b.safetensors"],
    "--seeds": ["ablate a b"],
    "--threads": ["exploit rule"],
}
COMMANDS = (
    "train", "arena", "gain", "audit", "ladder", "sample", "arrays", "replay", "rules", "check-rules", "export", "bench", "exploit",
    "ablate", "curve", "pictures", "play", "serve", "doctor",
)  # fmt: skip
NO_RECORDS = {
    "cut off": '{"format": "tarock-deal/1", "rules"',
    "text": "no record at all\n",
    "bytes": "\udcff\udcfe\x00",
    "other format": '{"format": "tarock-deal/9"}\n',
    "empty": "",
}


@pytest.fixture
def wrong(tarock, tmp_path, monkeypatch):
    """Run a command that is wrong, in a folder of some right files; the line it ends with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("training.console.LINE_SECONDS", float("inf"))  # no progress of a slow machine among the lines
    (tmp_path / "good.toml").write_text("[run]\niterations = 1\n")
    (tmp_path / "good2.toml").write_text("[run]\niterations = 1\n")
    (tmp_path / "good.csv").write_text(",".join(COLUMNS) + "\n")
    (tmp_path / "a file").write_text("a file")
    write_bot(tmp_path / "bot.safetensors")
    assert tarock("sample", "--deals", 2, "--out", tmp_path / "good.jsonl")[0] == 0

    def run(arguments, **places):
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        code, out, err = tarock(*(str(argument).format(tmp=tmp_path, **places) for argument in arguments))
        assert (code, out) == (2, ""), err
        assert err.count("\n") == 1
        assert "Errno" not in err
        assert "Traceback" not in err
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        return err

    return run


@pytest.mark.parametrize("command", TAKES_RULES)
def test_a_rule_system_that_is_not_there(wrong, command):
    assert "did you mean wiener?" in wrong([*TAKES_RULES[command], "wine"])


@pytest.mark.parametrize("command", TAKES_A_BOT)
def test_bots_that_are_not_there(wrong, command):
    assert "did you mean random?" in wrong([*TAKES_A_BOT[command], "randon"])
    assert "level" in wrong([*TAKES_A_BOT[command], "level:9"])


def test_a_level_that_is_not_there(wrong):
    assert "there are levels 1 to 6" in wrong(["play", "--level", "9"])


@pytest.mark.parametrize("command", READS)
def test_a_file_that_is_not_there(wrong, command):
    line = wrong(READS[command], file="none")
    assert "none" in line
    assert "no such " in line


@pytest.mark.parametrize(
    "command", [name for name in READS if name not in ("train --resume", "exploit --resume", "curve", "pictures", "export")]
)
def test_a_folder_is_no_file(wrong, tmp_path, command):
    for suffix in ("", ".npz", ".py"):
        (tmp_path / f"folder{suffix}").mkdir()
    assert "folder" in wrong(READS[command], file="folder")


@pytest.mark.parametrize("text", NO_RECORDS)
@pytest.mark.parametrize("command", ["replay", "arrays"])
def test_what_is_no_record(wrong, tmp_path, command, text):
    (tmp_path / "bad.jsonl").write_bytes(NO_RECORDS[text].encode("utf-8", "surrogateescape"))
    assert "bad.jsonl: " in wrong(READS[command], file="bad.jsonl")


@pytest.mark.parametrize("command", ["replay", "arrays"])
def test_a_record_that_breaks_the_rules(wrong, tmp_path, command):
    first, second = (json.loads(line) for line in (tmp_path / "good.jsonl").read_text().splitlines())
    second["actions"][0] = second["actions"][0][:2] + "play:T1"
    (tmp_path / "bad.jsonl").write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n")
    arguments = [*READS[command], "--verify"] if command == "replay" else READS[command]
    assert "bad.jsonl: line 2: action 1 (" in wrong(arguments, file="bad.jsonl")


@pytest.mark.parametrize("command", WRITES)
def test_a_folder_that_is_not_there(wrong, command):
    assert "there is no such folder; make it first" in wrong(WRITES[command], out="/nowhere/new")


@pytest.mark.parametrize("command", WRITES)
def test_a_file_is_no_folder(wrong, command):
    assert "a file/new" in wrong(WRITES[command], out="a file/new")


@pytest.mark.parametrize("command", WRITES)
def test_a_folder_that_takes_no_files(wrong, command):
    assert "/proc" in wrong(WRITES[command], out="/proc/new")  # (not even root may)


@pytest.mark.parametrize(
    "command",
    [
        name
        for name, words in WRITES.items()
        if words[-1] == "{out}" and name.split()[0] not in ("play", "bench", "ladder", "exploit", "ablate")
    ],
)
def test_a_full_disk(wrong, command):
    assert "No space left on device" in wrong(WRITES[command], out="/dev/full")


@pytest.mark.parametrize(("option", "command"), [(option, command) for option, commands in NUMBERS.items() for command in commands])
def test_a_number_that_is_none(wrong, option, command):
    for value in ("many", "1.0", "-3", "1_000", "", "99999999999999999999"):
        line = wrong([*command.split(), option, value])
        assert option in line
        assert "is no whole number" in line


def test_a_seat_that_is_not_there(wrong):
    assert wrong(["play", "--seat", "4"]) == "--seat 4: seats of juegatu are 0 to 3\n"
    assert "view is 4, seats are 0..3" in wrong(["replay", "{tmp}/good.jsonl", "--view", "4"])


def test_a_port_in_use(wrong):
    pytest.importorskip("fastapi", reason="the service needs pip install 'tarock[serve]'")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert wrong(["serve", "--port", port]) == f"--port {port}: in use; another service listens there, choose another port\n"


def test_a_host_that_is_not_there(wrong):
    pytest.importorskip("fastapi", reason="the service needs pip install 'tarock[serve]'")
    assert wrong(["serve", "--host", "256.0.0.1"]).startswith("--host 256.0.0.1: ")
    assert wrong(["serve", "--host", "203.0.113.7"]).startswith("--host 203.0.113.7: ")  # nobody's: it is kept for examples


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_is_not_there(wrong, command):
    assert "--wish" in wrong([command, "--wish"])


def test_every_command_is_looked_at(tarock):
    listed = tarock("--help")[1]
    seen = {name.split()[0] for table in (TAKES_RULES, TAKES_A_BOT, READS, WRITES) for name in table} | {"doctor"}
    for name in [line.split()[1] for line in listed.splitlines() if line.startswith("│ ") and line[2].isalpha()]:
        assert name in seen, name
        assert name in COMMANDS, name


def test_the_save_of_a_play_is_whole_or_absent(wrong, tmp_path):
    assert "exists already; name a new file" in wrong(["play", "--save", str(tmp_path / "good.jsonl")])
    assert not list(Path(tmp_path).glob(".tarock-*"))
