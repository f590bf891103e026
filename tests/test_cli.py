"""The command line: what it writes and prints, and that every mistake is one line and exit code 2."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from agents.policy_bot import BOTS_FOLDER, load_run
from agents.weights import Manifest, actor_shapes, critic_shapes, read_manifest, write_weights
from tarock_env.actions import NUM_ACTIONS
from tarock_env.observation import HIDDEN_SIZE, OBSERVATION_SIZE, SCHEMA_VERSION
from tarock_env.rules import SYSTEMS, load_rules
from tarock_env.rules.describe import bonus_rows, contract_rows, option_rows
from training.console import UserError, mistakes, progress, seconds
from training.train_commands import print_summary

ROOT = Path(__file__).parents[1]


def write_bot(path, name="tiny", seed=0, schema_version=SCHEMA_VERSION):
    rng = np.random.default_rng(seed)
    shapes = actor_shapes(OBSERVATION_SIZE, (8,), NUM_ACTIONS, q=False)
    tensors = {key: rng.normal(0, 0.1, shape).astype(np.float32) for key, shape in shapes.items()}
    write_weights(path, tensors, Manifest(name, schema_version, OBSERVATION_SIZE, NUM_ACTIONS, (8,), {"juegatu": "1"}, decisions=1234))
    return path


@pytest.fixture
def run_folder(tmp_path):
    for iteration in (0, 20, 40):
        write_bot(tmp_path / "run" / BOTS_FOLDER / f"actor_{iteration:06d}.safetensors", name=f"tiny@{iteration}", seed=iteration)
    write_weights(
        tmp_path / "run" / BOTS_FOLDER / "actor_000040.critic.safetensors",
        {name: np.zeros(shape) for name, shape in critic_shapes(OBSERVATION_SIZE, (2,), 3, HIDDEN_SIZE).items()},
        Manifest("critic", SCHEMA_VERSION, OBSERVATION_SIZE, NUM_ACTIONS, (2,), {"juegatu": "1"}, kind="critic"),
    )
    return tmp_path / "run"


def test_sample_without_a_file_only_counts(tarock):
    code, out, _ = tarock("sample", "--rules", "wiener", "--deals", 20)
    assert code == 0
    assert out.startswith("20 deals of wiener\n")
    rows = [line.split() for line in out.splitlines()[1:]]
    heads = [place for place, row in enumerate(rows) if row and row[0] in {"contract", "bonus", "also"}]
    assert [rows[head][0] for head in heads] == ["contract", "bonus", "also"]
    contracts = rows[heads[0] + 1 : heads[1]]
    assert sum(int(row[1]) for row in contracts if row) == 20
    assert len(out.splitlines()) < 60
    assert max(map(len, out.splitlines())) <= 80


def test_sample_and_replay(tarock, tmp_path):
    file = tmp_path / "deals.jsonl"
    code, out, _ = tarock("sample", "--rules", "oberoesterreichisch", "--deals", 30, "--seed", 3, "--legal", "--out", file)
    assert code == 0
    assert "trischaken" in out
    assert len(file.read_text().splitlines()) == 30
    assert tarock("replay", file, "--verify")[:2] == (0, f"{file}: 30 records, all right\n")
    code, out, _ = tarock("replay", file, "--deal", 7, "--view", 2)
    assert (code, "as seat 2 sees it" in out) == (0, True)
    assert tarock("replay", file, "--deal", 7, "--view", 9)[::2] == (2, f"{file}: view is 9, seats are 0..3\n")
    code, out, _ = tarock("replay", file, "--deal", 7)
    assert code == 0
    assert out.startswith("line 7: oberoesterreichisch")
    assert "payoffs" in out


def test_the_same_seed_writes_the_same_file(tarock, tmp_path):
    for name, bots in (("a", "coverage"), ("b", "coverage"), ("c", "random"), ("d", "random")):
        assert tarock("sample", "--deals", 20, "--seed", 5, "--bots", bots, "--out", tmp_path / name)[0] == 0
    texts = [(tmp_path / name).read_text() for name in "abcd"]
    assert texts[0] == texts[1] != texts[2] == texts[3]


def test_bots_deals_verify(tarock, tmp_path):
    bot = write_bot(tmp_path / "bot.safetensors")
    assert tarock("sample", "--deals", 20, "--bots", f"file:{bot}", "--legal", "--rule", "bonus_scale=1", "--out", tmp_path / "a")[0] == 0
    assert json.loads((tmp_path / "a").read_text().splitlines()[0])["options"] == {"bonus_scale": 1}
    assert tarock("replay", tmp_path / "a", "--verify")[0] == 0


def test_arena(tarock, tmp_path):
    bot = write_bot(tmp_path / "bot.safetensors")
    (tmp_path / "out").mkdir()
    code, out, _ = tarock(
        "arena", f"file:{bot}", "random", f"file:{bot}", "--deals", 20, "--seed", 2, "--json", tmp_path / "out" / "a.json"
    )
    assert code == 0
    assert "20 deals, each played 8 times" in out
    result = json.loads((tmp_path / "out" / "a.json").read_text())
    assert [(pair["a"], pair["b"]) for pair in result["pairs"]] == [
        (f"file:{bot}", "random"),
        (f"file:{bot}", f"file:{bot}"),
        ("random", f"file:{bot}"),
    ]
    for pair in result["pairs"]:
        assert set(pair) == {"a", "b", "points_per_deal", "low", "high", "deals"}
        assert pair["low"] <= pair["points_per_deal"] <= pair["high"]


def test_arena_of_matches(tarock, tmp_path):
    file = tmp_path / "a.json"
    code, out, _ = tarock("arena", "random", "random", "--rules", "slovenian3", "--match", 2, "--deals", 3, "--json", file)
    assert code == 0
    assert "3 matches of 2 deals, each played 6 times" in out
    result = json.loads(file.read_text())
    assert result["match"] == 2
    pair = result["pairs"][0]
    assert (pair["deals"], pair["matches"]) == (6, 3)
    assert pair["low_per_match"] <= pair["points_per_match"] <= pair["high_per_match"]


def test_audit(tarock, tmp_path):
    code, out, _ = tarock("audit", "random", "--deals", 50, "--json", tmp_path / "a.json")
    assert code == 0
    assert out.startswith("random on juegatu: 50 deals")
    assert json.loads((tmp_path / "a.json").read_text())["deals"] == 50
    assert tarock("audit", "nobody")[0] == 2


def test_forced_contracts_are_listed_by_family(tarock, tmp_path):
    code, out, _ = tarock("arena", "random", "random", "--deals", 40, "--forced", "--json", tmp_path / "a.json")
    assert code == 0
    assert "random against random, by family set at the start" in out
    (pair,) = json.loads((tmp_path / "a.json").read_text())["pairs"]
    for by in ("by_family", "by_contract"):
        assert sum(row["deals"] for row in pair[by].values()) == 40
        assert sum(row["deals"] * row["points_per_deal"] for row in pair[by].values()) == pytest.approx(40 * pair["points_per_deal"])
    assert {"with a partner", "alone", "negative"} <= set(pair["by_family"]) <= {
        "with a partner", "alone", "negative", "colour game", "all against all", "slam"
    }  # fmt: skip
    code, out, _ = tarock("audit", "random", "--deals", 60, "--forced")
    assert code == 0
    assert out.startswith("random on juegatu: 60 deals, contracts set")


def test_check_rules(tarock, tmp_path):
    code, out, _ = tarock("check-rules", "juegatu", "--rule", "bonus_scale=1", "--deals", 40, "--json", tmp_path / "a.json")
    assert code == 0
    assert out.startswith("juegatu: ")
    assert "1 rule system checked: no faults, " in out
    assert json.loads((tmp_path / "a.json").read_text())["systems"]["juegatu"]["options"] == {"bonus_scale": 1}


FAULTY = """
from dataclasses import replace
from tarock_env.rules import load_rules
wiener = load_rules("wiener")
RULES = replace(wiener, id="faulty", contracts=tuple(contract for contract in wiener.contracts if not contract.calls))
"""


def test_check_rules_ends_with_1_where_it_finds_a_fault(tarock, tmp_path, monkeypatch):
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.setattr("tarock_env.rules.own._KNOWN", {})
    code, out, err = tarock("check-rules", tmp_path / "faulty.py", "--deals", 10)
    assert (code, err) == (1, "")
    assert "fault: " in out
    assert " in faulty, " in out.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "TAROCK_RULES: {tmp}/ends.py: it ends the program (SystemExit)"),
        (["wein"], "did you mean "),
        (["--rule", "a=1"], "tarock check-rules --rule a=1: name the one rule system"),
        (["wiener", "tiroler", "--rule", "a=1"], "tarock check-rules --rule a=1: name the one rule system"),
    ],
)
def test_check_rules_says_what_it_cannot_check(tarock, tmp_path, monkeypatch, arguments, message):
    (tmp_path / "ends.py").write_text("raise SystemExit(0)\n")
    if not arguments:
        monkeypatch.setenv("TAROCK_RULES", str(tmp_path / "ends.py"))
    code, out, err = tarock("check-rules", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message.format(tmp=tmp_path) in err


def test_rules(tarock):
    code, out, _ = tarock("rules")
    assert code == 0
    assert "juegatu" in out
    code, out, _ = tarock("rules", "juegatu", "--rule", "bonus_scale=1")
    assert code == 0
    assert "with bonus_scale=1" in out
    assert "solofarbendreier" in out
    assert "Trull" in out or "trull" in out


@pytest.mark.parametrize("system", SYSTEMS)
def test_rules_fit_80_columns_and_lose_nothing(tarock, system):
    out = tarock("rules", system)[1]
    assert max(map(len, out.splitlines())) <= 80
    rules = load_rules(system)
    cells = [str(cell) for rows in (contract_rows(rules), bonus_rows(rules), option_rows(rules)) for row in rows for cell in row]
    assert {word for cell in cells for word in cell.split()} <= set(out.split())


def test_export(tarock, run_folder, tmp_path):
    target = tmp_path / "out" / "bot.safetensors"
    target.parent.mkdir()
    code, out, _ = tarock("export", run_folder, "--out", target)
    assert code == 0
    assert "tiny@40, 1,234 decisions" in out
    assert (tmp_path / "out" / "bot.critic.safetensors").exists()
    assert tarock("export", run_folder, "--out", target, "--iteration", 20, "--name", "mine")[0] == 0
    assert read_manifest(target).name == "mine"
    assert read_manifest(target).sha256 == read_manifest(run_folder / BOTS_FOLDER / "actor_000020.safetensors").sha256
    code, out, _ = tarock("export", target, "--out", tmp_path / "out" / "bot.onnx")
    assert code == 0
    assert "mine, ONNX opset 17, observation uint8" in out


def test_bots_of_runs_are_found_by_their_iteration(run_folder):
    assert load_run(str(run_folder)).name == "tiny@40"
    assert load_run(f"{run_folder}@20").name == "tiny@20"


def test_help_names_every_command(tarock):
    code, out, _ = tarock("--help")
    assert code == 0
    commands = (
        "train arena gain ladder audit exploit ablate curve pictures export play serve sample arrays replay rules check-rules bench doctor"
    )
    assert re.findall(r"^│ ([a-z-]+)", out.partition("Commands")[2], re.MULTILINE) == commands.split()
    for command in commands.split():
        code, text, _ = tarock(command, "--help")
        assert code == 0
        assert "<bool>" not in text
    assert tarock()[1].startswith(out[:20])


def test_help_keeps_what_stands_in_brackets(tarock):
    for command in ("arena", "exploit"):
        assert "run:RUNDIR[@iteration]" in tarock(command, "--help")[1]


def test_the_version(tarock):
    assert tarock("--version") == (0, f"tarock {version('tarock')}\n", "")


BAD = [
    (["fly"], "No such command"),
    (["arena"], "Missing argument"),
    (["arena", "random"], "tarock arena: name at least two bots"),
    (["arena", "random", "randon"], "bot 'randon': unknown; did you mean random?"),
    (["arena", "random", "file:none.safetensors"], "none.safetensors: no such file"),
    (["arena", "random", "run:none"], "none: no such run folder"),
    (["arena", "random", "level:9"], "there are levels 1 to 6"),
    (["arena", "random", "level:6@risk=bold", "--rules", "tiroler"], "level 6: risk is for levels 1 to 5"),
    (["arena", "random", "level:4@bold"], "write level:N or level:N@risk=bold"),
    (["arena", "random", "random", "--deals", "0"], "--deals"),
    (["arena", "random", "random", "--deals", "many"], "--deals"),
    (["arena", "random", "random", "--rules", "wine"], "did you mean wiener?"),
    (["arena", "random", "random", "--rules", "juegatu,wiener"], "juegatu,wiener: name one rule system"),
    (["ladder", "--rules", "juegatu,wiener"], "juegatu,wiener: name one rule system"),
    (["arena", "random", "random", "--rule", "bonus_scale"], "--rule bonus_scale: write --rule key=value"),
    (["arena", "random", "random", "--rule", "bonus_scale=9"], "option bonus_scale is 9; allowed are 2, 1"),
    (["rules", "juegatu", "--rule", "bonus_scale=--5"], "option bonus_scale is '--5'; allowed are 2, 1"),
    (["sample", "--out", "/nowhere/a", "--deals", "1"], "--out /nowhere/a: there is no such folder; make it first: /nowhere"),
    (["sample", "--out", "{tmp}"], "--out {tmp}: a folder; give the name of a file"),
    (["sample", "--out", "/dev/full", "--deals", "1"], "--out /dev/full: No space left on device: /dev/full"),
    (["arena", "random", "random", "--json", "/nowhere/a"], "--json /nowhere/a: there is no such folder"),
    (["audit", "random", "--json", "{tmp}"], "--json {tmp}: a folder"),
    (["bench", "--json", "/nowhere/a"], "--json /nowhere/a: there is no such folder"),
    (["check-rules", "--json", "/nowhere/a"], "--json /nowhere/a: there is no such folder"),
    (["export", "{run}", "--out", "/nowhere/a.safetensors"], "--out /nowhere/a.safetensors: there is no such folder"),
    (["export", "{run}", "--out", "{tmp}/a.txt"], "--out {tmp}/a.txt: write *.safetensors or *.onnx"),
    (
        ["export", "{run}", "--out", "{tmp}/a.safetensors", "--name", "a\nb"],
        "a bot's name is 1 to 120 printable characters in one line, not 'a\\nb'",
    ),
    (["export", "{run}", "--out", "{tmp}/a.safetensors", "--name", "\x1b[31m"], "a bot's name is 1 to 120 printable characters"),
    (["arena", "random", "file:{tmp}"], "{tmp}: a folder, not a bot file; a run's bot is run:RUNDIR"),
    (["arena", "random", "random", "--seed", "1.0"], "'--seed': '1.0' is no whole number from 0 on"),
    (["arena", "random", "random", "--seed", "-1"], "'--seed': '-1' is no whole number from 0 on"),
    (["arena", "random", "random", "--deals", "1_000"], "'--deals': '1_000' is no whole number from 1 on"),
    (["replay", "{tmp}/empty.jsonl", "--deal", "1.0"], "'--deal': '1.0' is no whole number from 1 on"),
    (["export", "{run}", "--out", "{tmp}/a.safetensors", "--iteration", "20.0"], "'--iteration': '20.0' is no whole number from 0 on"),
    (
        ["arena", "random", "random", "--rule", "bonus_scale=1", "--rule", "bonus_scale=2"],
        "--rule bonus_scale=2: bonus_scale is given twice",
    ),
    (["rules", "--rule", "bonus_scale=1"], "tarock rules --rule bonus_scale=1: name the rule system"),
    (["rules", "{tmp}/ends.py"], "ends.py: it ends the program (SystemExit); a rules file only defines RULES"),
    (["rules", "\x1b[31mx"], "unknown rules "),
    (["replay", "{tmp}/empty.jsonl"], "empty.jsonl: there is no record in it"),
    (["replay", "{tmp}/empty.jsonl", "--verify"], "empty.jsonl: there is no record in it"),
    (["replay", "{tmp}"], "{tmp}: a folder; give a file of deal records (*.jsonl)"),
    (["arrays", "{tmp}", "--out", "{tmp}/a.npz"], "{tmp}: a folder; give a file of deal records (*.jsonl) or of arrays (*.npz)"),
    (["train", "{tmp}/good.toml", "--set", "run.seed=1", "--set", "run.seed=2"], "--set run.seed=2: run.seed is given twice"),
    (["sample", "--deals", "5", "--legal"], "add --out FILE"),
    (["arena", "random", "random", "--match", "1"], "--match"),
    (["arena", "random", "random", "--match", "2", "--forced"], "--forced: sets the contract of single deals, not of matches"),
    (["sample", "--out", "{tmp}/a", "--bots", "covarage"], "bot 'covarage': unknown"),
    (["sample", "--out", "{tmp}/a", "--flag"], "--flag"),
    (["replay", "{tmp}/none"], "{tmp}/none: no such file"),
    (["replay", "{tmp}/cut.jsonl"], "cut.jsonl: line 1: not valid JSON"),
    (["replay", "{tmp}/cut.jsonl", "--verify"], "cut.jsonl: line 1: not valid JSON"),
    (["replay", "{tmp}/empty.jsonl", "--deal", "3"], "no record on line 3"),
    (["rules", "juegato"], "did you mean juegatu?"),
    (["export", "{tmp}", "--out", "{tmp}/a.safetensors"], "no exported bots in"),
    (["export", "{run}", "--out", "{tmp}/a.safetensors", "--iteration", "30"], "no snapshot of iteration 30; it has 0, 20, 40"),
    (["export", "{run}"], "tarock export: say what to write, --out FILE.safetensors or --onnx FILE.onnx"),
    (["export", "{run}", "--out", "{tmp}/a.onnx", "--onnx", "{tmp}/b.onnx"], "give one ONNX file"),
    (["export", "{run}", "--onnx", "{tmp}/a.onnx", "--onnx-input", "int8"], "--onnx-input int8: write uint8 or float32"),
    (["exploit"], "tarock exploit: name a bot, or give --resume"),
    (["exploit", "rule"], "tarock exploit rule: this bot has no weights to start from; give --start with a bot file"),
    (["exploit", "rul"], "bot 'rul': unknown; did you mean rule?"),
    (["exploit", "file:{tmp}/cut.safetensors"], "truncated, or not a bot file"),
    (["exploit", "run:{run}"], "critic.safetensors: its manifest has training.value_limit = None"),
    (["exploit", "run:{run}@20", "--set", "ppo.lr=1"], "--set ppo.lr=1: unknown key ppo.lr; did you mean ppo.learning_rate?"),
    (["exploit", "--resume", "{tmp}"], "not a folder of tarock exploit (no exploit.json in it)"),
    (["ablate", "{tmp}/good.toml"], "tarock ablate: name at least two configs"),
    (["ablate", "{tmp}/good.toml", "{tmp}/none.toml"], "none.toml: no such file"),
    (["ablate", "{tmp}/good.toml", "{tmp}/good.toml"], "tarock ablate: two configs have the same file name"),
    (["curve", "{tmp}", "--out", "{tmp}/a.csv"], "not a run folder (no config.json in it)"),
    (["curve", "{tmp}/none.csv", "--out", "{tmp}/a.csv"], "none.csv: no such file"),
    (["curve", "{tmp}", "--out", "{tmp}/a.pdf"], "write *.csv, *.png or *.svg"),
    (["arena", "random", "run:{run}@x"], "what stands after @ is an iteration"),
    (["arena", "random", "file:{tmp}/old.safetensors"], "made for schema_version"),
    (["arena", "random", "file:{tmp}/cut.safetensors"], "truncated, or not a bot file"),
    (["train"], "tarock train: give a config, or --resume"),
    (["train", "a.toml", "--resume", "b"], "tarock train: give a config, or --resume"),
    (["train", "{tmp}/none.toml"], "none.toml: no such file"),
    (["train", "{tmp}/bad.toml"], "bad.toml: unknown key ppo.lr; did you mean ppo.learning_rate?"),
    (["train", "{tmp}/good.toml", "--set", "run.iterations=0"], "--set run.iterations=0: run.iterations = 0: should be greater than"),
    (["train", "--resume", "{tmp}"], "not a run folder (no config.json in it)"),
    (["train", "--resume", "{tmp}/broken"], "config.json: truncated or not JSON"),
    (["train", "--resume", "{tmp}/odd"], "iteration_000001: damaged checkpoint: contents.json is missing or unreadable"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_every_mistake_is_one_line_and_exit_code_2(tarock, run_folder, tmp_path, arguments, message):
    (tmp_path / "cut.jsonl").write_text('{"format": "tarock-deal/1", "rules"')
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "bad.toml").write_text("[run]\niterations = 1\n[ppo]\nlr = 1\n")
    (tmp_path / "good.toml").write_text("[run]\niterations = 1\n")
    (tmp_path / "odd" / "checkpoints" / "iteration_000001").mkdir(parents=True)
    (tmp_path / "odd" / "config.json").write_text('{"run": {"iterations": 1}}')
    (tmp_path / "odd" / "checkpoints" / "iteration_000001" / "contents.json").write_text('{"files": {"a": [1]}}')
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text('{"run": ')
    write_bot(tmp_path / "old.safetensors", schema_version=SCHEMA_VERSION + 1)
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "old.safetensors").read_bytes()[:-9])
    code, out, err = tarock(*(argument.format(tmp=tmp_path, run=run_folder) for argument in arguments))
    assert (code, out) == (2, "")
    assert message.format(tmp=tmp_path) in err
    assert err.count("\n") == 1
    assert "\x1b" not in err


@pytest.mark.parametrize("key", ['evaluation.opponents=["file:{none}"]', "imitation.teacher=file:{none}", "checkpoint.warm_start={none}"])
def test_a_bot_that_a_config_names_is_read_before_anything_is_written(tarock, tmp_path, key):
    (tmp_path / "good.toml").write_text("[run]\niterations = 1\n[imitation]\niterations = 1\n")
    none = tmp_path / "none.safetensors"
    code, out, err = tarock("train", tmp_path / "good.toml", "--set", key.format(none=none), "--run-dir", tmp_path / "new")
    assert (code, out) == (2, "")
    assert err.splitlines() == [f"starting {tmp_path / 'new'}: loading torch and Ray, which can take a minute", f"{none}: no such file"]
    assert not (tmp_path / "new").exists()


def test_going_on_is_said_before_anything_is_loaded(tarock, monkeypatch):
    def none(*_, **__):
        raise UserError("no more")

    monkeypatch.setattr("training.config_file.resumed_config", lambda *_: SimpleNamespace(run=SimpleNamespace(unit="decisions")))
    monkeypatch.setattr("training.run_folder.refuse_finished", lambda *_: None)
    monkeypatch.setitem(sys.modules, "training.run", SimpleNamespace(train=none))
    err = tarock("train", "--resume", "runs/mine")[2]
    assert err == "going on with runs/mine: loading torch and Ray, which can take a minute\nno more\n"


def test_a_file_is_no_run_folder(tarock, tmp_path):
    (tmp_path / "good.toml").write_text("[run]\niterations = 1\n")
    code, out, err = tarock("train", tmp_path / "good.toml", "--run-dir", tmp_path / "good.toml")
    assert (code, out) == (2, "")
    assert err.splitlines()[1:] == [f"{tmp_path / 'good.toml'}: a file, not a run folder"]


def test_a_broken_record_names_line_action_and_what_was_legal(tarock, tmp_path):
    file = tmp_path / "deals.jsonl"
    tarock("sample", "--deals", 3, "--out", file)
    lines = file.read_text().splitlines()
    record = json.loads(lines[1])
    seat = record["actions"][0].split()[0]
    record["actions"][0] = f"{seat} play:T1"
    file.write_text("\n".join([lines[0], json.dumps(record), lines[2]]) + "\n")
    for arguments in (["--verify"], []):
        code, _, err = tarock("replay", file, *arguments)
        assert code == 2
        assert f"{file}: line 2: action 1 ({seat} play:T1): not legal; legal: bid:" in err
        assert err.count("\n") == 1


BLOCKED = """
import sys
for name in ("torch", "ray", "tensorboard", "pytest"):
    sys.modules[name] = None  # importing it raises ImportError
sys.argv = ["tarock", *sys.argv[1:]]
from training.cli import main
main()
"""


def without_torch(*arguments):
    return subprocess.run(
        [sys.executable, "-c", BLOCKED, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


def test_everything_but_training_works_without_torch_and_ray(tmp_path):
    bot = write_bot(tmp_path / "bot.safetensors")
    for arguments in (
        ["sample", "--deals", 5, "--legal", "--out", tmp_path / "a.jsonl"],
        ["replay", tmp_path / "a.jsonl", "--verify"],
        ["rules", "juegatu"],
        ["arena", f"file:{bot}", "random", "--deals", 2],
    ):
        result = without_torch(*arguments)
        assert (result.returncode, result.stderr) == (0, ""), arguments
    (tmp_path / "a.toml").write_text("[run]\niterations = 1\n")
    result = without_torch("train", tmp_path / "a.toml")
    assert result.returncode == 2
    assert result.stderr == "tarock train: needs torch; install it with pip install 'tarock[train]' -c constraints.txt\n"


def test_environment_and_bots_import_without_torch_and_ray():
    code = BLOCKED.split("sys.argv")[0] + "import tarock_env.aec, tarock_env.batch, tarock_env.sample, agents.arena, agents.policy_bot"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=300)


def test_durations_are_said_as_people_say_them():
    assert [seconds(value) for value in (0.4, 59.4, 61, 3599, 7500)] == ["0 s", "59 s", "1 min 1 s", "59 min 59 s", "2 h 5 min"]


def test_progress_prints_plain_lines_where_there_is_no_terminal(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("training.console.time.monotonic", lambda: now[0])
    with progress("counting") as report:
        for done in range(1, 41):
            now[0] += 1
            report(done, 40)
    err = capsys.readouterr().err
    assert err.splitlines() == [f"counting: {done} of 40, {40 - done} s left" for done in (10, 20, 30)]


def test_an_interrupted_command_says_so(tarock, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("training.rules_commands.read_rules", interrupt)
    assert tarock("rules", "juegatu") == (130, "", "interrupted\n")


def test_mistakes_are_told_from_bugs():
    with pytest.raises(UserError, match=r"^--out: a b$"), mistakes("--out"):
        raise ValueError("a\n b")
    with pytest.raises(ZeroDivisionError), mistakes("--out"):
        raise ZeroDivisionError


def test_rules_are_printed_without_escaped_characters(tarock):
    code, out, _ = tarock("rules", "czech19")
    assert code == 0
    assert "\\" not in out
    assert "\n\nBonuses" in out
    assert "\n\nMelds" in out


def test_a_summary_says_where_self_play_never_began(capsys):
    summary = {
        "run": "runs/a", "interrupted": False, "iterations": 1, "imitation_left": 19, "decisions": 5, "deals": 1, "hours": 0.1,
        "decisions_per_second": 9.0, "evaluation": {}, "bot": "b", "tensorboard": "t",
    }  # fmt: skip
    print_summary(summary)
    shown = capsys.readouterr().out
    assert "done: 1 iteration, " in shown
    assert "ended 19 iterations before self-play" in shown
    print_summary(summary | {"imitation_left": 0})
    assert "self-play" not in capsys.readouterr().out
