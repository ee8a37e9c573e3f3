"""The past, sessions and bottles as a client sees them."""

from __future__ import annotations

import pytest


@pytest.fixture
def story(tool_client, clock):
    """Two days: Ann joins Acme; a day later she is renamed, and Acme is deleted."""
    tool_client("create_entity", name="Ann", node_type="person", observations=["likes tea"])
    tool_client("create_entity", name="Acme", node_type="organization")
    tool_client(
        "create_relationship",
        from_node_id="ann",
        to_node_id="acme",
        relationship_type="WORKS_AT",
    )
    first = clock().isoformat()
    clock.advance(days=1)
    tool_client("update_entity", id="ann", name="Ann Lee")
    tool_client("archive_entity", id="ann")
    tool_client("delete_entity", id="acme")
    return first, clock().isoformat()


def test_as_of_returns_the_graph_of_that_moment(tool_client, story):
    first, second = story
    then = tool_client("point_in_time_query", as_of_iso_timestamp=first)
    now = tool_client("point_in_time_query", as_of_iso_timestamp=second)

    assert [("Ann", "active"), ("Acme", "active")] == [
        (each["entity"]["name"], each["entity"]["status"]) for each in then["entities"]
    ]
    assert "likes tea" == then["entities"][0]["observations"][0]["content"]
    assert 1 == len(then["entities"][1]["relations"])
    assert [("Ann Lee", "archived")] == [
        (each["entity"]["name"], each["entity"]["status"]) for each in now["entities"]
    ]
    assert then["seq"] < now["seq"]


def test_ambiguous_timestamps_report_their_interpretation(tool_client, story):
    day = tool_client("point_in_time_query", as_of_iso_timestamp="2026-01-01")
    zoneless = tool_client("point_in_time_query", as_of_iso_timestamp="2026-01-01T12:00:00")

    assert 2 == len(day["entities"])
    assert "23:59:59" in day["notice"] and "UTC" in zoneless["notice"]
    said = tool_client.refusal("point_in_time_query", as_of_iso_timestamp="yesterday-ish")
    assert "is not a timestamp" in said and "2026-03-14" in said


def test_the_difference_of_two_moments_is_listed(tool_client, story):
    first, second = story
    found = tool_client("diff_knowledge_state", from_timestamp=first, to_timestamp=second)

    assert {"entity changed": 1, "entity removed": 1, "relation removed": 1} == found["counts"]
    renamed = next(each for each in found["changes"] if each["change"] == "changed")
    assert ("Ann", "Ann Lee") == (renamed["before"]["name"], renamed["after"]["name"])


def test_the_timeline_is_paged_and_filtered(tool_client, story):
    newest = tool_client("query_timeline", order="DESC", limit=2)["events"]
    of_acme = tool_client("query_timeline", entity="acme", entity_type="organization")

    assert ["entity deleted", "relation deleted"] == [event["event"] for event in newest]
    assert ("delete_entity", True) == (newest[0]["cause"], bool(newest[0]["actor"]))
    assert ["entity created", "entity deleted"] == [event["event"] for event in of_acme["events"]]


def test_temporal_neighbors_have_distance_and_path(tool_client, clock):
    for name in ("Idea", "Decision"):
        tool_client("create_entity", name=name, node_type="concept")
        clock.advance(hours=1)
    tool_client(
        "create_relationship",
        from_node_id="idea",
        to_node_id="decision",
        relationship_type="RELATED_TO",
    )

    before = tool_client("get_temporal_neighbors", node_id="decision", direction="before")[
        "neighbors"
    ]
    after = tool_client("get_temporal_neighbors", node_id="decision", direction="after")[
        "neighbors"
    ]

    assert [("idea", -3600.0)] == [(each["entity"]["id"], each["seconds"]) for each in before]
    assert [] == after


def test_undo_of_an_undo_restores_the_batch(tool_client):
    tool_client("create_entity", name="Bob", node_type="person", observations=["plays chess"])
    tool_client("create_entity", name="Robert", node_type="person", observations=["plays go"])
    merged = tool_client("merge_entities", keep_id="bob", merge_ids=["robert"])

    undone = tool_client("undo", batch_id=merged["batch_id"])

    assert "plays go" in [
        fact["content"]
        for fact in tool_client("get_hologram", node_id="robert")["nodes"][0]["observations"]
    ]
    tool_client("undo", batch_id=undone["batch_id"])
    assert "bob" == tool_client("get_hologram", node_id="Robert")["node_id"]


def test_a_session_has_a_beginning_an_end_and_a_predecessor(tool_client, clock):
    tool_client("start_session", session_id="s1", name="First")
    said = [{"role": "assistant", "content": "The harbour opens at six."}, "Good."]
    tool_client("end_session", session_id="s1", summary="Moved the queue.", messages=said)
    clock.advance(hours=3)
    second = tool_client("start_session", session_id="s2", name="Second")["session"]

    assert ("s1", "active") == (second["previous"], second["status"])
    assert "ended at" in tool_client.refusal("end_session", session_id="s1", summary="again")
    assert tool_client.texts("moved the queue")
    assert tool_client.texts("harbour")


def test_a_breakthrough_is_linked_to_its_session(tool_client):
    tool_client("start_session", session_id="s1", name="First")
    made = tool_client(
        "record_breakthrough", session_id="s1", title="Retries", content="They flood the queue."
    )

    near = tool_client("get_neighbors", node_id=made["id"], relationship_type="BREAKTHROUGH_IN")
    assert ["s1"] == [each["entity"]["id"] for each in near["neighbors"]]
    assert "They flood the queue." in tool_client.texts("what floods the queue?")


def test_bottles_are_left_found_and_acknowledged(tool_client, clock):
    tool_client("create_bottle", message="tidy up", priority="low")
    tool_client("create_bottle", message="server is down", priority="urgent")
    tool_client("create_bottle", message="today only", expires_at=clock().isoformat()[:10])
    clock.advance(days=2)
    shown = tool_client("get_bottles")

    assert ["server is down", "tidy up"] == [each["message"] for each in shown["bottles"]]
    assert 1 == shown["expired"]
    tool_client("acknowledge_bottle", id=shown["bottles"][0]["id"], acknowledged_by="ann")
    assert ["tidy up"] == [each["message"] for each in tool_client("get_bottles")["bottles"]]
    read = tool_client("get_bottles", include_acknowledged=True)["bottles"][0]
    assert ("ann", True) == (read["acknowledged_by"], bool(read["acknowledged_at"]))
    assert "priority" in tool_client.refusal("create_bottle", message="x", priority="huge")


def test_enum_values_are_case_insensitive(tool_client):
    bottle = tool_client("create_bottle", message="Refunds are next", priority="URGENT")["bottle"]
    events = tool_client("query_timeline", order="desc", limit=1)["events"]
    refusal = tool_client.refusal("get_neighbors", node_id="x", direction="In")

    assert ("urgent", 1) == (bottle["priority"], len(events))
    assert "should be 'both', 'outgoing' or 'incoming'; it was 'In'" in refusal
