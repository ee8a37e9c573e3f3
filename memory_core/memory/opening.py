"""Opening a memory: the one place that knows all its parts.

A part is loaded and made when it is first asked for, from the parts it needs; so what
nobody uses costs nothing, and a program that has to answer at once need not wait for it.
"""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..ambient import Clock, IdSource, new_id, utc_now
from ..search.backends.factory import require_backend
from ..search.embedder import Embedder, LazyEmbedder, loaded
from ..settings import Settings
from ..storage.database import Database
from .arguments import require_openable
from .embedding import choose_embedder
from .keeping import Keeping

if TYPE_CHECKING:
    from ..model.maintenance import Optimized
    from ..search.mirrors.follower import MirrorFollower


class Memory(Keeping):
    """One memory, opened. Each attribute is a family of things to do with it."""

    def __init__(
        self, settings: Settings, db: Database, *, embedder: LazyEmbedder, ids: IdSource
    ) -> None:
        super().__init__(settings, db, embedder=embedder, ids=ids)
        self._closed = False
        # Of warm() and close(), one comes first: nothing is started in a closed memory.
        self._changing = threading.Lock()

    @cached_property
    def _mirroring(self) -> MirrorFollower | None:
        if self.mirror is None:
            return None
        from ..search.mirrors.follower import MirrorFollower

        return MirrorFollower(self.db, self.mirror)

    def _when_level(self) -> None:
        if self._mirroring:
            self._mirroring.nudge()
        self.index.save_if_worth()
        self.entry_index.save_if_worth()

    def warm(self) -> None:
        """Load the model and follow what is written, both in the background; return at once."""
        with self._changing:
            if not self._closed:
                self.embedder.warm()
                self.follower.start()
                self.librarian.start()
                if self._mirroring:
                    self._mirroring.start()

    def catch_up(self) -> int:
        """Load the model and give every piece its vector; return how many got one."""
        self.embedder.get()
        return self.follower.catch_up()

    def reindex(self) -> int:
        """Switch to the model in use and make the vectors it lacks; return how many were made."""
        from ..storage.search import embeddings

        identity = self.embedder.identity()
        with self.db.note() as connection:
            embeddings.reindex(connection, identity)
        return self.follower.catch_up()

    def optimize(self, *, reindex: bool = False) -> Optimized:
        """Tidy up; with *reindex* switch to the model in use and make what it lacks first."""
        made = self.reindex() if reindex else 0
        return self.upkeep.optimize().model_copy(update={"vectors_made": made})

    def close(self) -> None:
        """Write down what is waiting and close the file; later calls raise NotInitialisedError."""
        with self._changing:
            self._closed = True
        # What was never asked for is not made only to be ended.
        made = vars(self)
        if "librarian" in made:
            self.librarian.stop()
        if self._mirroring:
            self._mirroring.stop()
        if "follower" in made:
            self.follower.stop()
        self.telemetry.close()
        if "index" in made:
            self.index.save_if_worth()
        if "entry_index" in made:
            self.entry_index.save_if_worth()
        self.db.close()


def open_memory(
    settings: Settings | None = None,
    *,
    path: str | Path | None = None,
    embedder: Embedder | None = None,
    clock: Clock = utc_now,
    ids: IdSource = new_id,
) -> Memory:
    """
    Open the memory that *settings* name, or the file at *path*; make it if it is new.

    Without either it is the one that the server and the command line open: the environment
    and .env count. A *path* without settings goes by the defaults, whatever those say.
    No model is loaded yet: searches answer by full text until warm() or
    catch_up() has. An *embedder* that is given is ready from the start. What is of the wrong
    kind is ConfigurationError.
    """
    require_openable(settings, path=path, embedder=embedder, clock=clock, ids=ids)
    if settings is None:
        settings = Settings() if path else Settings.load()
    require_backend(settings.vector_backend)
    lazy = loaded(embedder) if embedder else choose_embedder(settings)
    file = Path(path).expanduser() if path else settings.database_path()
    db = Database(file, clock, redacts=settings.redact_secrets)
    return Memory(settings, db, embedder=lazy, ids=ids)
