"""Files, copies, health, settings and bundles from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from ancestors import BUILDERS
from okf_bundle import documents, laid


def test_a_memory_is_exported_and_imported(cli, memory):
    memory.graph.create_entity("Orders", "service", observations=["retries thrice"])
    exported = cli("export", "mine.jsonl", "--json").json
    memory.upkeep.clear_project("default", backup=False)

    imported = cli("import", "mine.jsonl")

    assert Path(exported["path"]).parent.name == "exports"
    assert "added: 1 entities, 1 observations" in imported.out
    batch_id = imported.err.split()[-1]
    assert 0 == cli("undo", batch_id).code
    assert "" == cli("list", "--kind", "entity").out


@pytest.mark.parametrize("name", BUILDERS)
def test_a_database_of_an_earlier_program_is_imported_and_undone(cli, tmp_path, name):
    path = BUILDERS[name](tmp_path / "theirs.db")

    imported = cli("import", path)
    again = cli("import", path)

    assert (0, True) == (imported.code, f"format {name}" in imported.out)
    assert "not imported: " in imported.out
    assert "added: nothing" in again.out
    assert 0 == cli("undo", imported.err.split()[-1]).code


def test_a_bundle_is_validated_shown_imported_and_exported(cli, tmp_path):
    folder = laid(tmp_path / "wiki")

    out = str(tmp_path / "out")

    checked = cli("okf", "validate", folder)
    shown = cli("okf", "graph", folder, "--start", "tables/orders.md").out
    imported = cli("import", folder, "--project", "wiki", "--json").json
    export = ("export", out, "--format", "okf", "--project", "wiki")
    codes = [cli(*export).code, (again := cli(*export)).code, cli(*export, "--replace").code]

    assert (0, "5 documents, 4 links, 0 errors, 0 warnings\n") == (checked.code, checked.out)
    assert "  -> tables/customers.md\n" in shown and "out of reach: team/on-call.md" in shown
    assert {"entities": 5, "documents": 5, "relations": 4} == imported["added"]
    assert documents(folder) == documents(out)
    assert ([0, 1, 0], True) == (codes, "Error CONFLICT" in again.err)


def test_validating_an_invalid_bundle_exits_with_one(cli, tmp_path):
    folder = laid(tmp_path / "wiki", {"bad.md": "---\ntitle: x\n---\n"})

    checked = cli("okf", "validate", folder, "--json")

    assert (1, "bad.md") == (checked.code, checked.json["problems"][0]["path"])


def test_a_backup_is_restored_after_its_name_is_typed(cli, memory):
    memory.graph.create_entity("Orders", "service")
    copy = cli("backup", "--json").json["path"]
    memory.graph.create_entity("Later", "service")

    refused = cli("restore", copy, stdin="yes\n")
    done = cli("restore", copy, stdin=Path(copy).name + "\n")

    assert (1, True) == (refused.code, "Nothing was done." in refused.err)
    assert (0, True) == (done.code, "Before, it was" in done.err)
    assert "orders  Orders (service)\n" == cli("list", "--kind", "entity").out


def test_doctor_checks_and_repairs(cli, memory):
    memory.graph.create_entity("Orders", "service")
    well = cli("doctor")
    with memory.db.note() as connection:
        connection.execute("delete from searchables")

    ill = cli("doctor", "--json")
    repaired = cli("doctor", "--repair")

    assert (0, "green: ") == (well.code, well.out[:7])
    assert (1, "red") == (ill.code, ill.json["report"]["status"])
    assert "memory_health with repair=true" in ill.json["report"]["problems"][0]["way_out"]
    assert "turbovec doctor --repair" in ill.err
    assert (0, True) == (repaired.code, "repaired: " in repaired.out)
    assert "backup was made" in repaired.err


def test_reindex_rebuilds_vectors(cli, memory):
    memory.graph.create_entity("Orders", "service")

    assert "1 vectors made by hashing\n" == cli("reindex").out
    assert {"vectors_made": 0, "model": "hashing"} == cli("reindex", "--json").json


def test_every_setting_is_shown_with_its_source(cli, memory):
    names = {each["name"] for each in cli("config", "--json").json}

    assert {each.name for each in memory.settings.sources()} == names
    assert "FUSION  blend  [default]\n" == cli("config", "fusion").out


def test_shell_runs_commands_line_by_line(cli):
    lines = (
        'add --fact "Alice drinks tea."\n\n# a comment\nlist\nundo gone\n"open\nlist --user bob\n'
        "help\nexit\nlist\n"
    )

    ran = cli("shell", "--user", "alice", stdin=lines)

    assert 1 == ran.code
    assert 1 == ran.out.count("  Alice drinks tea.\n") - ran.out.count("stored  ")
    assert "Error NOT_FOUND" in ran.err and "cannot be read" in ran.err
    assert "Usage: turbovec" in ran.out
    quiet = cli("shell", "--user", "ben", stdin="list\n")
    assert (0, "") == (quiet.code, quiet.out)
    assert "inside a shell" in cli("shell", stdin="list --db other.db\n").err


def test_the_bundle_for_a_desktop_client_is_built(cli, tmp_path):
    target = str(tmp_path / "memory.mcpb")

    built = cli("mcpb", target, "--json")
    again = cli("mcpb", target)

    assert (0, target) == (built.code, built.json["path"])
    assert (1, True) == (again.code, "Error CONFLICT" in again.err)
