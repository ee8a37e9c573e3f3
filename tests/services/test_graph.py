from __future__ import annotations

import math

import pytest

from memory_core import ConflictError, NotFoundError, ValidationError, VersionConflictError


def test_creating_an_existing_entity_adds_only_new_details(memory):
    first = memory.graph.create_entity(
        "Orders API", "service", properties={"port": 8080}, observations=["written in Go"]
    )
    again = memory.graph.create_entity(
        " orders api",
        "service",
        properties={"port": 9090, "owner": "Ann"},
        aliases=["orders-service", "ORDERS API"],
        observations=["written in Go", "deployed on Fridays"],
    )

    assert again.already_exists
    assert first.entity.id == again.entity.id == "orders-api"
    assert {"port": 8080, "owner": "Ann"} == again.entity.properties
    assert ["port"] == again.kept
    assert ["orders-service"] == again.entity.aliases
    assert 3 == len(again.added)


def test_unicode_normalization_forms_of_a_name_are_equal(memory):
    memory.graph.create_entity("café", "place")

    assert memory.graph.create_entity("cafe\u0301", "place").already_exists


def test_an_alias_names_the_same_entity(memory):
    memory.graph.create_entity("PostgreSQL", "technology", aliases=["Postgres"])

    assert "postgresql" == memory.graph.create_entity("postgres", "technology").entity.id


def test_same_name_with_another_type_needs_an_id(memory):
    memory.graph.create_entity("Mercury", "project")

    with pytest.raises(ConflictError, match="exists as a project"):
        memory.graph.create_entity("Mercury", "person")
    assert "m2" == memory.graph.create_entity("Mercury", "person", id="m2").entity.id


def test_a_taken_id_is_a_conflict_that_names_its_owner(memory):
    memory.graph.create_entity("Ann", "person", id="A1")

    with pytest.raises(ConflictError, match="'A1' belongs to 'Ann'"):
        memory.graph.create_entity("Bob", "person", id="a1")


@pytest.mark.parametrize("name", ["John Smith", "JOHN  smith", "Johnny"])
def test_a_known_name_with_another_id_is_a_conflict(memory, name):
    memory.graph.create_entity("John Smith", "person", aliases=["Johnny"])

    with pytest.raises(ConflictError, match="'john-smith'"):
        memory.graph.create_entity(name, "person", id="globex", observations=["He sails."])
    again = memory.graph.create_entity("John Smith", "person", id="john-smith")

    assert (True, 1) == (again.already_exists, memory.graph.list_entities().total)


def test_blank_observations_are_skipped_and_counted(memory):
    written = memory.graph.create_entity("Ann", "person", observations=["is 30", " ", "", "sails"])

    assert 2 == len(written.added)
    assert "Skipped 2 blank observations." == written.notice


def test_ids_are_made_from_names_and_kept_apart(memory):
    first = memory.graph.create_entity("a b", "concept").entity.id
    second = memory.graph.create_entity("a-b", "concept").entity.id

    assert ["a-b", "a-b-2"] == [first, second]


def test_an_update_merges_properties_and_keeps_the_rest(memory):
    memory.graph.create_entity("Ann", "person", properties={"team": "core", "desk": 4})

    changed = memory.graph.update_entity(
        "ann", name="Ann Lee", properties={"desk": 5}, remove_properties=["team"]
    ).entity

    assert ("Ann Lee", {"desk": 5}) == (changed.name, changed.properties)
    with pytest.raises(ValidationError, match="no property 'team'"):
        memory.graph.update_entity("ann", remove_properties=["team"])


def test_stale_edits_name_the_conflicting_actor(memory):
    shown = memory.graph.create_entity("Ann", "person")
    memory.graph.update_entity("ann", properties={"a": 1})

    with pytest.raises(VersionConflictError, match="The entity 'ann' was changed by"):
        memory.graph.update_entity("ann", properties={"a": 2}, expected_version=shown.version)
    assert {"a": 1} == memory.graph.get_entity("ann").entity.properties


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_non_finite_numbers_are_rejected(memory, bad):
    with pytest.raises(ValidationError, match="NaN"):
        memory.graph.create_entity("Ann", "person", properties={"x": bad})


def test_oversized_properties_are_rejected(memory):
    bomb: dict = {}
    for _ in range(50_000):
        bomb = {"x": bomb}

    with pytest.raises(ValidationError, match="nested deeper"):
        memory.graph.create_entity("Ann", "person", properties=bomb)


def test_deleting_an_entity_deletes_observations_and_relations(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea", "rides a bike"])
    memory.graph.create_entity("Acme", "organization")
    memory.relations.create_relation("ann", "acme", "WORKS_AT")

    gone = memory.graph.delete_entity("ann")

    assert {"entities": 1, "observations": 2, "relations": 1} == gone.deleted
    with pytest.raises(NotFoundError, match="no entity 'ann'"):
        memory.graph.get_entity("ann")
    assert [] == memory.exploration.hologram("acme").relations


def test_a_merge_moves_everything_and_loses_nothing(memory):
    memory.graph.create_entity("Postgres 15", "technology", observations=["fast", "old"])
    memory.graph.create_entity(
        "PostgreSQL", "technology", observations=["fast", "big"], properties={"v": 15}
    )
    memory.graph.create_entity("Orders", "service")
    memory.relations.create_relation("orders", "postgresql", "DEPENDS_ON")

    merged = memory.graph.merge_entities("postgres-15", ["postgresql"])

    hologram = memory.exploration.hologram("postgres-15")
    assert {"observations": 1, "relations": 1} == merged.moved
    assert ["PostgreSQL"] == merged.entity.aliases
    assert {"v": 15} == merged.entity.properties
    assert {"fast", "old", "big"} == {o.content for o in hologram.nodes[0].observations}
    assert ["orders"] == [relation.from_node_id for relation in hologram.relations]
    assert "postgres-15" == memory.graph.get_entity("PostgreSQL").entity.id


def test_entities_are_listed_page_by_page(memory):
    for n in range(7):
        memory.graph.create_entity(f"thing {n}", "concept")
    memory.graph.create_entity("other", "person")

    page = memory.graph.list_entities(node_type="concept", limit=3)
    names = []
    while True:
        names += [entity.name for entity in page.entities]
        if not page.cursor:
            break
        page = memory.graph.list_entities(node_type="concept", limit=3, cursor=page.cursor)

    assert 7 == page.total
    assert [f"thing {n}" for n in range(7)] == names
    assert 1 == memory.graph.list_entities(query="G 3").total
    with pytest.raises(ValidationError, match="not a cursor"):
        memory.graph.list_entities(cursor="rubbish")


def test_projects_do_not_see_each_other(memory):
    memory.graph.create_entity("Ann", "person", project_id="vt-firmware")
    memory.graph.create_entity("Ann", "person", project_id="other")

    assert 1 == memory.graph.list_entities(project_id="other").total
    assert 2 == memory.graph.list_entities(project_id="*").total
    with pytest.raises(NotFoundError):
        memory.graph.get_entity("ann")
    with pytest.raises(ValidationError, match="all projects"):
        memory.graph.create_entity("Ann", "person", project_id="*")


def test_equivalent_relations_are_one_triple(memory):
    memory.graph.create_entity("Ann", "person")
    memory.graph.create_entity("Acme", "organization")

    first = memory.relations.create_relation("ann", "acme", "works at", weight=2.5, confidence=0.5)
    again = memory.relations.create_relation("ann", "acme", "WORKS_AT", confidence=0.9)

    assert "WORKS_AT" == first.relation.relationship_type
    assert again.already_exists and again.changed
    assert (2.5, 0.9) == (again.relation.weight, again.relation.confidence)


def test_unknown_relation_type_error_lists_valid_types(memory):
    memory.graph.create_entity("Ann", "person")
    memory.graph.create_entity("Acme", "organization")

    with pytest.raises(ValidationError, match="WORKS_AT"):
        memory.relations.create_relation("ann", "acme", "WORKS_ATT")
    with pytest.raises(ValidationError, match="WORKS_AT goes from"):
        memory.relations.create_relation("acme", "ann", "WORKS_AT")
    with pytest.raises(ValidationError, match="person"):
        memory.graph.create_entity("x", "persn")


def test_neighbours_have_distance_and_path(memory):
    for name in "abcd":
        memory.graph.create_entity(name, "service")
    for pair in ("ab", "bc", "cd"):
        memory.relations.create_relation(*pair, "DEPENDS_ON")

    near = memory.exploration.neighbors("a", depth=2).neighbors
    incoming = memory.exploration.neighbors("a", depth=2, direction="incoming").neighbors

    assert [("b", 1, ["a", "b"]), ("c", 2, ["a", "b", "c"])] == [
        (each.entity.id, each.distance, each.path) for each in near
    ]
    assert [] == incoming


def test_holograms_contain_all_nodes_and_relations_in_reach(memory):
    for name in "abcd":
        memory.graph.create_entity(name, "service", observations=[f"{name} is a service"])
    for pair in ("ab", "bc", "ac", "cd"):
        memory.relations.create_relation(*pair, "DEPENDS_ON")

    hologram = memory.exploration.hologram("a", depth=1)

    assert ["a", "b", "c"] == [node.entity.id for node in hologram.nodes]
    assert {("a", "b"), ("b", "c"), ("a", "c")} == {
        (edge.from_node_id, edge.to_node_id) for edge in hologram.relations
    }
    assert ["a is a service"] == [fact.content for fact in hologram.nodes[0].observations]
    with pytest.raises(NotFoundError):
        memory.exploration.hologram("missing")


def test_holograms_respect_the_budget_and_report_omissions(memory):
    memory.graph.create_entity("hub", "service")
    memory.graph.create_entity("spoke", "service", observations=["spins"])
    memory.relations.create_relation("hub", "spoke", "DEPENDS_ON")
    for n in range(120):
        memory.observations.add_observation("hub", f"fact {n} " + "word " * 200)

    hologram = memory.exploration.hologram("hub")

    assert 120 == hologram.nodes[0].observation_count
    assert hologram.truncated and "observations" in hologram.notice
    assert ["spins"] == [fact.content for fact in hologram.nodes[1].observations]
    assert len(hologram.model_dump_json()) <= 8000 * 4


def test_holograms_contain_node_salience(memory, clock):
    memory.graph.create_entity("hub", "service", observations=["serves the harbour"])
    for name in ("one", "two"):
        memory.graph.create_entity(name, "service")
        memory.relations.create_relation("hub", name, "DEPENDS_ON")
    memory.search.search_memory("harbour", limit=1)
    memory.telemetry.flush()
    clock.advance(days=30)

    hub, one, two = memory.exploration.hologram("hub").nodes

    assert 1 > hub.salience > one.salience > 0
    assert one.salience == two.salience


def test_a_superseded_fact_is_closed_linked_and_kept(memory, clock):
    memory.graph.create_entity("Orders", "service")
    old = memory.observations.add_observation("orders", "retries live in the gateway").observation
    clock.advance(days=3)

    new = memory.observations.supersede_observation(old.id, "retries were moved to the queue")

    shown = memory.exploration.hologram("orders").nodes[0].observations
    assert old.id == new.superseded
    assert [new.observation.id] == [fact.id for fact in shown]
    with pytest.raises(ConflictError, match="superseded already"):
        memory.observations.supersede_observation(old.id, "again")


def test_batches_of_facts_are_atomic(memory):
    from memory_core.model.graph.entities import NewObservation as New

    memory.graph.create_entity("Ann", "person")

    with pytest.raises(NotFoundError):
        memory.observations.add_observations(
            [New(entity_id="ann", content="x"), New(entity_id="?", content="y")]
        )
    added = memory.observations.add_observations(
        [New(entity_id="ann", content=text) for text in "xyx"]
    )

    assert (2, 1) == (added.added, added.already_existed)


def test_names_take_precedence_over_aliases(memory):
    memory.graph.create_entity("Old gate", "service")
    memory.graph.create_entity("Gateway", "service")
    memory.graph.update_entity("old-gate", aliases=["gateway"])

    again = memory.graph.create_entity("GATEWAY", "service", observations=["listens on 443"])

    assert "gateway" == again.entity.id
    assert "gateway" == memory.exploration.hologram("Gateway").node_id


def test_deleted_ids_report_their_fate(memory):
    for name in ("Orders DB", "Order store", "Cache"):
        memory.graph.create_entity(name, "service")
    memory.graph.merge_entities("orders-db", ["order-store"])
    memory.graph.delete_entity("cache")

    with pytest.raises(NotFoundError, match=r"'order-store'\. It was merged into 'orders-db'"):
        memory.observations.add_observation("order-store", "is sharded")
    with pytest.raises(NotFoundError, match=r"'CACHE'. It was deleted at .* tool restore_entity\."):
        memory.exploration.hologram("CACHE")
    with pytest.raises(NotFoundError, match="Look for it in project 'default'"):
        memory.exploration.hologram("never")


def test_additions_to_archived_entities_return_a_notice(memory):
    memory.graph.create_entity("Cache", "service")
    memory.lifecycle.archive_entities("cache")

    again = memory.graph.create_entity("Cache", "service", observations=["is back"])
    fact = memory.observations.add_observation("cache", "is warm")
    memory.lifecycle.restore_entity("cache")

    assert "restore_entity" in again.notice
    assert again.notice == fact.notice
    assert "" == memory.observations.add_observation("cache", "is hot").notice


def test_a_fact_whose_successor_is_deleted_can_be_superseded_again(memory):
    memory.graph.create_entity("Plan", "concept")
    first = memory.observations.add_observation("plan", "costs 5").observation.id
    second = memory.observations.supersede_observation(first, "costs 6").observation.id
    third = memory.observations.supersede_observation(second, "costs 7").observation.id

    with pytest.raises(ConflictError, match=f"superseded already, by '{third}'"):
        memory.observations.supersede_observation(first, "costs 8")
    memory.observations.delete_observation(third)
    with pytest.raises(ConflictError, match=f"superseded already, by '{second}'"):
        memory.observations.supersede_observation(first, "costs 8")
    again = memory.observations.supersede_observation(second, "costs 8")

    assert ("active", second) == (again.observation.status, again.superseded)


def test_missing_relation_error_hints_at_existing_ones(memory):
    for name in ("Shop", "Database"):
        memory.graph.create_entity(name, "service")
    memory.relations.create_relation("shop", "database", "USES")

    with pytest.raises(NotFoundError, match="the other way, from 'shop' to 'database'"):
        memory.relations.delete_relation("database", "shop", "USES")
    with pytest.raises(NotFoundError, match="List those of 'shop' with the tool get_hologram"):
        memory.relations.delete_relation("shop", "database", "CALLS")
