"""
Tracked tables, and the triggers that write their audit log.

Rule 1: a table contains user data if and only if it is in TRACKED.

Rule 2: only triggers write to changes and searchables. One trigger per table and operation
writes both, in the transaction of the write, so that history and search documents are never
behind. The full-text index (storage/search/full_text.py) and the vector index
(search/index.py) follow.

Rule 3: SQL decides here whether a search document is active. A row whose owner is archived
is not; archiving the owner updates the search documents of the rows that it owns.

A tracked table has a text primary key named id, a project_id and no blob columns (JSON has
no blobs), and is never written with INSERT OR REPLACE: SQLite then skips the delete trigger,
and the history would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Searched:
    """
    How a row is searched; every expression is SQL over ``{row}``.

    Attributes:
        text: What is searched.

        active: Whether a search that asks for nothing special may return it.

        occurred_at: When it was true or said, for dates and for its place in a session.

        scope: Columns of the scope in the table, except project_id.
    """

    text: str
    active: str = "1"
    occurred_at: str = "{row}.created_at"
    scope: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tracked:
    """
    A table with an audit log.

    Attributes:
        table: Its name, which is also the *kind* of its rows in the audit log.

        subject: The column with the id of what a change is about.

        object: The column with the id at the other end, if there is one.

        owns: Tables whose search documents become active or inactive with a row.
    """

    table: str
    subject: str = "id"
    object: str | None = None
    searched: Searched | None = None
    owns: tuple[str, ...] = field(default=())


# The summary text of an entity: name, type, other names, then its properties as words.
_CARD = """{row}.name || ' (' || {row}.node_type || ')'
    || coalesce((select '. Also ' || group_concat(value, ', ')
        from json_each({row}.aliases)), '')
    || coalesce((select '. ' || group_concat(key || ': ' || value, '. ')
        from json_each({row}.properties)), '')"""

# The text of an entry, then its tags.
_ENTRY = """{row}.summary
    || coalesce((select '. ' || group_concat(value, ', ') from json_each({row}.tags)), '')"""

_SCOPE = ("user_id", "agent_id", "session_id")

TRACKED = (
    Tracked(
        "entities",
        searched=Searched(
            _CARD,
            active="({row}.status = 'active')",
            occurred_at="coalesce({row}.occurred_at, {row}.created_at)",
        ),
        owns=("observations",),
    ),
    Tracked(
        "observations",
        subject="entity_id",
        searched=Searched(
            "{row}.content",
            active="""({row}.status = 'active' and coalesce(
        (select status from entities where id = {row}.entity_id), '') = 'active')""",
            occurred_at="coalesce({row}.occurred_at, {row}.created_at)",
            scope=("session_id",),
        ),
    ),
    Tracked("relations", subject="from_id", object="to_id"),
    Tracked("documents"),
    Tracked("chunks", subject="document_id", searched=Searched("{row}.text")),
    Tracked(
        "bottles",
        searched=Searched("{row}.message", active="({row}.acknowledged_at is null)"),
    ),
    Tracked("suggestions"),
    Tracked(
        "entries",
        searched=Searched(
            _ENTRY,
            active="({row}.status = 'active')",
            occurred_at="coalesce({row}.occurred_at, {row}.created_at)",
            scope=_SCOPE,
        ),
        owns=("context_chunks",),
    ),
    Tracked(
        "context_chunks",
        subject="entry_id",
        searched=Searched(
            "{row}.text",
            active="""(coalesce(
        (select status from entries where id = {row}.entry_id), '') = 'active')""",
            scope=_SCOPE,
        ),
    ),
)


def triggers(tracked: Tracked, columns: Sequence[str]) -> Iterator[str]:
    """Yield the statements that create the triggers of a table with *columns*."""
    different = " or ".join(f"old.{name} is not new.{name}" for name in columns)
    fields = ", ".join(f"'{name}', new.{name}" for name in columns)
    state = f"json_object({fields})"
    yield _trigger(tracked, "created", "insert", row="new", state=state)
    yield _trigger(tracked, "changed", "update", row="new", state=state, when=f"when {different}")
    yield _trigger(tracked, "deleted", "delete", row="old", state="null")


def _trigger(tracked: Tracked, op: str, event: str, *, row: str, state: str, when: str = "") -> str:
    far_end = f"{row}.{tracked.object}" if tracked.object else "null"
    return f"""\
create trigger {tracked.table}_{op} after {event} on {tracked.table} {when} begin
    insert into changes (kind, row_id, subject_id, object_id, op, project_id, state)
    values ('{tracked.table}', {row}.id, {row}.{tracked.subject}, {far_end}, '{op}',
        {row}.project_id, {state});
    {_searchable(tracked, row, op)}
    {_owner_columns(tracked, op)}
end"""


_NEWEST = "(select max(seq) from change_log)"


def _searchable(tracked: Tracked, row: str, op: str) -> str:
    searched = tracked.searched
    if searched is None:
        return ""
    if op == "deleted":
        return f"""\
update searchables set text = null, active = 0, seq = {_NEWEST}
    where kind = '{tracked.table}' and row_id = old.id;"""
    scope = "".join(f", {name}" for name in searched.scope)
    values = "".join(f", {row}.{name}" for name in searched.scope)
    again = "".join(f", {name} = excluded.{name}" for name in searched.scope)
    return f"""\
insert into searchables (kind, row_id, subject_id, project_id, occurred_at,
        active, text, seq{scope})
    values ('{tracked.table}', {row}.id, {row}.{tracked.subject}, {row}.project_id,
        {searched.occurred_at.format(row=row)}, {searched.active.format(row=row)},
        {searched.text.format(row=row)}, {_NEWEST}{values})
    on conflict (kind, row_id) do update set
        subject_id = excluded.subject_id, project_id = excluded.project_id,
        occurred_at = excluded.occurred_at, active = excluded.active,
        text = excluded.text, seq = excluded.seq{again};"""


def _owner_columns(tracked: Tracked, op: str) -> str:
    if op != "changed":
        return ""
    return "\n    ".join(
        f"""\
update searchables set active = (
        select {_active_of(table)} from {table} where {table}.id = searchables.row_id
    ), seq = {_NEWEST}
    where kind = '{table}' and subject_id = new.id and text is not null
        and old.status is not new.status;"""
        for table in tracked.owns
    )


def _active_of(table: str) -> str:
    (searched,) = (tracked.searched for tracked in TRACKED if tracked.table == table)
    assert searched is not None
    return searched.active.format(row=table)
