"""Taking back a batch or a single change, as a new act that can be taken back itself."""

from __future__ import annotations

from collections import Counter

from ..errors import Invalid, NotFound
from ..model.undo import LeftAlone, Undone
from ..rules import limits
from ..rules.kinds import kind_of, label_of, public_id
from ..storage import journal, undo
from ..storage.database import Connection, Database

# Enough to see what kind of rows they are; the rest is counted.
SHOWN = 100


class _OnlyTried(Exception):
    """Ends a dry run: everything it wrote is rolled back."""


class Undo:
    """Takes acts back; what changed since is named and left alone."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def undo(
        self,
        batch_id: str = "",
        *,
        seq: int = 0,
        dry_run: bool = False,
        project_id: str = "default",
    ) -> Undone:
        """Revert a batch or one change by writing a new batch; raise NotFound if there is none."""
        if bool(batch_id) == bool(seq):
            raise Invalid("Give either batch_id or seq: what shall be undone?")
        project_id = limits.project(project_id, all_allowed=True)
        done: list[Undone] = []
        try:
            with self._db.write("undo") as connection:
                done.append(_undone(connection, batch_id, seq, project_id))
                if dry_run:
                    raise _OnlyTried
        except _OnlyTried:
            return done[0].model_copy(update={"dry_run": True, "batch_id": ""})
        return done[0]


def _undone(connection: Connection, batch_id: str, seq: int, project_id: str) -> Undone:
    if batch_id:
        touched = undo.touched_by_batch(connection, batch_id, project_id)
    else:
        touched = undo.touched_by_change(connection, seq, project_id)
    if not touched:
        what = ("batch", batch_id) if batch_id else ("change", str(seq))
        raise NotFound(*what, f"query_timeline lists those of project {project_id!r}.")
    steps, blocked = undo.revert(connection, touched)
    return Undone(
        undone=batch_id or str(seq),
        batch_id=journal.batch(connection) if steps else "",
        dry_run=False,
        reverted=counted(steps),
        left_alone=left_alone(blocked),
        left_alone_count=len(blocked),
    )


def counted(steps: list[undo.Step]) -> dict[str, int]:
    return dict(Counter(step.kind for step in steps))


def left_alone(blocked: list[undo.Blocked]) -> list[LeftAlone]:
    return [
        LeftAlone(
            kind=kind_of(row.kind),
            id=public_id(row.shown, row.row_id),
            name=label_of(row.shown),
            why=row.why,
        )
        for row in blocked[:SHOWN]
    ]
