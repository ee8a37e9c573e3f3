"""Health checks, and repair of derived data."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ...clock import format_timestamp
from ...errors import MemoryCoreError, StorageError
from ...model.health import (
    AuditLogHealth,
    FileHealth,
    FullTextHealth,
    HealthCheckResult,
    HealthProblem,
    HealthReport,
    HealthStatus,
    VectorHealth,
)
from ...model.search.mirrors import MirrorStatus
from ...model.search.vectors import IndexStatus, ModelState
from ...rules.diagnosis import find_problems
from ...storage import rebuild, schema
from ...storage.database import Database
from ...storage.files import backups, compaction, file_system, inspection
from ...storage.history import trimming
from .upkeep import Upkeep

NOT_CHECKED = "not checked"
NO_INDEX = IndexStatus(kind="none", model="", vectors=0, position=0, pending=0, rebuilds=0)
# Larger differences come from a wrong clock, not from skew between machines.
AHEAD = timedelta(days=1)


class Health:
    """Checks every component, and repairs derived data."""

    def __init__(
        self,
        db: Database,
        upkeep: Upkeep,
        *,
        index: Callable[[], IndexStatus] = lambda: NO_INDEX,
        model: Callable[[], tuple[ModelState, str]] = lambda: ("idle", ""),
        mirrors: Callable[[], list[MirrorStatus]] = list,
    ) -> None:
        """
        *index* returns the state of this process's index, *model* the state of the model with the
        reason, *mirrors* the progress of external copies of the vectors.
        """
        self._db = db
        self._upkeep = upkeep
        self._index = index
        self._model = model
        self._mirrors = mirrors

    def health_report(self, *, thorough: bool = True) -> HealthReport:
        """Return the state of every component; without *thorough* it takes milliseconds."""
        file = self._file(thorough)
        text, vectors, journal = FullTextHealth(integrity=NOT_CHECKED), self._vectors({}), None
        unreadable = ""
        try:
            text, vectors, journal = self._parts(thorough)
        except StorageError as error:
            unreadable = str(error)
        journal = journal or AuditLogHealth()
        found = find_problems(
            file,
            text,
            vectors,
            journal,
            ahead=AHEAD.total_seconds(),
            unreadable=unreadable,
        )
        copies = self._upkeep.list_backups()
        return HealthReport(
            status=_worst(found),
            checked_at=self._db.clock(),
            thorough=thorough,
            problems=found,
            file=file,
            text=text,
            vectors=vectors,
            journal=journal,
            last_backup=str(copies[0]) if copies else "",
            backups=len(copies),
        )

    def checkup(self, *, repair: bool = False) -> HealthCheckResult:
        """
        Return the state of every component; with *repair*, rebuild derived data first.

        Raise StorageError, and change nothing, unless the tables are proven intact.
        """
        before = self.health_report()
        if not repair or not before.problems:
            return HealthCheckResult(report=before)
        self._prove(before)
        kept = self._upkeep.create_backup()
        done = self._repair(before)
        return HealthCheckResult(
            report=self.health_report(),
            repaired=done,
            problems_before=before.problems,
            backup=kept.path,
        )

    def _file(self, thorough: bool) -> FileHealth:
        path = self._db.path
        known: dict[str, Any] = {"integrity": [NOT_CHECKED]}
        try:
            with self._db.read() as connection:
                known |= inspection.identity(connection)
                if thorough:
                    known["integrity"] = inspection.faults(connection)[:20] or ["ok"]
                    known["broken_references"] = inspection.broken_references(connection)
        except StorageError as error:
            known["integrity"] = [str(error)]
        return FileHealth(
            path=str(path),
            size_bytes=backups.size(path),
            wal_bytes=backups.size(path.with_name(f"{path.name}-wal")),
            known_schema_version=schema.newest_version(),
            network=file_system.network_kind(path),
            **known,
        )

    def _parts(self, thorough: bool) -> tuple[FullTextHealth, VectorHealth, AuditLogHealth]:
        fault = self._full_text_fault() if thorough else NOT_CHECKED
        mirrors = self._mirrors()
        with self._db.read() as connection:
            text = FullTextHealth(
                integrity=fault, **inspection.texts(connection, thorough=thorough)
            )
            counts = inspection.vectors(connection, thorough=thorough)
            vectors = self._vectors({**counts, "mirrors": mirrors})
            newest = inspection.newest(connection)
            at = datetime.fromisoformat(newest.at) if newest.at else None
            changes, size_bytes = trimming.size(connection)
            journal = AuditLogHealth(
                newest_seq=newest.seq,
                changes=changes,
                size_bytes=size_bytes,
                newest_at=at,
                ahead_seconds=max((at - self._db.clock()).total_seconds(), 0.0) if at else 0.0,
                backwards=inspection.backwards(connection) if thorough else 0,
                unlike_the_tables=sum(1 for _ in inspection.unlike_the_journal(connection))
                if thorough
                else 0,
            )
        return text, vectors, journal

    def _vectors(self, counts: dict[str, Any]) -> VectorHealth:
        state, reason = self._model()
        return VectorHealth(model_state=state, model_reason=reason, index=self._index(), **counts)

    def _full_text_fault(self) -> str:
        """
        Return the fault that FTS5 reports. Its check requires write access, and is left out while
        another connection writes: a health check does not wait for a held lock.
        """
        try:
            with self._db.note(wait=False) as connection:
                return inspection.full_text_fault(connection) or "ok"
        except MemoryCoreError as error:
            return f"{NOT_CHECKED}: {error}"

    def _prove(self, before: HealthReport) -> None:
        faults = [fault for fault in before.file.integrity if fault != "ok"]
        sound = before.file.schema_version and inspection.only_indexes(faults)
        if sound and not before.file.broken_references:
            return
        copies = before.last_backup or "none was made in its folder"
        raise StorageError(
            "The tables themselves are damaged, so nothing can be rebuilt from them, and nothing "
            f"was changed. Restore a backup with the tool restore_backup; the newest: "
            f"{copies}."
        )

    def _repair(self, before: HealthReport) -> list[str]:
        done = []
        if before.file.integrity != ["ok"]:
            compaction.reindex(self._db.path)
            done.append("rebuilt the indexes of the tables")
        now = format_timestamp(self._db.clock())
        with self._db.write("repair") as connection:
            rebuild.rebuild(connection)
        done.append("rebuilt names, search documents, the full-text index and the vector queue")
        if before.journal.ahead_seconds > AHEAD.total_seconds():
            with self._db.note() as connection:
                moved = inspection.calm_clock(connection, now)
            done.append(f"moved {moved} changes from the future to the present")
        return done


def _worst(found: list[HealthProblem]) -> HealthStatus:
    colours = {problem.colour for problem in found}
    return "red" if "red" in colours else "amber" if colours else "green"
