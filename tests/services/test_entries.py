"""Entries as services know them: changing, expiring, merging, settings."""

from __future__ import annotations

import pytest
from support import HandClock, HashingEmbedder

from memory_core import Settings, open_memory
from memory_core.errors import Conflict, Invalid, InvalidConfig, NotFound, VersionConflict
from memory_core.model.scope import Scope
from memory_core.storage import derived
from memory_core.storage.tracked import TRACKED

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]


def write(memory, summary="Ann drinks green tea", tags=TAGS, **more):
    return memory.entries.write(summary, tags, **{"category": "other", **more})


def rows(memory):
    """Return every row of every tracked table."""
    with memory.db.read() as connection:
        return {
            tracked.table: connection.execute(
                f"select * from {tracked.table} order by id"
            ).fetchall()
            for tracked in TRACKED
        }


def scores(memory, query="Ann drinks green tea"):
    found = memory.entry_query.query(query, score_threshold=0, top_k=50)
    return {hit.summary: hit.score for hit in found.hits}


def test_an_update_changes_what_is_given_and_keeps_the_rest(memory):
    """
    A new summary is found at once and the old one no more; tags, category and metadata stay,
    and undo brings the old one back.
    """
    entry = write(memory, metadata={"source": "chat"})
    before = rows(memory)

    changed = memory.entries.update(entry.id, summary="Ann drinks espresso", metadata={"n": 1})

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
    """
    Whoever gives the version he saw is told when somebody has changed the entry since.
    """
    entry = write(memory)
    memory.entries.update(entry.id, category="preference")

    with pytest.raises(VersionConflict, match="was changed"):
        memory.entries.update(entry.id, summary="Mine", expected_version=entry.version)


def test_the_same_entry_twice_is_embedded_once(memory):
    """
    Vectors go by what an entry says; when the last entry that says it is gone, so are they.
    """
    one, other = write(memory), write(memory, tags=TAGS[::-1])
    memory.catch_up()

    def stored():
        with memory.db.read() as connection:
            return connection.execute("select count(*) from merged_vectors").get

    assert 1 == stored()
    memory.entries.delete(one.id)
    assert 1 == stored()
    memory.entries.delete(other.id)
    assert 0 == stored()


def test_context_chunks_keep_to_their_size_and_lose_nothing(tmp_path):
    """
    C11: chunks are at most as long as the setting says, are numbered without a gap, give the
    text back when joined, and never break a fenced block that fits.
    """
    memory = open_memory(
        Settings(vellum_chunk_size=200), path=tmp_path / "m.db", embedder=HashingEmbedder()
    )
    fence = "```python\n" + "x = 1\n\n" * 20 + "```\n"
    text = "# Title\n\n" + "Some words here. " * 30 + "\n\n" + fence + "  trailing \n\n"
    entry = write(memory, context_text=text)
    memory.entries.write_context(entry.id, text)

    page = memory.entry_query.context(entry.id, limit=50)
    memory.close()

    texts = [chunk.text for chunk in page.chunks]
    assert 2 * text == "".join(texts)
    assert max(map(len, texts)) <= 200
    assert list(range(page.total_chunks)) == [chunk.position for chunk in page.chunks]
    assert 2 == sum(fence in chunk for chunk in texts)


@pytest.mark.parametrize("size", ["0", "8001", "wide"])
def test_a_chunk_size_out_of_bounds_is_refused(monkeypatch, tmp_path, size):
    """
    C10, C11: a value that breaks its rule is refused by name where settings are read.
    """
    monkeypatch.setenv("VELLUM_CHUNK_SIZE", size)

    with pytest.raises(InvalidConfig, match="VELLUM_CHUNK_SIZE"):
        Settings.load(env_file=tmp_path / "none")


def test_a_page_of_context_fits_an_answer(memory):
    """
    A page ends before it is too long to be read at once, and says where the next begins.
    """
    text = "".join(f"{n:04} says a little.\n" for n in range(3000))
    entry = write(memory, context_text=text)
    read, offset = "", 0

    while offset != -1:
        page = memory.entry_query.context(entry.id, offset=offset, limit=50)
        assert sum(len(chunk.text) for chunk in page.chunks) <= 24_000
        read += "".join(chunk.text for chunk in page.chunks)
        offset = page.next_offset

    assert text == read


def test_entries_are_listed_by_tag_category_and_words(memory, clock):
    """
    A list is newest first, and keeps to a whole tag in any letter case, a category, or a
    part of the summary; cursors lead through it.
    """
    for n in range(5):
        clock.advance(seconds=1)
        write(memory, f"Number {n}", [f"Tag{n % 2}", *TAGS[1:]], category="knowledge")
    write(memory, "Another", category="preference")

    odd = memory.entries.entries(tag="tag1")
    first = memory.entries.entries(category="knowledge", limit=2)
    second = memory.entries.entries(category="knowledge", limit=2, cursor=first.cursor)

    assert ["Number 3", "Number 1"] == [entry.summary for entry in odd.entries]
    assert 5 == first.total
    assert ["Number 4", "Number 3", "Number 2", "Number 1"] == [
        entry.summary for entry in (*first.entries, *second.entries)
    ]
    assert ["Another"] == [entry.summary for entry in memory.entries.entries(query="noth").entries]


def test_without_a_model_entries_are_found_by_words(tmp_path):
    """
    While no model is there, a query answers from full text, without scores, and says so.
    """

    class Broken(HashingEmbedder):
        def embed(self, texts):
            from memory_core.errors import EmbeddingFailed

            raise EmbeddingFailed("The model is out of order.")

    memory = open_memory(path=tmp_path / "m.db", embedder=Broken())
    entry = write(memory)

    found = memory.entry_query.query("green")
    memory.close()

    assert "pending" == entry.embedding
    assert [(entry.id, 0.0)] == [(hit.source_id, hit.score) for hit in found.hits]
    assert "full text alone" in found.notice
    assert "out of order" in found.notice


def test_vectors_of_two_models_are_never_mixed(tmp_path):
    """
    C7: opened with another model, a memory answers from full text and the notice names
    reindex; that done, everything has a vector of the new model.
    """

    def opened(model):
        embedder = HashingEmbedder(model=model)
        return open_memory(path=tmp_path / "m.db", embedder=embedder, clock=HandClock())

    memory = opened("one")
    write(memory)
    memory.catch_up()
    memory.close()

    memory = opened("two")
    write(memory, "Ann drinks black tea")
    found = memory.entry_query.query("Ann drinks green tea", top_k=2)
    searched = memory.search.search("Ann drinks green tea")
    assert "reindex" in found.notice
    assert "reindex" in searched.notice
    assert 2 == len(found.hits)

    memory.reindex()
    again = memory.entry_query.query("Ann drinks green tea", top_k=2)
    memory.close()

    assert ("", 0) == (again.notice, again.pending)
    assert again.hits[0].score > 0.5


def test_expired_entries_are_deleted_by_upkeep(memory, clock):
    """
    Time-sensitive entries go after three days unless said otherwise, with their longer text;
    the journal keeps them.
    """
    gone = write(memory, is_time_sensitive=True, context_text="Until then.")
    later = write(memory, is_time_sensitive=True, ttl_days=9)
    stays = write(memory)

    clock.advance(days=3)
    assert 1 == memory.entry_upkeep.remove_expired()

    assert {later.id, stays.id} == {row["id"] for row in rows(memory)["entries"]}
    assert [] == rows(memory)["context_chunks"]
    with pytest.raises(NotFound):
        memory.entries.update(gone.id, summary="Too late")


def test_duplicates_are_marked_only_when_that_is_switched_on(memory):
    """
    Looking for duplicates is off by default; a stored choice switches it on.
    """
    write(memory)
    write(memory)

    assert [] == memory.entry_upkeep.run().duplicates
    memory.entry_settings.choose("dedup_enable", "true")
    assert 1 == len(memory.entry_upkeep.run().duplicates)
    assert [] == memory.entry_upkeep.run().duplicates


def test_a_merge_keeps_the_older_identity_and_the_newer_information(memory, clock):
    """
    C9: of two entries that say the same, the older stays under its id with what the newer
    says and the longer texts of both; the newer is marked, found no more, and not deleted.
    Undo takes all of that back exactly.
    """
    older = write(memory, context_text="First.", metadata={"a": 1, "b": 1})
    clock.advance(hours=1)
    newer = write(memory, "Ann drinks green tea now", context_text="Second.", metadata={"b": 2})
    before = rows(memory)
    memory.entry_settings.choose("dedup_threshold", 0.8)

    (merged,) = memory.entry_upkeep.mark_duplicates()

    kept, marked = memory.entries.get(older.id), memory.entries.get(newer.id)
    assert (older.id, newer.id) == (merged.kept, merged.duplicate)
    assert ("Ann drinks green tea now", {"a": 1, "b": 2}, "active") == (
        kept.summary,
        kept.metadata,
        kept.status,
    )
    assert ("duplicate", older.id) == (marked.status, marked.duplicate_of)
    page = memory.entry_query.context(older.id, limit=9)
    assert ["First.", "Second."] == [chunk.text for chunk in page.chunks]
    assert {"Ann drinks green tea now"} == set(scores(memory))
    memory.undo.undo(merged.batch_id)
    assert before == rows(memory)


def test_two_entries_can_be_kept_apart_for_good(memory, clock):
    """
    Both say again what they said, and the next look for duplicates leaves them alone; undo
    makes them one again.
    """
    older = write(memory, context_text="First.")
    clock.advance(hours=1)
    newer = write(memory, "Ann drinks green tea now", context_text="Second.")
    memory.entry_settings.choose("dedup_threshold", 0.8)
    memory.entry_upkeep.mark_duplicates()

    batch = memory.entry_upkeep.keep_apart(newer.id)

    kept, back = memory.entries.get(older.id), memory.entries.get(newer.id)
    assert ["Ann drinks green tea", "Ann drinks green tea now"] == [kept.summary, back.summary]
    assert ("active", None, 1, 1) == (
        back.status,
        back.duplicate_of,
        back.total_chunks,
        kept.total_chunks,
    )
    assert [] == memory.entry_upkeep.mark_duplicates()
    with pytest.raises(Conflict, match="not marked"):
        memory.entry_upkeep.keep_apart(newer.id)
    memory.undo.undo(batch)
    assert older.id == memory.entries.get(newer.id).duplicate_of


def test_what_changed_since_a_merge_is_not_lost_when_it_is_taken_back(memory, clock):
    """
    The older entry keeps what somebody wrote meanwhile; the marked one comes back beside it.
    """
    older = write(memory)
    clock.advance(hours=1)
    newer = write(memory)
    memory.entry_upkeep.mark_duplicates()
    memory.entries.update(older.id, summary="Ann drinks coffee")

    memory.entry_upkeep.keep_apart(newer.id)

    assert "Ann drinks coffee" == memory.entries.get(older.id).summary
    assert "active" == memory.entries.get(newer.id).status


def test_owners_and_versions_are_told(memory):
    """
    Who has entries, and which state an update is to be compared with.
    """
    mine = write(memory, scope=Scope(project_id="b", user_id="ann"))
    write(memory, scope=Scope(project_id="b"))
    write(memory, scope=Scope(project_id="a", agent_id="x"))

    owners = [(each.project_id, each.user_id) for each in memory.entry_status.owners()]

    assert [("a", ""), ("b", ""), ("b", "ann")] == owners
    assert mine.version == memory.entries.version(mine.id)
    assert 0 == memory.entries.version("nothing")


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
def test_what_is_no_duplicate_is_left_alone(memory, one, other, more):
    """
    Nothing is merged across scopes, nothing that goes by itself, and nothing that differs
    in a number or a denial, however near its vector.
    """
    write(memory, one)
    write(memory, other, **more)
    memory.entry_settings.choose("dedup_threshold", 0.7)

    assert [] == memory.entry_upkeep.mark_duplicates()


def test_a_choice_that_breaks_its_rule_is_refused_and_changes_nothing(memory):
    """
    C10: a bad value is refused when it is set, with the key, the value and the rule.
    """
    with pytest.raises(Invalid, match=r"group_k cannot be '99': give a whole number from 2 to 12"):
        memory.entry_settings.choose("group_k", "99")
    with pytest.raises(Invalid, match="no setting 'colour'"):
        memory.entry_settings.choose("colour", 1)

    assert 4 == memory.entry_settings.whole("group_k")


def test_a_bad_stored_choice_is_survived_and_reported(memory):
    """
    C10: a stored value that breaks its rule does not stop anything: the initial value is
    used, and the status says why. A good one wins over the initial value.
    """
    memory.entry_settings.choose("group_threshold", 0.6)
    with memory.db.note() as connection:
        connection.execute(
            "insert into choices (name, value, chosen_by, chosen_at) "
            "values ('group_k', '\"many\"', 'x', 'x')"
        )

    settings = {setting.key: setting for setting in memory.entry_status.status().settings}

    assert (4, "many", "environment") == (
        settings["group_k"].value,
        settings["group_k"].stored,
        settings["group_k"].source,
    )
    assert "group_k cannot be 'many'" in settings["group_k"].problem
    assert (0.6, 0.45, "stored") == (
        settings["group_threshold"].value,
        settings["group_threshold"].initial,
        settings["group_threshold"].source,
    )
    memory.groups.rebuild()


def test_the_names_of_vellum_are_understood(monkeypatch, tmp_path):
    """
    The ancestor's variables work under their names; where one of ours says the same, ours
    wins, wherever it stands.
    """
    env_file = tmp_path / ".env"
    env_file.write_text("EMBEDDING_MODEL=ours\n", encoding="utf-8")
    for name, value in {
        "VELLUM_DB_PATH": "old.db",
        "VELLUM_TRANSFORMER_MODEL": "theirs",
        "VELLUM_DEDUP_ENABLE": "true",
        "VELLUM_DEDUP_THRESHOLD": "0.8",
        "VELLUM_DAEMON_INTERVAL": "60",
        "VELLUM_DEFAULT_TTL_DAYS": "7",
        "VELLUM_CHUNK_SIZE": "900",
        "VELLUM_CONTEXT_SEPARATORS": r'["\n\n", "line", " "]',
    }.items():
        monkeypatch.setenv(name, value)

    settings = Settings.load(env_file=env_file)

    assert "old.db" == str(settings.sqlite_db_file)
    assert "ours" == settings.embedding_model
    defaults = settings.entry_defaults()
    assert (7, 900, ("\n\n", "line", " ")) == (
        defaults.ttl_days,
        defaults.chunk_size,
        defaults.separators,
    )
    assert (True, 0.8, 60) == (
        defaults.dedup_enable,
        defaults.dedup_threshold,
        defaults.daemon_interval,
    )
    origins = {setting.name: setting.origin for setting in settings.sources()}
    assert "environment, as VELLUM_DB_PATH" == origins["SQLITE_DB_FILE"]


def test_what_is_derived_from_entries_can_be_made_anew(memory):
    """
    Tags, queue, counters and the index of merged vectors come back from the entries alone
    after they are lost; a vector that is there is not made again.
    """
    entry = write(memory)
    before = scores(memory)
    with memory.db.note() as connection:
        connection.execute("delete from entry_tags; delete from merged_log")
        connection.execute("update merged_state set entries = 77, unmerged = 5")

    with memory.db.note() as connection:
        derived.rebuild(connection)

    assert before == scores(memory)
    assert 0 == memory.entry_status.status().pending
    assert [entry.id] == [found.id for found in memory.entries.entries(tag="TEA").entries]
