"""Entries that expire, and entries that say the same."""

from __future__ import annotations

import pytest
from services.entry_rows import scores, write
from tables import rows

from memory_core.errors import ConflictError, NotFoundError
from memory_core.model.scope import Scope


def test_expired_entries_are_deleted_by_upkeep(memory, clock):
    gone = write(memory, is_time_sensitive=True, context_text="Until then.")
    later = write(memory, is_time_sensitive=True, ttl_days=9)
    stays = write(memory)

    clock.advance(days=3)
    assert 1 == memory.entry_upkeep.remove_expired()

    assert {later.id, stays.id} == {row["id"] for row in rows(memory)["entries"]}
    assert [] == rows(memory)["context_chunks"]
    with pytest.raises(NotFoundError):
        memory.entries.update_entry(gone.id, summary="Too late")


def test_duplicates_are_marked_only_if_enabled(memory):
    write(memory)
    write(memory)

    assert [] == memory.entry_upkeep.run().duplicates
    memory.entry_settings.choose_setting("dedup_enable", "true")
    assert 1 == len(memory.entry_upkeep.run().duplicates)
    assert [] == memory.entry_upkeep.run().duplicates


def test_merges_keep_the_older_id_and_newer_text(memory, clock):
    older = write(memory, context_text="First.", metadata={"a": 1, "b": 1})
    clock.advance(hours=1)
    newer = write(memory, "Ann drinks green tea now", context_text="Second.", metadata={"b": 2})
    before = rows(memory)
    memory.entry_settings.choose_setting("dedup_threshold", 0.8)

    (merged,) = memory.entry_upkeep.mark_duplicates()

    kept, marked = memory.entries.get_entry(older.id), memory.entries.get_entry(newer.id)
    assert (older.id, newer.id) == (merged.kept, merged.duplicate)
    assert ("Ann drinks green tea now", {"a": 1, "b": 2}, "active") == (
        kept.summary,
        kept.metadata,
        kept.status,
    )
    assert ("duplicate", older.id) == (marked.status, marked.duplicate_of)
    page = memory.entry_query.entry_context(older.id, limit=9)
    assert ["First.", "Second."] == [chunk.text for chunk in page.chunks]
    assert {"Ann drinks green tea now"} == set(scores(memory))
    memory.undo.undo(merged.batch_id)
    assert before == rows(memory)


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        ("Ann drinks green tea", "Ann drinks green tea", {"scope": Scope(user_id="ann")}),
        ("Ann drinks green tea", "Ann drinks green tea", {"scope": Scope(project_id="other")}),
        ("Ann drinks green tea", "Ann drinks green tea", {"is_time_sensitive": True}),
        ("Ann drinks 2 cups of green tea", "Ann drinks 3 cups of green tea", {}),
        ("Ann drinks green tea", "Ann never drinks green tea", {}),
    ],
)
def test_entries_that_are_not_duplicates_are_unchanged(memory, one, other, more):
    write(memory, one)
    write(memory, other, **more)
    memory.entry_settings.choose_setting("dedup_threshold", 0.7)

    assert [] == memory.entry_upkeep.mark_duplicates()


def test_entries_can_be_kept_apart_permanently(memory, clock):
    older = write(memory, context_text="First.")
    clock.advance(hours=1)
    newer = write(memory, "Ann drinks green tea now", context_text="Second.")
    memory.entry_settings.choose_setting("dedup_threshold", 0.8)
    memory.entry_upkeep.mark_duplicates()

    batch = memory.entry_upkeep.keep_apart(newer.id)

    kept, back = memory.entries.get_entry(older.id), memory.entries.get_entry(newer.id)
    assert ["Ann drinks green tea", "Ann drinks green tea now"] == [kept.summary, back.summary]
    assert ("active", None, 1, 1) == (
        back.status,
        back.duplicate_of,
        back.total_chunks,
        kept.total_chunks,
    )
    assert [] == memory.entry_upkeep.mark_duplicates()
    with pytest.raises(ConflictError, match="not marked"):
        memory.entry_upkeep.keep_apart(newer.id)
    memory.undo.undo(batch)
    assert older.id == memory.entries.get_entry(newer.id).duplicate_of


def test_reverting_a_merge_keeps_later_changes(memory, clock):
    older = write(memory)
    clock.advance(hours=1)
    newer = write(memory)
    memory.entry_upkeep.mark_duplicates()
    memory.entries.update_entry(older.id, summary="Ann drinks coffee")

    memory.entry_upkeep.keep_apart(newer.id)

    assert "Ann drinks coffee" == memory.entries.get_entry(older.id).summary
    assert "active" == memory.entries.get_entry(newer.id).status
