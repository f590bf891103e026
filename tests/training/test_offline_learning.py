"""The page on offline learning does what it says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "offline-learning.md"


def test_the_network_of_the_page_learns(tarock, tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    assert tarock("sample", "--deals", 400, "--bots", "rule", "--arrays", tmp_path / "corpus.npz")[0] == 0
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})
    learnt, chance = map(float, re.findall(r"[\d.]+", capsys.readouterr().out))
    assert learnt < chance - 0.2
