"""Many edits as one act: all or none, conflicts named, one undo."""

from __future__ import annotations

import pytest

from memory_core import ConflictError, ValidationError, acting_as
from memory_core.model.graph.bulk_edit import Edit


@pytest.fixture
def crew(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"], aliases=["Annie"])
    memory.graph.create_entity("Bob", "person", properties={"team": "core", "age": 40})
    memory.graph.create_entity("Orders", "service")
    memory.relations.create_relation("ann", "orders", "WORKS_ON")
    return memory


def edit(id, act="change", **more):
    return Edit(**{"kind": "entity", "act": act, "id": id, "project_id": "default", **more})


def names(memory):
    return {each.entity.name for each in memory.curation.list_entities().rows}


def test_edits_are_saved_as_one_batch(crew):
    edits = [edit("ann", name="Anna"), edit("orders", "delete"), edit("bob", "archive")]
    with acting_as("dashboard"):
        done = crew.curation.apply_edits(edits)
    after = names(crew)
    crew.undo.undo(done.batch_id)

    assert {"Anna"} == after
    assert {"Ann", "Bob", "Orders"} == names(crew)
    assert {"entity changed": 2, "entity deleted": 1, "relation deleted": 1} == done.rows
    assert ["dashboard"] == [a for a in crew.timelines.list_actors() if a != "unknown"]


def test_preview_counts_match_saving(crew):
    before = crew.atlas.version()

    tried = crew.curation.apply_edits([edit("orders", "delete")], dry_run=True)

    assert (before, "", []) == (crew.atlas.version(), tried.batch_id, tried.problems)
    assert crew.curation.apply_edits([edit("orders", "delete")]).rows == tried.rows


def test_stale_rows_are_reported_by_name(crew):
    seen = crew.curation.list_entities().seq
    with acting_as("cursor"):
        crew.graph.update_entity("ann", name="Anne")

    done = crew.curation.apply_edits(
        [edit("bob", name="Rob", seen=seen), edit("ann", "archive", seen=seen)]
    )

    (problem,) = done.problems
    assert (1, True, False) == (problem.place, problem.stale, done.saved)
    assert "'Anne' was changed by cursor at 20" in problem.why
    assert {"Anne", "Bob", "Orders"} == names(crew)


def test_new_facts_of_an_entity_block_its_deletion(crew):
    seen = crew.curation.list_entities().seq
    crew.observations.add_observation("ann", "won the regatta")

    (problem,) = crew.curation.apply_edits([edit("ann", "delete", seen=seen)]).problems

    assert problem.stale


def test_an_invalid_edit_rolls_back_the_batch(crew):
    done = crew.curation.apply_edits([edit("orders", name="Orders API"), edit("bob", name="Ann")])

    assert ["'Ann' is the name of the person 'ann'"] == [p.why.split(".")[0] for p in done.problems]
    assert {"Ann", "Bob", "Orders"} == names(crew)


def test_properties_and_aliases_are_replaced(crew):
    crew.curation.apply_edits(
        [edit("bob", properties={"team": "edge"}), edit("ann", aliases=["Nan"])]
    )

    assert {"team": "edge"} == crew.graph.get_entity("bob").entity.properties
    assert ["Nan"] == crew.graph.get_entity("ann").entity.aliases


def test_several_entities_are_merged_into_one(crew):
    crew.graph.create_entity("Robert", "person", observations=["sails"])
    seen = crew.curation.list_entities().seq
    merges = [edit(id, "merge", into="ann", seen=seen) for id in ("bob", "robert")]

    done = crew.curation.apply_edits(merges)

    assert done.saved
    assert ["Annie", "Bob", "Robert"] == crew.graph.get_entity("ann").entity.aliases


def test_facts_are_changed_replaced_and_deleted(crew):
    crew.observations.add_observation("bob", "drinks coffee")
    crew.observations.add_observation("bob", "rows")
    rows = crew.curation.list_observations()
    ids = {row.observation.content: row.observation.id for row in rows.rows}
    common = {"kind": "observation", "project_id": "default", "seen": rows.seq}

    crew.curation.apply_edits(
        [
            Edit(act="change", id=ids["likes tea"], content="likes green tea", **common),
            Edit(act="supersede", id=ids["rows"], content="sails", **common),
            Edit(act="delete", id=ids["drinks coffee"], **common),
        ]
    )

    found = crew.curation.list_observations(status="all").rows
    assert {"likes green tea", "rows", "sails"} == {row.observation.content for row in found}
    assert ["likes green tea"] == [
        row.observation.content
        for row in crew.curation.list_observations(query="green TEA", entity_id="ann").rows
    ]


def test_pages_count_what_matches(crew):
    page = crew.curation.list_entities(node_types=["person"], limit=1, offset=1)

    assert (1, 2) == (len(page.rows), page.total)
    assert 1 == crew.curation.list_entities(query="annie").total
    assert 0 == crew.curation.list_entities(query="100%").total


def test_invalid_edits_are_rejected(crew):
    with pytest.raises(ValidationError, match="0 edits"):
        crew.curation.apply_edits([])

    (problem,) = crew.curation.apply_edits([edit("ann", "supersede")]).problems

    assert "An entity cannot be made to supersede." == problem.why


def test_a_failed_batch_is_rolled_back(crew):
    with pytest.raises(ConflictError), crew.db.act("both"):
        crew.graph.create_entity("Cid", "person")
        crew.graph.update_entity("bob", name="Ann")

    assert {"Ann", "Bob", "Orders"} == names(crew)
    assert crew.graph.create_entity("Cid", "person").version


def test_edits_without_changes_are_detected(crew):
    (fact,) = crew.curation.list_observations().rows
    same = {"kind": "observation", "id": fact.observation.id, "project_id": "default"}
    edits = [
        edit("ann", name="Ann", node_type="person"),
        edit("bob", name="Rob"),
        edit("bob", "archive"),
        edit("bob", "restore"),
        edit("missing", name="Missing"),
        Edit(act="change", content="likes tea", **same),
        Edit(act="change", content="likes rum", **same),
    ]

    assert [1, 2, 4, 6] == [edits.index(each) for each in crew.curation.count_differing(edits)]
