"""
Selection of the vector backend.

A small number of vectors is always searched exactly. For more, the configured backend is used if it
supports this platform and dimension, else the exact one.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...errors import ConfigurationError
from ...model.search.vectors import BackendKind

if TYPE_CHECKING:
    from .protocol import VectorBackend


def make_backend(kind: BackendKind, dimension: int, payload: bytes | None = None) -> VectorBackend:
    """Return an empty backend, or one restored from *payload*."""
    match kind:
        case "turbovec":
            from .turbovec import TurbovecBackend

            return TurbovecBackend(dimension, payload)
        case "sqlite-vec":
            from .sqlite_vec import SqliteVecBackend

            return SqliteVecBackend(dimension, payload)
        case _:
            from .exact import ExactBackend

            return ExactBackend(dimension, payload)


def best_kind(
    count: int, dimension: int, exact_below: int, backend: BackendKind = "turbovec"
) -> BackendKind:
    """Return the backend for *count* vectors, given the configured *backend*."""
    if count < exact_below:
        return "exact"
    # turbovec has no wheel for some platforms, and supports only multiples of 8.
    if backend == "turbovec" and (dimension % 8 or find_spec("turbovec") is None):
        return "exact"
    return backend


def require_backend(backend: BackendKind) -> None:
    """Raise ConfigurationError if the configured *backend* is not installed."""
    if backend == "sqlite-vec" and find_spec("sqlite_vec") is None:
        raise ConfigurationError(
            "VECTOR_BACKEND = sqlite-vec needs the package of that name. Install it with "
            "pip install 'sqlite-vec>=0.1.6,<0.2', or set VECTOR_BACKEND to turbovec or exact."
        )
