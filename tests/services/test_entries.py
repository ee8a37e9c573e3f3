"""Entries as services know them: writing, changing, finding, longer text."""

from __future__ import annotations

from contextlib import closing

import pytest
from services.entry_rows import TAGS, scores, write
from support import HandClock, HashingEmbedder
from tables import rows

from memory_core import Settings, open_memory
from memory_core.errors import VersionConflictError
from memory_core.model.facts.entries import Entry
from memory_core.model.scope import Scope
from memory_core.storage import rebuild
from memory_core.storage.entries import entries as entry_rows


def test_updates_change_only_given_fields(memory):
    entry = write(memory, metadata={"source": "chat"})
    before = rows(memory)

    changed = memory.entries.update_entry(
        entry.id, summary="Ann drinks espresso", metadata={"n": 1}
    )

    assert (TAGS, "other", {"source": "chat", "n": 1}) == (
        changed.tags,
        changed.category,
        changed.metadata,
    )
    assert ["Ann drinks espresso"] == list(scores(memory, "espresso"))
    memory.undo.undo(changed.batch_id)
    assert before["entries"] == rows(memory)["entries"]
    assert ["Ann drinks green tea"] == list(scores(memory))


def test_an_update_of_an_older_version_is_a_conflict(memory):
    entry = write(memory)
    memory.entries.update_entry(entry.id, category="preference")

    with pytest.raises(VersionConflictError, match="was changed"):
        memory.entries.update_entry(entry.id, summary="Mine", expected_version=entry.version)


def test_the_same_entry_twice_is_embedded_once(memory):
    one, other = write(memory), write(memory, tags=TAGS[::-1])
    memory.catch_up()

    def stored():
        with memory.db.read() as connection:
            return connection.execute("select count(*) from merged_vectors").get

    assert 1 == stored()
    memory.entries.delete_entry(one.id)
    assert 1 == stored()
    memory.entries.delete_entry(other.id)
    assert 0 == stored()


def test_context_chunks_are_lossless_and_within_the_limit(tmp_path):
    memory = open_memory(
        Settings(vellum_chunk_size=200), path=tmp_path / "m.db", embedder=HashingEmbedder()
    )
    fence = "```python\n" + "x = 1\n\n" * 20 + "```\n"
    text = "# Title\n\n" + "Some words here. " * 30 + "\n\n" + fence + "  trailing \n\n"
    entry = write(memory, context_text=text)
    memory.entries.write_context(entry.id, text)

    page = memory.entry_query.entry_context(entry.id, limit=50)
    memory.close()

    texts = [chunk.text for chunk in page.chunks]
    assert 2 * text == "".join(texts)
    assert max(map(len, texts)) <= 200
    assert list(range(page.total_chunks)) == [chunk.position for chunk in page.chunks]
    assert 2 == sum(fence in chunk for chunk in texts)


def test_context_pages_are_bounded(memory):
    text = "".join(f"{n:04} says a little.\n" for n in range(3000))
    entry = write(memory, context_text=text)
    read, offset = "", 0

    while offset != -1:
        page = memory.entry_query.entry_context(entry.id, offset=offset, limit=50)
        assert sum(len(chunk.text) for chunk in page.chunks) <= 24_000
        read += "".join(chunk.text for chunk in page.chunks)
        offset = page.next_offset

    assert text == read


def test_entries_are_filtered_by_tag_category_and_text(memory, clock):
    for n in range(5):
        clock.advance(seconds=1)
        write(memory, f"Number {n}", [f"Tag{n % 2}", *TAGS[1:]], category="knowledge")
    write(memory, "Another", category="preference")

    odd = memory.entries.list_entries(tag="tag1")
    first = memory.entries.list_entries(category="knowledge", limit=2)
    second = memory.entries.list_entries(category="knowledge", limit=2, cursor=first.cursor)

    assert ["Number 3", "Number 1"] == [entry.summary for entry in odd.entries]
    assert 5 == first.total
    assert ["Number 4", "Number 3", "Number 2", "Number 1"] == [
        entry.summary for entry in (*first.entries, *second.entries)
    ]
    assert ["Another"] == [
        entry.summary for entry in memory.entries.list_entries(query="noth").entries
    ]


def test_entries_are_found_by_full_text_without_a_model(tmp_path):
    class Broken(HashingEmbedder):
        def embed(self, texts):
            from memory_core.errors import EmbeddingError

            raise EmbeddingError("The model is out of order.")

    memory = open_memory(path=tmp_path / "m.db", embedder=Broken())
    entry = write(memory)

    found = memory.entry_query.query_entries("green")
    memory.close()

    assert "pending" == entry.embedding
    assert [(entry.id, 0.0)] == [(hit.source_id, hit.score) for hit in found.hits]
    assert "full text alone" in found.notice
    assert "out of order" in found.notice


def test_vectors_of_two_models_are_never_mixed(tmp_path):
    def opened(model):
        embedder = HashingEmbedder(model=model)
        return open_memory(path=tmp_path / "m.db", embedder=embedder, clock=HandClock())

    memory = opened("one")
    write(memory)
    memory.catch_up()
    memory.close()

    memory = opened("two")
    write(memory, "Ann drinks black tea")
    found = memory.entry_query.query_entries("Ann drinks green tea", top_k=2)
    searched = memory.search.search_memory("Ann drinks green tea")
    assert "reindex" in found.notice
    assert "reindex" in searched.notice
    assert 2 == len(found.hits)

    memory.reindex()
    again = memory.entry_query.query_entries("Ann drinks green tea", top_k=2)
    memory.close()

    assert ("", 0) == (again.notice, again.pending)
    assert again.hits[0].score > 0.5


def test_owners_and_versions_are_returned(memory):
    mine = write(memory, scope=Scope(project_id="b", user_id="ann"))
    write(memory, scope=Scope(project_id="b"))
    write(memory, scope=Scope(project_id="a", agent_id="x"))

    owners = [(each.project_id, each.user_id) for each in memory.entry_status.owners()]

    assert [("a", ""), ("b", ""), ("b", "ann")] == owners
    assert mine.version == memory.entries.entry_version(mine.id)
    assert 0 == memory.entries.entry_version("nothing")
    assert {mine.id: "ann"} == {
        id: entry.user_id
        for id, entry in memory.entries.entries_by_ids([mine.id, "nothing"]).items()
    }


def test_derived_data_of_entries_can_be_rebuilt(memory):
    entry = write(memory)
    before = scores(memory)
    with memory.db.note() as connection:
        connection.execute("delete from entry_tags; delete from merged_log")
        connection.execute("update merged_state set entries = 77, unmerged = 5")

    with memory.db.note() as connection:
        rebuild.rebuild(connection)

    assert before == scores(memory)
    assert 0 == memory.entry_status.status().pending
    assert [entry.id] == [found.id for found in memory.entries.list_entries(tag="TEA").entries]


def test_facts_share_the_table_but_are_a_separate_kind(memory):
    entry = write(memory)
    fact = Entry(
        id="fact1",
        project_id="default",
        summary="Ann likes green tea best",
        category="conversation",
        form="fact",
        digest="none",
        created_at=memory.db.clock(),
        updated_at=memory.db.clock(),
    )
    with memory.db.write("test") as connection:
        entry_rows.insert(connection, fact)

    def found(*kinds):
        hits = memory.search.search_memory("green tea", kinds=kinds).hits
        return {(hit.kind, hit.id) for hit in hits}

    assert {("fact", "fact1")} == found("fact")
    assert {("entry", entry.id)} == found("entry")
    assert {("fact", "fact1"), ("entry", entry.id)} == found() == found("fact", "entry")
    assert [entry.id] == [hit.id for hit in memory.entries.list_entries().entries]
    assert ["Ann drinks green tea"] == list(scores(memory))
    assert not memory.entries.get_entry("fact1").found


def test_init_reports_a_missing_embedding_model(tmp_path, memory):
    settings = Settings(embedding_model="no-such-model")
    with closing(open_memory(settings, path=tmp_path / "absent.db")) as other:
        absent = other.entry_status.init().notice

    assert "full text only" in absent and "no-such-model" in absent
    assert "" == memory.entry_status.init().notice
