"""Scheduled maintenance of entries: expiry and duplicate marking."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np

from ...context import as_one_batch, report_progress
from ...errors import ConflictError
from ...ids import IdSource
from ...model.facts.entries import Entry, EntryMaintenanceReport, MergedEntry
from ...model.scope import Scope
from ...rules.facts.entries import entry_digest
from ...rules.graph.duplicates import compare_facts
from ...search.embedder import LazyEmbedder
from ...search.embedding_worker import EmbeddingWorker
from ...search.similarity_graph import similar_vectors
from ...storage.database import Connection, Database
from ...storage.entries import entries as rows
from ...storage.entries import merged_vectors
from ...storage.history import audit_log, undo
from ..embed_pending import catch_up
from ..scopes import validate_scope
from .settings import EntrySettings

# Rows deleted per transaction, to hold the write lock briefly.
_BATCH = 200

# Summaries that differ in one of these are not duplicates.
_DIFFERENT = ("number", "name", "negation")

# The cause of a merge in the audit log; the metadata key of confirmed non-duplicates.
_MERGE = "entry_duplicates"
_APART = "not_a_duplicate_of"


class EntryUpkeep:
    """Scheduled maintenance of entries; called by the scheduler."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        settings: EntrySettings,
        *,
        embedder: LazyEmbedder,
        follower: EmbeddingWorker,
    ) -> None:
        self._db = db
        self._ids = ids
        self._settings = settings
        self._embedder = embedder
        self._follower = follower

    def run(self) -> EntryMaintenanceReport:
        """Delete expired entries and, if enabled, mark duplicates."""
        return EntryMaintenanceReport(
            expired=self.remove_expired(), duplicates=self.merge_if_wanted()
        )

    def merge_if_wanted(self) -> list[MergedEntry]:
        """Mark duplicates if that is enabled."""
        return self.mark_duplicates() if self._settings.claim("dedup_enable") else []

    def remove_expired(self) -> int:
        """Delete expired entries of all projects; return how many."""
        gone = 0
        while True:
            now = self._db.clock()
            with self._db.read() as connection:
                if not rows.expired_ids(connection, now=now, limit=1):
                    return gone
            with self._db.write("entry_expiry") as connection:
                due = rows.expired_ids(connection, now=now, limit=_BATCH)
                for id in due:
                    rows.delete(connection, id)
            gone += len(due)

    def mark_duplicates(self) -> list[MergedEntry]:
        """
        Mark duplicates of an older entry in the same scope, each in a batch of its own.

        The older entry keeps its id and takes over the details of the newer one.
        """
        catch_up(self._embedder, self._follower)
        least = self._settings.number("dedup_threshold")
        with self._db.read() as connection:
            scopes = rows.scopes(connection)
        return [done for scope in scopes for done in self._marked_in(scope, least)]

    def keep_apart(self, id: str, *, scope: Scope | None = None) -> str:
        """
        Permanently revert the merge of a marked entry; return the batch, which can be undone.

        Raise ConflictError if it is not marked as a duplicate. If either of the two changed since,
        the merged entry stays, and the marked one is restored next to it.
        """
        scope, now = validate_scope(scope), self._db.clock()
        with self._db.write("entries_kept_apart") as connection:
            entry = rows.get(connection, scope, id, now=now)
            if entry.status != "duplicate":
                raise ConflictError(
                    f"The entry {id!r} is not marked as a duplicate of another one."
                )
            last = audit_log.change(connection, audit_log.version(connection, "entries", id).seq)
            if last.cause == _MERGE:
                whose = Scope(project_id=entry.project_id, user_id=entry.user_id)
                touched, _ = undo.touched_by_batch(connection, last.batch_id, whose)
                undo.revert(connection, touched)
            back = rows.get(connection, scope, id, now=now)
            apart = {*_apart(entry), entry.duplicate_of or ""} - {""}
            freed = {
                "status": "active",
                "duplicate_of": None,
                "metadata": {**back.metadata, _APART: sorted(apart)},
                "updated_at": now,
            }
            rows.rewrite(connection, back.model_copy(update=freed))
            return audit_log.batch(connection)

    def _marked_in(self, scope: Scope, least: float) -> Iterator[MergedEntry]:
        with self._db.read() as connection:
            there = merged_vectors.summaries(connection, **scope.model_dump())
        marked: set[int] = set()
        for older, like in _alike(there, least):
            for newer in like:
                if older in marked or newer in marked:
                    continue
                ids = there.ids[older], there.ids[newer]
                done = self._merge(scope, *ids, similarity=_cosine(there, older, newer))
                if done is not None:
                    marked.add(newer)
                    yield done

    def _merge(
        self, scope: Scope, older_id: str, newer_id: str, *, similarity: float
    ) -> MergedEntry | None:
        """Merge the newer entry into the older one; None if either changed meanwhile."""
        now = self._db.clock()
        # Always a separate batch, so that each merge can be undone on its own.
        with as_one_batch(self._ids()), self._db.write(_MERGE) as connection:
            older = rows.find(connection, scope, older_id, now=now)
            newer = rows.find(connection, scope, newer_id, now=now)
            if not _may_merge(older, newer, similarity=similarity):
                return None
            assert older is not None
            assert newer is not None
            _write_merge(connection, older, newer, now=now)
            return MergedEntry(
                kept=older_id,
                duplicate=newer_id,
                similarity=round(similarity, 4),
                batch_id=audit_log.batch(connection),
            )


def _alike(there: merged_vectors.Rows, least: float) -> Iterator[tuple[int, list[int]]]:
    """
    Yield every row, oldest first, with the newer rows similar to it.

    Similarity is not transitive here: a chain of small steps may end at a different statement.
    """
    if len(there.ids) < 2:
        return
    graph = similar_vectors(there.matrix, least=least, tick=_tell)
    node_of = {int(row): node for node, listed in enumerate(graph.rows) for row in listed}
    near: list[list[int]] = [[node] for node in range(len(graph.rows))]
    for one, other in zip(graph.first.tolist(), graph.second.tolist(), strict=True):
        near[one].append(other)
        near[other].append(one)
    for row in range(len(there.ids)):
        like = {int(other) for node in near[node_of[row]] for other in graph.rows[node]}
        yield row, sorted(other for other in like if other > row)


def _cosine(there: merged_vectors.Rows, one: int, other: int) -> float:
    return float(there.matrix[one].astype(np.float32) @ there.matrix[other].astype(np.float32))


def _may_merge(older: Entry | None, newer: Entry | None, *, similarity: float) -> bool:
    if older is None or newer is None:
        return False
    if (older.status, newer.status) != ("active", "active") or newer.is_time_sensitive:
        return False
    if older.id in _apart(newer):
        return False
    verdict = compare_facts(older.summary, newer.summary, similarity=similarity, same_subject=True)
    return verdict.kind != "contradiction" and verdict.reason not in _DIFFERENT


def _apart(entry: Entry) -> list[str]:
    """Return the entries that this one was confirmed not to duplicate."""
    named = entry.metadata.get(_APART)
    return [str(id) for id in named] if isinstance(named, list) else []


def _write_merge(connection: Connection, older: Entry, newer: Entry, *, now: datetime) -> None:
    marked = {"status": "duplicate", "duplicate_of": older.id, "updated_at": now}
    rows.rewrite(connection, newer.model_copy(update=marked))
    rows.move_chunks(connection, newer.id, older.id)
    taken = {
        "summary": newer.summary,
        "tags": newer.tags,
        "category": newer.category,
        "metadata": {**older.metadata, **newer.metadata},
        "digest": entry_digest(newer.summary, newer.tags),
        "updated_at": now,
    }
    rows.rewrite(connection, older.model_copy(update=taken))


def _tell(done: int, total: int) -> None:
    report_progress(done, total, "comparing summaries")
