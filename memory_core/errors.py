"""
Everything memory_core raises on purpose.

* MemoryCoreError
  x NotFound                    no row of that kind has that id
  x Conflict                    the write contradicts what is stored
    + VersionConflict           the row changed since it was shown
  x Invalid                     the request breaks a rule or a limit
    + InvalidConfig             a setting cannot be used
  x Refused                     the request is not allowed here
  x Cancelled                   whoever asked took the request back
  x Unavailable                 a part needed for this call is not working
    + NotInitialised            the memory is closed
    + StorageFailed             the memory file cannot be read or written
      - ForeignDatabase         the file belongs to another program
      - NewerDatabase           the file was written by a newer version
    + IndexUnavailable          the vector index cannot be read
    + EmbeddingFailed           the embedding model cannot be loaded or failed
    + DimensionMismatch         vectors of two sizes or two models would be mixed
    + LanguageModelUnavailable  no language model is set, or it did not answer
    + ExtractionFailed          a language model answered, but not with facts

A caller who wants to show a message catches MemoryCoreError and shows
``str(error)``: it names the thing, the rule and the way out. ``error.code`` is
stable, for programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class MemoryCoreError(Exception):
    """Base of every error that memory_core raises on purpose."""

    code: ClassVar[str] = "ERROR"


class NotFound(MemoryCoreError):
    """No row of that kind has that id."""

    code = "NOT_FOUND"

    def __init__(self, kind: str, id: str, hint: str = "") -> None:
        super().__init__(f"There is no {kind} {id!r}.{' ' if hint else ''}{hint}")
        self.kind = kind
        self.id = id


class Conflict(MemoryCoreError):
    """The write contradicts what is stored."""

    code = "CONFLICT"


class VersionConflict(Conflict):
    """The row changed since it was shown."""

    def __init__(self, kind: str, id: str, *, by: str, at: str, version: int) -> None:
        super().__init__(
            f"The {kind} {id!r} was changed by {by} at {at} and is now at version "
            f"{version}. Nothing was saved: read it again, then repeat your change."
        )
        self.by = by
        self.at = at
        self.version = version


class Invalid(MemoryCoreError):
    """The request breaks a rule or a limit."""

    code = "INVALID_INPUT"


class InvalidConfig(Invalid):
    """A setting cannot be used."""

    code = "INVALID_CONFIG"

    def __init__(self, message: str, *, broken: Mapping[str, str] | None = None) -> None:
        """*broken*: the rule that is broken, by the setting's name, where it is one of Settings."""
        super().__init__(message)
        self.broken = dict(broken or {})


class Refused(MemoryCoreError):
    """The request is not allowed here."""

    code = "REFUSED"


class Cancelled(MemoryCoreError):
    """Whoever asked took the request back."""

    code = "CANCELLED"


class Unavailable(MemoryCoreError):
    """A part needed for this call is not working."""

    code = "UNAVAILABLE"


class NotInitialised(Unavailable):
    """The memory is closed."""

    code = "NOT_INITIALISED"


class StorageFailed(Unavailable):
    """The memory file cannot be read or written."""

    code = "STORAGE_FAILED"


class ForeignDatabase(StorageFailed):
    """The file belongs to another program."""


class NewerDatabase(StorageFailed):
    """The file was written by a newer version."""


class IndexUnavailable(Unavailable):
    """The vector index cannot be read."""

    code = "INDEX_UNAVAILABLE"


class EmbeddingFailed(Unavailable):
    """The embedding model cannot be loaded or failed."""

    code = "EMBEDDING_FAILED"


class DimensionMismatch(Unavailable):
    """Vectors of two sizes or two models would be mixed."""

    code = "DIMENSION_MISMATCH"


class LanguageModelUnavailable(Unavailable):
    """No language model is set, or it did not answer."""

    code = "LLM_UNAVAILABLE"


class ExtractionFailed(Unavailable):
    """A language model answered, but not with facts."""

    code = "EXTRACTION_FAILED"
