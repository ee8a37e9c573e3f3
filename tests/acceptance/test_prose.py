"""Prose that is added with extract = true leaves entities, facts, preferences and relations."""

from __future__ import annotations

import shutil

import pytest
from support import HashingEmbedder

from memory_core import open_memory

TEXT = """\
# The harbour project

Quayside is a company. Marta Olsen works at Quayside and lives in Bergen. Marta Olsen likes
sailing. The tide service depends on PostgreSQL. Redis is used by the tide service.
I prefer short meetings.

Does Marta Olsen like tea? If it rains, Marta Olsen owns a boat. "Nobody likes rain," he said.
Marta Olsen no longer works at Fjordline.
"""

FACTS = {
    "Quayside is a company.",
    "Marta Olsen works at Quayside.",
    "Marta Olsen lives in Bergen.",
    "Marta Olsen likes sailing.",
    "Marta Olsen no longer works at Fjordline.",
    "The tide service depends on PostgreSQL.",
    "Redis is used by the tide service.",
    "The user prefers short meetings.",
}
RELATIONS = {
    ("marta-olsen", "WORKS_AT", "quayside"),
    ("marta-olsen", "LOCATED_IN", "bergen"),
    ("marta-olsen", "PREFERS", "sailing"),
    ("tide-service", "DEPENDS_ON", "postgresql"),
    ("tide-service", "USES", "redis"),
    ("the-user", "PREFERS", "short-meetings"),
}


@pytest.fixture
def memory(tmp_path, clock, empty_file):
    opened = open_memory(
        path=shutil.copy(empty_file, tmp_path / "memory.db"),
        embedder=HashingEmbedder(),
        clock=clock,
    )
    yield opened
    opened.close()


def graph(tool_client):
    """Return the facts, the relations, and all rows that the memory holds now."""
    now = tool_client("point_in_time_query", as_of_iso_timestamp="2027-01-01", limit=100)[
        "entities"
    ]
    observations = [one for each in now for one in each["observations"]]
    relations = {one["id"]: one for each in now for one in each["relations"]}.values()
    triples = {
        (one["from_node_id"], one["relationship_type"], one["to_node_id"]) for one in relations
    }
    rows = {
        "entities": [each["entity"] for each in now],
        "observations": observations,
        "relations": list(relations),
    }
    return {one["content"] for one in observations}, triples, rows


def test_prose_yields_entities_facts_preferences_and_relations(tool_client):
    added = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    facts, relations, now = graph(tool_client)
    types = {one["id"]: one["node_type"] for one in now["entities"]}

    assert (FACTS, RELATIONS) == (facts, relations)
    assert ("organization", "person", "place") == (
        types["quayside"],
        types["marta-olsen"],
        types["bergen"],
    )
    assert ("service", "technology") == (types["tide-service"], types["redis"])
    assert (len(FACTS), len(RELATIONS), []) == (
        added["drawn"]["observations"],
        added["drawn"]["relations"],
        added["drawn"]["left_out"],
    )
    assert set(types) == set(added["drawn"]["entities"])


def test_extracted_facts_name_their_source_document(tool_client):
    added = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    _, _, now = graph(tool_client)

    assert {f"document {added['document']['id']}"} == {
        one["source"] for one in (*now["observations"], *now["relations"])
    }


def test_nothing_is_extracted_without_extract_flag(tool_client):
    tool_client("add_knowledge", title="Harbour", content=TEXT)

    assert (set(), set()) == graph(tool_client)[:2]


def test_the_same_prose_again_adds_nothing(tool_client):
    tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    before = graph(tool_client)[2]
    again = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    other = tool_client("add_knowledge", title="Copy", content=TEXT, extract=True)

    assert before == graph(tool_client)[2]
    for added in (again, other):
        assert (0, 0, len(FACTS) + len(RELATIONS)) == (
            added["drawn"]["observations"],
            added["drawn"]["relations"],
            added["drawn"]["already_known"],
        )


def test_one_invalid_item_does_not_drop_the_others(tool_client):
    for node_type in ("team", "project"):
        tool_client("create_entity", name="Marta Olsen", node_type=node_type, id=node_type)
    added = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    facts, _, _ = graph(tool_client)

    assert {fact for fact in FACTS if "Marta" not in fact} == facts
    assert "Marta Olsen: 'Marta Olsen' exists as a team" in added["drawn"]["left_out"][0]


def test_mentions_resolve_to_existing_entities(tool_client):
    tool_client(
        "create_entity", name="Tidal", node_type="project", id="t", aliases=["tide service"]
    )
    added = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)

    assert ("t", "USES", "redis") in graph(tool_client)[1]
    assert "tide-service" not in added["drawn"]["entities"]


def test_one_undo_reverts_the_text_and_extracted_facts(tool_client):
    added = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    tool_client("undo", batch_id=added["drawn"]["batch_id"])
    facts, relations, now = graph(tool_client)

    assert (set(), set(), []) == (facts, relations, now["entities"])
    assert [] == tool_client("search_knowledge", query="harbour")["hits"]


def test_failed_extraction_rolls_back_text_and_facts(tool_client, memory, monkeypatch):
    original, calls = memory.observations.add_observation, []

    def failing(*arguments, **named):
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError
        return original(*arguments, **named)

    monkeypatch.setattr(memory.observations, "add_observation", failing)
    result = tool_client.result("add_knowledge", title="Harbour", content=TEXT, extract=True)
    facts, relations, now = graph(tool_client)

    assert result.is_error
    assert (set(), set(), []) == (facts, relations, now["entities"])
    assert [] == tool_client("search_knowledge", query="harbour")["hits"]


def test_facts_missing_from_a_new_text_are_withdrawn(tool_client, clock):
    first = tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    changed = next(
        one
        for one in graph(tool_client)[2]["observations"]
        if one["content"] == "Quayside is a company."
    )
    clock.advance(hours=1)
    tool_client("update_observation", id=changed["id"], content="Quayside is a firm.")
    before = graph(tool_client)[:2]
    text = "Marta Olsen works at Quayside. Marta Olsen lives in Oslo. Marta Olsen no longer swims."
    second = tool_client("add_knowledge", title="Harbour", content=text, extract=True)
    facts, relations, _ = graph(tool_client)

    assert (first["document"]["id"], "replaced") == (second["document"]["id"], second["status"])
    assert {
        "Marta Olsen works at Quayside.",
        "Marta Olsen lives in Oslo.",
        "Quayside is a firm.",
    } == facts
    assert {
        ("marta-olsen", "WORKS_AT", "quayside"),
        ("marta-olsen", "LOCATED_IN", "oslo"),
    } == relations
    assert len(FACTS) - 2 + len(RELATIONS) - 1 == second["drawn"]["withdrawn"]
    tool_client("undo", batch_id=second["drawn"]["batch_id"])
    assert before == graph(tool_client)[:2]


def test_remaining_facts_of_a_document_are_reported(tool_client):
    tool_client("add_knowledge", title="Harbour", content=TEXT, extract=True)
    replaced = tool_client(
        "add_knowledge", title="Harbour", content="The harbour is closed on Mondays."
    )
    deleted = tool_client("delete_knowledge", title_or_id="Harbour")
    other = tool_client("add_knowledge", title="Plain", content=TEXT)

    for answer in (replaced, deleted):
        assert f"{len(FACTS) + len(RELATIONS)} facts and relations" in answer["notice"]
    assert "" == other["notice"]
    assert FACTS == graph(tool_client)[0]
