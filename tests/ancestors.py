"""Databases of earlier programs, in their schemas, for tests."""

from __future__ import annotations

import json
import sqlite3

RELATIONS = (
    *("uses", "depends_on", "created_by", "replaced", "related_to", "caused_by", "implements"),
    *("contradicts", "PRECEDED_BY", "BREAKTHROUGH_IN", "BRIDGES_TO", "ANALOGOUS_TO", "ENABLES"),
    *("DECIDED_IN", "MENTIONED_IN", "SUPPORTS", "CONNECTS_TO", "KNOWS", "WORKS_AT", "LOCATED_IN"),
    *("MEMBER_OF", "OWNS", "PART_OF", "PARTNER_WITH"),
)

T1, T2, T3 = (f"2024-0{n}-02T03:04:05.000006+00:00" for n in (1, 2, 3))


def build(path, script, **tables):
    """Create a database with *script* and fill its tables."""
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
        for table, rows in tables.items():
            for row in rows:
                marks = ", ".join("?" for _ in row)
                connection.execute(f"insert into {table} values ({marks})", row)
    connection.close()
    return str(path)


TURBOVEC = """
create table nodes (id text primary key, name text not null, node_type text not null,
    project_id text not null, created_at text not null, updated_at text not null,
    occurred_at text, certainty text not null default 'confirmed',
    salience_score real not null default 1.0, retrieval_count integer not null default 0,
    status text not null default 'ACTIVE', properties text);
create table edges (id text primary key, from_node_id text not null, to_node_id text not null,
    relationship_type text not null, confidence real not null default 1.0,
    weight real not null default 1.0, created_at text not null, properties text,
    foreign key (from_node_id) references nodes(id) on delete cascade);
create table observations (id text primary key, entity_id text not null, content text not null,
    certainty text not null default 'confirmed', created_at text not null, occurred_at text);
create virtual table entities_fts using fts5(entity_id unindexed, name, observations);
create table vector_id_mapping (vector_id integer primary key, node_id text unique not null);
create table bottles (id text primary key, message text not null, created_at text not null,
    author_session_id text, priority text not null, expires_at text,
    acknowledged integer not null default 0);
create table search_metrics (id integer primary key autoincrement, timestamp text not null);
"""


def build_turbovec(path):
    def node(id, kind="concept", project="default", status="ACTIVE", properties=None, score=1.0):
        return (
            *(id, id.title(), kind, project, T1, T2, None, "likely"),
            *(score, 7, status, json.dumps(properties or {})),
        )

    archived = {"archived_metadata": {"archived_at": T3, "reason": "old"}, "kept": [1]}
    return build(
        path,
        TURBOVEC,
        nodes=[
            node("ann", "person", properties={"age": 30}, score=2.5),
            node("bob", "person"),
            node("gone", "entity", "shop", "ARCHIVED", archived),
            node("work-1", "session", properties={"status": "closed", "summary": "done"}),
        ],
        observations=[
            ("o1", "ann", "likes tea", "guess", T2, T3),
            ("o2", "gone", "x", "a", T1, ""),
        ],
        edges=[
            *((f"e-{kind}", "bob", "ann", kind, 0.5, 3.0, T2, '{"why": 1}') for kind in RELATIONS),
            ("far", "ann", "gone", "inspects", 1.0, 1.0, T1, None),
        ],
        bottles=[("b1", "call Ann", T1, "work-1", "high", "2099-01-01T00:00:00+00:00", 1)],
        search_metrics=[(1, T1)],
    )


TURBOMEM = """
create table turbomem_meta (key text primary key, value text not null);
create table memories (id text primary key, content text not null, user_id text, agent_id text,
    session_id text, metadata text default '{}', created_at text not null,
    updated_at text not null);
create table memory_embeddings_chunks (chunk_id integer primary key, size integer);
"""


def build_turbomem(path):
    return build(
        path,
        TURBOMEM,
        turbomem_meta=[("dimensions", "384")],
        memories=[
            ("m1", "Ann likes tea.", "ann", None, "s1", '{"k": [1]}', T1, T2),
            ("m2", "Tea is hot.", None, "bot", None, "{}", T2, T3),
        ],
        memory_embeddings_chunks=[(1, 1)],
    )


VELLUM = """
create table config (key text primary key, value text not null default '',
    type text not null default 'str', description text default '');
create table human_timeline (id text primary key, summary text default '',
    tags text default '[]', conversation_context_link text default '[]',
    category text default 'conversation', is_time_sensitive integer default 0,
    create_timestamp integer not null, ttl_timestamp integer default null);
create table conversation_context (id text primary key, timeline_id text not null
    references human_timeline(id) on delete cascade, context text not null,
    chunk_index integer not null default 0, create_timestamp integer not null);
create table entry_vectors (entry_id text primary key, merged_blob blob not null);
create table memory_groups (id text primary key, entry_ids text not null default '[]',
    member_count integer default 0, create_timestamp integer not null);
"""


def build_vellum(path):
    tags = json.dumps(["茶", "two", "three", "four", "five"])
    now = 1_704_164_645_006
    return build(
        path,
        VELLUM,
        config=[("group_threshold", "0.45", "float", "")],
        human_timeline=[
            ("v1", "Tea at four.", tags, '["c1", "c3", "c2"]', "preference", 0, now, None),
            ("v2", "Call Ann.", tags, "[]", "conversation", 1, now, now + 10**13),
            ("v3", "Old form.", '["one"]', "[]", "diary", 0, now, None),
        ],
        conversation_context=[
            ("c1", "v1", "first", 0, now),
            ("c2", "v1", "third", 0, now),
            ("c3", "v1", "second", 1, now),
        ],
        entry_vectors=[("v1", b"\0\1")],
        memory_groups=[("grp_1", '["v1"]', 1, now)],
    )


BUILDERS = {"turbovec": build_turbovec, "turbomem": build_turbomem, "vellum": build_vellum}
