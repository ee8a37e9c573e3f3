"""
A connection through which no secret is written.

What is known enters the file as a bound value, whichever way it came: a tool, a page, a file that
was read, an import, an answer of a language model. So here is the one place that nothing passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from ..context import record_redaction
from ..errors import ValidationError
from ..rules.secrets import redacted
from .open_files import RegisteredConnection

_NO_VALUE = "binding argument"


class GuardedConnection(RegisteredConnection):
    """Takes keys and passwords out of every text that is bound while it is on guard."""

    on_guard = False

    @contextmanager
    def guarding(self, wanted: bool = True) -> Iterator[None]:
        """Be on guard inside the block if *wanted*; blocks may lie within each other."""
        before, self.on_guard = self.on_guard, wanted
        try:
            yield
        finally:
            self.on_guard = before

    def execute(
        self, statements: str, bindings: apsw.Bindings | None = None, **options: Any
    ) -> apsw.Cursor:
        if self.on_guard and bindings:
            bindings = _guarded(bindings)
        try:
            return super().execute(statements, bindings, **options)
        except TypeError as error:
            # A library's caller may hand in anything for an id.
            if _NO_VALUE not in str(error):
                raise
            raise ValidationError(
                f"A list or an object was given where an id or a name is wanted ({error})."
            ) from error

    def executemany(
        self, statements: str, sequenceofbindings: Iterable[apsw.Bindings], **options: Any
    ) -> apsw.Cursor:
        if self.on_guard:
            sequenceofbindings = map(_guarded, sequenceofbindings)
        return super().executemany(statements, sequenceofbindings, **options)


def without_secrets(text: str, where: str) -> str:
    """Return *text* without its secrets; whoever listens is told what each was, and *where*."""
    cleaned, kinds = redacted(text)
    for kind in kinds:
        record_redaction(kind, where)
    return cleaned


def _guarded(bindings: Any) -> Any:
    if isinstance(bindings, Mapping):
        return {name: _clean(value, name) for name, value in bindings.items()}
    if isinstance(bindings, Sequence):
        return [_clean(value, "a value") for value in bindings]
    return bindings


def _clean(value: Any, name: str) -> Any:
    return without_secrets(value, name) if isinstance(value, str) else value
