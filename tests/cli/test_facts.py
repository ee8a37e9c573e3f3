"""Remembering, finding, listing, deleting and taking back from the command line."""

from __future__ import annotations

import errno
import io
import json
import sys

import pytest

from memory_core.cli.attempt import attempt
from memory_core.cli.context import CliContext


def test_a_fact_is_added_found_listed_and_deleted(cli):
    added = cli("add", "--fact", "Alice drinks green tea.", "--user", "alice", "--json")
    found = cli("search", "green tea", "--user", "alice", "--kind", "fact")
    listed = cli("list", "--user", "alice", "--json").json
    id = listed["facts"][0]["id"]
    gone = cli("delete", id, "--user", "alice", "--yes", "--json")
    empty = cli("list", "--user", "alice", "--json").json
    undone = cli("undo", gone.json["batch_id"])

    assert (0, "stored") == (added.code, added.json["facts"][0]["outcome"])
    assert f"undo {added.json['batch_id']}" in added.err
    assert id in found.out and "Alice drinks green tea." in found.out
    assert (0, f"undo {gone.json['batch_id']}" in gone.err) == (gone.code, True)
    assert (1, 0) == (listed["total"], empty["total"])
    assert (0, "put back: 1 entries\n") == (undone.code, undone.out)
    assert 1 == cli("list", "--user", "alice", "--json").json["total"]


def test_commands_show_only_records_of_the_scope(cli):
    cli("add", "--fact", "Bob sails.", "--user", "bob", "--agent", "a1", "--session", "s1")
    cli("add", "--fact", "The build is red.", "--project", "shop")

    def contents(*scope):
        return [fact["content"] for fact in cli("list", "--json", *scope).json["facts"]]

    assert ["Bob sails."] == contents()
    assert ["Bob sails."] == contents("--user", "bob")
    assert [] == contents("--user", "ann")
    assert [] == contents("--user", "bob", "--agent", "a2")
    assert ["Bob sails."] == contents("--user", "bob", "--agent", "a1", "--session", "s1")
    assert ["The build is red."] == contents("-p", "shop")


def test_texts_come_from_stdin(cli):
    talk = [{"role": "user", "content": "My cat is Tom."}, {"role": "assistant", "content": "Ok."}]

    assert 0 == cli("add", stdin="Piped in.").code
    assert 0 == cli("add", "-", stdin="Dashed in.").code
    assert "added: Guide\n" == cli("add", "--title", "Guide", stdin="Use the north door.").out
    assert 0 == cli("add", "--messages", stdin=json.dumps(talk)).code
    found = cli("search", "north door", "--kind", "document", "--json").json["hits"]
    assert "Guide" == found[0]["document"]["title"]
    said = {fact["content"] for fact in cli("list", "--json").json["facts"]}
    assert {"Piped in.", "Dashed in.", "My cat is Tom."} <= said
    assert "Ok." not in said


def test_entities_documents_and_entries_are_listed_found_and_deleted(cli, memory):
    memory.graph.create_entity("Orders", "service")
    cli("add", "--about", "orders", "Retries thrice.")
    memory.knowledge.add_document("Guide", "Use the north door.")
    memory.entries.write_entry("Prefers trains", list("abcde"), category="preference")

    assert "orders  Orders (service)\n" == cli("list", "--kind", "entity").out
    assert cli("list", "--kind", "document").out.endswith("Guide (19 characters)\n")
    assert cli("list", "--kind", "entry").out.endswith("Prefers trains\n")
    assert "Orders: Retries thrice." in cli("search", "retries").out
    assert "Retries" in cli("search", "retries", "--words-only", "--kind", "observation").out
    for kind, id in (("entity", "orders"), ("document", "Guide")):
        gone = cli("delete", id, "--kind", kind, "--yes", "--json")
        assert (0, {"cli"}) == (
            gone.code,
            {e.actor for e in memory.timelines.list_events(limit=1, order="DESC").events},
        )
        assert "put back" in cli("undo", gone.json["batch_id"]).out
    assert "orders" in cli("list", "--kind", "entity").out


def test_a_file_is_read_from_the_folder_that_was_typed(cli, monkeypatch, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "notes.md").write_text("The cellar is dry.")
    (tmp_path / "in" / "plan.md").write_text("The attic is next.")
    monkeypatch.chdir(tmp_path / "in")

    added = cli("add", "--file", "plan.md")
    above = cli("add", "--file", "../notes.md")

    assert (0, "added: plan.md\n") == (added.code, added.out)
    assert (0, "added: notes.md\n") == (above.code, above.out)


def test_pages_show_the_next_cursor(cli):
    for number in range(3):
        cli("add", "--fact", f"Number {number} is of its own kind {'x' * number}.")

    first = cli("list", "--limit", "2", "--json")
    rest = cli("list", "--limit", "2", "--cursor", first.json["cursor"], "--json")

    assert "--cursor" in first.err
    assert (2, 1) == (len(first.json["facts"]), len(rest.json["facts"]))


@pytest.mark.parametrize(
    ("typed", "code", "left"),
    [("", 1, 1), ("no\n", 1, 1), ("all\n", 0, 0)],
)
def test_destructive_commands_require_confirmation(cli, typed, code, left):
    cli("add", "--fact", "Bob sails.", "--user", "bob")

    ran = cli("delete", "--all", "--user", "bob", stdin=typed)

    assert (code, left) == (ran.code, cli("list", "--user", "bob", "--json").json["total"])
    assert "user 'bob'" in ran.err


def test_erasing_ownerless_records_requires_without_scope(cli):
    cli("add", "--fact", "The build is red.")

    refused = cli("delete", "--all", "--yes")
    done = cli("delete", "--all", "--without-scope", "--yes")

    assert (1, True) == (refused.code, "Nothing was erased" in refused.err)
    assert (0, True) == (done.code, done.out.startswith("erased: 1 facts"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["delete", "gone", "--yes"], 1, "Error NOT_FOUND: "),
        (["undo", "gone"], 1, "Error NOT_FOUND: "),
        (["undo"], 1, "Error INVALID_INPUT: "),
        (["add", "--messages", "{"], 1, "Error INVALID_INPUT: "),
        (["add", "--fact", " "], 1, "Error INVALID_INPUT: "),
        (["delete"], 2, "give ids"),
        (["delete", "--all", "--kind", "entity"], 2, "--all is for facts"),
        (["add", "x", "--fact", "--title", "y"], 2, "give one of"),
        (["serch"], 2, "serch"),
        (["list", "--kind", "thing"], 2, "thing"),
        (["search", "x", "--limit", "0"], 2, "--limit"),
    ],
)
def test_errors_print_one_message_and_set_exit_code(cli, arguments, code, message):
    ran = cli(*arguments)

    assert (code, "") == (ran.code, ran.out)
    assert message in ran.err and "Traceback" not in ran.err


def test_control_characters_in_stored_text_are_escaped(cli):
    cli("add", "--fact", "red \x1b[31m alert\x07")

    assert r"red \x1b[31m alert\x07" in cli("list").out
    assert "\x1b" not in cli("list", "--json").out


def test_pasted_secrets_are_redacted_and_reported(cli):
    key = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    added = cli("add", "--fact", f"The deploy key is {key}.", "--json")

    assert "Taken out before it was stored: GitHub token in " in added.err
    assert key not in added.out + cli("list").out


def test_deeply_nested_messages_are_rejected(cli):
    done = cli("add", "--messages", "-", stdin="[" * 200_000)

    assert (1, "") == (done.code, done.out)
    assert done.err.startswith("Error INVALID_INPUT: --messages")


def test_unwritable_output_is_an_error(memory, monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())

    code = attempt(["list", "--json"], CliContext(memory))

    assert 1 == code
    assert "Error STORAGE_FAILED: [Errno 28] No space left" in capsys.readouterr().err


def test_incomplete_model_configuration_is_reported_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("EMBEDDING_PROVIDER", "voyage")

    code = attempt(["search", "tea"], CliContext())

    reported = capsys.readouterr()
    assert (1, "", 1) == (code, reported.out, reported.err.count("No API key for voyage"))
    assert reported.err.startswith("Error INVALID_CONFIG: ")


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        (["delete", "gone", "--yes"], "the tool list_memories. Give user_id to find"),
        (["delete", "gone", "--kind", "entity", "--yes"], "the tool list_entities or search"),
        (["delete", "gone", "--kind", "observation", "--yes"], "the tool get_hologram."),
        (["delete", "gone", "--kind", "document", "--yes"], "the tool search_knowledge."),
        (["delete", "gone", "--kind", "entry", "--yes"], "the tool memory_query."),
        (["delete", "--all", "--yes"], "or set without_scope"),
        (["add", "--about", "gone", "x"], "the tool list_entities or search_memory."),
        (["add", "I ski."], "the tool memory_extract."),
        (["undo", "gone"], "the tool query_timeline."),
        (["restore", "gone.db", "--yes"], "The tool backup_memory returns the path"),
    ],
)
def test_errors_name_the_relevant_tool(cli, arguments, fix):
    assert fix in cli(*arguments).err
