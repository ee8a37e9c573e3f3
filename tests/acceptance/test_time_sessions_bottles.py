"""The past, sessions and bottles as a client sees them."""

from __future__ import annotations

import pytest


@pytest.fixture
def story(door, clock):
    """Two days: Ann joins Acme; a day later she is renamed, and Acme is deleted."""
    door("create_entity", name="Ann", node_type="person", observations=["likes tea"])
    door("create_entity", name="Acme", node_type="organization")
    door(
        "create_relationship",
        from_node_id="ann",
        to_node_id="acme",
        relationship_type="WORKS_AT",
    )
    first = clock().isoformat()
    clock.advance(days=1)
    door("update_entity", id="ann", name="Ann Lee")
    door("archive_entity", id="ann")
    door("delete_entity", id="acme")
    return first, clock().isoformat()


def test_as_of_a_moment_shows_what_was_known_then(door, story):
    """
    30: old values after edits, what was deleted later, and the status of then.
    """
    first, second = story
    then = door("point_in_time_query", as_of_iso_timestamp=first)
    now = door("point_in_time_query", as_of_iso_timestamp=second)

    assert [("Ann", "active"), ("Acme", "active")] == [
        (each["entity"]["name"], each["entity"]["status"]) for each in then["entities"]
    ]
    assert "likes tea" == then["entities"][0]["observations"][0]["content"]
    assert 1 == len(then["entities"][1]["relations"])
    assert [("Ann Lee", "archived")] == [
        (each["entity"]["name"], each["entity"]["status"]) for each in now["entities"]
    ]
    assert then["seq"] < now["seq"]


def test_how_a_moment_was_read_is_said(door, story):
    """
    30: a date means its end, a time without a zone is UTC, and nonsense is an error.
    """
    day = door("point_in_time_query", as_of_iso_timestamp="2026-01-01")
    zoneless = door("point_in_time_query", as_of_iso_timestamp="2026-01-01T12:00:00")

    assert 2 == len(day["entities"])
    assert "23:59:59" in day["notice"] and "UTC" in zoneless["notice"]
    said = door.refusal("point_in_time_query", as_of_iso_timestamp="yesterday-ish")
    assert "is not a moment" in said and "2026-03-14" in said


def test_the_difference_of_two_moments_is_listed(door, story):
    """
    31: added, removed and changed, with before and after.
    """
    first, second = story
    found = door("diff_knowledge_state", from_timestamp=first, to_timestamp=second)

    assert {"entity changed": 1, "entity removed": 1, "relation removed": 1} == found["counts"]
    renamed = next(each for each in found["changes"] if each["change"] == "changed")
    assert ("Ann", "Ann Lee") == (renamed["before"]["name"], renamed["after"]["name"])


def test_the_timeline_is_paged_and_filtered(door, story):
    """
    32: in order of time, by entity, type and window, with actor and cause.
    """
    newest = door("query_timeline", order="DESC", limit=2)["events"]
    of_acme = door("query_timeline", entity="acme", entity_type="organization")

    assert ["entity deleted", "relation deleted"] == [event["event"] for event in newest]
    assert ("delete_entity", True) == (newest[0]["cause"], bool(newest[0]["actor"]))
    assert ["entity created", "entity deleted"] == [event["event"] for event in of_acme["events"]]


def test_neighbours_in_time_have_a_distance_and_a_way(door, clock):
    """
    33: before, after or both.
    """
    for name in ("Idea", "Decision"):
        door("create_entity", name=name, node_type="concept")
        clock.advance(hours=1)
    door(
        "create_relationship",
        from_node_id="idea",
        to_node_id="decision",
        relationship_type="RELATED_TO",
    )

    before = door("get_temporal_neighbors", node_id="decision", direction="before")["neighbors"]
    after = door("get_temporal_neighbors", node_id="decision", direction="after")["neighbors"]

    assert [("idea", -3600.0)] == [(each["entity"]["id"], each["seconds"]) for each in before]
    assert [] == after


def test_undo_takes_an_act_back_and_undoing_that_brings_it_again(door):
    """
    A merge is one act: undone, both entities are there with what was theirs.
    """
    door("create_entity", name="Bob", node_type="person", observations=["plays chess"])
    door("create_entity", name="Robert", node_type="person", observations=["plays go"])
    merged = door("merge_entities", keep_id="bob", merge_ids=["robert"])

    undone = door("undo", batch_id=merged["batch_id"])

    assert "plays go" in [
        fact["content"]
        for fact in door("get_hologram", node_id="robert")["nodes"][0]["observations"]
    ]
    door("undo", batch_id=undone["batch_id"])
    assert "bob" == door("get_hologram", node_id="Robert")["node_id"]


def test_a_session_has_a_beginning_an_end_and_a_predecessor(door, clock):
    """
    28: linked to the one before, closed with summary and time; ending twice is an error.
    """
    door("start_session", session_id="s1", name="First")
    said = [{"role": "assistant", "content": "The harbour opens at six."}, "Good."]
    door("end_session", session_id="s1", summary="Moved the queue.", messages=said)
    clock.advance(hours=3)
    second = door("start_session", session_id="s2", name="Second")["session"]

    assert ("s1", "active") == (second["previous"], second["status"])
    assert "ended at" in door.refusal("end_session", session_id="s1", summary="again")
    assert door.texts("moved the queue")
    assert door.texts("harbour")


def test_a_breakthrough_is_linked_to_its_session(door):
    """
    29: stored and linked in one act, and found like everything else.
    """
    door("start_session", session_id="s1", name="First")
    made = door(
        "record_breakthrough", session_id="s1", title="Retries", content="They flood the queue."
    )

    near = door("get_neighbors", node_id=made["id"], relationship_type="BREAKTHROUGH_IN")
    assert ["s1"] == [each["entity"]["id"] for each in near["neighbors"]]
    assert "They flood the queue." in door.texts("what floods the queue?")


def test_bottles_are_left_found_and_acknowledged(door, clock):
    """
    38: most urgent first, expired ones hidden, who acknowledged and when.
    """
    door("create_bottle", message="tidy up", priority="low")
    door("create_bottle", message="server is down", priority="urgent")
    door("create_bottle", message="today only", expires_at=clock().isoformat()[:10])
    clock.advance(days=2)
    shown = door("get_bottles")

    assert ["server is down", "tidy up"] == [each["message"] for each in shown["bottles"]]
    assert 1 == shown["expired"]
    door("acknowledge_bottle", id=shown["bottles"][0]["id"], acknowledged_by="ann")
    assert ["tidy up"] == [each["message"] for each in door("get_bottles")["bottles"]]
    read = door("get_bottles", include_acknowledged=True)["bottles"][0]
    assert ("ann", True) == (read["acknowledged_by"], bool(read["acknowledged_at"]))
    assert "priority" in door.refusal("create_bottle", message="x", priority="huge")


def test_a_word_of_a_fixed_list_is_taken_in_any_letter_case(door):
    """
    A model that writes URGENT or desc has said what it means; another word is still refused.
    """
    bottle = door("create_bottle", message="Refunds are next", priority="URGENT")["bottle"]
    events = door("query_timeline", order="desc", limit=1)["events"]
    refusal = door.refusal("get_neighbors", node_id="x", direction="In")

    assert ("urgent", 1) == (bottle["priority"], len(events))
    assert "should be 'both', 'outgoing' or 'incoming'; it was 'In'" in refusal
