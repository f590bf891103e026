"""Every page: its Python runs, its commands exist with the options that they are given, its links lead somewhere.

The Python of a page runs from top to bottom in one namespace, in a folder that has the project's files. A block marked ```python sketch
shows a shape and is not run. Commands are read, not run: those in code blocks by the command line's own parser, those in running
text (`tarock train CONFIG --set a.b=c`) by name and options.
"""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
import typer

from tarock_env.rules import own
from training.cli import app

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    str(path.relative_to(ROOT)) for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").glob("*.md"))
)
COMMANDS = typer.main.get_command(app).commands
# Budgets of the page -> budgets that show as much in a test.
SMALLER = {"n_steps=512": "n_steps=32", "learn(20_000)": "learn(32)", "--deals 24000": "--deals 24"}
# Page -> command that makes the file which its Python reads, smaller than on the page.
BEFORE = {"docs/offline-learning.md": "sample --rules juegatu --deals 60 --bots rule --arrays corpus.npz"}
FENCE = r"^```([^\n]*)\n(.*?)^```"
every_page = pytest.mark.parametrize("page", PAGES)


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page):
    """(language, code) of the page's fenced and indented blocks."""
    text = text_of(page)
    fenced = [(language.strip(), code) for language, code in re.findall(FENCE, text, re.MULTILINE | re.DOTALL)]
    rest = re.sub(FENCE, "", text, flags=re.MULTILINE | re.DOTALL)
    indented = re.findall(r"(?:^\n|\A)((?:^    .*\n)+)", rest, re.MULTILINE)
    return fenced + [("", re.sub("^    ", "", code, flags=re.MULTILINE)) for code in indented]


def python(page):
    return [code for language, code in blocks(page) if language == "python"]


def command_lines(page):
    """The commands in the page's blocks that are no Python, continued lines joined, comments and prompts left out."""
    for language, code in blocks(page):
        if not language.startswith("python"):
            for line in code.replace("\\\n", " ").splitlines():
                words = shlex.split(re.sub(r"^\$ ", "", line), comments=True)
                if words:
                    yield [words[0].removeprefix(".venv/bin/"), *words[1:]]


@every_page
def test_its_python_runs(page, tmp_path, monkeypatch):
    monkeypatch.setattr(own, "_KNOWN", {})  # rule systems that a page registers are its own
    for name in ("docs/examples", "docs/curves", "agents/pretrained", "configs"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    if page in BEFORE:
        app(BEFORE[page].split(), standalone_mode=False)
    names = {}
    for code in python(page):
        for full, small in SMALLER.items():
            code = code.replace(full, small)
        exec(compile(code, page, "exec"), names)


def test_the_readme_shows_a_deal_and_a_result(capsys):
    (code,) = python("README.md")
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert out.count("is paid") == 4
    assert '"format": "tarock-deal/1"' in out
    assert "'points_per_deal'" in out


@every_page
def test_its_commands_are_commands(page):
    for words in command_lines(page):
        if words[0] == "tarock":
            assert len(words) > 1, words
            assert words[1] in COMMANDS, " ".join(words)
            placeholders = any(re.fullmatch(r"\.\.\.|[A-Z]{1,9}", word) for word in words)
            if placeholders:
                check_options(" ".join(words))
            elif words[2:] != ["--help"]:
                COMMANDS[words[1]].make_context(words[1], words[2:])
        elif words[0] == "make":
            assert all(f"\n{word}:" in text_of("Makefile") for word in words[1:] if "=" not in word), words
        elif words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]), words


@every_page
def test_commands_in_running_text_have_these_options(page):
    prose = re.sub(FENCE, "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    for command in re.findall(r"`(tarock [^`]+)`", prose):
        check_options(command)


def check_options(command):
    """The command exists and has every option that is named, brackets and placeholders aside."""
    name = command.split()[1]
    if name.startswith("--") or not re.fullmatch("[a-z-]+", name):
        return
    assert name in COMMANDS, command
    known = {option for param in COMMANDS[name].params for option in (*param.opts, *param.secondary_opts)} | {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", command)) <= known, command


@every_page
def test_its_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[)#]", text_of(page)):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), target


def test_every_command_of_the_command_line_is_in_the_readme():
    named = set(re.findall(r"`tarock ([a-z-]+)", text_of("README.md")))
    assert set(COMMANDS) <= named
