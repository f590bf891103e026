"""docs/tutorial-rule-system.md: its code and commands run, and its rule system needs no kernel of its own."""

import ast
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test

from agents.base import load_bot
from docs import generate
from tarock_env.aec import env
from tarock_env.batch import DealBatch
from tarock_env.engine import jit
from tarock_env.engine.view import make_views
from tarock_env.rules import SYSTEMS, load_rules, own
from tarock_env.rules.check import check_rules
from tarock_env.rules.table import RULES
from training.cli import app
from training.config_file import load_config

ROOT = generate.DOCS.parent
FILE = "docs/examples/house_rules.py"
PAGE = (generate.DOCS / "tutorial-rule-system.md").read_text(encoding="utf-8")
REGIONS = ("styria", "carinthia", "vienn", "upper austria", "tirol", "tyrol", "slov", "czech", "juegatu")


@pytest.fixture(autouse=True)
def _a_table_of_its_own(tmp_path, monkeypatch):
    """The tutorial's folder in a fresh place, and nothing registered."""
    monkeypatch.setattr(own, "_KNOWN", {})
    monkeypatch.delenv(own.VARIABLE, raising=False)
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text((ROOT / FILE).read_text())
    monkeypatch.chdir(tmp_path)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def play_out(batch, *bots):
    rng = np.random.default_rng(1)
    actions = np.zeros(batch.num_deals, np.int64)
    while len(acting := np.flatnonzero(~batch.finished)):
        bot = bots[int(rng.integers(len(bots)))]
        actions[acting] = bot.act(make_views(batch.deals, batch.tables, acting), batch.tables, rng)
        batch.step(actions)


def test_the_rule_system_takes_less_than_eighty_lines():
    assert len((ROOT / FILE).read_text().splitlines()) < 80


def test_it_passes_its_check_with_every_option():
    rules = load_rules(FILE)
    report = check_rules(rules)
    assert (report.faults, report.doubts) == ((), ())
    assert set(report.contracts) == {contract.name for contract in rules.contracts}
    for option in rules.options:
        for value in option.values[1:]:
            assert check_rules(load_rules(FILE, {option.name: value}), deals=40).ok


def test_the_page_shows_the_whole_file():
    assert blocks("python")[0] == (ROOT / FILE).read_text()


def test_the_commands_of_the_page_run(monkeypatch, capsys):
    commands = [line for block in blocks("console") for line in block.splitlines()]
    assert len(commands) == 6
    for command in commands:
        words = shlex.split(command)
        if words[0] == "export":
            monkeypatch.setattr(own, "_KNOWN", {})  # what follows runs in a new process
            monkeypatch.setenv(*words[1].split("="))
        else:
            assert words[0] == "tarock"
            assert not app(words[1:], standalone_mode=False), command
    assert "ours.jsonl: 50 records, all right" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:Observation space for each agent:UserWarning", "ignore:Observation is not a NumPy array:UserWarning")
def test_it_plays_in_pettingzoo():
    api_test(env(rules=FILE), num_cycles=300)


def test_bots_play_it():
    batch = DealBatch(40, load_rules(FILE), 1)
    play_out(batch, load_bot("rule"), load_bot("random"))
    assert (batch.payoffs.sum(axis=1) == 0).all()


def test_a_config_may_name_it(monkeypatch):
    Path("ours.toml").write_text(
        '[run]\nname = "ours"\niterations = 1\n[rules]\nsystems = ["stammtisch", "wiener"]\n[rules.options.stammtisch]\npot = 5\n'
    )
    monkeypatch.setenv(own.VARIABLE, FILE)
    config = load_config(Path("ours.toml"))
    assert load_rules("stammtisch", config.rules.options["stammtisch"]).contract("trischaken").value == 5


# -- no kernel for it, and none for the others --


def compiled():
    """Kernel -> how many signatures it is compiled for."""
    functions = {
        id(value): value for name, module in sys.modules.items() if name.startswith("tarock_env") for value in vars(module).values()
    }
    return {
        f"{kernel.__module__}.{kernel.__name__}": len(kernel.signatures) for kernel in functions.values() if hasattr(kernel, "signatures")
    }


@pytest.mark.skipif(not jit.JIT, reason="nothing is compiled")
def test_adding_it_compiles_no_kernel_anew():
    play_out(DealBatch(8, load_rules("juegatu"), 1), load_bot("random"))
    before = compiled()
    assert len(before) > 100
    play_out(DealBatch(8, [load_rules(FILE), load_rules("wiener")], 1), load_bot("random"))
    assert compiled() == before


def kernels():
    """(file, function name, source, source without its docstring) of every kernel."""
    found = []
    for package in jit.PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef) and any(isinstance(d, ast.Name) and d.id == "kernel" for d in node.decorator_list):
                    source = ast.get_source_segment(text, node)
                    bare = ast.FunctionDef(**{**vars(node), "body": [line for line in node.body if not is_docstring(line)] or [ast.Pass()]})
                    found.append((path.relative_to(ROOT), node.name, source, ast.unparse(ast.fix_missing_locations(bare))))
    return found


def is_docstring(line):
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def test_no_kernel_mentions_a_system():
    assert len(kernels()) > 150
    for path, name, source, code in kernels():
        assert not [system for system in SYSTEMS if re.search(rf"\b{system}\b", source)], (path, name)
        assert not [region for region in REGIONS if region in code.lower()], (path, name)


def test_kernels_know_a_system_by_its_row_only():
    """`rules_id` picks a row of the table, or is handed on; it is never compared, and no row says whose it is."""
    for path, name, _, code in kernels():
        for node in ast.walk(ast.parse(code)):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            assert not [side for side in sides if isinstance(side, ast.Attribute) and side.attr == "rules_id"], (path, name)
    assert not {"id", "title", "system"} & set(RULES.names)
