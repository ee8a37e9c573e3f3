"""What every family of things to do with a memory stands on."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ..ambient import IdSource
from ..rules.ontology import parse_ontology
from ..search.embedder import LazyEmbedder
from ..search.pending import EmbeddingFollower
from ..search.snapshot import snapshot_of
from ..services.tending.upkeep import Upkeep
from ..settings import Settings
from ..storage.database import Database
from ..telemetry import Telemetry
from .mirroring import choose_mirror

SHIPPED_ONTOLOGY = Path(__file__).parents[2] / "ontology.json"


class Foundation:
    """The file, the model and the ontology of one memory, and what follows its writes."""

    def __init__(
        self, settings: Settings, db: Database, *, embedder: LazyEmbedder, ids: IdSource
    ) -> None:
        self.settings = settings
        self.db = db
        self.embedder = embedder
        self._ids = ids
        # The user's own, or the shipped one; a broken one raises InvalidConfig.
        rules = settings.ontology_file or SHIPPED_ONTOLOGY
        self.ontology = parse_ontology(rules.read_text(encoding="utf-8"))
        self.telemetry = Telemetry(
            db, keep_queries=settings.trace_queries, keep_days=settings.trace_days
        )
        self.follower = EmbeddingFollower(db, embedder)
        db.after_write.append(self.follower.nudge)
        # Copies of the vectors elsewhere, if any: other programs read them, searches never do.
        self.mirror = choose_mirror(settings, db)

    @cached_property
    def upkeep(self) -> Upkeep:
        return Upkeep(
            self.db,
            keep=self.settings.backups_kept,
            interval_hours=self.settings.backup_interval_hours,
            caches=[snapshot_of(self.db.path, of=of) for of in ("", "entries")],
        )
