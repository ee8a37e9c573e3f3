"""Long-term memory for AI coding assistants, on the user's own machine."""

from .ambient import acting_as, as_one_batch, awaited_by, new_id, redactions
from .errors import (
    Cancelled,
    Conflict,
    DimensionMismatch,
    EmbeddingFailed,
    ExtractionFailed,
    ForeignDatabase,
    IndexUnavailable,
    Invalid,
    InvalidConfig,
    LanguageModelUnavailable,
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
from .model.scope import Scope
from .settings import Settings

__all__ = [
    "Cancelled",
    "Conflict",
    "DimensionMismatch",
    "EmbeddingFailed",
    "ExtractionFailed",
    "ForeignDatabase",
    "IndexUnavailable",
    "Invalid",
    "InvalidConfig",
    "LanguageModelUnavailable",
    "Memory",
    "MemoryCoreError",
    "NewerDatabase",
    "NotFound",
    "NotInitialised",
    "Refused",
    "Scope",
    "Settings",
    "StorageFailed",
    "Unavailable",
    "VersionConflict",
    "acting_as",
    "as_one_batch",
    "awaited_by",
    "new_id",
    "open_memory",
    "redactions",
]
