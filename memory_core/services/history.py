"""
Time travel: the graph as it was known, what changed, and who changed it.

A moment maps to one seq, and every answer carries it: the same seq gives the
same answer for ever. When a thing was *true* (valid_at) is asked apart from
when it was *known* (as_of).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal, get_args

from ..errors import Invalid, NotFound
from ..model.history import (
    ChangeKind,
    Difference,
    EntityThen,
    PastPage,
    RowChange,
)
from ..rules import limits, past
from ..rules.paging import cursor_after, position_of
from ..rules.text import fold
from ..storage import journal
from ..storage import past as rows
from ..storage.database import Connection, Database
from ..storage.past import State, Touched

Kind = Literal["entity", "observation", "relation"]
_KINDS: dict[str, Kind] = {
    "entities": "entity",
    "observations": "observation",
    "relations": "relation",
}
assert set(_KINDS.values()) == set(get_args(Kind))

# Observations and relations shown of one entity on a page of the past.
EACH = 200


class History:
    """Questions about the past, answered from the journal alone."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def as_of(
        self,
        moment: datetime,
        *,
        project_id: str = "default",
        entity_id: str = "",
        valid_at: datetime | None = None,
        limit: int = 20,
        cursor: str = "",
    ) -> PastPage:
        """Return the graph as it was known at *moment*, what is deleted by now included."""
        project_id = limits.project(project_id, all_allowed=not entity_id)
        limit = limits.page_size(limit)
        after, fixed = position_of(cursor, "", 0)
        with self._db.read() as connection:
            # A later page belongs to the same seq, even if the clock was behind.
            seq = int(fixed) or journal.seq_at(connection, moment)
            found = (
                [_entity_then(connection, project_id, entity_id, seq)]
                if entity_id
                else rows.entities_at(
                    connection, project_id, seq, after=str(after), limit=limit + 1
                )
            )
            shown = found[:limit]
            entities = [_filled(connection, *each, seq, valid_at) for each in shown]
        more = len(found) > limit
        return PastPage(
            as_of=moment,
            seq=seq,
            entities=entities,
            cursor=cursor_after(shown[-1][0], seq) if more else "",
        )

    def count(self, moment: datetime, *, project_id: str = "default") -> int:
        """Return how many entities were known at *moment*."""
        project_id = limits.project(project_id, all_allowed=True)
        with self._db.read() as connection:
            return rows.count_at(connection, project_id, journal.seq_at(connection, moment))

    def diff(
        self,
        start: datetime,
        end: datetime,
        *,
        project_id: str = "default",
        limit: int = 100,
        cursor: str = "",
    ) -> Difference:
        """Return what was added, removed and changed after *start* up to *end*."""
        if end < start:
            raise Invalid("to_timestamp lies before from_timestamp. Give them in order of time.")
        project_id = limits.project(project_id, all_allowed=True)
        limit = limits.page_size(limit)
        after, from_seq, to_seq = (int(part) for part in position_of(cursor, 0, 0, 0))
        with self._db.read() as connection:
            if not cursor:
                from_seq = journal.seq_at(connection, start)
                to_seq = journal.seq_at(connection, end)
            touched = rows.touched(connection, project_id, from_seq, to_seq)
            kinds = {each: _kind_of(connection, each, from_seq) for each in touched}
            real = [each for each in touched if kinds[each]]
            page = [each for each in real if each.seq > after][: limit + 1]
            changes = [
                _row_change(connection, each, from_seq, change)
                for each in page[:limit]
                if (change := kinds[each])
            ]
        counts = Counter(f"{_KINDS[each.kind]} {kinds[each]}" for each in real)
        more = len(page) > limit
        return Difference(
            from_timestamp=start.astimezone(UTC),
            to_timestamp=end.astimezone(UTC),
            from_seq=from_seq,
            to_seq=to_seq,
            counts=dict(sorted(counts.items())),
            changes=changes,
            cursor=cursor_after(page[limit - 1].seq, from_seq, to_seq) if more else "",
        )


def _entity_then(connection: Connection, project_id: str, key: str, seq: int) -> tuple[str, State]:
    found = rows.entity_with_key(connection, project_id, fold(key), seq)
    if found is None:
        raise NotFound("entity", key, f"At that moment, project {project_id!r} did not know it.")
    return found


def _filled(
    connection: Connection, row_id: str, state: State, seq: int, valid_at: datetime | None
) -> EntityThen:
    """Return an entity with what was known of it, and true at *valid_at* if that is given."""
    known = rows.about(connection, row_id, seq)
    facts = [each for each in known["observations"] if past.was_valid(each, valid_at)]
    edges = [each for each in known["relations"] if past.was_valid(each, valid_at)]
    names = _keys(connection, past.ends_of(edges), seq)
    facts.sort(key=lambda each: (each["occurred_at"] or each["created_at"], each["id"]))
    return EntityThen(
        entity=past.entity_then(state),
        observations=[past.observation_then(each, state["key"]) for each in facts[::-1][:EACH]],
        relations=[past.relation_then(each, names) for each in edges[:EACH]],
    )


def _keys(connection: Connection, row_ids: Iterable[str], seq: int) -> dict[str, str]:
    states = rows.states_at(connection, "entities", list(row_ids), seq)
    return {row_id: state["key"] for row_id, state in states.items()}


def _kind_of(connection: Connection, touched: Touched, from_seq: int) -> ChangeKind | None:
    """Return what became of a row in the stretch; None if it ended as it began."""
    before = rows.state_at(connection, touched.kind, touched.row_id, from_seq)
    after = rows.state_at(connection, touched.kind, touched.row_id, touched.seq)
    if before is None:
        return "added" if after is not None else None
    if after is None:
        return "removed"
    return "changed" if past.difference(before, after) != ({}, {}) else None


def _row_change(
    connection: Connection, touched: Touched, from_seq: int, change: ChangeKind
) -> RowChange:
    kind, row_id, seq = touched.kind, touched.row_id, touched.seq
    before = rows.state_at(connection, kind, row_id, from_seq)
    after = rows.state_at(connection, kind, row_id, seq)
    state = after or before
    assert state is not None
    last = journal.change(connection, seq)
    ends = past.ends_of([state]) or [state.get("entity_id", row_id)]
    names = _keys(connection, ends, seq)
    for missing in [end for end in ends if end not in names]:
        names |= _keys(connection, [missing], from_seq)
    old, new = past.difference(before, after)
    return RowChange(
        kind=_KINDS[kind],
        change=change,
        id=state["key"] if kind == "entities" else row_id,
        name=past.name_of(kind, state, names),
        entity_id=names.get(ends[0], ends[0]),
        before=old,
        after=new,
        actor=last.actor,
        cause=last.cause,
        at=datetime.fromisoformat(last.at),
        seq=seq,
        project_id=last.project_id,
    )
