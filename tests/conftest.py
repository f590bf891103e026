"""What tests of several files use."""

import sys

import pytest

from training import cli


@pytest.fixture
def tarock(monkeypatch, capsys):
    """Run a command in this process: (exit code, standard output, standard error)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tarock", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
