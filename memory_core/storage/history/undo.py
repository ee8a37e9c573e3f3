"""
Undo of a batch or a change, from the audit log.

Rule 1: a row returns to its state before its first change in the batch, and only if its
newest change belongs to the batch: later changes are never lost.

Rule 2: no other rows are changed. A row that others refer to is not deleted, and a row whose
parent is missing is not restored.

Rule 3: steps are attempted in turn. A step that breaks a constraint waits for the others (a
duplicate that must be deleted first, a parent that must be restored first). Steps that no
order makes possible are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
from apsw import Connection

from ...model.scope import Scope
from ..scoping import bound_of, row_seen
from .tables import State, Tables

_OF_BATCH = f"""
select c.kind, c.row_id, t.first, t.last, {row_seen("c")} as seen
from (
    select min(l.seq) as first, max(l.seq) as last
    from change_ranges r cross join change_log l on l.seq between r.first and r.last
    where r.batch_id = :batch_id
        and (:project_id = '*' or l.project = (select id from terms where text = :project_id))
    group by l.kind, l.row
) t cross join changes c on c.seq = t.first
order by t.first
"""

_OF_SEQ = f"""
select kind, row_id, seq as first, seq as last
from changes c
where seq = :seq and (:project_id = '*' or project_id = :project_id)
    and {row_seen("c")}
"""

_BEFORE = """
select op, state from changes
where seq = (
    select max(seq) from change_log
    where row = (select id from terms where text = :row_id)
        and kind = (select id from terms where text = :kind) and seq < :first
)
"""

# Whether the first change of a row in the batch is a deletion, with no earlier state recorded.
_FIRST_OP = """
select op from changes where seq = :first
"""

_CHANGED_BY_ANOTHER = """
select seq, at, actor, cause from changes
where seq in (
    select seq from change_log
    where row = (select id from terms where text = :row_id)
        and kind = (select id from terms where text = :kind) and seq > :first
)
    and (seq > :last or batch_id <> (select batch_id from changes where seq = :first))
order by seq desc limit 1
"""


@dataclass(frozen=True)
class Touched:
    """A row that a batch changed, with its first and last change in it."""

    kind: str
    row_id: str
    first: int
    last: int


@dataclass(frozen=True)
class Step:
    """A row and its target state; None deletes it."""

    kind: str
    row_id: str
    target: State | None
    now: State | None

    @property
    def shown(self) -> State:
        return self.target or self.now or {}


@dataclass(frozen=True)
class Blocked:
    """A skipped row, and the reason."""

    kind: str
    row_id: str
    shown: State
    why: str


def touched_by_batch(
    connection: Connection, batch_id: str, scope: Scope
) -> tuple[list[Touched], int]:
    """
    Return the rows of a scope that a batch changed, in order, and how many it changed elsewhere.
    """
    bound = {**bound_of(scope), "batch_id": batch_id}
    rows: list[Any] = connection.execute(_OF_BATCH, bound).fetchall()
    seen = [bool(row.pop("seen")) for row in rows]
    touched = [Touched(**row) for row, is_seen in zip(rows, seen, strict=True) if is_seen]
    return touched, seen.count(False)


def touched_by_change(connection: Connection, seq: int, scope: Scope) -> list[Touched]:
    rows = connection.execute(_OF_SEQ, {**bound_of(scope), "seq": seq})
    return [Touched(**row) for row in rows]


def revert(connection: Connection, touched: Sequence[Touched]) -> tuple[list[Step], list[Blocked]]:
    """Restore rows where possible; return the steps taken, and the skipped rows."""
    tables = Tables(connection)
    steps: list[Step] = []
    blocked: list[Blocked] = []
    for row in touched:
        planned = _plan(connection, tables, row)
        if isinstance(planned, Blocked):
            blocked.append(planned)
        elif planned.target != planned.now:
            steps.append(planned)
    taken, left = _all_taken(connection, tables, steps)
    return taken, blocked + left


def plan(
    connection: Connection, touched: Sequence[Touched]
) -> tuple[list[tuple[Touched, Step]], list[Blocked]]:
    """Return the steps that revert() would try, in an order that works, and the skipped rows."""
    tables = Tables(connection)
    steps: list[tuple[Touched, Step]] = []
    blocked: list[Blocked] = []
    for row in touched:
        planned = _plan(connection, tables, row)
        if isinstance(planned, Blocked):
            blocked.append(planned)
        elif planned.target != planned.now:
            steps.append((row, planned))
    return sorted(steps, key=lambda each: _order(tables, each[1])), blocked


def put_back(
    connection: Connection, wanted: Sequence[tuple[str, State]], *, missing_only: bool = False
) -> tuple[list[Step], list[Blocked]]:
    """Write rows of each kind in the wanted state; like revert, from any current state."""
    tables = Tables(connection)
    steps = []
    for kind, state in wanted:
        now = tables.row(kind, state["id"])
        target = tables.fill_columns(kind, state, now)
        if target != now and not (missing_only and now):
            steps.append(Step(kind, state["id"], target, now))
    return _all_taken(connection, tables, steps)


def _all_taken(
    connection: Connection, tables: Tables, steps: list[Step]
) -> tuple[list[Step], list[Blocked]]:
    """Take the steps that are possible; return them, and the reason for each of the others."""
    left = _take(connection, tables, steps)
    left = _exchange(connection, tables, left)
    waiting = {(step.kind, step.row_id) for step in left}
    blocked = [
        Blocked(step.kind, step.row_id, step.shown, _obstacle(tables, step)) for step in left
    ]
    return [step for step in steps if (step.kind, step.row_id) not in waiting], blocked


def _plan(connection: Connection, tables: Tables, row: Touched) -> Step | Blocked:
    bound = {"kind": row.kind, "row_id": row.row_id, "first": row.first, "last": row.last}
    now = tables.row(row.kind, row.row_id)
    before = connection.execute(_BEFORE, bound).fetchone()
    known = json.loads(before["state"]) if before and before["state"] else None
    target = tables.fill_columns(row.kind, known, now) if known else None
    if target == now and (before is not None or now is None):
        return Step(row.kind, row.row_id, target, now)
    later = connection.execute(_CHANGED_BY_ANOTHER, bound).fetchone()
    if later is not None:
        why = f"changed since by {later['actor']} at {later['at']} ({later['cause']})"
        return Blocked(row.kind, row.row_id, now or target or {}, why)
    if before is None and connection.execute(_FIRST_OP, bound).get != "created":
        return Blocked(
            row.kind, row.row_id, now or {}, "its previous state has been purged or trimmed"
        )
    return Step(row.kind, row.row_id, target, now)


def _take(connection: Connection, tables: Tables, steps: Iterable[Step]) -> list[Step]:
    """Take the steps in any order that works; return those that remain impossible."""
    waiting = sorted(steps, key=lambda step: _order(tables, step))
    while waiting:
        left = [step for step in waiting if not _take_step(connection, tables, step)]
        if len(left) == len(waiting):
            return left
        # In a chain where each row blocks the next, such as shifted chunks, the last goes first.
        waiting = left[::-1]
    return []


def _take_step(connection: Connection, tables: Tables, step: Step) -> bool:
    try:
        if step.target is None:
            if tables.dependents(step.kind, step.row_id):
                return False
            connection.execute(f"delete from {step.kind} where id = :id", {"id": step.row_id})
        elif step.now is None:
            connection.execute(tables.insertion(step.kind), step.target)
        else:
            connection.execute(tables.rewriting(step.kind), step.target)
    except apsw.ConstraintError:
        return False
    return True


def _exchange(connection: Connection, tables: Tables, steps: list[Step]) -> list[Step]:
    """Take steps that block each other, such as two rows that swapped a unique value."""
    ready = [
        step
        for step in steps
        if step.target and step.now and not tables.dependents(step.kind, step.row_id)
    ]
    if len(ready) < 2:
        return steps
    rest = [step for step in steps if step not in ready]
    connection.execute("savepoint exchange")
    for step in ready:
        connection.execute(f"delete from {step.kind} where id = :id", {"id": step.row_id})
    deletions = [Step(step.kind, step.row_id, step.target, None) for step in ready]
    failed = _take(connection, tables, deletions)
    if failed:
        connection.execute("rollback to exchange")
    connection.execute("release exchange")
    return steps if failed else _take(connection, tables, rest)


def _order(tables: Tables, step: Step) -> tuple[int, int]:
    """Sort key: parents first; for deletions, parents last."""
    depth = tables.depths[step.kind]
    return (1, -depth) if step.target is None else (0, depth)


def _obstacle(tables: Tables, step: Step) -> str:
    """Return the reason why a step is impossible."""
    if step.target is None:
        count = tables.dependents(step.kind, step.row_id)
        return f"{count} rows that came later hang on it"
    for link in tables.links:
        there = step.target.get(link.column)
        if link.table == step.kind and there and tables.row(link.parent, there) is None:
            end = {"from_id": "start", "to_id": "end"}.get(link.column, link.column)
            return f"its {end.removesuffix('_id')} is not there any more"
    return "another row has its place (its id, name or content) now"
