"""Size of the audit log, and deletion of its old states on request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ...clock import format_timestamp
from ...errors import ValidationError
from ...model.maintenance import HistorySize, TrimResult
from ...rules import limits
from ...settings.history import HistorySettingsFields
from ...storage.database import Connection, Database
from ...storage.history import states, trimming
from .upkeep import Upkeep

# Changes that one transaction deletes or stores again.
_AT_ONCE = limits.WRITE_ROWS


class HistoryTrimming:
    """Previews and deletes old states. Nothing is deleted unless trim_history() is called."""

    def __init__(self, db: Database, upkeep: Upkeep, settings: HistorySettingsFields) -> None:
        self._db = db
        self._upkeep = upkeep
        self._settings = settings

    def history_size(
        self, *, keep_days: int | None = None, keep_versions: int | None = None
    ) -> HistorySize:
        """
        Return the size of the audit log and what trim_history() with these limits would delete.

        None takes a limit from the settings; 0 is no limit.
        """
        days, versions = self._limits(keep_days, keep_versions)
        with self._db.read() as connection:
            changes, size_bytes = trimming.size(connection)
            old = list(self._old_rows(connection, days, versions))
            first = max((each.first for each in old), default=0)
            at = trimming.time_of(connection, first) if first else ""
        return HistorySize(
            changes=changes,
            size_bytes=size_bytes,
            keep_days=days,
            keep_versions=versions,
            trimmable_changes=sum(each.changes for each in old),
            trimmable_records=len(old),
            trimmable_characters=sum(each.characters for each in old),
            complete_from=datetime.fromisoformat(at) if at else None,
        )

    def trim_history(
        self,
        *,
        keep_days: int | None = None,
        keep_versions: int | None = None,
        backup: bool = True,
    ) -> TrimResult:
        """
        Delete the states that history_size() counts, after a backup, and shrink the file.

        The current records stay as they are. Raise ValidationError if nothing limits the history.
        """
        before = self.history_size(keep_days=keep_days, keep_versions=keep_versions)
        days, versions = before.keep_days, before.keep_versions
        if not days and not versions:
            raise ValidationError(
                "Nothing limits the history. Set HISTORY_KEEP_DAYS or HISTORY_KEEP_VERSIONS, or "
                "give the number of days or versions to keep."
            )
        if not before.trimmable_changes:
            return TrimResult(deleted_changes=0, before=before, after=before)
        kept = self._upkeep.backup_before("trim").path if backup else ""
        with self._db.read() as connection:
            old = list(self._old_rows(connection, days, versions))
        deleted = sum(self._trim_row(each) for each in old)
        done = self._upkeep.optimize_database()
        after = self.history_size(keep_days=days, keep_versions=versions)
        return TrimResult(
            deleted_changes=deleted, backup=kept, before=before, after=after, notice=done.notice
        )

    def _limits(self, keep_days: int | None, keep_versions: int | None) -> tuple[int, int]:
        days = self._settings.history_keep_days if keep_days is None else keep_days
        versions = self._settings.history_keep_versions if keep_versions is None else keep_versions
        for name, value in (("keep_days", days), ("keep_versions", versions)):
            if value < 0:
                raise ValidationError(f"{name} is {value} and must not be negative; 0: no limit.")
        return days, versions

    def _old_rows(self, connection: Connection, days: int, versions: int) -> Iterator[trimming.Old]:
        if not days and not versions:
            return iter(())
        before = format_timestamp(self._db.clock() - timedelta(days=days)) if days else ""
        return trimming.old_rows(connection, before=before, versions=versions)

    def _trim_row(self, old: trimming.Old) -> int:
        """Trim one row in short transactions, after each of which every state can be read."""
        complete = False
        while not complete:
            with self._db.note() as connection:
                complete = states.rebase(connection, old.row, old.kind, old.first, limit=_AT_ONCE)
        deleted, count = 0, _AT_ONCE
        while count == _AT_ONCE:
            with self._db.note() as connection:
                count = trimming.delete_some(connection, old, limit=_AT_ONCE)
            deleted += count
        return deleted
