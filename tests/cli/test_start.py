"""The command line as a process: what it loads, what it says, and its help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from memory_core._version import VERSION
from memory_core.cli import dashboard, running
from memory_core.cli.command import app

MAIN = Path(__file__).parents[2] / "main.py"
# Of libraries that take tenths of seconds each; a command that needs one loads it itself.
SLOW = """
mcp torch transformers sentence_transformers onnxruntime tokenizers sklearn scipy pandas networkx
rustworkx turbovec httpx yaml rich starlette uvicorn anyio pypdf docx bs4
"""

assert running


def commands(group=None, before=()):
    """Return the words of every command, groups too."""
    group = group or typer.main.get_command(app)
    found = [before]
    for name, command in group.commands.items():
        words = (*before, name)
        found += commands(command, words) if hasattr(command, "commands") else [words]
    return found


def ran(tmp_path, *arguments, python=(), stdin=""):
    environment = {**os.environ, "MEMORY_DATA_DIR": str(tmp_path), "PYTHONUTF8": "0"}
    return subprocess.run(
        [sys.executable, *python, str(MAIN), "cli", *arguments],
        env=environment,
        cwd=tmp_path,
        input=stdin.encode(),
        capture_output=True,
        timeout=300,
    )


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help(cli, words):
    shown = cli(*words, "--help")

    assert (0, "") == (shown.code, shown.err)
    assert f"Usage: turbovec {' '.join(words)}".strip() in shown.out
    is_group = words in ((), ("okf",))
    assert is_group or f"Examples:\n    turbovec {' '.join(words)}" in shown.out


@pytest.mark.process
@pytest.mark.parametrize("words", [("--help",), ("list",)])
def test_commands_start_without_slow_imports(tmp_path, words):
    done = ran(tmp_path, *words, python=("-X", "importtime"))

    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0]
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    }
    assert 0 == done.returncode
    assert {"memory_core", "typer"} <= loaded
    assert set() == loaded & set(SLOW.split())


@pytest.mark.process
def test_data_persists_between_processes(tmp_path):
    added = ran(tmp_path, "add", "--title", "茶", stdin="Grüner Tee wächst in 静岡.")
    found = ran(tmp_path, "search", "静岡", "--words-only")
    missing = ran(tmp_path, "delete", "gone", "--yes")

    assert (0, "added: 茶") == (added.returncode, added.stdout.decode().strip())
    assert "Grüner Tee wächst in 静岡." in found.stdout.decode()
    assert (1, b"") == (missing.returncode, missing.stdout)
    assert b"Error NOT_FOUND" in missing.stderr and b"Traceback" not in missing.stderr


@pytest.mark.process
def test_invalid_settings_print_one_clear_message(tmp_path):
    done = ran(tmp_path, "list", "--db", str(tmp_path / "gone" / "memory.db"))

    assert (1, b"") == (done.returncode, done.stdout)
    assert b"Error STORAGE_FAILED" in done.stderr and not (tmp_path / "gone").exists()


@pytest.mark.process
def test_a_secret_is_never_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("MCP_TOKEN", "hush-hush-token")

    done = ran(tmp_path, "config", "mcp_token")

    assert "MCP_TOKEN  (set)  [environment]" == done.stdout.decode().strip()
    assert b"hush" not in done.stdout + done.stderr


@pytest.mark.process
def test_interrupt_during_startup_exits_quietly(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")

    done = subprocess.run(
        [sys.executable, str(MAIN), "cli", "list"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        timeout=300,
    )

    assert (130, b"", b"") == (done.returncode, done.stdout, done.stderr)


def test_frequent_commands_are_listed_first(cli):
    listed = [line.split()[0] for line in cli("--help").out.split("Commands:")[1].splitlines()[1:]]

    assert ["add", "search", "list", "delete"] == listed[:4]
    assert sorted({words[0] for words in commands() if words}) == sorted(listed)


def test_command_list_shows_complete_sentences(cli):
    shown = [*cli("--help").out.splitlines(), *cli("okf", "--help").out.splitlines()]

    assert [] == [line for line in shown if line.endswith("...") and "Usage" not in line]


@pytest.mark.process
def test_the_version_is_shown_without_opening_a_memory(tmp_path):
    shown = ran(tmp_path, "--version")

    assert (0, f"turbovec {VERSION}") == (shown.returncode, shown.stdout.decode().strip())
    assert [] == list(tmp_path.iterdir())


@pytest.mark.process
def test_a_shell_completes_commands_and_options(tmp_path):
    def completed(words):
        environment = {
            **os.environ,
            "MEMORY_DATA_DIR": str(tmp_path),
            "_TURBOVEC_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        command = [sys.executable, "-m", "memory_core"]
        done = subprocess.run(command, env=environment, cwd=MAIN.parent, capture_output=True)
        return done.stdout.decode().split()

    assert ["search", "shell"] == sorted(completed("turbovec s"))
    assert ["--kind"] == completed("turbovec search --ki")


def test_the_dashboard_command_runs_the_script_of_the_package(monkeypatch):
    command = dashboard.dashboard_command(8600)

    assert [sys.executable, "-P", "-m", "streamlit", "run"] == command[:5]
    assert MAIN.parent / "dashboard" / "app.py" == Path(command[5])
    assert ["--server.port", "8600"] == command[6:]


@pytest.mark.parametrize("missing", ["streamlit", "dashboard"])
def test_dashboard_command_names_the_missing_extra(cli, monkeypatch, missing):
    find_spec = dashboard.find_spec
    monkeypatch.setattr(
        dashboard, "find_spec", lambda name: None if name == missing else find_spec(name)
    )

    refused = cli("dashboard")

    assert 1 == refused.code
    assert "extra 'dashboard'" in refused.err
