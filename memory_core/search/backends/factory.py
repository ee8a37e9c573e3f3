"""Choose the vector backend.

Few are compared exactly in any case; many are held by the backend that is
set, where this machine and the vectors' dimension allow it, and else exactly.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...errors import ConfigurationError
from ...model.search.vectors import BackendKind

if TYPE_CHECKING:
    from .protocol import VectorBackend


def make_backend(kind: BackendKind, dimension: int, payload: bytes | None = None) -> VectorBackend:
    """Return an empty backend, or the one that was written as *payload*."""
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
    """Return what holds *count* vectors best, if *backend* is what is wished for."""
    if count < exact_below:
        return "exact"
    # Turbovec has no wheel for some platforms, and takes multiples of 8 only.
    if backend == "turbovec" and (dimension % 8 or find_spec("turbovec") is None):
        return "exact"
    return backend


def require_backend(backend: BackendKind) -> None:
    """Raise ConfigurationError if *backend* was asked for and its package is not installed."""
    if backend == "sqlite-vec" and find_spec("sqlite_vec") is None:
        raise ConfigurationError(
            "VECTOR_BACKEND = sqlite-vec needs the package of that name. Install it with "
            "pip install 'sqlite-vec>=0.1.6,<0.2', or set VECTOR_BACKEND to turbovec or exact."
        )
