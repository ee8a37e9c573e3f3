"""Embedding all that waits, before work that looks at every vector."""

from __future__ import annotations

from ..context import report_progress
from ..errors import DimensionMismatchError, EmbeddingError
from ..search.embedder import LazyEmbedder
from ..search.embedding_worker import EmbeddingWorker

# Texts per step, so that progress is reported in between.
_AT_ONCE = 256


def catch_up(embedder: LazyEmbedder, follower: EmbeddingWorker) -> None:
    """Give what waits its vector, if the model is there; what cannot have one is passed over."""
    if not embedder.ready:
        return
    waiting = follower.pending()
    while waiting:
        try:
            follower.catch_up(_AT_ONCE)
        except (DimensionMismatchError, EmbeddingError):
            # What has a vector is worked on; the follower tries again later.
            follower.nudge()
            return
        before, waiting = waiting, follower.pending()
        report_progress(before - waiting, before, "embedding what waits")
        if waiting >= before:
            return
