"""Rows that a query singles out come first."""

from __future__ import annotations

import random

import pytest


def hits_of(memory, query, **more):
    return memory.search.search_memory(query, **more).hits


def token(random_source, style):
    letters = "".join(random_source.choices("abcdefghijklmnopqrstuvwxyz", k=8))
    digits = "".join(random_source.choices("0123456789abcdef", k=8))
    return {
        "hex": f"tok-{digits}a1",
        "word": letters,
        "numbered": f"ORD-2024-{random_source.randrange(10**6):06}",
        "dotted": f"svc.{letters[:4]}.node{random_source.randrange(10**4):04}",
        "code": f"{letters[:3].upper()}{random_source.randrange(10**5):05}",
    }[style]


@pytest.mark.parametrize("style", ["hex", "word", "numbered", "dotted", "code"])
@pytest.mark.parametrize("ask", ["{}", "What do we know about {}?", "ticket {} acknowledged"])
def test_a_fact_with_a_unique_token_comes_first(memory, style, ask):
    source = random.Random(style)
    tokens = list(dict.fromkeys(token(source, style) for _ in range(200)))
    facts = [f"Ticket {each} was acknowledged by the client" for each in tokens]
    memory.graph.create_entity("Log", "concept", observations=facts)

    firsts = [hits_of(memory, ask.format(each), limit=1)[0].text for each in tokens[::10]]

    assert facts[::10] == firsts


def test_a_record_of_any_kind_is_found_by_its_id(memory):
    long = "one two three. " * 100
    entity = memory.graph.create_entity("Ann Lee", "person", observations=["likes tea"])
    fact = memory.search.search_memory("tea", kinds=["observation"]).hits[0].id
    document = memory.knowledge.add_document("Tea guide", long).document.id
    tags = ["leaf", "water", "pot", "cup", "milk"]
    entry = memory.entries.write_entry("Tea is hot", tags, category="other").source_id
    for number in range(20):
        memory.graph.create_entity(
            f"Other {number}", "person", observations=[f"likes tea {number}"]
        )

    assert entity.entity.id == hits_of(memory, entity.entity.id)[0].id
    assert fact == hits_of(memory, fact)[0].id
    assert document == hits_of(memory, document)[0].document.id
    assert entry == hits_of(memory, entry)[0].id
    assert fact == hits_of(memory, f"`{fact}`")[0].id
    assert all(hit.passages for hit in hits_of(memory, fact)[:1])


@pytest.mark.parametrize(
    "query", ["Release plan", "release plan", "“Release plan”", "Release plan?"]
)
def test_a_record_comes_first_whose_name_is_the_query(memory, query):
    facts = [f"the release plan of release {n}: plan the release" for n in range(30)]
    memory.graph.create_entity("Planning", "concept", observations=facts)
    memory.graph.create_entity("Release plan", "concept")

    assert "Release plan" == hits_of(memory, query)[0].entity.name
    assert "entity" == hits_of(memory, query)[0].kind


def test_a_document_comes_first_whose_title_is_the_query(memory):
    facts = [f"tea guide number {n} for tea" for n in range(30)]
    memory.graph.create_entity("Guides", "concept", observations=facts)
    memory.knowledge.add_document("Tea guide", "Pour boiling water over leaves.")

    assert "Tea guide" == hits_of(memory, "tea guide")[0].document.title


def test_an_exact_match_obeys_the_filters(memory):
    first = memory.graph.create_entity("Ann", "person", observations=["drinks tea"])
    fact = hits_of(memory, "tea", kinds=["observation"])[0].id
    memory.graph.create_entity(
        "Ben", "person", project_id="other", observations=["ticket a1b2c3d4"]
    )
    memory.lifecycle.archive_entities(first.entity.id)

    assert [] == hits_of(memory, fact, kinds=["observation"])
    assert [] == hits_of(memory, "a1b2c3d4")
    assert "ticket a1b2c3d4" == hits_of(memory, "a1b2c3d4", project_id="*")[0].text


def test_scores_descend_when_an_exact_match_is_lifted(memory):
    facts = [f"the release plan of release {n}: plan the release" for n in range(30)]
    memory.graph.create_entity("Planning", "concept", observations=facts)
    memory.graph.create_entity("Release plan", "concept")

    hits = hits_of(memory, "Release plan", explain=True)

    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    assert hits[0].explain.exact > 0


@pytest.mark.parametrize("ended", [False, True])
def test_a_session_does_not_outrank_knowledge(memory, ended):
    memory.graph.create_entity(
        "Checkout", "concept", observations=["The checkout bug came from a stale session cookie"]
    )
    memory.sessions.start_session("s1", "Fix the checkout bug", properties={"goal": "checkout bug"})
    if ended:
        memory.sessions.end_session("s1", "Looked for the checkout bug")

    hits = hits_of(memory, "fix the checkout bug cookie")

    assert "session" != hits[0].entity.node_type
    assert "The checkout bug came from a stale session cookie" in [hit.text for hit in hits]


def test_a_session_is_found_by_its_id_and_by_its_type(memory):
    memory.graph.create_entity("Checkout", "concept", observations=["The checkout s1 is slow"])
    memory.sessions.start_session("s1", "Fix the checkout")

    assert "s1" == hits_of(memory, "s1")[0].id
    assert "s1" == hits_of(memory, "checkout", node_types=["session"])[0].id


def test_notes_on_the_running_session_do_not_outrank_knowledge(memory):
    memory.graph.create_entity("Checkout", "concept", observations=["The checkout uses a cookie"])
    memory.sessions.start_session("s1", "Work")
    memory.observations.add_observation("s1", "Working on the checkout cookie", session_id="s1")

    assert "The checkout uses a cookie" == hits_of(memory, "checkout cookie work")[0].text
