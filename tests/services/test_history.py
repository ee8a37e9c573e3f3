from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest
from support import HashingEmbedder

from memory_core import ConflictError, NotFoundError, ValidationError, acting_as, open_memory
from memory_core.rules import row_states
from tests.dashboard.reads import counted


@pytest.fixture
def story(memory, clock):
    """Tell a story of three days: Ann joins Acme, is renamed and moves, and Acme goes."""
    moments = {}
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.graph.create_entity("Acme", "organization", properties={"city": "Bonn"})
    memory.relations.create_relation("ann", "acme", "WORKS_AT", weight=0.5)
    moments["first"] = clock()
    clock.advance(days=1)
    with acting_as("cursor"):
        memory.graph.update_entity("ann", name="Ann Lee")
        fact = memory.exploration.hologram("ann", depth=0).nodes[0].observations[0]
        memory.observations.update_observation(fact.id, "likes coffee")
        memory.relations.create_relation("ann", "acme", "WORKS_AT", weight=0.9)
    moments["second"] = clock()
    clock.advance(days=1)
    memory.lifecycle.archive_entities("ann", reason="left")
    memory.graph.delete_entity("acme")
    moments["third"] = clock()
    return moments


def test_as_of_returns_exactly_the_recorded_state(memory, story):
    first = memory.history.as_of(story["first"]).entities
    second = memory.history.as_of(story["second"], entity_id="ANN").entities[0]
    third = memory.history.as_of(story["third"]).entities

    assert ["Ann", "Acme"] == [each.entity.name for each in first]
    assert ["likes tea"] == [fact.content for fact in first[0].observations]
    assert [("ann", "acme", 0.5)] == [
        (edge.from_node_id, edge.to_node_id, edge.weight) for edge in first[1].relations
    ]
    assert ("Ann Lee", "active") == (second.entity.name, second.entity.status)
    assert ["likes coffee"] == [fact.content for fact in second.observations]
    assert [0.9] == [edge.weight for edge in second.relations]
    assert [("Ann Lee", "archived", [])] == [
        (each.entity.name, each.entity.status, each.relations) for each in third
    ]


def test_as_of_before_the_first_change_is_empty(memory, story):
    before = story["first"] - timedelta(days=1)

    assert [] == memory.history.as_of(before).entities
    with pytest.raises(NotFoundError, match="At that moment"):
        memory.history.as_of(before, entity_id="ann")


def test_results_for_a_seq_are_stable(memory, story):
    once = memory.history.as_of(story["second"])
    memory.graph.create_entity("Bob", "person")
    memory.graph.update_entity("ann", name="Ann Smith")

    assert once == memory.history.as_of(story["second"])


def test_as_of_is_paged(memory, story, clock):
    for n in range(9):
        memory.graph.create_entity(f"thing {n}", "concept")
    page = memory.history.as_of(clock(), limit=4)
    seen = [each.entity.name for each in page.entities]
    while page.cursor:
        memory.graph.create_entity(f"late {len(seen)}", "concept")
        page = memory.history.as_of(clock(), limit=4, cursor=page.cursor)
        seen += [each.entity.name for each in page.entities]

    assert ["Ann Lee", *(f"thing {n}" for n in range(9))] == seen


def test_earlier_entities_are_listed_with_counts(memory, story, clock):
    memory.observations.add_observation("ann", "is back")
    first = memory.history.list_entities(story["first"], limit=1)
    second = memory.history.list_entities(clock(), limit=1, cursor=first.cursor)

    assert [("Ann", 1, 1), ("Acme", 0, 1)] == [
        (node.name, node.observations, node.degree) for node in [*first.nodes, *second.nodes]
    ]
    assert (first.seq, "") == (second.seq, second.cursor)


def test_valid_time_and_record_time_are_independent(memory, clock):
    memory.graph.create_entity("Orders", "service")
    old = memory.observations.add_observation("orders", "runs on port 80").observation
    memory.observations.update_observation(old.id, valid_from=clock() - timedelta(days=90))
    memory.observations.supersede_observation(old.id, "runs on port 443", valid_from=clock())

    def known(valid_at):
        page = memory.history.as_of(clock(), entity_id="orders", valid_at=valid_at)
        return [fact.content for fact in page.entities[0].observations]

    assert ["runs on port 80"] == known(clock() - timedelta(days=30))
    assert ["runs on port 443"] == known(clock() + timedelta(days=1))
    assert [] == known(clock() - timedelta(days=120))


def test_diff_lists_changes_with_old_and_new_values(memory, story):
    grown = memory.history.diff(story["first"] - timedelta(days=1), story["first"])
    edited = memory.history.diff(story["first"], story["second"])
    shrunk = memory.history.diff(story["second"], story["third"])

    assert {"entity added": 2, "observation added": 1, "relation added": 1} == grown.counts
    by_kind = {change.kind: change for change in edited.changes}
    assert {"entity changed": 1, "observation changed": 1, "relation changed": 1} == edited.counts
    assert ({"name": "Ann"}, {"name": "Ann Lee"}) == (
        by_kind["entity"].before,
        by_kind["entity"].after,
    )
    assert {"content": "likes coffee"} == by_kind["observation"].after
    assert ("cursor", "ann WORKS_AT acme") == (
        by_kind["relation"].actor,
        by_kind["relation"].name,
    )
    assert {"entity changed": 1, "entity removed": 1, "relation removed": 1} == shrunk.counts


def test_diff_omits_rows_added_and_deleted_in_between(memory, clock):
    memory.graph.create_entity("Ann", "person")
    start = clock()
    clock.advance(hours=1)
    memory.graph.create_entity("Bob", "person")
    memory.graph.delete_entity("bob")
    memory.graph.update_entity("ann", name="Anna")
    memory.graph.update_entity("ann", name="Ann")

    assert [] == memory.history.diff(start, clock()).changes
    with pytest.raises(ValidationError, match="before from_timestamp"):
        memory.history.diff(clock(), start)


def test_diff_is_paged(memory, clock):
    start = clock()
    clock.advance(hours=1)
    for n in range(7):
        memory.graph.create_entity(f"thing {n}", "concept")
    page = memory.history.diff(start, clock(), limit=3)
    seen = [change.name for change in page.changes]
    while page.cursor:
        memory.graph.create_entity(f"late {len(seen)}", "concept")
        page = memory.history.diff(start, clock(), limit=3, cursor=page.cursor)
        seen += [change.name for change in page.changes]

    assert [f"thing {n}" for n in range(7)] == seen


def test_diff_uses_a_constant_number_of_queries(memory, clock):
    memory.graph.create_entity("Hub", "concept")
    asked = []
    with memory.db.read() as connection:
        connection.exec_trace = lambda _, query, __: asked.append(query) or True
    spans = []
    for count in (1, 40):
        start = clock()
        clock.advance(hours=1)
        for n in range(count):
            memory.graph.create_entity(f"thing {count} {n}", "concept", observations=["is so"])
            memory.relations.create_relation(f"thing-{count}-{n}", "hub", "PART_OF")
        asked.clear()
        found = memory.history.diff(start, clock(), limit=200)
        spans.append((len(found.changes), len(asked)))

    (few, questions), (many, as_many) = spans
    assert (3, 120) == (few, many)
    assert 0 < questions == as_many


def test_history_map_shows_later_changes(memory, story, clock):
    memory.graph.create_entity("Bob", "person")
    memory.relations.create_relation("bob", "ann", "OWNS")
    drawn = memory.history.past_graph(story["first"], clock())
    names = {node.row_id: node.name for node in drawn.nodes}

    assert {"Ann": "changed", "Acme": "removed", "Bob": "added"} == {
        node.name: node.became for node in drawn.nodes
    }
    assert {("Ann", "Acme", "removed"), ("Bob", "Ann", "added")} == {
        (names[e.from_row_id], names[e.to_row_id], e.became) for e in drawn.edges
    }
    facts = {node.name: node.observations for node in drawn.nodes}
    assert ({"Ann": 1, "Acme": 0, "Bob": 0}, 3) == (facts, drawn.total)
    assert {"Ann": 1, "Acme": 1, "Bob": 0} == {node.name: node.degree for node in drawn.nodes}


def test_history_map_is_filled_with_unchanged_nodes(memory, clock):
    for name in ("a", "b", "c", "d", "alone"):
        memory.graph.create_entity(name, "concept", id=name)
    for name in ("b", "c", "d"):
        memory.relations.create_relation("a", name, "PART_OF")
    then = clock()
    clock.advance(hours=1)
    memory.observations.add_observation("d", "is new")
    drawn = memory.history.past_graph(then, clock())
    few = memory.history.past_graph(then, clock(), limit=2)

    assert [("d", "changed"), ("a", ""), ("b", ""), ("c", ""), ("alone", "")] == [
        (node.id, node.became) for node in drawn.nodes
    ]
    assert (["d", "a"], 5, 1) == ([node.id for node in few.nodes], few.total, len(few.edges))


def test_a_merged_fact_belongs_to_one_entity_at_every_moment(memory, clock):
    memory.graph.create_entity("Postgres 15", "technology")
    memory.graph.create_entity("PostgreSQL", "technology", observations=["is fast"])
    before = clock()
    clock.advance(days=1)
    memory.graph.merge_entities("postgres-15", ["postgresql"])

    def owners(moment):
        page = memory.history.as_of(moment)
        return [each.entity.id for each in page.entities if each.observations]

    assert ["postgresql"] == owners(before)
    assert ["postgres-15"] == owners(clock())


def test_timeline_lists_events_with_actor_and_cause(memory, story):
    oldest_first = memory.timelines.list_events().events
    newest_first = memory.timelines.list_events(order="DESC", limit=3).events

    assert [
        "entity created",
        "observation created",
        "entity created",
        "relation created",
        "entity changed",
        "observation changed",
        "relation changed",
        "entity archived",
        "relation deleted",
        "entity deleted",
    ] == [event.event for event in oldest_first]
    assert {"cursor"} == {event.actor for event in oldest_first[4:7]}
    assert [event.seq for event in oldest_first[:-4:-1]] == [event.seq for event in newest_first]


def test_the_timeline_is_filtered_by_entity_type_and_window(memory, story):
    of_acme = memory.timelines.list_events(entity="acme")
    of_organizations = memory.timelines.list_events(entity_type="organization")
    of_day_two = memory.timelines.list_events(start=story["second"], end=story["second"])

    assert {"Acme", "ann WORKS_AT acme"} == {event.name for event in of_acme.events}
    assert {"entity created", "entity deleted"} == {
        event.event for event in of_organizations.events
    }
    assert 3 == of_day_two.total


def test_timeline_uses_a_constant_number_of_queries(memory, clock, monkeypatch):
    memory.graph.create_entity("Ann", "person")
    for number in range(12):
        memory.graph.create_entity(f"Friend {number}", "person")
        memory.relations.create_relation("ann", f"friend-{number}", "KNOWS")
        memory.observations.add_observation("ann", f"has {number} boats")
    memory.graph.delete_entity("friend-3")
    asked = []
    with (
        counted(monkeypatch) as reads,
        closing(open_memory(path=memory.db.path, embedder=HashingEmbedder(), clock=clock)) as again,
    ):
        again.timelines.list_changes("ann", limit=1)
        for limit in (1, 100):
            reads.forget()
            changes, _ = again.timelines.list_changes("ann", limit=limit)
            asked.append(reads.statements)

    assert 26 == len(changes)
    assert "ann KNOWS friend-3" == changes[0].event.name
    assert asked[0] == asked[1]


def test_timeline_describes_suggestions():
    ends = {"from_id": "id1", "to_id": "id2"}
    names = {"id1": "ann", "id2": "anne"}
    relation = {**ends, "kind": "relation", "relation_type": "KNOWS"}
    twins = {**ends, "kind": "duplicate", "relation_type": ""}

    assert "ann KNOWS anne" == row_states.row_name("suggestions", relation, names)
    assert "ann duplicate? anne" == row_states.row_name("suggestions", twins, names)


def test_temporal_neighbors_are_ordered_by_time_distance(memory, clock):
    for name, kind in (("Idea", "concept"), ("Decision", "decision"), ("Bug", "bug")):
        memory.graph.create_entity(name, kind)
        clock.advance(hours=2)
    for name in ("idea", "bug"):
        memory.relations.create_relation(name, "decision", "RELATED_TO")

    around = memory.timelines.temporal_neighbors("decision")
    before = memory.timelines.temporal_neighbors("decision", direction="before")

    assert {("idea", -7200.0), ("bug", 7200.0)} == {
        (each.entity.id, each.seconds) for each in around.neighbors
    }
    assert [["decision", "idea"]] == [each.path for each in before.neighbors]


def test_an_event_names_its_kind_as_the_filter_does(memory):
    memory.entries.write_entry("chose SQLite", ["a", "b", "c", "d", "e"], category="knowledge")
    (event,) = memory.timelines.list_events(kind="entry").events

    assert ("entry", "entry created") == (event.kind, event.event)


def test_timeline_window_count_matches_its_events(memory, clock):
    started = clock()
    memory.graph.create_entity("Ann", "person")
    clock.advance(days=1)
    memory.graph.create_entity("Bob", "person", project_id="other")
    memory.knowledge.add_document("Notes", "What was said.")
    clock.advance(days=1)
    memory.graph.create_entity("Cid", "person")
    last = clock()

    whole = memory.timelines.list_events(project_id="*", order="DESC")
    alone = memory.timelines.list_events()
    first = memory.timelines.list_events(project_id="*", end=started)
    newest = memory.timelines.list_events(project_id="*", start=last)
    later = memory.timelines.list_events(project_id="*", start=last + timedelta(seconds=1))
    earlier = memory.timelines.list_events(project_id="*", end=started - timedelta(seconds=1))

    assert ["Cid", "Notes", "Bob", "Ann"] == [event.name for event in whole.events]
    assert [4, 3, 1, 1, 0, 0] == [
        each.total for each in (whole, alone, first, newest, later, earlier)
    ]
    assert ["Ann"] == [event.name for event in first.events]
    assert ["Cid"] == [event.name for event in newest.events]
    assert [] == [*later.events, *earlier.events]


def test_history_accepts_former_and_current_names(memory, story):
    memory.graph.update_entity("ann", name="Ann Fox")

    def name(asked, moment):
        return memory.history.as_of(story[moment], entity_id=asked).entities[0].entity.name

    assert ["Ann Lee", "Ann Lee"] == [name(asked, "second") for asked in ("ann lee", "Ann Fox")]
    assert "Acme" == name("ACME", "second")
    with pytest.raises(NotFoundError, match="did not know it"):
        name("Bob", "second")


def test_names_resolve_to_their_bearer_at_that_moment(memory, clock):
    memory.graph.create_entity("API", "service", id="old-one")
    then = clock()
    clock.advance(days=1)
    memory.graph.update_entity("old-one", name="Gateway")
    memory.graph.create_entity("API", "service", id="new-one")
    memory.graph.create_entity("Gateway", "component", id="frame")

    def asked(name, moment):
        return memory.history.as_of(moment, entity_id=name).entities[0].entity.id

    assert ("old-one", "new-one") == (asked("api", then), asked("api", clock()))
    assert "old-one" == asked("Gateway", then)
    with pytest.raises(ConflictError, match="'frame', 'old-one'"):
        asked("Gateway", clock())


def test_events_are_found_by_former_names(memory, story):
    renamed = memory.timelines.list_events(entity="Ann").events
    memory.graph.create_entity("Some Shop", "organization", id="shop")
    memory.graph.delete_entity("shop")
    deleted = memory.timelines.list_events(entity="some shop").events

    assert "entity created" == renamed[0].event
    assert ["entity created", "entity deleted"] == [each.event for each in deleted]


def test_diff_uses_public_ids(memory, clock):
    for name in ("Ann", "Anne", "Acme"):
        memory.graph.create_entity(name, "person" if name[0:2] == "An" else "organization")
    memory.observations.add_observation("anne", "likes tea")
    start = clock()
    clock.advance(hours=1)
    memory.relations.create_relation("ann", "acme", "WORKS_AT")
    memory.graph.merge_entities("ann", ["anne"])

    changes = memory.history.diff(start, clock()).changes

    assert {"from_node_id": "ann", "to_node_id": "acme"}.items() <= changes[0].after.items()
    assert ({"entity_id": "anne"}, {"entity_id": "ann"}) == (changes[1].before, changes[1].after)
    assert "anne" == changes[2].before["id"]
