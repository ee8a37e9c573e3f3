"""Undo batches and restore rows, as new batches that can be undone in turn."""

from __future__ import annotations

from collections import Counter

from ...context import as_one_batch, current_batch
from ...errors import ConflictError, NotFoundError, ValidationError
from ...ids import new_id
from ...model.scope import Scope, User
from ...model.undo import SkippedRow, UndoResult
from ...rules import limits
from ...rules.row_states import relation_end_ids, row_title
from ...rules.table_names import kind_for_table, public_id, row_label, table_for_kind
from ...rules.text.normalization import fold_name
from ...storage.database import Connection, Database, DryRun
from ...storage.history import as_of, audit_log, undo
from ...storage.history.undo import Touched
from ..scopes import checked_names

# Enough to recognise the rows; the rest is counted.
SHOWN = 100
PUT_BACK = ("entity", "observation", "relation")


class Undo:
    """Reverts batches; records modified since are skipped and reported."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def undo(
        self,
        batch_id: str = "",
        *,
        seq: int = 0,
        dry_run: bool = False,
        project_id: str = "default",
        user_id: User = "",
        agent_id: str = "",
        session_id: str = "",
    ) -> UndoResult:
        """
        Revert a batch or one change by writing a new batch; raise NotFoundError if there is none.

        Rows of users that the call does not name are skipped and counted. A large batch is
        reverted in several transactions; if it was interrupted, the same call reverts the rest.
        """
        if bool(batch_id) == bool(seq):
            raise ValidationError("Give either batch_id or seq to select what to undo.")
        scope = checked_names(project_id, user_id, agent_id, session_id)
        with self._db.read() as connection:
            touched, others = _touched(connection, batch_id, seq, scope)
        if len(touched) > limits.WRITE_ROWS:
            return self._undo_large(batch_id, touched, others, dry_run=dry_run)
        with self._db.write("undo") as connection:
            done = _undone(connection, batch_id, seq, scope)
            if dry_run:
                done = done.model_copy(update={"dry_run": True, "batch_id": ""})
                raise DryRun
        return done

    def _undo_large(
        self, batch_id: str, touched: list[Touched], others: int, *, dry_run: bool
    ) -> UndoResult:
        with self._db.read() as connection:
            planned, blocked = undo.plan(connection, touched)
            skipped = left_alone(connection, blocked)
        counts = Counter(step.kind for _, step in planned)
        if dry_run:
            return _result(batch_id, "", counts, skipped, len(blocked), others, dry_run=True)
        counts.clear()
        texts = {row: text for row, step in planned if (text := _text_of(step.target))}
        own_batch = current_batch() or new_id()
        waiting, left = [row for row, _ in planned], len(planned) + 1
        with as_one_batch(own_batch):
            # Rows that block each other across transactions are tried again after all others.
            while waiting and len(waiting) < left:
                left, waiting, late = len(waiting), [], waiting
                for part in limits.parts_of(late, lambda row: len(texts.get(row, ""))):
                    self._db.prepare_texts("content", [texts[row] for row in part if row in texts])
                    with self._db.write("undo") as connection:
                        steps, refused = undo.revert(connection, part)
                        counts.update(step.kind for step in steps)
                        ids = {(each.kind, each.row_id) for each in refused}
                        waiting += [row for row in part if (row.kind, row.row_id) in ids]
        with self._db.read() as connection:
            skipped += left_alone(connection, refused if waiting else [])
        return _result(
            batch_id,
            own_batch if counts else "",
            counts,
            skipped[:SHOWN],
            len(blocked) + len(waiting),
            others,
        )

    def put_back(
        self, kind: str, id: str, *, as_of_seq: int, seen: int = 0, project_id: str = "default"
    ) -> UndoResult:
        """
        Restore one entity, observation or relation to its state after change *as_of_seq*.

        A deleted entity is restored with the facts recorded of it then that are deleted too. Raise
        ConflictError if the row changed after change *seen*, or its unique key is taken.
        """
        if kind not in PUT_BACK:
            raise ValidationError(
                f"A row of kind {kind!r} cannot be restored. The kinds are {PUT_BACK}."
            )
        project_id = limits.validate_project(project_id)
        with self._db.write("put_back") as connection:
            state = _state_then(connection, kind, id, as_of_seq, project_id)
            table, row_id = table_for_kind(kind), state["id"]
            newest = audit_log.version(connection, table, row_id)
            if seen and newest.seq > seen:
                audit_log.check_version(connection, table, row_id, seen, id=id)
            steps, blocked = undo.put_back(connection, [(table, state)])
            if blocked:
                raise ConflictError(f"The {kind} {id!r} was not restored: {blocked[0].why}.")
            if steps and kind == "entity" and steps[0].now is None:
                known = as_of.about(connection, row_id, as_of_seq)
                more, blocked = undo.put_back(
                    connection, [(t, s) for t in known for s in known[t]], missing_only=True
                )
                steps += more
            return UndoResult(
                undone=str(as_of_seq),
                batch_id=audit_log.batch(connection) if steps else "",
                dry_run=False,
                reverted=count_steps(steps),
                left_alone=left_alone(connection, blocked),
                left_alone_count=len(blocked),
            )


def _state_then(
    connection: Connection, kind: str, id: str, seq: int, project_id: str
) -> as_of.State:
    """Return a row's state after a change; raise NotFoundError if it did not exist then."""
    if kind == "entity":
        found = as_of.entity_with_key(connection, project_id, fold_name(id), seq)
        state = found[1] if found else None
    else:
        state = as_of.state_at(connection, table_for_kind(kind), id, seq)
    if state is None or state["project_id"] != project_id:
        raise NotFoundError(
            kind, id, "It did not exist then. Undo the batch that created it instead."
        )
    return state


def _touched(
    connection: Connection, batch_id: str, seq: int, scope: Scope
) -> tuple[list[Touched], int]:
    """Return the rows that a batch or change touched, and how many are of other users."""
    others = 0
    if batch_id:
        touched, others = undo.touched_by_batch(connection, batch_id, scope)
    else:
        touched = undo.touched_by_change(connection, seq, scope)
    if not touched:
        what = ("batch", batch_id) if batch_id else ("change", str(seq))
        hint = (
            f"List those of project {scope.project_id!r} with the tool query_timeline. Give "
            "user_id for those of a user."
        )
        raise NotFoundError(*what, hint)
    return touched, others


def _text_of(state: as_of.State | None) -> str:
    """Return the long text of a row, which is tokenized before the lock is taken."""
    return str((state or {}).get("content") or (state or {}).get("text") or "")


def _undone(connection: Connection, batch_id: str, seq: int, scope: Scope) -> UndoResult:
    touched, others = _touched(connection, batch_id, seq, scope)
    steps, blocked = undo.revert(connection, touched)
    return _result(
        batch_id or str(seq),
        audit_log.batch(connection) if steps else "",
        Counter(step.kind for step in steps),
        left_alone(connection, blocked),
        len(blocked),
        others,
    )


def _result(
    undone: str,
    batch_id: str,
    reverted: Counter[str],
    skipped: list[SkippedRow],
    blocked: int,
    others: int,
    *,
    dry_run: bool = False,
) -> UndoResult:
    return UndoResult(
        undone=undone,
        batch_id=batch_id,
        dry_run=dry_run,
        reverted=dict(reverted),
        left_alone=skipped,
        left_alone_count=blocked + others,
        other_users_count=others,
    )


def count_steps(steps: list[undo.Step]) -> dict[str, int]:
    return dict(Counter(step.kind for step in steps))


def left_alone(connection: Connection, blocked: list[undo.Blocked]) -> list[SkippedRow]:
    shown = blocked[:SHOWN]
    called = as_of.names_as_of(connection, relation_end_ids(row.shown for row in shown))
    return [
        SkippedRow(
            kind=kind_for_table(row.kind),
            id=public_id(row.shown, row.row_id),
            name=row_label(row.shown),
            title=row_title(row.kind, row.shown, called.names) if row.shown else "",
            why=row.why,
        )
        for row in shown
    ]
