"""A kernel's cache folder changes with every source that it can depend on, and with no other."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tarock_env.engine import jit


def names(module):
    return {str(path.relative_to(jit.ROOT)) for path in jit.sources(jit.ROOT / module)}


def test_all_that_a_kernel_can_depend_on_counts():
    assert names("tarock_env/engine/bits.py") == {"tarock_env/engine/bits.py", "tarock_env/engine/jit.py", "tarock_env/cards.py"}
    rule = names("agents/rule/tricks.py")
    assert {"agents/rule/knowledge.py", "agents/rule/weights.py", "tarock_env/engine/view.py", "tarock_env/rules/schema.py"} <= rule
    assert "agents/policy_bot.py" not in rule
    assert "tarock_env/coverage.py" not in rule


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from tarock_env.engine.bits import ZERO\n", {"tarock_env/engine/bits.py"}),
        ("from tarock_env import cards, legal as l\n", {"tarock_env/__init__.py", "tarock_env/cards.py", "tarock_env/legal.py"}),
        ("from tarock_env.engine.state import (\n    DEAL,  # the record\n    SIXTHS,\n)\n", {"tarock_env/engine/state.py"}),
        ("import tarock_env.cards\n", {"tarock_env/cards.py"}),
        ("def late():\n    from agents import base\n", {"agents/__init__.py", "agents/base.py"}),
        ("import numpy as np\nfrom json import loads\n", set()),
    ],
)  # fmt: skip
def test_every_way_to_import_is_seen(tmp_path, line, found):
    path = tmp_path / "module.py"
    path.write_text(line)
    assert {str(source.relative_to(jit.ROOT)) for source in jit._imports(path)} == found


def test_an_edit_starts_a_new_folder(tmp_path, monkeypatch):
    package = tmp_path / "agents"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "constants.py").write_text("LIMIT = 1\n")
    (package / "kernels.py").write_text("from agents.constants import LIMIT\n")
    (package / "other.py").write_text("LIMIT = 1\n")
    monkeypatch.setattr(jit, "ROOT", tmp_path)

    def folder():
        for cached in (jit._imports, jit._digest, jit._cache_folder):
            cached.cache_clear()
        return jit._cache_folder(package / "kernels.py")

    before = folder()
    (package / "other.py").write_text("LIMIT = 2\n")
    assert folder() == before
    (package / "constants.py").write_text("LIMIT = 2\n")
    assert folder() != before


@pytest.fixture
def cached(tmp_path):
    """Make a folder of compiled kernels that was last used so many days ago."""

    def make(name, days):
        folder = tmp_path / name
        (folder / "inner").mkdir(parents=True)
        (folder / "inner" / "play.nbi").write_bytes(b"x")
        then = time.time() - days * jit.DAY
        os.utime(folder, (then, then))
        return folder

    return make


def test_old_versions_of_a_source_are_removed(tmp_path, cached):
    play, bits = "kernels-tarock_env.engine.play-", "kernels-tarock_env.engine.bits-"
    old = [cached(f"{play}{number:016x}", days=2 + number) for number in range(7)]
    new = [cached(f"{play}{number:016x}", days=0.5) for number in range(20, 23)]  # other clones and runs use them today
    other = cached(f"{bits}{1:016x}", days=13)
    forgotten = [cached(f"{bits}{2:016x}", days=15), cached("kernels-training.old.file-0123456789abcdef", days=15)]
    cached("removed-1-kernels-agents.a-0123456789abcdef", days=3)
    foreign = cached("nothing of ours", days=400)
    jit.prune(tmp_path, play)
    assert sorted(tmp_path.iterdir()) == sorted([*new, old[0], other, foreign])
    assert not any(folder.exists() for folder in forgotten)


def test_what_others_keep_in_the_same_folder_is_not_touched(tmp_path, cached):
    base = tmp_path / "shared"
    base.mkdir()
    code = "0123456789abcdef"
    target = cached("target", days=400)
    names = [
        "removed-photos", "removed-1-kernels-a-" + code, f"removed-x-kernels-agents.a-{code}", f"removed-1-kernels-agents.a-{code}.bak",
        "kernels-linux", f"kernels-{code}", f"kernels-other.a-{code}", f"kernels-agents-{code}", f"kernels-agents.a-{code}0",
        f"kernels-agents.a-{code.upper()}", f"kernels-agents.a-{code}\n",
    ]  # fmt: skip
    for name in names:
        cached(f"shared/{name}", days=400)
    (base / "kernels-notes.txt").write_text("mine")
    for number, name in enumerate(["kernels-agents.a-", "removed-1-kernels-agents.a-"]):
        (base / f"{name}{number:016x}").write_text("a file")
        (base / f"{name}{number + 8:016x}").symlink_to(target)
    then = time.time() - 400 * jit.DAY
    for path in base.iterdir():
        os.utime(path, (then, then), follow_symlinks=False)
    ours = [cached(f"shared/kernels-agents.a-{code}", days=400), cached(f"shared/removed-1-kernels-agents.a-{code}", days=0)]
    before = set(base.iterdir()) - set(ours)
    jit.prune(base, "kernels-agents.a-")
    assert set(base.iterdir()) == before
    assert (target / "inner" / "play.nbi").read_bytes() == b"x"
    assert all((base / name / "inner" / "play.nbi").is_file() for name in names)


def test_the_names_of_our_folders_are_known_as_ours():
    modules = ["tarock_env/engine/play.py", "agents/rule/tricks.py", "training/__init__.py"]
    folders = [Path(jit._cache_folder(jit.ROOT / module)).name for module in modules]
    assert all(jit._OURS.fullmatch(name) for name in folders)
    assert all(jit._REMOVED.fullmatch(f"removed-{os.getpid()}-{name}") for name in folders)


def test_a_user_without_a_home_has_a_cache_of_his_own(tmp_path, monkeypatch):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TAROCK_CACHE_DIR", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr(jit.tempfile, "tempdir", str(tmp_path))
    jit._temporary_base.cache_clear()
    folder = jit._base()
    assert folder == tmp_path / f"tarock-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)  # others could put kernels there
    jit._temporary_base.cache_clear()
    other = jit._base()
    assert other != folder
    assert other.is_relative_to(tmp_path)
    assert jit._base() == other
    jit._temporary_base.cache_clear()


def test_a_folder_in_use_is_marked_and_a_new_one_prunes(tmp_path, cached, monkeypatch):
    monkeypatch.setenv("TAROCK_CACHE_DIR", str(tmp_path))
    source = jit.ROOT / "tarock_env" / "engine" / "bits.py"
    jit._cache_folder.cache_clear()
    here = Path(jit._cache_folder(source))
    assert here.name.startswith("kernels-tarock_env.engine.bits-")
    cached(here.name, days=20)
    forgotten = cached("kernels-tarock_env.engine.play-0123456789abcdef", days=20)
    jit._cache_folder.cache_clear()
    jit._cache_folder(source)
    assert time.time() - here.stat().st_mtime < jit.HOUR
    assert forgotten.exists()  # nothing is new: nothing is looked for
    shutil.rmtree(here)
    jit._cache_folder.cache_clear()
    jit._cache_folder(source)
    assert not forgotten.exists()
    jit._cache_folder.cache_clear()


PRUNE = """
import sys
from pathlib import Path
from tarock_env.engine import jit
for _ in range(30):
    jit.prune(Path(sys.argv[1]), "kernels-agents.a-")
"""


def test_processes_may_prune_at_the_same_time(tmp_path, cached):
    kept = [cached(f"kernels-agents.a-{number:016x}", days=3) for number in range(jit.KEPT)]
    for number in range(100, 300):
        cached(f"kernels-agents.a-{number:016x}", days=5)
    command = [sys.executable, "-c", PRUNE, str(tmp_path)]
    runs = [subprocess.Popen(command, cwd=jit.ROOT, stderr=subprocess.PIPE) for _ in range(3)]
    for run in runs:
        assert run.wait(120) == 0, run.stderr.read().decode()
        run.stderr.close()
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_a_cache_that_cannot_be_pruned_is_used_as_it_is(tmp_path, cached, monkeypatch):
    cached("kernels-agents.a-0123456789abcdef", days=20)

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "rename", refused)
    jit.prune(tmp_path, "kernels-agents.a-")
    assert len(list(tmp_path.iterdir())) == 1
    jit.prune(tmp_path / "none", "kernels-agents.a-")


def test_long_compiling_is_told_now_and_then(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(jit.time, "monotonic", lambda: now[0])
    told = jit.Compiling()
    for _ in range(15):  # kernels of a second each
        told.on_start(None)
        now[0] += 1
        told.on_end(None)
    assert capsys.readouterr().err.splitlines() == [
        "compiling kernels (once): 3 so far, 3 s", "compiling kernels (once): 14 so far, 14 s"
    ]  # fmt: skip
