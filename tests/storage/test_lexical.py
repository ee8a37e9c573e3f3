from __future__ import annotations

import itertools
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.rules.text.query_terms import query_terms
from memory_core.storage.search import full_text
from memory_core.storage.search.search_filter import Allowed, Filter

ANY = st.text(st.characters(exclude_categories=()))
WEIGHTS = (1.0, 0.3, 0.5)


def found(memory, query, limit=10, weights=WEIGHTS, allowed=None):
    """Return the texts that *query* finds, best first."""
    with memory.db.read() as connection:
        hits = full_text.search(
            connection, query_terms(query), weights=weights, limit=limit, allowed=allowed
        )
        rows = connection.execute("select id, text from searchables").fetchall()
    texts = {row["id"]: row["text"] for row in rows}
    return list(dict.fromkeys(texts[piece >> 24] for piece, _ in hits))


def indexed(memory):
    """Return everything the full text holds, and every session's rows."""
    with memory.db.read() as connection:
        connection.execute(
            "create virtual table if not exists temp.held using "
            "fts5vocab(main, piece_terms, instance)"
        )
        words = connection.execute("select doc, col, offset, term from held").fetchall()
        rows = connection.execute("select * from session_rows").fetchall()
    order = sorted(tuple(word.values()) for word in words)
    return order, sorted(tuple(row.values()) for row in rows)


def rebuilt(memory):
    """Rebuild and check the full-text index; return its rows."""
    with memory.db.write("rebuild") as connection:
        full_text.rebuild(connection)
        full_text.check(connection)
    return indexed(memory)


@pytest.fixture
def ann(memory):
    return memory.graph.create_entity("Ann", "person").entity.id


@pytest.fixture
def say(memory, clock, ann):
    """Say something in a session, a minute after what was said before."""

    def said(content, session="s1", **more):
        clock.advance(minutes=1)
        return memory.observations.add_observation(
            ann, content, session_id=session, **more
        ).observation.id

    return said


def test_a_committed_row_is_found_at_once(memory, say):
    say("likes tea")

    assert ["likes tea"] == found(memory, "tea")


def test_a_reworded_row_is_found_by_its_new_words_only(memory, ann, say):
    fact = say("likes tea " * 200, session="")
    memory.observations.update_observation(fact, "likes coffee")

    assert [] == found(memory, "tea")
    assert ["likes coffee"] == found(memory, "coffee")

    memory.graph.delete_entity(ann)

    assert [] == found(memory, "coffee")


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("we moved to gpt-4o-mini", "gpt-4o-mini"),
        ("see config.yaml", "config.yaml"),
        ("written in C++", "C++"),
        ("write to user@host", "user@host"),
        ("call rotate_api_key first", "rotate key"),
        ("parseHttpHeader is slow", "http"),
        ("今天讨论了部署方案", "部署"),
        ("今天讨论了部署方案", "部"),
        ("हिन्दी में", "हिन्दी"),
        ("the café on the corner", "cafe"),
        ("they deployed it", "deploying"),
        (" ".join(f"w{n}" for n in range(5000)), "w4999"),
        ("x" * 1200, "x" * 1200),
    ],
)
def test_facts_are_found_by_typical_queries(memory, say, content, query):
    for other in ("written in C", "a mini bus", "see the yam", "天气很好"):
        say(other, session="")
    say(content, session="")

    assert content == found(memory, query)[0]


def test_rows_have_the_score_of_their_best_passage(memory, say):
    long = "nothing of note here " * 300 + "the tea kettle is broken"
    for content in ("tea for two on the terrace", long, "a kettle of fish"):
        say(content, session="")

    assert long.strip() == found(memory, "tea kettle broken")[0].strip()


@pytest.mark.parametrize(
    "query", ["AND", '"unclosed', "NEAR(", "*", "(((", "a\0b", "🎉", "terms : x", "^a", "'; drop"]
)
def test_queries_are_never_fts_syntax(memory, say, query):
    say("likes tea")

    assert [] == found(memory, query)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(ANY, min_size=1), query=ANY)
def test_any_text_can_be_stored_and_queried(texts, query):
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "m.db", embedder=HashingEmbedder())
        ann = memory.graph.create_entity("Ann", "person").entity.id
        said = (memory.observations.add_observation(ann, f"{text} needle {text}") for text in texts)
        facts = {written.observation.content for written in said}

        found(memory, query)
        everything = set(found(memory, "needle", limit=1000))
        memory.close()

    assert facts == everything


def test_a_reply_is_found_by_its_question(memory, say):
    say("Did you fix the harbour crane?")
    say("Yes, last Tuesday!")
    say("Good.")
    say("Lunch?")

    answers = found(memory, "harbour crane")

    assert "Did you fix the harbour crane?" == answers[0]
    assert {"Yes, last Tuesday!", "Good."} == set(answers[1:])


def test_a_row_is_found_by_its_day(memory, say):
    say("the crane was fixed")

    assert "the crane was fixed" in found(memory, "what happened on 1 january 2026")


@pytest.mark.parametrize("session", ["", "s2"])
def test_only_rows_of_one_session_share_words(memory, say, session):
    say("Did you fix the harbour crane?", session="s1")
    say("Yes, last Tuesday!", session=session)

    assert ["Did you fix the harbour crane?"] == found(memory, "harbour crane")


def test_archived_rows_share_no_words(memory, say):
    question = say("Did you fix the harbour crane?")
    say("Yes, last Tuesday!")
    memory.observations.delete_observation(question)

    assert [] == found(memory, "harbour crane")


def test_long_sessions_share_no_words(memory, say):
    for n in range(40):
        say(f"row number w{n}")
    at_forty = len(found(memory, "w7", limit=100))
    last = say("one row too many")
    at_forty_one = len(found(memory, "w7", limit=100))
    memory.observations.delete_observation(last)

    assert (4, 1, 4) == (at_forty, at_forty_one, len(found(memory, "w7", limit=100)))


def test_disallowed_rows_do_not_displace_allowed_ones(memory, ann, say):
    with memory.db.write("test") as connection:
        connection.executemany(
            "insert into observations (id, project_id, entity_id, content, digest, created_at, "
            "updated_at) values (?1, 'a', ?2, 'tea ' || ?1, ?1, '', '')",
            [(f"o{n}", entity_row(connection)) for n in range(1000)],
        )
    for n in range(3):
        say(f"far from here there was talk of tea {n}", session="")

    with memory.db.read() as connection:
        allowed = Allowed().pieces(connection, Filter(project_id="default"), now="")

    assert 3 == len(found(memory, "tea", limit=5, allowed=allowed))


def entity_row(connection):
    return connection.execute("select id from entities").get


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, 3), st.integers(-90, 90), st.integers(0, 5)),
        st.tuples(st.just("long"), st.integers(0, 3), st.integers(-90, 90), st.integers(0, 5)),
        st.tuples(st.just("reword"), st.integers(0, 60), st.integers(0, 5)),
        st.tuples(st.just("delete"), st.integers(0, 60)),
        st.tuples(st.just("supersede"), st.integers(0, 60), st.integers(0, 5)),
        st.tuples(st.just("move"), st.integers(0, 60), st.integers(0, 3), st.integers(-90, 90)),
        st.tuples(st.just("archive")),
        st.tuples(st.just("restore")),
        st.tuples(st.just("many"), st.integers(0, 3), st.integers(30, 45)),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_full_text_index_equals_a_rebuilt_one(steps):
    with tempfile.TemporaryDirectory() as folder:
        clock, count = HandClock(), itertools.count(1)
        memory = open_memory(
            path=Path(folder) / "m.db",
            embedder=HashingEmbedder(),
            clock=clock,
            ids=lambda: f"id{next(count):05}",
        )
        memory.graph.create_entity("Ann", "person", id="ann")
        for step in steps:
            apply(memory, clock, *step)

        as_followed = indexed(memory)
        from_scratch = rebuilt(memory)
        memory.close()

    assert from_scratch == as_followed


def apply(memory, clock, act, *values):
    """Do one step of a random history; what cannot be done is left."""
    clock.advance(minutes=1)
    with memory.db.write(act) as connection:
        ids = [row["id"] for row in connection.execute("select id from observations order by id")]
        if act in ("say", "long"):
            session, minutes, word = values
            text = f"word{word} tea" * (1 if act == "say" else 90)
            insert(connection, clock, text=text, session=session, minutes=minutes)
        elif act == "many":
            session, number = values
            for n in range(number):
                insert(connection, clock, text=f"many{n}", session=session, minutes=n)
        elif act in ("archive", "restore"):
            status = "archived" if act == "archive" else "active"
            connection.execute("update entities set status = ?", (status,))
        elif ids:
            change(connection, clock, act, ids[values[0] % len(ids)], *values[1:])


def insert(connection, clock, *, text, session, minutes):
    connection.execute(
        "insert into observations (id, project_id, entity_id, content, digest, session_id, "
        "occurred_at, created_at, updated_at) "
        "select lower(hex(randomblob(8))), project_id, id, ?, hex(randomblob(8)), ?, ?, '', '' "
        "from entities",
        (text, f"s{session}" if session else "", moment(clock, minutes)),
    )


def change(connection, clock, act, id, *values):
    if act == "delete":
        connection.execute("delete from observations where id = ?", (id,))
    elif act == "reword":
        text = f"word{values[0]} again"
        connection.execute("update observations set content = ? where id = ?", (text, id))
    elif act == "supersede":
        connection.execute("update observations set status = 'superseded' where id = ?", (id,))
    else:
        session, minutes = values
        connection.execute(
            "update observations set session_id = ?, occurred_at = ? where id = ?",
            (f"s{session}" if session else "", moment(clock, minutes), id),
        )


def moment(clock, minutes):
    return (clock() + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
