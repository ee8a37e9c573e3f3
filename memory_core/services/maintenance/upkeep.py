"""Backups, permanent erasure and optimisation of the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ...context import as_one_batch, current_batch
from ...errors import ForbiddenError, NotFoundError, ValidationError
from ...ids import new_id
from ...model.maintenance import (
    Backup,
    EraseResult,
    OptimizeResult,
    OwnerEraseResult,
    RestoredBackup,
    StorageSizes,
)
from ...model.scope import ALL_USERS, Scope, User
from ...readers.safe_open import real_place
from ...rules import limits
from ...storage import scoping
from ...storage.database import Database
from ...storage.files import backups, compaction, inspection, temporary
from ...storage.history import purge, states
from ..allowed_paths import BACKUPS, data_folders, write_target
from ..scopes import checked_names, validate_scope

MOST_PURGED = 1000

# Backups kept in the folder next to the database; the oldest is deleted first.
_KEPT = 10
_INTERVAL_HOURS = 24.0
# A temporary folder unchanged for this long was left by a killed process.
_LEFT_OVER = timedelta(hours=1)
_MOMENT = "%Y%m%dT%H%M%S%f"


class Upkeep:
    """Operations on the whole database file."""

    def __init__(
        self,
        db: Database,
        *,
        keep: int = _KEPT,
        interval_hours: float = _INTERVAL_HOURS,
        caches: Sequence[Path] = (),
        settle: Callable[[], object] = lambda: None,
        roots: Sequence[Path] = (),
    ) -> None:
        """
        *caches* are files derived from the database, deleted when data is erased; *settle* flushes
        the pending writes of other threads. Explicit backup paths must be under *roots* or in the
        data folder.
        """
        self._db = db
        self._roots = (*data_folders(db.path), *roots)
        self._keep = keep
        self._interval_hours = interval_hours
        self._caches = caches
        self._settle = settle

    @property
    def _exports(self) -> Path:
        return self._db.path.parent / "exports"

    @property
    def folder(self) -> Path:
        """Folder of backups without an explicit path."""
        return self._db.path.parent / BACKUPS

    def list_backups(self) -> list[Path]:
        """Return the backups in the folder, newest first."""
        return backups.backups_of(self.folder, self._db.path.stem)

    def create_backup(self, path: str = "") -> Backup:
        """
        Back up the database while it is in use, and verify the copy; an explicit path must not
        exist.
        """
        if not path:
            return self._own_copy()
        named = self._resolve_path(path)
        return self._copy_database(write_target(named, self._roots, folder=self.folder))

    def backup_before(self, act: str) -> Backup:
        """Back up the database before *act*, one word that becomes part of the file name."""
        return self._own_copy(f"before-{act}")

    def backup_if_due(self) -> int:
        """
        Back up the database if the last backup is old and data changed since; return how many.
        """
        if not self._interval_hours or not self._is_due():
            return 0
        self._own_copy(backups.SCHEDULED.lstrip("-"))
        return 1

    def restore_backup(
        self, path: str, *, confirm: str = "", user_id: User = ALL_USERS
    ) -> RestoredBackup:
        """
        Replace the whole database with a verified backup and keep the replaced one as a file.

        Raise ForbiddenError if either holds records of users that the call does not name.
        """
        backup = real_place(named := self._resolve_path(path), self._roots)
        backups.prove(backup)
        if isinstance(user_id, str):
            _refuse_others(user_id, backup, self._db.path)
        _require_confirmation(
            confirm, Path(named).name, f"Restoring replaces the whole memory by {backup}"
        )
        # Intact or not: restores often follow damage, and the damaged file may be recoverable.
        kept = self._own_copy("before-restore", spare=backup, damaged=True)
        proof = backups.restore(backup, self._db.path, self.folder)
        return RestoredBackup(
            restored=str(backup), replaced=kept.path, rows=proof.rows, seq=proof.seq
        )

    def rows_of(self, project_id: str = "default") -> dict[str, int]:
        """Return how many rows of each kind clear_project would erase."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            return purge.living(connection, project_id)

    def clear_project(
        self,
        confirm: str = "",
        *,
        project_id: str = "default",
        user_id: User = "",
        backup: bool = True,
    ) -> EraseResult:
        """
        Erase a project ("*": all) with its history; *confirm* is the project's name.

        Records of users that the call does not name are kept.
        """
        scope = checked_names(project_id, user_id)
        project_id = scope.project_id
        _require_confirmation(
            confirm, project_id, f"Clearing erases project {project_id!r} permanently"
        )
        kept = self.backup_before("clear").path if backup else ""
        self._settle()
        with self._db.read() as connection:
            rows = purge.rows_of_project(connection, scope)
        erased = self._erase_rows("clear_memory", rows, deletions=True)
        with self._db.write("clear_memory") as connection:
            purge.finish_project(connection, scope)
            left = _OTHERS if scoping.has_others(connection, scope) else ""
        return self._build_erase_result(project_id, erased, kept, left)

    def purge_rows(
        self,
        ids: Sequence[str],
        *,
        confirm: str = "",
        project_id: str = "default",
        user_id: User = "",
        agent_id: str = "",
        session_id: str = "",
        backup: bool = True,
    ) -> EraseResult:
        """Erase single rows, current or deleted, with their history and dependent rows."""
        scope = checked_names(limits.validate_project(project_id), user_id, agent_id, session_id)
        project_id = scope.project_id
        if not 1 <= len(ids) <= MOST_PURGED:
            raise ValidationError(f"ids holds {len(ids)} and may hold 1 to {MOST_PURGED}.")
        _require_confirmation(confirm, project_id, f"purge erases {len(ids)} ids permanently")
        with self._db.read() as connection:
            found = {id: purge.find(connection, scope, id) for id in ids}
        unknown = [id for id, rows in found.items() if not rows]
        if len(unknown) == len(found):
            hint = (
                f"No current or deleted record of that id in project {project_id!r}. Give "
                "user_id for records of a user."
            )
            raise NotFoundError("row", unknown[0], hint)
        kept = self.backup_before("purge").path if backup else ""
        self._settle()
        with self._db.read() as connection:
            named = [row for id in ids for row in purge.find(connection, scope, id)]
            rows = purge.with_what_hangs_on(connection, named)
        erased = self._erase_rows("purge", rows)
        with self._db.note() as connection:
            purge.forget_queries(connection, project_id)
        return self._build_erase_result(project_id, erased, kept).model_copy(
            update={"unknown": unknown}
        )

    def erase_owner(self, scope: Scope, *, backup: bool = True) -> OwnerEraseResult:
        """
        Erase the records of one user, agent or session with their history and derived text.

        With an empty scope, erase the records that have no owner.
        """
        scope = validate_scope(scope, all_projects=True)
        with self._db.read() as connection:
            there = purge.count_of_owner(connection, scope)
        kept = self.backup_before("forget").path if there and backup else ""
        everywhere = scope.model_copy(update={"project_id": limits.EVERY_PROJECT})
        self._settle()
        with self._db.read() as connection:
            counts = purge.counts_of_owner(connection, scope)
            rows = purge.rows_of_owner(connection, scope)
        self._erase_rows("forget_everything", rows, deletions=True)
        with self._db.write("forget_everything") as connection:
            purge.finish_owner(connection, scope)
            elsewhere = purge.count_of_owner(connection, everywhere) if scope.user else 0
        left = _ELSEWHERE.format(elsewhere) if elsewhere else ""
        done = self._build_erase_result(scope.project_id, {}, kept, left)
        return OwnerEraseResult(
            facts=counts["fact"],
            entries=counts["entry"],
            jobs=counts["job"],
            rows=len(rows),
            backup=kept,
            notice=done.notice,
        )

    def optimize_database(self) -> OptimizeResult:
        """Delete unused derived data, and shrink the file."""
        before = self._sizes()
        seq: int | None = 0
        while seq is not None:
            with self._db.note() as connection:
                seq = states.store_differences(connection, seq, limit=limits.WRITE_ROWS)
        with self._db.note() as connection:
            vectors, entries = compaction.tidy(connection)
        done = compaction.compact(self._db.path)
        return OptimizeResult(
            before=before,
            after=self._sizes(),
            vectors_dropped=vectors,
            log_entries_dropped=entries,
            notice="" if done else _IN_THE_WAY,
        )

    def _erase_rows(
        self, cause: str, rows: Sequence[purge.Row], *, deletions: bool = False
    ) -> dict[str, int]:
        """Erase rows in short transactions; a repeated call erases what a killed one left."""
        counts: Counter[str] = Counter()
        with as_one_batch(current_batch() or new_id()):
            for part in purge.in_parts(rows):
                with self._db.write(cause) as connection:
                    counts += purge.erase(connection, part, deletions=deletions)
        return dict(counts)

    def _sizes(self) -> StorageSizes:
        with self._db.read() as connection:
            return StorageSizes(**compaction.sizes(connection, self._db.path))

    def delete_left_over(self) -> int:
        """Delete the temporary copies that killed processes have left; return how many."""
        before = (self._db.clock() - _LEFT_OVER).timestamp()
        return temporary.sweep(self.folder, self._exports, before=before)

    def _build_erase_result(
        self, project_id: str, erased: dict[str, int], backup: str, left: str = ""
    ) -> EraseResult:
        with self._db.note() as connection:
            compaction.tidy(connection)
        backups.drop(self._caches)
        self.delete_left_over()
        done = compaction.compact(self._db.path)
        copies = len(self.list_backups())
        exports = len(list(self._exports.iterdir())) if self._exports.is_dir() else 0
        notices = [
            left,
            f"{copies} backups in {self.folder} may still hold it; delete them to be rid of it."
            if copies
            else "",
            f"{exports} exports in {self._exports} may still hold it; delete them too."
            if exports
            else "",
            "" if done else _IN_THE_WAY,
        ]
        notice = " ".join(part for part in notices if part)
        return EraseResult(project_id=project_id, erased=erased, backup=backup, notice=notice)

    def _own_copy(
        self, occasion: str = "", *, spare: Path | None = None, damaged: bool = False
    ) -> Backup:
        """Copy into the backup folder, where the oldest copies are deleted to make room."""
        backups.make_folder(self.folder)
        now, own = self._moment(), self._db.path.stem
        self.delete_left_over()
        target, number = self.folder / f"{_join_paths(own, now, occasion)}.db", 2
        while target.exists():
            target = self.folder / f"{_join_paths(own, now, str(number), occasion)}.db"
            number += 1
        copied = self._copy_database(target, damaged=damaged)
        spared = [target, *([spare] if spare else [])]
        dropped = backups.drop_old(self.folder, own, keep=self._keep, now=now, but=spared)
        return copied.model_copy(update={"dropped": dropped})

    def _copy_database(self, target: Path, *, damaged: bool = False) -> Backup:
        at = self._db.clock()
        proof = backups.copy(self._db.path, target, damaged=damaged)
        return Backup(
            path=str(target),
            at=at,
            size_bytes=backups.size(target),
            rows=proof.rows,
            seq=proof.seq,
        )

    def _moment(self) -> str:
        """Return the time for file names, of fixed width so that names sort by time."""
        return self._db.clock().astimezone(UTC).strftime(_MOMENT)

    def _is_due(self) -> bool:
        with self._db.read() as connection:
            newest = inspection.newest(connection)
        now = self._db.clock()
        # A backup dated in the future was made with a wrong clock.
        made = [
            at for path in self.list_backups() for at in (self._made_at(path),) if at and at <= now
        ]
        last = max(made, default=None)
        if not newest.seq or last is None:
            return bool(newest.seq)
        written_since = datetime.fromisoformat(newest.at) >= last
        return written_since and now - last >= timedelta(hours=self._interval_hours)

    def _made_at(self, path: Path) -> datetime | None:
        """Return the time in a backup's name."""
        named = path.stem.removeprefix(f"{self._db.path.stem}-").partition("-")[0]
        try:
            return datetime.strptime(named, _MOMENT).replace(tzinfo=UTC)
        except ValueError:
            return None

    def _resolve_path(self, path: str) -> str:
        """Return the full path; a relative one is relative to the backup folder."""
        # Not normalised: a normalised name may belong to another file.
        limits.validate_text("path", path)
        return path if path.startswith("~") else str(self.folder / path)


_OTHERS = "Records of users that the call does not name were left; give user_id to erase them."

_ELSEWHERE = (
    'Records of this user in other projects were left: {}. Give project_id="*" to erase those too.'
)

_IN_THE_WAY = (
    "The file could not be made smaller now, since another process was reading or the disk is "
    "full; optimize it again when it is idle and there is room."
)


def _join_paths(*parts: str) -> str:
    return "-".join(part for part in parts if part)


def _refuse_others(user_id: str, *paths: Path) -> None:
    if any(backups.holds_others(path, user_id) for path in paths):
        raise ForbiddenError(
            "Nothing was restored: the memory or the backup holds records of users that this call "
            "does not name. Restore it with the command turbovec restore or in the dashboard."
        )


def _require_confirmation(given: str, wanted: str, what: str) -> None:
    if given != wanted:
        is_other = f"confirm is {given!r} and not {wanted!r}; " if given else ""
        raise ForbiddenError(
            f"{what}. Nothing was done: {is_other}give confirm={wanted!r} if that is what you want."
        )
