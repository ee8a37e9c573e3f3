"""Status of entries: counts, pending work and settings."""

from __future__ import annotations

from ...model.facts.entries import EntryStatusReport
from ...model.scope import Scope
from ...search.embedder import LazyEmbedder
from ...storage.database import Database
from ...storage.entries import entries as rows
from ...storage.entries import groups, merged_vectors
from ..scopes import validate_scope
from .settings import EntrySettings, settings_in

# Seconds for which init() waits for the model. It continues to load after that.
_LOADING = 10.0


class EntryStatus:
    """Read-only status of entries."""

    def __init__(self, db: Database, settings: EntrySettings, embedder: LazyEmbedder) -> None:
        self._db = db
        self._defaults = settings.defaults
        self._embedder = embedder

    def init(self, *, scope: Scope | None = None) -> EntryStatusReport:
        """Load the model, for at most ten seconds, and return the status with any problem."""
        self._embedder.warm().join(_LOADING)
        return self.status(scope=scope).model_copy(update={"notice": self._model_notice()})

    def owners(self) -> list[Scope]:
        """Return each project and user that has entries, by name."""
        with self._db.read() as connection:
            found = {(each.project_id, each.user_id) for each in rows.scopes(connection)}
        return [Scope(project_id=project, user_id=user) for project, user in sorted(found)]

    def newest_expiry(self) -> str:
        """Return when an entry last expired; expiry is not in the audit log."""
        with self._db.read() as connection:
            return rows.newest_expiry(connection, now=self._db.clock())

    def _model_notice(self) -> str:
        if self._embedder.ready:
            return ""
        if self._embedder.state not in ("absent", "failed"):
            return "The embedding model is still loading; until then, searches use full text only."
        return (
            f"There is no embedding model, so searches use full text only. {self._embedder.reason}"
        )

    def status(self, *, scope: Scope | None = None) -> EntryStatusReport:
        scope = validate_scope(scope, all_projects=True, all_users=True)
        with self._db.read() as connection:
            build = groups.build_of(connection, scope)
            return EntryStatusReport(
                project_id=scope.project_id,
                database=str(self._db.path),
                counts=rows.counts(connection, scope, now=self._db.clock()),
                pending=merged_vectors.standing(connection).unembedded,
                settings=settings_in(connection, self._defaults),
                default_ttl_days=self._defaults.ttl_days,
                chunk_size=self._defaults.chunk_size,
                separators=list(self._defaults.separators),
                groups_built_at=build.built_at if build else None,
                groups_partial=build.partial if build else "",
            )
