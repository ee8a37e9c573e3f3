"""Entries: one sentence with five tags each, and additional longer text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from ...clock import format_timestamp
from ...errors import ForbiddenError
from ...ids import IdSource
from ...model.facts.entries import (
    ContextChunk,
    DeletedEntry,
    Entry,
    EntryLookup,
    EntryPage,
    WrittenContext,
    WrittenEntry,
)
from ...model.scope import Scope
from ...rules import limits
from ...rules.facts import entries as rules
from ...rules.paging import decode_cursor, encode_cursor
from ...rules.text import chunking
from ...storage.database import Database
from ...storage.entries import entries as rows
from ...storage.entries import groups as group_rows
from ...storage.entries import merged_vectors
from ...storage.history import audit_log
from ..scopes import validate_scope
from .settings import EntrySettings

KIND = "entries"


class Entries:
    """Create, read, update and delete entries, each in one scope."""

    def __init__(self, db: Database, ids: IdSource, settings: EntrySettings) -> None:
        self._db = db
        self._ids = ids
        self._defaults = settings.defaults

    def write_entry(
        self,
        summary: str,
        tags: Sequence[str],
        *,
        category: str,
        context_text: str = "",
        is_time_sensitive: bool = False,
        ttl_days: int = 0,
        metadata: Mapping[str, JsonValue] | None = None,
        scope: Scope | None = None,
    ) -> WrittenEntry:
        """Store one sentence; raise ValidationError naming the value and the rule it breaks."""
        now = self._db.clock()
        entry = Entry(
            id=self._ids(),
            **validate_scope(scope).model_dump(),
            summary=self._db.without_secrets("summary", rules.validate_summary(summary)),
            tags=self._tags(tags),
            category=rules.validate_category(category),
            metadata=limits.validate_properties(metadata or {}, "metadata"),
            is_time_sensitive=is_time_sensitive,
            expires_at=self._expiry(now, ttl_days, is_time_sensitive),
            created_at=now,
            updated_at=now,
        )
        entry = _with_digest(entry)
        chunks = self._cut_chunks(context_text, now) if context_text else []
        with self._db.write("memory_write") as connection:
            rows.insert(connection, entry)
            rows.insert_chunks(connection, entry, chunks)
            batch_id = audit_log.batch(connection)
        return self._build_written(entry, batch_id, chunks)

    def get_entry(self, id: str, *, scope: Scope | None = None) -> EntryLookup:
        """Return the entry; found is False if the scope has no entry of that id."""
        with self._db.read() as connection:
            entry = rows.find(
                connection, validate_scope(scope, all_users=True), id, now=self._db.clock()
            )
            if entry is None:
                return EntryLookup(id=id, found=False)
            groups = group_rows.of_entries(connection, [id]).get(id, [])
        return EntryLookup(**_fields(entry), found=True, group_ids=groups)

    def entries_by_ids(self, ids: Sequence[str]) -> dict[str, Entry]:
        """Return entries of any project and user by id; only for the owner of the database."""
        with self._db.read() as connection:
            return {entry.id: entry for entry in rows.by_ids(connection, ids)}

    def entry_version(self, id: str) -> int:
        """
        Return the version that expected_version of an update is compared with; 0 if there was none.
        """
        with self._db.read() as connection:
            return audit_log.version(connection, KIND, id).seq

    def update_entry(
        self,
        id: str,
        *,
        summary: str = "",
        tags: Sequence[str] = (),
        category: str = "",
        is_time_sensitive: bool | None = None,
        ttl_days: int = 0,
        metadata: Mapping[str, JsonValue] | None = None,
        expected_version: int = 0,
        scope: Scope | None = None,
    ) -> WrittenEntry:
        """Change the given values and keep the rest; metadata is merged."""
        now = self._db.clock()
        given: dict[str, object] = {}
        if summary:
            given["summary"] = self._db.without_secrets("summary", rules.validate_summary(summary))
        if tags:
            given["tags"] = self._tags(tags)
        if category:
            given["category"] = rules.validate_category(category)
        more = limits.validate_properties(metadata or {}, "metadata")
        with self._db.write("memory_update") as connection:
            known = rows.get(connection, validate_scope(scope, all_users=True), id, now=now)
            audit_log.check_version(connection, KIND, id, expected_version)
            given["metadata"] = {**known.metadata, **more}
            given |= self._lifetime(known, now, is_time_sensitive, ttl_days)
            entry = _with_digest(known.model_copy(update={**given, "updated_at": now}))
            rows.rewrite(connection, entry)
            batch_id = audit_log.batch(connection)
        return self._build_written(entry, batch_id, [])

    def delete_entry(
        self, id: str, *, force: bool = False, scope: Scope | None = None
    ) -> DeletedEntry:
        """Delete an entry with its context; a time-sensitive entry requires *force*."""
        now = self._db.clock()
        with self._db.write("memory_delete") as connection:
            entry = rows.get(connection, validate_scope(scope, all_users=True), id, now=now)
            if entry.is_time_sensitive and not force:
                when = entry.expires_at.isoformat() if entry.expires_at else "its time"
                raise ForbiddenError(
                    f"The entry {id!r} is time-sensitive and expires automatically at {when}. Give "
                    "force = true to delete it now."
                )
            rows.delete(connection, id)
            return DeletedEntry(
                id=id,
                summary=entry.summary,
                chunks=entry.total_chunks,
                batch_id=audit_log.batch(connection),
            )

    def write_context(
        self, id: str, context_text: str, *, scope: Scope | None = None
    ) -> WrittenContext:
        """Append longer text to an entry, split at natural boundaries without losing any of it."""
        now = self._db.clock()
        chunks = self._cut_chunks(context_text, now)
        with self._db.write("memory_write_context") as connection:
            entry = rows.get(connection, validate_scope(scope, all_users=True), id, now=now)
            first = rows.next_position(connection, id)
            chunks = [
                chunk.model_copy(update={"position": first + chunk.position}) for chunk in chunks
            ]
            rows.insert_chunks(connection, entry, chunks)
            return WrittenContext(
                timeline_id=id,
                chunk_ids=[chunk.id for chunk in chunks],
                total_chunks=rows.chunk_count(connection, id),
                batch_id=audit_log.batch(connection),
            )

    def list_entries(
        self,
        *,
        scope: Scope | None = None,
        category: str = "",
        tag: str = "",
        query: str = "",
        status: str = "active",
        limit: int = 50,
        cursor: str = "",
    ) -> EntryPage:
        """
        Return entries, newest first; *query* matches a part of the summary, *tag* a whole tag.
        """
        limit = limits.validate_page_size(limit)
        scope = validate_scope(scope, all_projects=True, all_users=True)
        of = ("entries", scope, category, tag, query, status)
        created_at, id = decode_cursor(cursor, "", "", of=of)
        if category:
            rules.validate_category(category)
        with self._db.read() as connection:
            found, total = rows.page(
                connection,
                scope,
                now=self._db.clock(),
                category=category,
                tag=tag,
                query=query,
                status=status,
                after=(str(created_at), str(id)),
                limit=limit + 1,
            )
        shown = found[:limit]
        last = shown[-1] if len(found) > limit else None
        after = ""
        if last and last.created_at:
            after = encode_cursor(format_timestamp(last.created_at), last.id, of=of)
        return EntryPage(entries=shown, total=total, cursor=after)

    def _tags(self, given: Sequence[str]) -> list[str]:
        # Redact before the search documents are derived.
        return [self._db.without_secrets("tags", tag) for tag in rules.validate_tags(given)]

    def _expiry(self, now: datetime, ttl_days: int, is_time_sensitive: bool) -> datetime | None:
        return rules.compute_expiry(
            now,
            ttl_days=ttl_days,
            is_time_sensitive=is_time_sensitive,
            default=self._defaults.ttl_days,
        )

    def _lifetime(
        self, known: Entry, now: datetime, is_time_sensitive: bool | None, ttl_days: int
    ) -> dict[str, object]:
        """Return the changes that an update makes to the expiry of the entry."""
        sensitive = known.is_time_sensitive if is_time_sensitive is None else is_time_sensitive
        if ttl_days == 0 and sensitive == known.is_time_sensitive:
            return {}
        expires_at = self._expiry(now, ttl_days, sensitive)
        return {"is_time_sensitive": sensitive, "expires_at": expires_at}

    def _cut_chunks(self, text: str, now: datetime) -> list[ContextChunk]:
        whole = limits.validate_text("context_text", text)
        # Redact before splitting: a key cut in half would not match any pattern.
        whole = self._db.without_secrets("context_text", whole)
        cuts = chunking.split_chunks(
            whole, size=self._defaults.chunk_size, separators=self._defaults.separators
        )
        return [
            ContextChunk(
                id=self._ids(), position=place, text=whole[cut.start : cut.end], created_at=now
            )
            for place, cut in enumerate(cuts)
        ]

    def _build_written(
        self, entry: Entry, batch_id: str, chunks: Sequence[ContextChunk]
    ) -> WrittenEntry:
        with self._db.read() as connection:
            pending = merged_vectors.is_pending(connection, entry.id)
            version = audit_log.version(connection, KIND, entry.id).seq
        total = entry.total_chunks + len(chunks)
        return WrittenEntry(
            **_fields(entry) | {"total_chunks": total, "has_context": total > 0},
            source_id=entry.id,
            timeline_id=entry.id,
            chunk_ids=[chunk.id for chunk in chunks],
            version=version,
            batch_id=batch_id,
            embedding="pending" if pending else "ready",
        )


def _with_digest(entry: Entry) -> Entry:
    return entry.model_copy(update={"digest": rules.entry_digest(entry.summary, entry.tags)})


def _fields(entry: Entry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in type(entry).model_fields}
