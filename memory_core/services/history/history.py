"""
Time travel: the graph as recorded at a moment, and its changes.

A moment maps to one seq, and every result contains it: the same seq always gives the same result.
When a fact was *true* (valid_at) is independent of when it was *recorded* (as_of).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, get_args

from ...clock import format_timestamp
from ...errors import ConflictError, NotFoundError
from ...model.graph.graph_view import GraphMap
from ...model.history import (
    ChangeKind,
    Difference,
    EntitySnapshot,
    RowChange,
    SnapshotNodes,
    SnapshotPage,
)
from ...rules import limits, row_states
from ...rules.graph import identity
from ...rules.paging import decode_cursor, encode_cursor
from ...rules.text.normalization import fold_name
from ...storage.database import Connection, Database
from ...storage.history import as_of as rows
from ...storage.history import audit_log, trimming
from ...storage.history.as_of import State, Touched
from .history_graph import map_then, nodes_then

Kind = Literal["entity", "observation", "relation"]
_KINDS: dict[str, Kind] = {
    "entities": "entity",
    "observations": "observation",
    "relations": "relation",
}
assert set(_KINDS.values()) == set(get_args(Kind))

# Observations and relations per entity in a snapshot.
EACH = 200
MOST_DRAWN = 1000


class History:
    """Queries about the past, answered from the audit log alone."""

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
    ) -> SnapshotPage:
        """Return the graph as recorded at *moment*, including records deleted since."""
        project_id = limits.validate_project(project_id, all_allowed=not entity_id)
        limit = limits.validate_page_size(limit)
        moments = [at and format_timestamp(at) for at in (moment, valid_at)]
        of = ("as of", project_id, entity_id, *moments)
        after, fixed = decode_cursor(cursor, "", 0, of=of)
        with self._db.read() as connection:
            # Later pages use the same seq, even if the clock was set back.
            seq = int(fixed) or audit_log.seq_at(connection, moment)
            found = (
                [_entity_then(connection, project_id, entity_id, seq)]
                if entity_id
                else rows.entities_at(
                    connection, project_id, seq, after=str(after), limit=limit + 1
                )
            )
            shown = found[:limit]
            entities = [_build_snapshot(connection, *each, seq, valid_at) for each in shown]
            notice = _trim_notice(connection, seq)
        more = len(found) > limit
        return SnapshotPage(
            as_of=moment,
            seq=seq,
            entities=entities,
            cursor=encode_cursor(shown[-1][0], seq, of=of) if more else "",
            notice=notice,
        )

    def count_entities(self, moment: datetime, *, project_id: str = "default") -> int:
        """Return the number of entities at *moment*."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            return rows.count_at(connection, project_id, audit_log.seq_at(connection, moment))

    def list_entities(
        self, moment: datetime, *, project_id: str = "default", limit: int = 50, cursor: str = ""
    ) -> SnapshotNodes:
        """
        Return a page of the entities at *moment*, with counts of their observations and relations.
        """
        project_id = limits.validate_project(project_id, all_allowed=True)
        limit = limits.validate_page_size(limit)
        of = ("entities then", project_id)  # The cursor contains the moment as a seq.
        after, fixed = decode_cursor(cursor, "", 0, of=of)
        with self._db.read() as connection:
            seq = int(fixed) or audit_log.seq_at(connection, moment)
            found = rows.entities_at(connection, project_id, seq, after=str(after), limit=limit + 1)
            shown = dict(found[:limit])
            nodes = nodes_then(connection, shown, seq, {})
        more = len(found) > limit
        following = encode_cursor(nodes[-1].row_id, seq, of=of) if more else ""
        return SnapshotNodes(seq=seq, nodes=nodes, cursor=following)

    def past_graph(
        self, start: datetime, end: datetime, *, project_id: str = "default", limit: int = 150
    ) -> GraphMap:
        """Return a map of the graph at *start*, with the changes up to *end*."""
        limits.validate_order(from_timestamp=start, to_timestamp=end)
        project_id = limits.validate_project(project_id, all_allowed=True)
        limit = limits.validate_page_size(limit, most=MOST_DRAWN)
        with self._db.read() as connection:
            from_seq, to_seq = (audit_log.seq_at(connection, each) for each in (start, end))
            return map_then(connection, project_id, from_seq, to_seq, limit=limit)

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
        limits.validate_order(from_timestamp=start, to_timestamp=end)
        project_id = limits.validate_project(project_id, all_allowed=True)
        limit = limits.validate_page_size(limit)
        of = ("diff", project_id, format_timestamp(start), format_timestamp(end))
        after, from_seq, to_seq = (int(part) for part in decode_cursor(cursor, 0, 0, 0, of=of))
        with self._db.read() as connection:
            if not cursor:
                from_seq, to_seq = (audit_log.seq_at(connection, at) for at in (start, end))
            counts: Counter[str] = Counter()
            page: list[tuple[Touched, ChangeKind]] = []
            for each in rows.touched_rows(connection, project_id, from_seq, to_seq):
                became = row_states.change_kind(each.before, each.after)
                if became is None:
                    continue
                counts[f"{_KINDS[each.kind]} {became}"] += 1
                if each.seq > after and len(page) <= limit:
                    page.append((each, became))
            changes = _row_changes(connection, page[:limit])
            notice = _trim_notice(connection, from_seq)
        of_next = (page[limit - 1][0].seq, from_seq, to_seq) if len(page) > limit else ()
        return Difference(
            from_timestamp=start.astimezone(UTC),
            to_timestamp=end.astimezone(UTC),
            from_seq=from_seq,
            to_seq=to_seq,
            counts=dict(sorted(counts.items())),
            changes=changes,
            cursor=encode_cursor(*of_next, of=of) if of_next else "",
            notice=notice,
        )


def _trim_notice(connection: Connection, seq: int) -> str:
    trimmed = trimming.trimmed(connection)
    if seq >= trimmed.seq:
        return ""
    return f"States before {trimmed.at} were trimmed from the history; some records are missing."


def _entity_then(connection: Connection, project_id: str, key: str, seq: int) -> tuple[str, State]:
    """Return the entity by id, else by its name at that moment, else by a name at another time."""
    found = rows.entity_with_key(connection, project_id, fold_name(key), seq)
    if found is not None:
        return found
    ever = rows.ever_called(connection, project_id, key)
    known = list(rows.states_at(connection, "entities", ever, seq).items())
    named = [
        each for each in known if identity.has_name(row_states.entity_from_state(each[1]), key)
    ] or known
    if not named:
        raise NotFoundError(
            "entity", key, f"At that moment, project {project_id!r} did not know it."
        )
    if len(named) > 1:
        ids = ", ".join(repr(state["key"]) for _, state in named[:8])
        raise ConflictError(f"Several entities are called {key!r}: {ids}. Give the id of one.")
    return named[0]


def _build_snapshot(
    connection: Connection, row_id: str, state: State, seq: int, valid_at: datetime | None
) -> EntitySnapshot:
    """Return an entity with its recorded facts, limited to those true at *valid_at* if given."""
    known = rows.about(connection, row_id, seq)
    facts = [each for each in known["observations"] if row_states.is_valid_at(each, valid_at)]
    edges = [each for each in known["relations"] if row_states.is_valid_at(each, valid_at)]
    called = rows.names_as_of(connection, row_states.relation_end_ids(edges), seq=seq)
    facts.sort(key=lambda each: (each["occurred_at"] or each["created_at"], each["id"]))
    return EntitySnapshot(
        entity=row_states.entity_from_state(state),
        observations=[
            row_states.observation_from_state(each, state["key"]) for each in facts[::-1][:EACH]
        ],
        relations=[row_states.relation_from_state(each, called.keys) for each in edges[:EACH]],
        titles=[row_states.row_title("relations", each, called.names) for each in edges[:EACH]],
    )


def _row_changes(
    connection: Connection, page: Sequence[tuple[Touched, ChangeKind]]
) -> list[RowChange]:
    states = [
        (
            json.loads(touched.before) if touched.before else None,
            json.loads(touched.after) if touched.after else None,
        )
        for touched, _ in page
    ]
    ends = [_ends(before, after) for before, after in states]
    called = rows.names_as_of(connection, list({end: None for both in ends for end in both}))
    return [
        _row_change(touched, became, before, after, called)
        for (touched, became), (before, after) in zip(page, states, strict=True)
    ]


def _ends(before: State | None, after: State | None) -> list[str]:
    """
    Return the row ids of the entities that a row refers to, then of those it referred to before.
    """
    states = [state for state in (after, before) if state is not None]
    owners = [str(state.get("entity_id", state["id"])) for state in states]
    return row_states.relation_end_ids(states) or list(dict.fromkeys(owners))


def _row_change(
    touched: Touched,
    became: ChangeKind,
    before: State | None,
    after: State | None,
    called: rows.Called,
) -> RowChange:
    state = after or before
    assert state is not None
    owner = _ends(before, after)[0]
    old, new = row_states.diff_states(before, after)
    return RowChange(
        kind=_KINDS[touched.kind],
        change=became,
        id=state["key"] if touched.kind == "entities" else touched.row_id,
        name=row_states.row_name(touched.kind, state, called.keys),
        title=row_states.row_title(touched.kind, state, called.names),
        entity_id=called.keys.get(owner, owner),
        before=row_states.to_public_fields(old, called.keys),
        after=row_states.to_public_fields(new, called.keys),
        actor=touched.actor,
        cause=touched.cause,
        at=datetime.fromisoformat(touched.at),
        seq=touched.seq,
        project_id=touched.project_id,
    )
