"""Long-term memory for AI coding assistants, on the user's own machine."""

from .ambient import acting_as, as_one_batch, awaited_by, new_id
from .errors import (
    Cancelled,
    Conflict,
    DimensionMismatch,
    EmbeddingFailed,
    ForeignDatabase,
    IndexUnavailable,
    Invalid,
    InvalidConfig,
    MemoryCoreError,
    NewerDatabase,
    NotFound,
    NotInitialised,
    Refused,
    StorageFailed,
    Unavailable,
    VersionConflict,
)
from .memory import Memory, open_memory
from .settings import Settings

__all__ = [
    "Cancelled",
    "Conflict",
    "DimensionMismatch",
    "EmbeddingFailed",
    "ForeignDatabase",
    "IndexUnavailable",
    "Invalid",
    "InvalidConfig",
    "Memory",
    "MemoryCoreError",
    "NewerDatabase",
    "NotFound",
    "NotInitialised",
    "Refused",
    "Settings",
    "StorageFailed",
    "Unavailable",
    "VersionConflict",
    "acting_as",
    "as_one_batch",
    "awaited_by",
    "new_id",
    "open_memory",
]
