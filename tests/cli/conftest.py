"""Run commands on the test database and capture their streams."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass

import pytest

from memory_core.cli import running
from memory_core.cli.attempt import attempt
from memory_core.cli.context import CliContext

assert running


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def cli(memory, monkeypatch, capsys):
    """Run a command on the memory of the test; stdin is what is typed or piped."""
    desk = CliContext(memory)

    def ran(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = attempt(arguments, desk)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return ran
