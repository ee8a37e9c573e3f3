"""The graph as a client sees it."""

from __future__ import annotations

import pytest


@pytest.fixture
def team(tool_client):
    """Ann and Bob at Acme, which runs an orders service."""
    for name, kind in (("Ann", "person"), ("Bob", "person"), ("Acme", "organization")):
        tool_client("create_entity", name=name, node_type=kind)
    tool_client(
        "create_entity", name="Orders", node_type="service", observations=["retries live here"]
    )
    for who in ("ann", "bob"):
        tool_client(
            "create_relationship",
            from_node_id=who,
            to_node_id="acme",
            relationship_type="works at",
        )
    return tool_client


def test_a_created_entity_is_found_at_once(tool_client):
    made = tool_client("create_entity", name="Payment gateway", node_type="service")
    found = tool_client("search_memory", query="gateway")

    assert made["embedding"] in ("pending", "ready")
    assert ["payment-gateway"] == [hit["entity"]["id"] for hit in found["hits"]]


def test_an_edited_record_is_found_only_by_its_new_text(tool_client):
    tool_client("create_entity", name="Courier", node_type="service", properties={"language": "Go"})
    tool_client("update_entity", id="courier", name="Messenger", properties={"owner": "Ann"})
    entity = tool_client("get_hologram", node_id="courier")["nodes"][0]["entity"]

    assert {"language": "Go", "owner": "Ann"} == entity["properties"]
    assert [] == tool_client.texts("courier", channel_weights={"vector": 0})
    assert "Messenger" in tool_client.texts("messenger", channel_weights={"vector": 0})[0]


def test_a_deleted_entity_leaves_no_trace_in_any_search(team):
    gone = team("delete_entity", id="orders")

    assert 1 == gone["deleted"]["observations"]
    for weights in ({"vector": 0}, {"lexical": 0}, {}):
        found = team("search_memory", query="retries live here", channel_weights=weights)
        assert "orders" not in {hit["entity"]["id"] for hit in found["hits"]}


def test_an_observation_edited_or_removed_changes_what_is_found(team):
    added = team("add_observation", entity_id="orders", content="is written in Haskell")
    id = added["observation"]["id"]
    team("update_observation", id=id, content="is written in Erlang")

    assert [] == team.texts("haskell", channel_weights={"vector": 0})
    assert ["is written in Erlang"] == team.texts("erlang", channel_weights={"vector": 0})
    team("delete_observation", id=id)
    assert [] == team.texts("erlang", channel_weights={"vector": 0})


def test_omitted_fields_of_a_relation_are_kept(team):
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
    assert "There is no entity" in team.refusal("get_hologram", node_id="missing")


def test_identical_observations_are_stored_once(team):
    once = team("add_observation", entity_id="orders", content="uses SQLite")
    twice = team("add_observation", entity_id="orders", content="uses SQLite")

    assert (False, True) == (once["already_exists"], twice["already_exists"])
    assert once["observation"]["id"] == twice["observation"]["id"]


def test_superseded_facts_are_hidden_but_kept(team):
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
    team("create_entity", name="Robert", node_type="person", observations=["plays chess"])
    merged = team("merge_entities", keep_id="bob", merge_ids=["robert"])

    assert ["Robert"] == merged["entity"]["aliases"]
    assert "plays chess" in [
        fact["content"]
        for fact in team("get_hologram", node_id="Robert")["nodes"][0]["observations"]
    ]


def test_relations_and_lists_are_kept_by_project(team):
    assert 0 == team("list_entities", project_id="elsewhere")["total"]
    assert "There is no entity 'ann'" in team.refusal(
        "get_hologram", node_id="ann", project_id="elsewhere"
    )
    team("delete_relationship", from_node_id="ann", to_node_id="acme", relationship_type="WORKS_AT")
    assert [] == team("get_neighbors", node_id="ann")["neighbors"]


def test_the_ontology_can_be_read(tool_client):
    short = tool_client("get_ontology")
    ontology = tool_client("get_ontology", details=True)

    assert len(str(short)) < len(str(ontology)) / 2
    works_at = next(each for each in ontology["relation_types"] if each["name"] == "WORKS_AT")
    assert "person" in works_at["domain"]
    assert ["person"] == [
        each["name"] for each in ontology["entity_types"] if each["name"] == "person"
    ]


def test_the_relation_types_between_two_entity_types_can_be_read(tool_client):
    found = tool_client("get_ontology", from_type="Person", to_type="company")
    names = {each["name"] for each in found["relation_types"]}

    assert {"WORKS_AT", "RELATED_TO"} <= names
    assert not {"PARENT_OF", "RESOLVES"} & names
    assert {"person", "organization"} == {each["name"] for each in found["entity_types"]}
    said = tool_client.refusal("get_ontology", from_type="peron")
    assert "Did you mean person?" in said


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("IS_MANAGED_BY_MANAGER", "OWNS"),
        ("EMPLOYED", "WORKS_AT"),
        ("DEPEND_ON", "DEPENDS_ON"),
        ("DOCUMENTATION_DESCRIBES", "DOCUMENTS"),
    ],
)
def test_an_unknown_relation_type_names_types_of_similar_meaning(team, given, meant):
    said = team.refusal(
        "create_relationship", from_node_id="ann", to_node_id="acme", relationship_type=given
    )

    assert meant in said.partition("Did you mean")[2].partition("?")[0], said


def test_an_unknown_relation_type_without_similar_ones_names_no_absurd_one(team):
    said = team.refusal(
        "create_relationship", from_node_id="ann", to_node_id="acme", relationship_type="ZORBLED"
    )

    assert "Did you mean" not in said


def test_an_unknown_entity_names_similar_ones_and_other_projects(team):
    team("create_entity", name="Zeppelin", node_type="tool", project_id="airport")
    near = team.refusal("get_neighbors", node_id="anne")
    elsewhere = team.refusal("get_neighbors", node_id="zeppelin")

    assert "Did you mean 'ann'?" in near
    assert "There is one in project 'airport'." in elsewhere


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
def test_blank_and_invalid_requests_return_errors(tool_client, tool, arguments):
    said = tool_client.refusal(tool, **arguments)

    assert said and "Traceback" not in said
