from __future__ import annotations

import json

import pytest
from ancestors import BUILDERS, RELATIONS, T1, T2, T3, build_turbovec, build_vellum
from tables import rows

from memory_core.model.scope import ALL_USERS


def moment(text):
    return text.replace("+00:00", "Z")


@pytest.mark.parametrize("name", BUILDERS)
def test_an_import_is_idempotent_previewed_and_undone_as_one(memory, tmp_path, name):
    path, before = BUILDERS[name](tmp_path / "theirs.db"), rows(memory)

    would = memory.interchange.preview_import(path)
    untouched = rows(memory)
    done = memory.interchange.import_file(path)
    after = rows(memory)
    again = memory.interchange.import_file(path)

    assert before == untouched
    assert (name, would.added, []) == (done.format, done.added, done.refused)
    assert (after, {}, done.added, "") == (
        rows(memory),
        again.added,
        again.already_there,
        again.batch_id,
    )
    memory.undo.undo(done.batch_id, project_id="*", user_id=ALL_USERS)
    assert before == rows(memory)


def test_a_turbovec_database_keeps_everything(memory, tmp_path):
    done = memory.interchange.import_file(build_turbovec(tmp_path / "theirs.db"))

    stored = rows(memory)
    found = {row["key"]: row for row in stored["entities"]}
    ann, gone, session = found["ann"], found["gone"], found["work-1"]
    assert ("Ann", "person", "likely", moment(T1), moment(T2)) == tuple(
        ann[name] for name in ("name", "node_type", "certainty", "created_at", "updated_at")
    )
    assert {"age": 30, "salience_score": 2.5} == json.loads(ann["properties"])
    assert ("shop", "archived", moment(T3), "old") == tuple(
        gone[name] for name in ("project_id", "status", "archived_at", "archive_reason")
    )
    assert {"kept": [1], "original_type": "entity"} == json.loads(gone["properties"])
    assert {"state": "closed", "summary": "done"} == json.loads(session["properties"])
    fact = next(row for row in stored["observations"] if row["id"] == "o1")
    assert ("guess", moment(T2), moment(T3)) == (
        fact["certainty"],
        fact["created_at"],
        fact["occurred_at"],
    )
    (bottle,) = stored["bottles"]
    assert ("b1", 2, "work-1", moment(T1)) == tuple(
        bottle[name] for name in ("id", "priority", "author_session_id", "acknowledged_at")
    )
    assert {"nodes.retrieval_count", "search_metrics"} == set(done.not_recognised)


def test_all_relation_types_of_turbovec_keep_type_and_direction(memory, tmp_path):
    memory.interchange.import_file(build_turbovec(tmp_path / "theirs.db"))

    stored = rows(memory)
    ids = {row["key"]: row["id"] for row in stored["entities"]}
    between = [row for row in stored["relations"] if row["to_id"] == ids["ann"]]
    assert {kind.upper() for kind in RELATIONS} == {row["relationship_type"] for row in between}
    assert {(ids["bob"], 0.5, 3.0, '{"why": 1}', moment(T2))} == {
        tuple(row[name] for name in ("from_id", "confidence", "weight", "properties", "created_at"))
        for row in between
    }
    (far,) = [row for row in stored["relations"] if row["to_id"] == ids["gone"]]
    assert '{"original_types": ["inspects"]}' == far["properties"]


def test_facts_about_an_existing_entity_are_added_to_it(memory, tmp_path):
    memory.graph.create_entity("Ann", "person", id="ann", properties={"age": 31})

    done = memory.interchange.import_file(build_turbovec(tmp_path / "theirs.db"))

    found = memory.exploration.hologram("ann").nodes[0]
    assert (31, ["likes tea"]) == (
        found.entity.properties["age"],
        [fact.content for fact in found.observations],
    )
    assert ["nodes ann"] == [each.where for each in done.refused]


def test_turbomem_facts_keep_scope_metadata_and_times(memory, tmp_path):
    memory.interchange.import_file(BUILDERS["turbomem"](tmp_path / "t.sqlite"), project_id="p")

    found = {row["id"]: row for row in rows(memory)["entries"]}
    assert ("p", "fact", "ann", "", "s1", '{"k": [1]}', moment(T1), moment(T2)) == tuple(
        found["m1"][name]
        for name in (
            *("project_id", "form", "user_id", "agent_id", "session_id"),
            *("metadata", "created_at", "updated_at"),
        )
    )


def test_vellum_entries_keep_tags_category_expiry_and_context(memory, tmp_path):
    done = memory.interchange.import_file(build_vellum(tmp_path / "vellum.db"))

    found = {row["id"]: row for row in rows(memory)["entries"]}
    chunks = sorted(rows(memory)["context_chunks"], key=lambda row: row["position"])
    assert ("entry", "preference", "2024-01-02T03:04:05.006000Z") == tuple(
        found["v1"][name] for name in ("form", "category", "created_at")
    )
    assert ["茶", "two", "three", "four", "five"] == json.loads(found["v1"]["tags"])
    assert 1 == found["v2"]["is_time_sensitive"] and found["v2"]["expires_at"]
    assert ("fact", "other", '{"original_category": "diary"}') == tuple(
        found["v3"][name] for name in ("form", "category", "metadata")
    )
    assert ["first", "second", "third"] == [row["text"] for row in chunks]
    assert ["setting group_threshold = 0.45"] == done.not_recognised
