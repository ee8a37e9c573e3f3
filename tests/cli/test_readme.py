"""The commands and the program that the README shows are run as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from okf_bundle import laid

import memory_core
from memory_core.server import tools as tools
from memory_core.server.calls.registry import TOOLS

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(section, language):
    """Return the code blocks of a section."""
    part = README.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)


def lines(section):
    return [line for block in blocks(section, "text") for line in block.splitlines()]


@pytest.mark.parametrize("section", ["Command line", "Bridges"])
def test_every_command_of_the_readme_runs(cli, monkeypatch, tmp_path, section):
    """
    In the order in which they are shown, each one ends well.
    """
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text("The release adds a command line.\n")
    Path("commands.txt").write_text("list\n")
    laid(tmp_path / "wiki")
    batch, ran = "", {}
    for line in lines(section):
        said, _, source = line.partition(" < ")
        words = shlex.split(said.replace("BATCH", batch))
        assert "turbovec" == words[0]
        stdin = Path(source).read_text() if source else ""
        ran[line] = cli(*words[1:], stdin=stdin)
        found = re.search(r"^batch (\w+)$", ran[line].out, re.MULTILINE)
        batch = found[1] if found else batch

    assert [] == [(line, done.err) for line, done in ran.items() if done.code]
    assert len(ran) >= 5


def test_the_program_for_agents_of_the_readme_runs(monkeypatch, memory):
    """
    As it stands there, on the memory of the test.
    """
    monkeypatch.setattr(memory_core, "open_memory", lambda: memory)
    (program,) = blocks("Bridges", "python")
    names = {}

    exec(compile(program, "README.md", "exec"), names)

    assert '"outcome": "stored"' in names["answer"]
    assert (2, 2, 2) == tuple(len(names[name]) for name in ("tools", "chain", "typed"))


def test_the_program_that_remembers_people_runs(monkeypatch, memory, capsys):
    """
    As it stands there: what she must not eat is found first, and all of it is forgotten again.
    """
    monkeypatch.setattr(memory_core, "open_memory", lambda: memory)
    monkeypatch.setattr(type(memory), "close", lambda self: None)
    (program,) = blocks("Remembering people", "python")
    names = {}

    exec(compile(program, "README.md", "exec"), names)

    assert "Alice is allergic to nuts" in capsys.readouterr().out
    assert 0 == memory.conversation.all(names["alice"]).total


def test_the_rules_for_the_assistant_name_tools_that_there_are():
    """
    What is put into a rules file is followed to the letter, months later too.
    """
    rules = blocks("Connect an assistant", "text")[-1]
    named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", rules)) - {"project_id", "user_id"}

    assert {"start_session", "supersede_observation", "create_bottle"} <= named
    assert set() == named - {tool.name for tool in TOOLS}


def test_a_bare_name_lies_beside_the_memory_file(cli, memory):
    """
    The README says where, and so does the answer.
    """
    place = Path(memory.db.path).parent

    assert str(place / "exports" / "all.jsonl") in cli("export", "all.jsonl").out
    assert str(place / "backups" / "now.db") in cli("backup", "now.db").out
    assert str(memory.db.path) in cli("doctor").out
