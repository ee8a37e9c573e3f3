from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_core import NotFoundError, ValidationError
from memory_core.model.graph.graph_view import MapFilter
from memory_core.services.graph.shortest_path import shortest_way

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def star(memory):
    """A hub with four services, one of them archived, and a person far out."""
    memory.graph.create_entity("Hub", "project", id="hub")
    for number in range(4):
        memory.graph.create_entity(f"Service {number}", "service", id=f"s{number}")
        memory.relations.create_relation(f"s{number}", "hub", "PART_OF")
    memory.graph.create_entity("Ann", "person", id="ann")
    memory.relations.create_relation("ann", "s0", "OWNS")
    memory.lifecycle.archive_entities("s3", "unused")
    memory.graph.create_entity("Elsewhere", "service", id="hub", project_id="other")
    return memory


def ids(drawn):
    return [node.id for node in drawn.nodes]


def test_nodes_are_ordered_by_salience(star):
    drawn = star.atlas.most_salient(limit=2)

    assert ["hub", "s0"] == ids(drawn)
    assert 5 == drawn.total
    assert ["PART_OF"] == [edge.relationship_type for edge in drawn.edges]


def test_filters_apply_to_nodes_and_counts(star):
    archived = star.atlas.most_salient(wanted=MapFilter(status="archived"))
    services = star.atlas.most_salient(wanted=MapFilter(node_types=("service",), status="all"))
    owns = star.atlas.most_salient(wanted=MapFilter(relation_types=("OWNS",)))

    assert ["s3"] == ids(archived)
    assert 4 == services.total
    assert ["OWNS"] == [edge.relationship_type for edge in owns.edges]
    assert {"service": 3, "person": 1, "project": 1} == owns.type_counts
    assert {"PART_OF": 4, "OWNS": 1} == owns.relation_counts


def test_neighbourhood_is_ordered_by_distance(star):
    near = star.atlas.around("hub")
    far = star.atlas.around("hub", hops=2)

    assert {"hub": 0, "s0": 1, "s1": 1, "s2": 1} == {n.id: n.distance for n in near.nodes}
    assert "ann" == ids(far)[-1]


def test_neighbourhood_follows_only_selected_relations(star):
    assert ["s0", "ann"] == ids(star.atlas.around("s0", wanted=MapFilter(relation_types=("OWNS",))))


def test_all_projects_share_one_map(star):
    drawn = star.atlas.most_salient(project_id="*")

    assert 6 == drawn.total
    assert 6 == len({node.row_id for node in drawn.nodes})


def test_entity_card_contains_all_details(star):
    star.observations.add_observation("s0", "Answers in 40 ms.")
    star.graph.update_entity("s0", properties={"port": 80})
    card = star.atlas.card("s0")

    assert ["Answers in 40 ms."] == [fact.content for fact in card.observations]
    assert {("ann", False), ("hub", True)} == {(r.other.id, r.outgoing) for r in card.relations}
    assert (5, 2, 1) == (card.changes, card.relation_count, card.observation_count)
    assert star.graph.get_entity("s0").version == card.version


def test_deleted_additions_are_not_counted_as_new(star, clock):
    clock.advance(days=1)
    since = clock()
    fact = star.observations.add_observation("s1", "Is slow.").observation
    star.observations.supersede_observation(fact.id, "Is quick.")
    star.graph.create_entity("Gone", "person")
    star.graph.delete_entity("gone")
    star.graph.create_entity("Resting", "person")
    star.lifecycle.archive_entities("resting")
    star.graph.create_entity("Here", "person")
    counts = star.atlas.counts(since=since)

    assert {"entities": 1, "observations": 1} == counts.new


def test_counts_include_additions_since_a_moment(star, clock):
    clock.advance(days=1)
    since = clock()
    star.observations.add_observation("s1", "Was rewritten.")
    counts = star.atlas.counts(since=since)

    assert (5, 1, 1, 5, 0) == (
        counts.entities,
        counts.archived,
        counts.observations,
        counts.relations,
        counts.documents,
    )
    assert {"observations": 1} == counts.new
    assert 1 == counts.touched
    assert 6 == star.atlas.counts(project_id="*", since=since).entities


def test_date_filters_limit_the_nodes(memory, clock):
    memory.graph.create_entity("Old", "concept", id="old")
    memory.graph.create_entity("Touched", "concept", id="touched")
    clock.advance(days=1)
    noon = clock()
    clock.advance(days=1)
    memory.graph.create_entity("New", "concept", id="new")
    memory.observations.add_observation("touched", "is still so")

    made = memory.atlas.most_salient(wanted=MapFilter(since=noon))
    before = memory.atlas.most_salient(wanted=MapFilter(until=noon))
    changed = memory.atlas.most_salient(wanted=MapFilter(since=noon, dated="changed"))

    assert ["new"] == ids(made)
    assert {"old", "touched"} == set(ids(before))
    assert {"new", "touched"} == set(ids(changed))
    assert 2 == changed.total


def test_map_includes_only_relations_valid_then(memory, clock):
    for name in ("a", "b", "c"):
        memory.graph.create_entity(name, "concept", id=name)
    memory.relations.create_relation("a", "b", "DEPENDS_ON", valid_to=clock())
    memory.relations.create_relation("a", "c", "PART_OF")
    clock.advance(days=1)
    now = MapFilter(valid_at=clock())

    assert ["PART_OF"] == [e.relationship_type for e in memory.atlas.most_salient(wanted=now).edges]
    assert ["a", "c"] == ids(memory.atlas.around("a", wanted=now))
    assert ["a", "b", "c"] == sorted(ids(memory.atlas.around("a")))


def test_communities_are_numbered_the_largest_first(memory):
    names = [*("a1", "a2", "a3", "a4"), *("b1", "b2", "b3")]
    for name in [*names, "alone"]:
        memory.graph.create_entity(name, "concept", id=name)
    for one in names:
        for other in names:
            if one < other and one[0] == other[0]:
                memory.relations.create_relation(one, other, "RELATED_TO")
    memory.relations.create_relation("a1", "b1", "DEPENDS_ON")
    drawn = memory.atlas.most_salient(communities=True)
    again = memory.atlas.most_salient(communities=True)

    numbers = {node.id: node.community for node in drawn.nodes}
    assert {**dict.fromkeys(names[:4], 0), **dict.fromkeys(names[4:], 1), "alone": -1} == numbers
    assert drawn == again


def test_shortest_path_names_relations_and_directions(star):
    way = star.atlas.path(("default", "ann"), ("default", "s1"))
    by_row = {node.row_id: node.id for node in way.nodes}
    turned = star.atlas.path(("default", "s1"), ("default", "ann"))

    assert ["ann", "s0", "hub", "s1"] == [node.id for node in way.nodes]
    assert [
        ("ann", "OWNS", True, "s0"),
        ("s0", "PART_OF", True, "hub"),
        ("hub", "PART_OF", False, "s1"),
    ] == [
        (by_row[s.from_row_id], s.relationship_type, s.forward, by_row[s.to_row_id])
        for s in way.steps
    ]
    assert way.nodes == turned.nodes[::-1]
    assert 3 == way.hops


def test_paths_skip_archived_entities_by_default(memory):
    for name in ("a", "b", "c", "far"):
        memory.graph.create_entity(name, "concept", id=name)
    memory.relations.create_relation("a", "b", "DEPENDS_ON")
    memory.relations.create_relation("b", "c", "DEPENDS_ON")
    memory.lifecycle.archive_entities("b")

    none = memory.atlas.path(("default", "a"), ("default", "c"))
    through = memory.atlas.path(("default", "a"), ("default", "c"), include_archived=True)
    other = memory.atlas.path(("default", "a"), ("default", "c"), relation_types=["PART_OF"])

    assert ([], [], True, 2) == (none.nodes, none.steps, none.exhausted, none.searched)
    assert ["a", "b", "c"] == [node.id for node in through.nodes]
    assert [] == other.nodes
    assert ["a"] == [n.id for n in memory.atlas.path(("default", "a"), ("default", "a")).nodes]


def test_path_search_is_bounded(star):
    ends = [star.graph.get_entity(id).entity.row_id for id in ("ann", "s2")]
    with star.db.read() as connection:
        way = shortest_way(connection, *ends, MapFilter(), most=2)

    assert ([], False) == (way.row_ids, way.exhausted)
    assert 2 < way.searched


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"wanted": MapFilter(status="deleted")}, "status must be"),
        ({"limit": 0}, "limit must lie between"),
        ({"limit": 5000}, "limit must lie between"),
        ({"wanted": MapFilter(since=NOON, until=NOON)}, "until must be later than since"),
    ],
)
def test_invalid_map_requests_are_rejected(memory, asked, rule):
    with pytest.raises(ValidationError, match=rule):
        memory.atlas.most_salient(**asked)


def test_map_around_a_missing_entity_is_rejected(memory):
    with pytest.raises(NotFoundError):
        memory.atlas.around("missing")
    with pytest.raises(ValidationError, match="hops must lie between"):
        memory.atlas.around("missing", hops=9)


def test_node_order_matches_displayed_salience(memory, clock):
    for number in range(12):
        memory.graph.create_entity(f"Node {number}", "service", id=f"n{number}")
        clock.advance(days=number * 7 % 5)
    for number in range(1, 9):
        memory.relations.create_relation(f"n{number % 4}", f"n{number + 3}", "RELATED_TO")
    memory.telemetry.count_retrieved([("entities", _row_id(memory, "n2"))] * 7)
    memory.telemetry.count_retrieved([("entities", _row_id(memory, "n11"))])
    memory.telemetry.flush()
    clock.advance(days=3)

    drawn = memory.atlas.most_salient(limit=12)
    first = memory.atlas.most_salient(limit=3)

    saliences = [node.salience for node in drawn.nodes]
    assert sorted(saliences, reverse=True) == saliences
    assert len(set(saliences)) > 6
    assert ([node.id for node in drawn.nodes[:3]], 12) == (
        [node.id for node in first.nodes],
        first.total,
    )


def _row_id(memory, id):
    return memory.graph.get_entity(id).entity.row_id
