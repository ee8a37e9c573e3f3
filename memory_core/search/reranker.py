"""
Cross-encoder reranking: slower and more accurate than comparing vectors.

No package contains a cross-encoder, so it is used only if its files are on this machine; ``state``
and ``reason`` explain why it is off.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .embedder import readable
from .lazy import Lazy, ModelAbsent, failing_as
from .models import find_model


class Reranker(Protocol):
    """A model that scores how well a text answers a query."""

    @property
    def ready(self) -> bool: ...

    def warm_if_due(self) -> str:
        """Start loading unless that is running or has failed; return why it is not ready."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one score per text, from 0 to 1, higher is better."""


class CrossEncoderReranker(Lazy[Any]):
    """A sentence-transformers cross-encoder on the CPU; loaded on first use or by warm()."""

    def __init__(
        self, name_or_path: str, *, max_length: int = 256, allow_download: bool = False
    ) -> None:
        super().__init__(
            name_or_path, lambda: _cross_encoder(name_or_path, max_length, allow_download)
        )
        self.name = name_or_path
        self._allow_download = allow_download

    def warm_if_due(self) -> str:
        """Like Lazy.warm_if_due(); missing files are reported at once, without a load."""
        if self.state == "idle" and (reason := _missing_reason(self.name, self._allow_download)):
            self.state, self.reason = "absent", reason
        reason = super().warm_if_due()
        known = self.state in ("absent", "failed")
        return reason if known else f"The cross-encoder {self.name!r} is still loading."

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the scores; raise EmbeddingError if the model is missing or fails to load."""
        if not texts:
            return np.zeros(0, dtype=np.float32)
        pairs = [(readable(query), readable(text)) for text in texts]
        model = self.get()
        with failing_as(self.name):
            found = model.predict(pairs, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(found, dtype=np.float32).reshape(len(texts))


def _missing_reason(name_or_path: str, allow_download: bool) -> str:
    if find_spec("sentence_transformers") is None:
        return (
            f"The cross-encoder {name_or_path!r} needs PyTorch, which is not installed, so results "
            "are not reranked. Install turbovec-mcp with the extra 'torch' (docs/installation.md)."
        )
    if _folder(name_or_path) is None and not allow_download:
        return (
            f"The cross-encoder {name_or_path!r} is not on this machine, so results are not "
            "reranked. Name a folder in RERANKER_MODEL, or allow downloads."
        )
    return ""


def _cross_encoder(name_or_path: str, max_length: int, allow_download: bool) -> Any:
    if reason := _missing_reason(name_or_path, allow_download):
        raise ModelAbsent(reason)
    folder = _folder(name_or_path)
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # theirs has no types
    return CrossEncoder(
        str(folder) if folder else name_or_path,
        device="cpu",
        max_length=max_length,
        local_files_only=not allow_download,
    )


def _folder(name_or_path: str) -> Path | None:
    for name in (name_or_path, f"cross-encoder/{name_or_path}"):
        if folder := find_model(name):
            return folder
    return None
