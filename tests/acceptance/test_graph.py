"""The graph as a client sees it."""

from __future__ import annotations

import pytest


@pytest.fixture
def team(door):
    """Ann and Bob at Acme, which runs an orders service."""
    for name, kind in (("Ann", "person"), ("Bob", "person"), ("Acme", "organization")):
        door("create_entity", name=name, node_type=kind)
    door("create_entity", name="Orders", node_type="service", observations=["retries live here"])
    for who in ("ann", "bob"):
        door(
            "create_relationship",
            from_node_id=who,
            to_node_id="acme",
            relationship_type="works at",
        )
    return door


def test_a_created_entity_is_found_at_once(door):
    """
    2: the row and its full text are there together, and the vector is ready or said to follow.
    """
    made = door("create_entity", name="Payment gateway", node_type="service")
    found = door("search_memory", query="gateway")

    assert made["embedding"] in ("pending", "ready")
    assert ["payment-gateway"] == [hit["entity"]["id"] for hit in found["hits"]]


def test_an_edit_is_found_by_its_new_words_and_meaning_alone(door):
    """
    3, 5: properties are merged, and old words lead nowhere.
    """
    door("create_entity", name="Courier", node_type="service", properties={"language": "Go"})
    door("update_entity", id="courier", name="Messenger", properties={"owner": "Ann"})
    entity = door("get_hologram", node_id="courier")["nodes"][0]["entity"]

    assert {"language": "Go", "owner": "Ann"} == entity["properties"]
    assert [] == door.texts("courier", channel_weights={"vector": 0})
    assert "Messenger" in door.texts("messenger", channel_weights={"vector": 0})[0]


def test_a_deleted_entity_leaves_no_trace_in_any_search(team):
    """
    4: its relations and observations go with it, in both channels.
    """
    gone = team("delete_entity", id="orders")

    assert 1 == gone["deleted"]["observations"]
    for weights in ({"vector": 0}, {"lexical": 0}, {}):
        found = team("search_memory", query="retries live here", channel_weights=weights)
        assert "orders" not in {hit["entity"]["id"] for hit in found["hits"]}


def test_an_observation_edited_or_removed_changes_what_is_found(team):
    """
    5: for old facts as well as new, by words and by meaning.
    """
    added = team("add_observation", entity_id="orders", content="is written in Haskell")
    id = added["observation"]["id"]
    team("update_observation", id=id, content="is written in Erlang")

    assert [] == team.texts("haskell", channel_weights={"vector": 0})
    assert ["is written in Erlang"] == team.texts("erlang", channel_weights={"vector": 0})
    team("delete_observation", id=id)
    assert [] == team.texts("erlang", channel_weights={"vector": 0})


def test_what_is_omitted_of_a_relation_is_kept(team):
    """
    6: weight, confidence and properties change only when they are given.
    """
    triple = {"from_node_id": "ann", "to_node_id": "acme", "relationship_type": "WORKS_AT"}
    team("create_relationship", **triple, weight=0.5, properties={"role": "lead"})
    again = team("create_relationship", **triple, confidence=0.7)
    back = team("create_relationship", **triple, weight=1.0)

    kept = again["relation"]
    assert (0.5, 0.7, {"role": "lead"}) == (
        kept["weight"],
        kept["confidence"],
        kept["properties"],
    )
    assert (1.0, 0.7) == (back["relation"]["weight"], back["relation"]["confidence"])


def test_an_unknown_relation_type_is_refused_with_the_valid_ones(team):
    """
    25: any letter case of a valid one is accepted and stored in one form.
    """
    said = team.refusal(
        "create_relationship", from_node_id="ann", to_node_id="acme", relationship_type="WORKS_ATT"
    )

    assert "WORKS_AT" in said and "RELATED_TO" in said
    types = {
        edge["relationship_type"] for edge in team("get_hologram", node_id="acme")["relations"]
    }
    assert {"WORKS_AT"} == types
    assert "person" in team.refusal("create_entity", name="x", node_type="persn")


def test_a_neighbourhood_is_complete_in_both_directions(team):
    """
    24: all nodes within the hops, all edges among them, observations filled in.
    """
    team(
        "create_relationship",
        from_node_id="acme",
        to_node_id="orders",
        relationship_type="RELATED_TO",
    )
    near = team("get_hologram", node_id="ann", depth=2)
    neighbors = team("get_neighbors", node_id="ann", depth=2)["neighbors"]

    assert {"ann": 0, "acme": 1, "bob": 2, "orders": 2} == {
        node["entity"]["id"]: node["distance"] for node in near["nodes"]
    }
    assert 3 == len(near["relations"])
    assert ["ann", "acme", "orders"] in [each["path"] for each in neighbors]
    assert "There is no entity" in team.refusal("get_hologram", node_id="nobody")


def test_an_observation_said_twice_is_one(team):
    """
    The second time comes back marked, and nothing is added.
    """
    once = team("add_observation", entity_id="orders", content="uses SQLite")
    twice = team("add_observation", entity_id="orders", content="uses SQLite")

    assert (False, True) == (once["already_exists"], twice["already_exists"])
    assert once["observation"]["id"] == twice["observation"]["id"]


def test_a_superseded_fact_is_no_longer_found_but_not_lost(team):
    """
    The new fact answers; the old one answers only when archived rows are asked for.
    """
    old = team("add_observation", entity_id="orders", content="the timeout is 30 seconds")
    team(
        "supersede_observation",
        id=old["observation"]["id"],
        content="the timeout is 90 seconds",
    )

    assert ["the timeout is 90 seconds"] == team.texts("timeout", channel_weights={"vector": 0})
    everything = team.texts("timeout", channel_weights={"vector": 0}, include_archived=True)
    assert 2 == len(everything)


def test_entities_are_merged_and_found_by_either_name(team):
    """
    Names, facts and relations are on the one that is kept.
    """
    team("create_entity", name="Robert", node_type="person", observations=["plays chess"])
    merged = team("merge_entities", keep_id="bob", merge_ids=["robert"])

    assert ["Robert"] == merged["entity"]["aliases"]
    assert "plays chess" in [
        fact["content"]
        for fact in team("get_hologram", node_id="Robert")["nodes"][0]["observations"]
    ]


def test_relations_and_lists_are_kept_by_project(team):
    """
    22: an id of one project means nothing in another.
    """
    assert 0 == team("list_entities", project_id="elsewhere")["total"]
    assert "There is no entity 'ann'" in team.refusal(
        "get_hologram", node_id="ann", project_id="elsewhere"
    )
    team("delete_relationship", from_node_id="ann", to_node_id="acme", relationship_type="WORKS_AT")
    assert [] == team("get_neighbors", node_id="ann")["neighbors"]


def test_the_ontology_can_be_read(door):
    """
    25: with aliases, domain and range of every relation type.
    """
    ontology = door("get_ontology")

    works_at = next(each for each in ontology["relation_types"] if each["name"] == "WORKS_AT")
    assert "person" in works_at["domain"]
    assert ["person"] == [
        each["name"] for each in ontology["entity_types"] if each["name"] == "person"
    ]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_knowledge", {"title": " ", "content": "x"}),
        ("add_knowledge", {"title": "x", "content": " \n"}),
        ("search_knowledge", {"query": " "}),
        ("search_knowledge", {"query": "x", "top_k": 0}),
        ("search_memory", {"query": ""}),
        ("create_entity", {"name": "", "node_type": "person"}),
        ("add_observation", {"entity_id": "x", "content": ""}),
    ],
)
def test_blank_and_impossible_requests_are_refused_as_errors(door, tool, arguments):
    """
    12: a refusal is an error of the protocol, and its message says what to give.
    """
    said = door.refusal(tool, **arguments)

    assert said and "Traceback" not in said
