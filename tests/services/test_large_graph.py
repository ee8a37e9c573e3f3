"""Maps and paths over a graph of thousands: what is read is what is drawn, and work has an end."""

from __future__ import annotations

import shutil

import apsw
import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.model.graph.entities import Entity, Relation
from memory_core.model.graph.graph_view import MapFilter
from memory_core.storage.graph import entities, relations

MANY = 5_200
# Every so many entities, one that all of the stretch before it belong to.
STRETCH = 40
# What a map of 150 nodes may read: its nodes, its relations, and the counts of types.
MOST_ROWS = 1_000


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A file with thousands of entities on one long chain, written straight into its tables."""
    path = tmp_path_factory.mktemp("large") / "memory.db"
    memory = open_memory(path=path, embedder=HashingEmbedder(), clock=HandClock())
    now = memory.db.clock()
    made = [
        Entity(
            row_id=f"e{n:05}",
            id=f"node-{n}",
            project_id="default",
            name=f"Node {n}",
            node_type="person" if n % STRETCH else "team",
            created_at=now,
            updated_at=now,
        )
        for n in range(MANY)
    ]
    with memory.db.write("create_entity") as connection:
        for entity in made:
            entities.insert(connection, entity)
        for n in range(1, MANY):
            kind, to = ("PART_OF", n - n % STRETCH) if n % STRETCH else ("KNOWS", n - STRETCH)
            relation = Relation(
                id=f"r{n:05}",
                from_node_id=made[n].id,
                to_node_id=made[to].id,
                relationship_type=kind,
                created_at=now,
                updated_at=now,
            )
            relations.insert(connection, made[n], made[to], relation)
    memory.close()
    return path


@pytest.fixture
def large(prepared, tmp_path):
    shutil.copy(prepared, tmp_path / "memory.db")
    opened = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder(), clock=HandClock())
    yield opened
    opened.close()


@pytest.fixture
def rows(large):
    """How many rows leave the database from now on, one for each."""
    left: list[int] = []

    def note(event):
        if event["code"] == apsw.SQLITE_TRACE_ROW:
            left.append(event["id"])

    with large.db.read() as connection:
        connection.trace_v2(apsw.SQLITE_TRACE_ROW, note)
    return left


def test_large_map_reads_only_displayed_rows(large, rows):
    drawn = large.atlas.most_salient(communities=True)
    read = len(rows)
    more = large.atlas.most_salient(limit=400)

    assert (150, MANY) == (len(drawn.nodes), drawn.total)
    assert MANY // STRETCH == sum(node.node_type == "team" for node in drawn.nodes)
    assert read < MOST_ROWS
    assert (400, MANY) == (len(more.nodes), more.total)


def test_large_graph_is_filtered_in_the_database(large, rows):
    teams = large.atlas.most_salient(wanted=MapFilter(node_types=("team",)))
    around = large.atlas.around("node-0", hops=2, limit=50)

    assert (MANY // STRETCH, MANY // STRETCH) == (len(teams.nodes), teams.total)
    # Its stretch, the next team, and the stretch of that one.
    assert (50, 2 * STRETCH + 1) == (len(around.nodes), around.total)
    assert len(rows) < 2 * MOST_ROWS


def test_path_search_respects_its_limit(large):
    near = large.atlas.path(("default", "node-1"), ("default", "node-85"))
    far = large.atlas.path(("default", "node-1"), ("default", f"node-{MANY - 1}"))

    assert ["node-1", "node-0", "node-40", "node-80", "node-85"] == [n.id for n in near.nodes]
    assert ([], False, 12) == (far.nodes, far.exhausted, far.hops)
    assert far.searched < MANY


def test_history_map_reads_only_displayed_rows(large, rows):
    then = large.db.clock()
    large.db.clock.advance(hours=1)
    large.graph.update_entity("node-41", name="Renamed")
    rows.clear()
    drawn = large.history.past_graph(then, large.db.clock())

    assert ("node-41", "changed", "node-40") == (
        drawn.nodes[0].id,
        drawn.nodes[0].became,
        drawn.nodes[1].id,
    )
    assert (150, MANY) == (len(drawn.nodes), drawn.total)
    assert len(rows) < MOST_ROWS
