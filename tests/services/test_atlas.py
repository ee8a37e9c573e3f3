"""Maps of the graph: what is drawn, how much there is beside it, and the card of one node."""

from __future__ import annotations

import pytest

from memory_core import Invalid, NotFound


@pytest.fixture
def star(memory):
    """A hub with four services, one of them archived, and a person far out."""
    memory.graph.create_entity("Hub", "project", id="hub")
    for number in range(4):
        memory.graph.create_entity(f"Service {number}", "service", id=f"s{number}")
        memory.relations.create(f"s{number}", "hub", "PART_OF")
    memory.graph.create_entity("Ann", "person", id="ann")
    memory.relations.create("ann", "s0", "OWNS")
    memory.lifecycle.archive("s3", "unused")
    memory.graph.create_entity("Elsewhere", "service", id="hub", project_id="other")
    return memory


def ids(drawn):
    return [node.id for node in drawn.nodes]


def test_the_most_salient_come_first(star):
    """
    Among equally new entities the one with the most relations matters most.
    """
    drawn = star.atlas.most_salient(limit=2)

    assert ["hub", "s0"] == ids(drawn)
    assert 5 == drawn.total
    assert ["PART_OF"] == [edge.relationship_type for edge in drawn.edges]


def test_filters_bound_what_is_drawn_and_counted(star):
    """
    Type and status choose the nodes, relation types choose the edges.
    """
    archived = star.atlas.most_salient(status="archived")
    services = star.atlas.most_salient(node_types=["service"], status="all")
    owns = star.atlas.most_salient(relation_types=["OWNS"])

    assert ["s3"] == ids(archived)
    assert 4 == services.total
    assert ["OWNS"] == [edge.relationship_type for edge in owns.edges]
    assert {"service": 3, "person": 1, "project": 1} == owns.type_counts
    assert {"PART_OF": 4, "OWNS": 1} == owns.relation_counts


def test_around_a_node_the_nearest_come_first(star):
    """
    One hop is the services, two hops reach the person; what is archived is left out.
    """
    near = star.atlas.around("hub")
    far = star.atlas.around("hub", hops=2)

    assert {"hub": 0, "s0": 1, "s1": 1, "s2": 1} == {n.id: n.distance for n in near.nodes}
    assert "ann" == ids(far)[-1]


def test_a_walk_follows_only_the_relations_asked_for(star):
    """
    Filtering by relation type cuts the paths, not only the lines.
    """
    assert ["s0", "ann"] == ids(star.atlas.around("s0", relation_types=["OWNS"]))


def test_all_projects_are_one_map(star):
    """
    Two entities of one id in two projects are two nodes.
    """
    drawn = star.atlas.most_salient(project_id="*")

    assert 6 == drawn.total
    assert 6 == len({node.row_id for node in drawn.nodes})


def test_a_card_has_everything_about_one_entity(star):
    """
    Facts, relations in both directions with the other end, who changed it, and how often.
    """
    star.observations.add("s0", "Answers in 40 ms.")
    star.graph.update_entity("s0", properties={"port": 80})
    card = star.atlas.card("s0")

    assert ["Answers in 40 ms."] == [fact.content for fact in card.observations]
    assert {("ann", False), ("hub", True)} == {(r.other.id, r.outgoing) for r in card.relations}
    assert (2, 2, 1) == (card.changes, card.relation_count, card.observation_count)
    assert star.graph.entity("s0").version == card.version


def test_counts_tell_what_came_since_a_moment(star, clock):
    """
    New rows by kind, and the entities that anything changed of.
    """
    clock.advance(days=1)
    since = clock()
    star.observations.add("s1", "Was rewritten.")
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


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"status": "deleted"}, "status must be"),
        ({"limit": 0}, "limit must lie between"),
        ({"limit": 5000}, "limit must lie between"),
    ],
)
def test_what_cannot_be_drawn_is_refused(memory, asked, rule):
    """
    The message names the rule.
    """
    with pytest.raises(Invalid, match=rule):
        memory.atlas.most_salient(**asked)


def test_a_map_around_nothing_is_refused(memory):
    """
    The node in the middle must exist, and a walk has an end.
    """
    with pytest.raises(NotFound):
        memory.atlas.around("nobody")
    with pytest.raises(Invalid, match="hops must lie between"):
        memory.atlas.around("nobody", hops=9)
