"""What every family of things to do with a memory stands on."""

from __future__ import annotations

from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

from ..ambient import IdSource
from ..readers.safe_open import configured_contents
from ..rules.graph.ontology import parse_ontology
from ..search.embedder import LazyEmbedder
from ..settings import Settings
from ..storage.database import Database
from ..telemetry import Telemetry
from .mirroring import choose_mirror

if TYPE_CHECKING:
    from ..search.embedding_worker import EmbeddingFollower
    from ..services.maintenance.upkeep import Upkeep

SHIPPED_ONTOLOGY = files("memory_core") / "ontology.json"


class Foundation:
    """The file, the model and the ontology of one memory, and what follows its writes."""

    def __init__(
        self, settings: Settings, db: Database, *, embedder: LazyEmbedder, ids: IdSource
    ) -> None:
        self.settings = settings
        self.db = db
        self.embedder = embedder
        self._ids = ids
        self.ontology = parse_ontology(_ontology_text(settings))
        self.telemetry = Telemetry(
            db, keep_queries=settings.trace_queries, keep_days=settings.trace_days
        )
        db.after_write.append(self._written)
        # Copies of the vectors elsewhere, if any: other programs read them, searches never do.
        self.mirror = choose_mirror(settings, db)

    @cached_property
    def follower(self) -> EmbeddingFollower:
        """What gives each new text its vector."""
        from ..search.embedding_worker import EmbeddingFollower

        follower = EmbeddingFollower(self.db, self.embedder)
        follower.when_level.append(self._when_level)
        return follower

    def _written(self) -> None:
        # One that is not made yet looks by itself for what waits.
        if "follower" in vars(self):
            self.follower.nudge()

    def _when_level(self) -> None:
        """Called whenever every text has its vector."""

    @cached_property
    def upkeep(self) -> Upkeep:
        from ..search.snapshot import snapshot_of
        from ..services.maintenance.upkeep import Upkeep

        return Upkeep(
            self.db,
            keep=self.settings.backups_kept,
            interval_hours=self.settings.backup_interval_hours,
            caches=[snapshot_of(self.db.path, of=of) for of in ("", "entries")],
        )


def _ontology_text(settings: Settings) -> str:
    if settings.ontology_file is None:
        return SHIPPED_ONTOLOGY.read_text(encoding="utf-8")
    found = configured_contents(settings.ontology_file, max_bytes=settings.knowledge_max_bytes)
    return found.decode("utf-8")
