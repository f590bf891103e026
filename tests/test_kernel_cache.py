"""A kernel's cache folder changes with every source that it can depend on, and with no other."""

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
