"""Discovery and the librarian as a client sees them."""

from __future__ import annotations

import pytest

from memory_core import open_memory


@pytest.fixture
def similar(tool_client, memory):
    """Two services that do the same, related to one hub; and something else."""
    for name, fact in (
        ("Checkout", "handles the payment of an order by credit card"),
        ("Billing", "handles the payment of orders by credit card"),
        ("Weather", "forecasts rain for the coming days"),
    ):
        tool_client("create_entity", name=name, node_type="service", observations=[fact])
    tool_client("create_entity", name="Shop", node_type="project")
    for name in ("checkout", "billing"):
        tool_client(
            "create_relationship",
            from_node_id=name,
            to_node_id="shop",
            relationship_type="RELATED_TO",
        )
    memory.catch_up()
    return tool_client


def test_radar_finds_similar_unrelated_entities(similar):
    seen = similar("semantic_radar", similarity_threshold=0.6)
    pairs = [{pair["first"]["id"], pair["second"]["id"]} for pair in seen["pairs"]]
    before = len(similar("get_hologram", node_id="checkout")["relations"])
    made = similar("semantic_radar", similarity_threshold=0.6, auto_create=True)
    again = similar("semantic_radar", similarity_threshold=0.6, auto_create=True)

    assert [{"checkout", "billing"}] == pairs
    assert (1, 1, 0) == (before, made["created"], again["created"])


def test_discovery_relations_are_reverted_by_one_undo(similar):
    found = similar("run_relationship_discovery", similarity_threshold=0.6)
    made = [
        edge
        for edge in similar("get_hologram", node_id="checkout")["relations"]
        if edge["to_node_id"] != "shop" and edge["from_node_id"] != "shop"
    ]

    assert 1 == found["created"] == len(made)
    assert 0.6 <= made[0]["confidence"] < 1 and made[0]["source"]
    similar("undo", batch_id=found["cycle"]["batch_id"])
    assert ["shop"] == [
        each["entity"]["id"] for each in similar("get_neighbors", node_id="checkout")["neighbors"]
    ]


def test_background_discovery_settings_survive_a_restart(tool_client, memory):
    before = tool_client("get_background_discovery_status")
    tool_client(
        "set_background_discovery", enabled=True, interval_seconds=60, similarity_threshold=0.8
    )
    memory.close()
    again = open_memory(path=memory.db.path, embedder=memory.embedder)
    status = again.discovery.background_status()
    again.close()

    assert (False, 300, 0.7) == (
        before["enabled"],
        before["interval_seconds"],
        before["similarity_threshold"],
    )
    assert (True, 60, 0.8) == (
        status.enabled,
        status.interval_seconds,
        status.similarity_threshold,
    )
    assert "chosen" == status.origins["enabled"]


def test_a_second_cycle_on_unchanged_data_changes_nothing(similar, memory):
    similar("run_librarian_cycle")
    before = memory.atlas.version()
    similar("run_librarian_cycle")

    assert before == memory.atlas.version()
