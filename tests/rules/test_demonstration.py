"""
The demonstration project is whole and keeps the rules of the ontology.

``memory_core/demonstration.json`` has one key, ``projects``: a list of objects with

* ``project_id``, ``name``, ``description``
* ``entities``: ``key`` (unique in the project), ``name``, ``node_type``, ``aliases``,
  ``properties``, ``certainty``, ``occurred_at`` ("" or a UTC time), ``archived`` (the reason, or
  "" while it is active) and ``observations``
* an observation: ``key`` (unique in the file), ``content``, ``certainty``, ``occurred_at``,
  ``session_id`` ("" or the key of an entity of type session), ``supersedes`` ("" or the key of
  an earlier observation of the same entity, whose value it replaces)
* ``relations``: ``from``, ``type``, ``to``; the ends are entity keys of the same project
* ``documents``: ``title``, ``content`` (Markdown)
* ``entries``: ``summary``, ``tags`` (five), ``category``, ``context_text``, ``is_time_sensitive``
* ``facts``: ``user``, ``agent``, ``session`` (each "" if there is none), ``category``, ``content``
* ``conversations``: ``user``, ``agent``, ``session``, ``messages`` (``role``, ``content``), and
  ``facts``, the sentences that were drawn from it; without one it waits for an assistant
* ``bottles``: ``message``, ``priority``, ``recipient``, ``expires_at`` ("" or a UTC time)
* ``questions``: ``question``, ``entity`` and ``answer``, the content of the observation of that
  entity that answers it; the question paraphrases it
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_core.rules.graph.ontology import (
    canonical_entity_type,
    canonical_relation_type,
    check_ends,
    parse_ontology,
    stored_triple,
)

ROOT = Path(__file__).parents[2]
ONTOLOGY = parse_ontology((ROOT / "memory_core/ontology.json").read_text("utf-8"))
DEMONSTRATION = json.loads((ROOT / "memory_core/demonstration.json").read_text("utf-8"))
PROJECTS = DEMONSTRATION["projects"]
HARBOUR, FIRMWARE = PROJECTS

FIRST, LAST = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 11, 20, tzinfo=UTC)
CERTAINTIES = {"confirmed", "inferred", "uncertain"}
KEYS = {
    "entities": "key name node_type aliases properties certainty occurred_at archived observations",
    "relations": "from type to",
    "documents": "title content",
    "entries": "summary tags category context_text is_time_sensitive",
    "facts": "user agent session category content",
    "conversations": "user agent session messages facts",
    "bottles": "message priority recipient expires_at",
    "questions": "question entity answer",
}
OBSERVATION_KEYS = "key content certainty occurred_at session_id supersedes"

of_each_project = pytest.mark.parametrize("project", PROJECTS, ids=lambda p: p["project_id"])


def observations(project):
    return [each for entity in project["entities"] for each in entity["observations"]]


def twice(values):
    return [value for value, count in Counter(values).items() if count > 1]


@of_each_project
def test_everything_has_exactly_the_documented_keys(project):
    assert {"project_id", "name", "description", *KEYS} == set(project)
    for family, keys in KEYS.items():
        assert all(set(keys.split()) == set(row) for row in project[family]), family
    assert all(set(OBSERVATION_KEYS.split()) == set(row) for row in observations(project))


def test_demonstration_is_large_enough():
    assert ["harbour", "vt-firmware"] == [project["project_id"] for project in PROJECTS]
    assert 60 <= len(HARBOUR["entities"]) and 10 <= len(FIRMWARE["entities"])
    assert 200 <= len(observations(HARBOUR)) and 130 <= len(HARBOUR["relations"])
    assert 20 <= len({entity["node_type"] for entity in HARBOUR["entities"]})
    sessions = [e for e in HARBOUR["entities"] if e["node_type"] == "session"]
    sizes = [len(sessions), *(len(HARBOUR[k]) for k in list(KEYS)[2:])]
    assert [12, 4, 12, 9, 3, 8, 10] == sizes


@of_each_project
def test_keys_names_and_contents_are_unique(project):
    keys = [entity["key"] for entity in project["entities"]]
    names = [
        name.casefold()
        for entity in project["entities"]
        for name in (entity["name"], *entity["aliases"])
    ]

    assert [] == twice(keys)
    assert [] == twice(names)
    assert [] == twice(row["key"] for row in observations(project))
    assert [] == twice(row["content"] for row in observations(project))


@of_each_project
def test_every_entity_type_is_in_the_ontology(project):
    types = {entity["node_type"] for entity in project["entities"]}

    assert types == {canonical_entity_type(ONTOLOGY, type) for type in types}


@of_each_project
def test_every_relation_fits_the_ontology(project):
    types = {entity["key"]: entity["node_type"] for entity in project["entities"]}
    triples = []
    for relation in project["relations"]:
        from_key, type, to_key = relation["from"], relation["type"], relation["to"]
        assert type == canonical_relation_type(ONTOLOGY, type)
        check_ends(ONTOLOGY, type, types[from_key], types[to_key])
        triples.append(stored_triple(ONTOLOGY, type, from_key, to_key))

    assert [] == twice(triples)
    assert [] == [triple for triple in triples if triple[1] == triple[2]]


@of_each_project
def test_every_active_entity_is_related_and_observed(project):
    ends = {relation[end] for relation in project["relations"] for end in ("from", "to")}

    lonely = [entity["key"] for entity in project["entities"] if entity["key"] not in ends]
    assert [] == lonely
    assert all(entity["observations"] for entity in project["entities"])


@of_each_project
def test_every_time_is_in_the_season_and_in_utc(project):
    rows = observations(project) + [e for e in project["entities"] if e["occurred_at"]]
    times = [datetime.fromisoformat(row["occurred_at"]) for row in rows]

    assert all(FIRST <= time <= LAST for time in times)
    assert CERTAINTIES >= {row["certainty"] for row in rows}


def test_the_history_spans_the_whole_season():
    months = {row["occurred_at"][5:7] for row in observations(HARBOUR)}

    assert {"06", "07", "08", "09", "10", "11"} == months
    assert CERTAINTIES == {row["certainty"] for row in observations(HARBOUR)}


@of_each_project
def test_every_named_session_exists(project):
    sessions = {e["key"] for e in project["entities"] if e["node_type"] == "session"}

    assert sessions == {row["session_id"] for row in observations(project)} - {""}


def test_a_replaced_value_comes_before_the_new_one():
    replaced = []
    for entity in HARBOUR["entities"] + FIRMWARE["entities"]:
        earlier: dict[str, str] = {}
        for row in entity["observations"]:
            if row["supersedes"]:
                assert earlier[row["supersedes"]] < row["occurred_at"]
                replaced.append(row["supersedes"])
            earlier[row["key"]] = row["occurred_at"]

    assert 8 <= len(replaced)
    assert [] == twice(replaced)


def test_some_entities_are_archived_with_a_reason():
    archived = {e["key"] for e in HARBOUR["entities"] if e["archived"]}

    assert {"redis", "adr-fares"} == archived


def test_every_document_is_a_page_of_markdown():
    for document in HARBOUR["documents"]:
        assert document["content"].startswith(f"# {document['title']}\n")
        assert 600 <= len(document["content"].split()) <= 1500


def test_every_entry_is_valid():
    categories = {"conversation", "knowledge", "document", "preference", "other"}
    for entry in HARBOUR["entries"]:
        assert 5 == len(set(entry["tags"])) == len(entry["tags"])
        assert 1 <= len(entry["summary"]) <= 200

    assert categories == {entry["category"] for entry in HARBOUR["entries"]}
    assert {True, False} == {bool(entry["context_text"]) for entry in HARBOUR["entries"]}


def test_every_fact_is_about_a_crew_member():
    people = {e["key"] for e in HARBOUR["entities"] if e["node_type"] == "person"}
    reported = HARBOUR["facts"] + HARBOUR["conversations"]

    assert people >= {each["user"] for each in reported} - {""}
    assert any(not talk["facts"] for talk in HARBOUR["conversations"])
    assert [] == twice(fact["content"] for fact in HARBOUR["facts"])
    assert all(m["role"] in ("user", "assistant") for t in reported for m in t.get("messages", []))


def test_every_bottle_has_a_priority():
    priorities = {bottle["priority"] for bottle in HARBOUR["bottles"]}

    assert {"low", "medium", "high", "urgent"} == priorities
    for bottle in HARBOUR["bottles"]:
        assert not bottle["expires_at"] or datetime.fromisoformat(bottle["expires_at"]).tzinfo


def test_every_question_paraphrases_its_answer():
    replaced = {row["supersedes"] for row in observations(HARBOUR)}
    by_entity = {e["key"]: e["observations"] for e in HARBOUR["entities"]}
    for question in HARBOUR["questions"]:
        rows = by_entity[question["entity"]]
        [answer] = [row for row in rows if row["content"] == question["answer"]]
        asked, reported = (
            set(re.findall(r"\w{5,}", text.lower()))
            for text in (question["question"], question["answer"])
        )

        assert answer["key"] not in replaced
        assert len(asked & reported) <= len(asked) / 2
