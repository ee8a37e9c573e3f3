"""PDF reader: the text of the pages."""

from __future__ import annotations

import io
import logging
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import ForbiddenError, ValidationError

if TYPE_CHECKING:
    from pypdf import PdfReader

# Errors that a parser of a broken file may raise in addition to its own.
_FAULTS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, OSError),
    *(RecursionError, TypeError, ValueError, struct.error, zlib.error),
)


def text(content: bytes, most: int) -> tuple[str, str]:
    """Return the text of all pages, at most *most* characters, a blank line between them."""
    from pypdf.errors import PyPdfError

    # It tells every oddity of a file to the log, with words of the file.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = _open_pdf(content)
        return "\n\n".join(_pages(reader, most)), ""
    except (PyPdfError, *_FAULTS) as error:
        raise ValidationError(
            f"is a PDF that cannot be read ({type(error).__name__}). Open it in a viewer and save "
            "or print it as a new PDF."
        ) from error


def _open_pdf(content: bytes) -> PdfReader:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    reader = PdfReader(io.BytesIO(content))
    try:
        # Many files are locked against editing only: an empty password opens them.
        locked = reader.is_encrypted and not reader.decrypt("")
    except (DependencyError, NotImplementedError):
        locked = True
    if locked:
        raise ValidationError("is an encrypted PDF. Save a copy without a password and add that.")
    return reader


def _pages(reader: PdfReader, most: int) -> Iterator[str]:
    length = 0
    for page in reader.pages:
        said = page.extract_text().strip()
        length += len(said)
        if length > most:
            raise ForbiddenError(
                f"The PDF has more than {most:,} characters of text. Cut it into parts."
            )
        if said:
            yield said
