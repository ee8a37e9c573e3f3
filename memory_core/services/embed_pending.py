"""Embed pending passages before work that reads every vector."""

from __future__ import annotations

from ..context import report_progress
from ..errors import DimensionMismatchError, EmbeddingError
from ..search.embedder import LazyEmbedder
from ..search.embedding_worker import EmbeddingWorker

# Passages per step; progress is reported in between.
_AT_ONCE = 256


def catch_up(embedder: LazyEmbedder, follower: EmbeddingWorker) -> None:
    """Embed pending passages if the model is available; skip those that fail."""
    if not embedder.ready:
        return
    waiting = follower.pending()
    while waiting:
        try:
            follower.catch_up(_AT_ONCE)
        except (DimensionMismatchError, EmbeddingError):
            # Continue with the existing vectors; the embedding worker retries later.
            follower.nudge()
            return
        before, waiting = waiting, follower.pending()
        report_progress(before - waiting, before, "embedding pending passages")
        if waiting >= before:
            return
