from __future__ import annotations

import threading

import apsw
import pytest
from support import PATIENCE, HashingEmbedder

from memory_core import StorageError, open_memory
from memory_core.context import as_one_batch
from memory_core.storage import database


@pytest.fixture
def full(tmp_path, clock):
    """A memory with entities, facts, relations and vectors of all of it."""
    memory = open_memory(path=tmp_path / "full.db", clock=clock, embedder=HashingEmbedder())
    for name in ("Ann", "Bob", "Cat"):
        facts = [f"{name} likes tea", f"{name} rides a bike"]
        memory.graph.create_entity(name, "person", aliases=[f"{name}ie"], observations=facts)
    memory.relations.create_relation("ann", "bob", "KNOWS")
    memory.graph.delete_entity("cat")
    memory.catch_up()
    yield memory
    memory.close()


def spoil(memory, *statements):
    """Change the file behind everybody's back."""
    with memory.db.note() as connection:
        for statement in statements:
            connection.execute(statement).fetchall()


def said(report):
    return " ".join(problem.what for problem in report.problems)


def hits(memory, word):
    with memory.db.read() as connection:
        query = "select count(*) from piece_terms where piece_terms match :word"
        return connection.execute(query, {"word": f'"{word}"'}).get


def test_healthy_memory_is_green(full):
    report = full.health.health_report()

    assert ("green", []) == (report.status, report.problems)
    assert (["ok"], "ok", 0) == (
        report.file.integrity,
        report.text.integrity,
        report.file.broken_references,
    )
    assert report.text.pieces == report.text.rows == report.vectors.stored == 6
    assert 0 == report.vectors.pending == report.vectors.lost
    assert "0x54564d43" == report.file.application_id
    assert "ready" == report.vectors.model_state
    assert [] == full.health.checkup(repair=True).repaired


def test_empty_memory_is_green(memory):
    assert "green" == memory.health.health_report().status
    assert "green" == memory.health.health_report(thorough=False).status


BROKEN = {
    "full text emptied": (
        ["insert into piece_terms (piece_terms) values ('delete-all')"],
        "0 rows for 6 passages",
    ),
    "full text damaged": (
        ["update piece_terms_data set block = x'00112233' where id > 10"],
        "full-text index is damaged",
    ),
    "texts changed": (
        ["update searchables set text = 'nonsense' where id = 2"],
        "1 search documents differ",
    ),
    "texts gone": (["delete from searchables where id = 2"], "1 search documents differ"),
    "ghosts": (
        ["update searchables set text = 'ghost', active = 1 where row_id not in "
         "(select id from entities union select id from observations)"],
        "3 search documents differ",
    ),
    "standing wrong": (["update searchables set active = 0 where id = 1"], "documents differ"),
    "names gone": (["delete from entity_names"], "4 names are wrong"),
    "pieces gone": (["delete from pieces where id >> 24 = 1"], "6 rows for 5 passages"),
    "vectors cut": (
        ["update embeddings set vector = substr(vector, 1, 10) where id <= 2"],
        "2 vectors have the wrong length",
    ),
    "vectors lost": (["delete from embeddings where id = 1"], "passages have no vector"),
    "counters wrong": (["update vector_state set pieces = 99"], "vector counters"),
}  # fmt: skip


@pytest.mark.parametrize("damage", BROKEN)
def test_damaged_derived_data_is_detected_and_repaired(full, damage):
    statements, expected = BROKEN[damage]
    spoil(full, *statements)

    before = full.health.health_report()
    repair = full.health.checkup(repair=True)
    full.catch_up()

    assert expected in said(before)
    assert before.status != "green"
    assert repair.backup in [str(path) for path in full.upkeep.list_backups()]
    assert [] == full.health.health_report().problems
    assert (2, 1, 0) == (hits(full, "tea"), hits(full, "ann likes tea"), hits(full, "cat"))
    assert 2 == len(full.search.search_memory("likes tea", kinds=["observation"], limit=2).hits)


def test_damaged_tables_block_repair(full):
    full.upkeep.create_backup("good.db")
    full.upkeep.optimize_database()
    with full.db.read() as connection:
        page = connection.execute(
            "select rootpage from sqlite_schema where name = 'observations'"
        ).get
    path = full.db.path
    full.close()
    content = bytearray(path.read_bytes())
    content[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    path.write_bytes(content)
    broken = open_memory(path=path, clock=full.db.clock)

    report = broken.health.health_report()

    assert "red" == report.status
    assert "The file is damaged" in said(report)
    with pytest.raises(StorageError, match="Restore a backup"):
        broken.health.checkup(repair=True)
    assert bytes(content) == path.read_bytes()
    broken.upkeep.restore_backup("good.db", confirm="good.db")
    assert [] == broken.health.health_report().problems
    broken.close()


def test_dangling_references_are_red(full):
    raw = apsw.Connection(str(full.db.path))
    raw.execute("pragma foreign_keys = off; delete from entities where key = 'bob'").fetchall()
    raw.close()

    report = full.health.health_report()

    assert "rows have dangling foreign keys" in said(report)
    with pytest.raises(StorageError):
        full.health.checkup(repair=True)


def test_rows_differing_from_the_audit_log_are_red(full):
    spoil(
        full,
        "drop trigger entities_changed",
        "update entities set node_type = 'place' where key = 'ann'",
    )

    assert "1 rows differ from their newest change" in said(full.health.health_report())


def test_future_changes_are_red_and_repairable(full, clock):
    clock.advance(days=400)
    with as_one_batch("future"):
        full.graph.update_entity("ann", properties={"a": 1})
    clock.advance(days=-400)
    assert "400.0 days in the future" in said(full.health.health_report(thorough=False))

    repair = full.health.checkup(repair=True)
    clock.advance(minutes=1)
    full.graph.update_entity("ann", properties={"a": 2})

    assert "moved 1 changes from the future to the present" in repair.repaired
    assert [] == repair.report.problems
    with full.db.read() as connection:
        last = connection.execute("select at from changes order by seq desc limit 1").get
    assert last.startswith("2026-01-01T00:01")


def test_failed_model_is_amber_with_remaining_features(full):
    full.embedder.state, full.embedder.reason = "absent", "There is no model 'x'."

    report = full.health.health_report(thorough=False)

    assert "amber" == report.status
    assert "search uses only the full-text index. There is no model 'x'." in said(report)


def test_health_check_runs_during_writes_of_another_process(full):
    held, done = threading.Event(), threading.Event()

    def hold():
        with full.db.note():
            held.set()
            done.wait(PATIENCE)

    writer = threading.Thread(target=hold)
    writer.start()
    assert held.wait(PATIENCE)
    report = full.health.health_report(thorough=False)
    done.set()
    writer.join()

    assert "green" == report.status
    assert "not checked" == report.text.integrity


def test_a_full_check_names_what_a_held_write_lock_left_unchecked(full, monkeypatch):
    held, done, reports = threading.Event(), threading.Event(), []
    # New connections would wait until the lock is free, and report a complete check.
    monkeypatch.setattr(database, "BUSY_MILLISECONDS", 1000 * 10 * PATIENCE)

    def hold():
        with full.db.note():
            held.set()
            done.wait(PATIENCE)

    def check():
        reports.append(full.health.checkup().report)
        done.set()

    writer, checker = threading.Thread(target=hold), threading.Thread(target=check)
    writer.start()
    assert held.wait(PATIENCE)
    checker.start()
    checker.join()
    writer.join()

    (report,) = reports
    assert "amber" == report.status
    assert report.text.integrity.startswith("not checked:")
    assert "could not be checked" in said(report) and ["ok"] == report.file.integrity
