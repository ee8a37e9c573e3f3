"""The commands and programs in the README and docs run as documented."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from okf_bundle import laid

import memory_core
from memory_core.server import tools as tools
from memory_core.server.calls.registry import TOOLS

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def blocks(page, section, language):
    """Return the code blocks of a section."""
    text = (ROOT / page).read_text(encoding="utf-8")
    part = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", part, re.DOTALL)


def lines(page, section):
    return [line for block in blocks(page, section, "text") for line in block.splitlines()]


@pytest.mark.parametrize(
    ("page", "section"),
    [
        ("README.md", "Five-minute tour"),
        ("docs/command-line.md", "Commands"),
        ("docs/command-line.md", "Bundles and Claude Desktop"),
    ],
)
def test_every_documented_command_runs_in_order(cli, monkeypatch, tmp_path, page, section):
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text("The release adds a command line.\n")
    Path("commands.txt").write_text("list\n")
    laid(tmp_path / "wiki")
    batch, ran = "", {}
    for line in lines(page, section):
        said, _, source = line.partition(" < ")
        words = shlex.split(said.replace("BATCH", batch))
        assert "turbovec" == words[0]
        stdin = Path(source).read_text() if source else ""
        ran[line] = cli(*words[1:], stdin=stdin)
        found = re.search(r"^batch (\w+)$", ran[line].out, re.MULTILINE)
        batch = found[1] if found else batch

    assert [] == [(line, done.err) for line, done in ran.items() if done.code]
    assert len(ran) >= 3


def test_the_documented_agent_program_runs(monkeypatch, memory):
    monkeypatch.setattr(memory_core, "open_memory", lambda: memory)
    (program,) = blocks("docs/library.md", "Agents", "python")
    names = {}

    exec(compile(program, "library.md", "exec"), names)

    assert '"outcome": "stored"' in names["answer"]
    assert (2, 2, 2) == tuple(len(names[name]) for name in ("tools", "chain", "typed"))


def test_the_documented_facts_program_runs(monkeypatch, memory, capsys):
    monkeypatch.setattr(memory_core, "open_memory", lambda: memory)
    monkeypatch.setattr(type(memory), "close", lambda self: None)
    (program,) = blocks("docs/library.md", "Facts about users", "python")
    names = {}

    exec(compile(program, "library.md", "exec"), names)

    assert "Alice is allergic to nuts" in capsys.readouterr().out
    assert 0 == memory.conversation.list_facts(names["alice"]).total


def test_the_assistant_instructions_name_existing_tools():
    rules = blocks("README.md", "Connect an assistant", "text")[-1]
    named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", rules)) - {"project_id", "user_id"}

    assert {"start_session", "supersede_observation", "create_bottle"} <= named
    assert set() == named - {tool.name for tool in TOOLS}


def test_a_bare_file_name_is_created_next_to_the_database(cli, memory):
    place = Path(memory.db.path).parent

    assert str(place / "exports" / "all.jsonl") in cli("export", "all.jsonl").out
    assert str(place / "backups" / "now.db") in cli("backup", "now.db").out
    assert str(memory.db.path) in cli("doctor").out


def test_the_readme_stays_below_ten_kilobytes():
    assert (ROOT / "README.md").stat().st_size < 10_000


def test_every_link_of_the_pages_leads_to_a_file():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        (page.name, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+?)\)", CODE.sub("", page.read_text(encoding="utf-8")))
        if not (page.parent / link).exists()
    ]

    assert [] == broken
