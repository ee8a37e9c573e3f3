"""Connection that redacts the parameters of every write (redaction.py)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import apsw

from ..errors import ValidationError
from .open_files import RegisteredConnection
from .redaction import Redactor, exempt_parameters

_UNSUPPORTED_TYPE = "binding argument"


class RedactingConnection(RegisteredConnection):
    """A connection that redacts while it has a redactor."""

    redactor: Redactor | None = None

    def execute(
        self, statements: str, bindings: apsw.Bindings | None = None, **options: Any
    ) -> apsw.Cursor:
        if bindings and self.redactor and (exempt := exempt_parameters(statements)) is not None:
            bindings = self.redactor.bindings(bindings, exempt)
        try:
            return super().execute(statements, bindings, **options)
        except TypeError as error:
            # Callers of the library may pass any type as an id.
            if _UNSUPPORTED_TYPE not in str(error):
                raise
            raise ValidationError(
                f"An id or a name must be text, not a list or an object ({error})."
            ) from error

    def executemany(
        self, statements: str, sequenceofbindings: Iterable[apsw.Bindings], **options: Any
    ) -> apsw.Cursor:
        if self.redactor and (exempt := exempt_parameters(statements)) is not None:
            redact = partial(self.redactor.bindings, exempt=exempt)
            sequenceofbindings = map(redact, sequenceofbindings)
        return super().executemany(statements, sequenceofbindings, **options)
