"""Documents and search as a client sees them."""

from __future__ import annotations

import pytest

TEA = (
    "Black tea steeps for four minutes in boiling water.\n\nGreen tea takes two, at eighty degrees."
)
DEPLOY = (
    "# Deploying\n\nThe release goes out on Tuesdays.\n\n"
    "# Rolling back\n\nSwitch the load balancer."
)


@pytest.fixture
def library(tool_client):
    tool_client("add_knowledge", title="Brewing", content=TEA)
    tool_client("add_knowledge", title="Releases", content=DEPLOY)
    return tool_client


def test_semantic_query_finds_the_matching_document(library):
    for n in range(30):
        library("create_entity", name=f"Service {n}", node_type="service")

    best = library("search_knowledge", query="how do I undo a bad deployment?", top_k=1)["hits"][0]

    assert ("Releases", 1) == (best["title"], min(best["position"], 1) or 1)
    assert "load balancer" in best["text"]


def test_adding_the_same_document_twice_stores_one(library):
    same = library("add_knowledge", title="brewing", content=TEA)
    changed = library("add_knowledge", title="Brewing", content="Mate is drunk through a straw.")

    assert ("unchanged", "replaced") == (same["status"], changed["status"])
    assert [] == library.texts("steeps", channel_weights={"vector": 0})
    assert library.texts("mate straw", channel_weights={"vector": 0})


def test_deleting_a_document_returns_the_number_of_chunks(library):
    gone = library("delete_knowledge", title_or_id="RELEASES")

    assert 1 <= gone["chunks"]
    assert [] == library.texts("Tuesdays", channel_weights={"vector": 0})
    assert "There is no document" in library.refusal("delete_knowledge", title_or_id="Releases")


def test_a_file_is_read_from_an_allowed_folder_only(tool_client, memory, tmp_path, monkeypatch):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "note.md").write_text("# Note\n\nThe cellar key hangs behind the tool_client.")
    outside = tmp_path / "secret.txt"
    outside.write_text("do not read")
    monkeypatch.setattr(memory.knowledge, "_roots", (root.resolve(),))

    added = tool_client("add_file_knowledge", file_path=str(root / "note.md"))

    assert "note" in added["document"]["title"]
    assert tool_client.texts("where is the cellar key?")
    assert "outside the folders" in tool_client.refusal(
        "add_file_knowledge", file_path=str(outside)
    )
    assert tool_client.refusal("add_file_knowledge", file_path=str(root / "missing.md"))


@pytest.fixture
def facts(tool_client):
    tool_client("create_entity", name="Orders", node_type="service")
    for text in ("the queue retries three times", "the gateway times out", "tea is served at four"):
        tool_client("add_observation", entity_id="orders", content=text)
    return tool_client


def test_first_hit_of_a_single_channel_scores_one_sixty_first(facts):
    for off in ("vector", "lexical"):
        found = facts("search_memory", query="queue retries", channel_weights={off: 0})
        assert 1 / 61 == pytest.approx(found["hits"][0]["score"], abs=1e-6)


def test_scores_of_both_channels_add_up_by_weight(facts):
    both = facts(
        "search_memory", query="queue retries", channel_weights={"vector": 1, "lexical": 1}
    )
    heavy = facts("search_memory", query="queue retries", channel_weights={"vector": 2})

    assert 2 / 61 == pytest.approx(both["hits"][0]["score"], abs=1e-6)
    assert 3 / 61 == pytest.approx(heavy["hits"][0]["score"], abs=1e-6)


def test_a_search_counts_what_it_returned_and_changes_nothing(facts, memory):
    before = memory.history.as_of(memory.db.clock()).seq
    facts("search_memory", query="queue retries", limit=1)
    memory.telemetry.flush()
    again = facts("search_memory", query="queue retries", limit=1)

    assert 1 == again["hits"][0]["retrieval_count"]
    assert before == memory.history.as_of(memory.db.clock()).seq


def test_archived_entities_are_found_only_after_restore(facts):
    facts("archive_entity", id="orders")
    assert [] == facts("search_memory", query="queue retries")["hits"]
    assert facts("search_memory", query="queue retries", include_archived=True)["hits"]

    facts("restore_entity", id="orders")
    assert facts("search_memory", query="queue retries")["hits"]


def test_hits_contain_their_provenance(facts):
    hit = facts("search_memory", query="queue retries", explain=True)["hits"][0]

    assert ("orders", "Orders", "service") == (
        hit["entity"]["id"],
        hit["entity"]["name"],
        hit["entity"]["node_type"],
    )
    assert "the queue retries three times" == hit["passages"][0]["text"]
    assert hit["created_at"] and hit["score"] > 0
    assert 1 == hit["explain"]["lexical_rank"] == hit["explain"]["vector_rank"]


def test_orphans_are_listed_by_project(facts):
    assert ["orders"] == [each["id"] for each in facts("list_orphans")["entities"]]
    assert [] == facts("list_orphans", project_id="elsewhere")["entities"]


def test_graph_analysis_is_deterministic(facts):
    once, twice = facts("analyze_graph"), facts("analyze_graph")

    assert once == twice
    assert facts("analyze_graph", project_id="elsewhere")


def test_search_statistics_count_searches_and_errors(facts, memory):
    facts("search_memory", query="queue")
    facts.refusal("search_memory", query=" ")
    memory.telemetry.flush()
    stats = facts("search_stats", window="1h")

    assert 2 == stats["count"]
    assert 0.5 == stats["error_rate"]
    assert facts.refusal("search_stats", window="nonsense")


def test_clearing_requires_confirmation_and_keeps_the_store_usable(facts):
    assert facts.refusal("clear_memory", confirm="")
    facts("clear_memory", confirm="default")
    assert [] == facts("search_memory", query="queue")["hits"]

    facts("create_entity", name="Orders", node_type="service", observations=["is new"])
    assert facts("search_memory", query="is new")["hits"]
