"""Size of the history, states as differences, and trimming on request."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_core import open_memory
from memory_core.errors import ValidationError
from memory_core.settings import Settings
from memory_core.storage.history import as_of, audit_log, states

from support import HandClock, HashingEmbedder  # isort: skip

CANARY = "canary-7f3a-of-an-old-state"
PROPERTIES = {f"key{number:03}": "value of the property " + str(number) for number in range(100)}


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def memory(tmp_path, clock):
    opened = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock)
    yield opened
    opened.close()


def change(memory, clock, numbers, **properties):
    for number in numbers:
        clock.advance(seconds=3600)
        memory.graph.update_entity(
            "alpha", properties={**PROPERTIES, "key050": number, **properties}
        )


def read(memory, query, **bound):
    with memory.db.read() as connection:
        return connection.execute(query, bound).fetchall()


def number_at(memory, moment):
    (entity,) = memory.history.as_of(moment, entity_id="alpha").entities
    return entity.entity.properties["key050"]


@pytest.fixture
def alpha(memory, clock):
    """An entity of 3 kB that changed 300 times, once an hour."""
    memory.graph.create_entity("Alpha", "Project", properties=PROPERTIES)
    change(memory, clock, range(300))
    return memory.graph.get_entity("alpha")


def history_bytes(memory):
    return memory.history_trimming.history_size().size_bytes


def test_a_change_of_one_number_in_a_large_record_costs_less_than_200_bytes(memory, clock, alpha):
    before = history_bytes(memory)
    change(memory, clock, range(300, 1300))

    assert 200 > (history_bytes(memory) - before) / 1000


def test_every_state_reads_back_from_its_difference(memory, clock, alpha):
    rows = read(memory, "select seq, json_extract(state, '$.properties') as p from changes")
    stored = read(memory, "select count(*) as n from change_log where base is not null")

    assert 290 < stored[0]["n"]
    assert [
        f'"key050":{number}' in row["p"].replace(" ", "")
        for number, row in zip(range(300), rows[1:], strict=True)
    ] == [True] * 300


def test_undo_as_of_and_diff_read_states_that_are_differences(memory, clock, alpha):
    now = clock()
    assert 289 == number_at(memory, now - timedelta(hours=10))
    found = memory.history.diff(now - timedelta(hours=10), now)
    assert {"entity changed": 1} == found.counts

    memory.undo.undo(seq=read(memory, "select max(seq) as seq from changes")[0]["seq"])
    assert 298 == memory.graph.get_entity("alpha").entity.properties["key050"]


def test_a_record_that_grows_gets_new_complete_states(memory, clock):
    memory.graph.create_entity("Alpha", "Project", properties={"log": ""})
    for number in range(200):
        clock.advance(seconds=60)
        memory.graph.update_entity("alpha", properties={"log": "entry of the log; " * number})
    counts = read(memory, "select count(*) as n from change_states")[0]["n"]
    characters = read(
        memory,
        "select sum(length(state)) as full, (select sum(length(coalesce(difference, s.state)))"
        " from change_log l left join change_states s on s.seq = l.seq) as stored from changes",
    )[0]

    assert 5 < counts < 100
    assert characters["stored"] < characters["full"] / 3


def test_complete_states_of_another_writer_become_differences_when_optimized(memory, clock, alpha):
    with memory.db.note() as connection:
        rows = connection.execute("select seq, state from changes where op = 'changed'").fetchall()
        for row in rows:
            connection.execute("delete from change_states where seq = :seq", row)
            connection.execute(
                "update change_log set base = null, difference = null where seq = :seq", row
            )
            connection.execute("insert into change_states values (:seq, :state)", row)
    before = read(memory, "select * from changes order by seq")
    large = history_bytes(memory)

    memory.upkeep.optimize_database()

    assert before == read(memory, "select * from changes order by seq")
    assert history_bytes(memory) < large / 5


def test_nothing_is_trimmed_without_a_limit_or_without_a_request(tmp_path, clock, memory, alpha):
    with pytest.raises(ValidationError, match="HISTORY_KEEP_DAYS"):
        memory.history_trimming.trim_history()
    memory.close()
    settings = Settings(memory_data_dir=tmp_path, history_keep_versions=1, history_keep_days=1)
    again = open_memory(
        settings, path=tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock
    )
    try:
        assert 301 == again.history_trimming.history_size().changes
        assert 1 == again.history_trimming.history_size().keep_versions
    finally:
        again.close()


@pytest.mark.parametrize(("days", "versions"), [(-1, 0), (0, -1)])
def test_negative_limits_are_refused(memory, days, versions):
    with pytest.raises(ValidationError, match="must not be negative"):
        memory.history_trimming.history_size(keep_days=days, keep_versions=versions)


def test_the_preview_names_exactly_what_trimming_deletes(memory, clock, alpha):
    preview = memory.history_trimming.history_size(keep_versions=10)

    done = memory.history_trimming.trim_history(keep_versions=10)

    assert 291 == preview.trimmable_changes == done.deleted_changes
    assert 1 == preview.trimmable_records
    assert 10 == done.after.changes
    assert done.after.size_bytes < done.before.size_bytes
    assert 0 == done.after.trimmable_changes


def test_days_keep_the_state_that_was_current_at_the_limit(memory, clock, alpha):
    now = clock()
    memory.history_trimming.trim_history(keep_days=5)

    for hours in range(0, 121, 20):
        assert 299 - hours == number_at(memory, now - timedelta(hours=hours))
    page = memory.history.as_of(now - timedelta(days=6))
    assert "were trimmed" in page.notice
    assert "" == memory.history.as_of(now - timedelta(days=4)).notice
    assert "were trimmed" in memory.history.diff(now - timedelta(days=6), now).notice


def test_with_both_limits_a_state_stays_if_either_keeps_it(memory, clock, alpha):
    few = memory.history_trimming.history_size(keep_days=1, keep_versions=200)
    many = memory.history_trimming.history_size(keep_days=10, keep_versions=5)

    assert 200 == 301 - few.trimmable_changes
    assert 241 == 301 - many.trimmable_changes


def test_kept_states_do_not_depend_on_trimmed_ones(memory, clock, alpha):
    before = read(memory, "select * from changes order by seq desc limit 50")

    memory.history_trimming.trim_history(keep_versions=50)

    assert before == read(memory, "select * from changes order by seq desc")
    assert [] == read(
        memory, "select 1 from change_log where base not in (select seq from change_states)"
    )
    assert 5 > read(memory, "select count(*) as n from change_states")[0]["n"]


def test_trimming_that_was_interrupted_is_completed_by_the_next(memory, clock, alpha, monkeypatch):
    """A step that fails stands for a process that ends between two transactions."""
    before = read(memory, "select * from changes order by seq desc limit 50")
    monkeypatch.setattr("memory_core.services.maintenance.history_trimming._AT_ONCE", 7)
    original, steps = states.rebase, []

    def rebase(*args, **options):
        steps.append(args)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return original(*args, **options)

    monkeypatch.setattr(states, "rebase", rebase)
    with pytest.raises(KeyboardInterrupt):
        memory.history_trimming.trim_history(keep_versions=50)
    assert 301 == memory.history_trimming.history_size().changes
    memory.history_trimming.trim_history(keep_versions=50)

    assert before == read(memory, "select * from changes order by seq desc")


def test_trimmed_text_is_not_in_the_file(tmp_path, memory, clock):
    memory.graph.create_entity("Alpha", "Project", properties=PROPERTIES)
    change(memory, clock, range(3), secret=CANARY)
    change(memory, clock, range(3, 30), secret="gone")
    memory.history_trimming.trim_history(keep_versions=5, backup=False)
    memory.close()

    for path in tmp_path.rglob("*"):
        assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path


def test_an_entity_whose_creation_was_trimmed_is_found_by_its_id(memory, clock, alpha):
    then = clock()
    memory.history_trimming.trim_history(keep_versions=2)
    clock.advance(seconds=1)
    memory.graph.delete_entity("alpha")

    with memory.db.read() as connection:
        seq = audit_log.seq_at(connection, then)
        found = as_of.entity_with_key(connection, "default", "alpha", seq)
    assert found is not None
    assert "Alpha" == memory.history.as_of(then, entity_id="alpha").entities[0].entity.name


def test_a_batch_whose_earlier_states_were_trimmed_is_not_undone(memory, clock, alpha):
    memory.history_trimming.trim_history(keep_versions=1)
    (last,) = read(memory, "select max(seq) as seq from changes")

    report = memory.undo.undo(seq=last["seq"])

    assert 299 == memory.graph.get_entity("alpha").entity.properties["key050"]
    assert "trimmed" in report.left_alone[0].why


def test_health_names_the_size_of_the_history(memory, alpha):
    journal = memory.health.health_report(thorough=False).journal

    assert 301 == journal.changes
    assert 50_000 < journal.size_bytes < memory.health.health_report().file.size_bytes
