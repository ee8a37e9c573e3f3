"""Embedding models on sentence-transformers and PyTorch; also the reference in tests."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model.search.vectors import ModelIdentity
from .embedder import readable, unit_length

# Requests of at least this many texts may use more than one thread.
_BULK = 16


class TorchEmbedder:
    """A sentence-transformers model on the CPU."""

    def __init__(self, source: str, *, fingerprint: str, threads: int, local: bool = True) -> None:
        """Load from a folder, or with *local* false from the model hub."""
        self._model = _model(source, local=local)
        self._lock = threading.Lock()
        self._threads = threads
        self._identity = ModelIdentity(
            model=fingerprint,
            dimension=int(self._model.get_embedding_dimension() or 0),
            max_tokens=int(self._model.max_seq_length or 512),
        )

    def identity(self) -> ModelIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import torch

        if not texts:
            return np.zeros((0, self._identity.dimension), dtype=np.float32)
        # The number of threads is one setting of the whole process; two for a
        # single query would be slower, and far slower on a busy machine.
        with self._lock:
            torch.set_num_threads(self._threads if len(texts) >= _BULK else 1)
            vectors = self._model.encode(
                [readable(text) for text in texts],
                batch_size=32,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
        return unit_length(np.asarray(vectors, dtype=np.float32))


def _model(source: str, *, local: bool) -> Any:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    # stderr is for errors; no progress bars.
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # theirs has no types
    folder = Path(source)
    return SentenceTransformer(
        str(folder) if folder.is_dir() else source, device="cpu", local_files_only=local
    )
