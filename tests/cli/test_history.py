"""Command history: size, preview and trimming."""

from __future__ import annotations

import pytest


@pytest.fixture
def changed(memory):
    memory.graph.create_entity("Alpha", "Project")
    for number in range(5):
        memory.graph.update_entity("alpha", properties={"number": number})


def test_history_previews_what_trimming_deletes_and_deletes_nothing(cli, memory, changed):
    shown = cli("history", "--keep-versions", "2")

    assert 0 == shown.code
    assert shown.out.startswith("6 changes, ")
    assert "Trimming would delete 4 changes of 1 records" in shown.out
    assert 6 == memory.history_trimming.history_size().changes


def test_history_trims_when_requested_and_names_the_backup(cli, memory, changed):
    done = cli("history", "--trim", "--keep-versions", "2", "--json")

    assert 4 == done.json["deleted_changes"]
    assert 2 == done.json["after"]["changes"]
    assert "A backup was made first" in done.err


def test_history_without_a_limit_trims_nothing(cli, memory, changed):
    refused = cli("history", "--trim")

    assert 1 == refused.code
    assert "HISTORY_KEEP_DAYS" in refused.err
    assert 6 == memory.history_trimming.history_size().changes
