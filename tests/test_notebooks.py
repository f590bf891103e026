"""The notebooks run from the first cell to the last, and what is stored in them can be read without running them."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tarock_env.engine.jit import JIT

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_there_are_four():
    assert [path.name[:3] for path in NOTEBOOKS] == ["01_", "02_", "03_", "04_"]


@pytest.mark.skipif(not JIT, reason="a training and thousands of deals: they need compiled kernels")
@every_notebook
def test_it_runs_anywhere(path, tmp_path, monkeypatch):
    """On the small budget, in an empty folder; the first error of a cell fails the test with the cell's own traceback."""
    monkeypatch.setenv("TAROCK_NOTEBOOK_BUDGET", "small")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))  # no profile or history of whoever runs the tests
    for library in ("OMP", "OPENBLAS"):  # beside other workers, threads that wait for each other take six times the time
        monkeypatch.setenv(f"{library}_NUM_THREADS", "1")
    (tmp_path / "empty").mkdir()
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path / "empty")}}).execute()


@every_notebook
def test_outputs_are_stored(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))  # run in order, from a fresh start
    assert sum(bool(cell.outputs) for cell in cells) >= 5


@every_notebook
def test_what_is_stored_holds_no_error_and_names_no_machine(path):
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    shown = "\n".join(text for output in outputs for text in (output.get("text", ""), output.get("data", {}).get("text/plain", "")))
    assert not re.search(r"Traceback|Warning|/(home|root|tmp|work|usr|opt|Users)/", shown)


@every_notebook
def test_it_is_small(path):
    assert path.stat().st_size < 500_000
