"""PDF reader: the text of the pages."""

from __future__ import annotations

import io
import logging
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import ValidationError
from .budget import ReadBudget

if TYPE_CHECKING:
    from pypdf import PdfReader

# Errors that a parser of a broken file may raise in addition to its own.
_FAULTS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, OSError),
    *(RecursionError, TypeError, ValueError, struct.error, zlib.error),
)


def text(content: bytes, budget: ReadBudget) -> tuple[str, str]:
    """Return the text of all pages, a blank line between them."""
    from pypdf.errors import PyPdfError

    # It tells every oddity of a file to the log, with words of the file.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = _open_pdf(content)
        return "\n\n".join(_pages(reader, budget)), ""
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


def _pages(reader: PdfReader, budget: ReadBudget) -> Iterator[str]:
    _check_page_count(reader, budget)
    length = 0
    for page in reader.pages:
        budget.check_time()
        contents = page.get_contents()
        budget.check_page_bytes(0 if contents is None else len(contents.get_data()))
        # Called for each drawing command, those of nested forms included.
        said = page.extract_text(visitor_operand_before=lambda *_: budget.check_time()).strip()
        length += len(said)
        budget.check_characters(length)
        if said:
            yield said


def _check_page_count(reader: PdfReader, budget: ReadBudget) -> None:
    """Count the leaves of the page tree: pypdf flattens it at once."""
    from pypdf.generic import DictionaryObject

    todo = [reader.root_object.get("/Pages")]
    leaves = nodes = 0
    while todo:
        budget.check_time()
        node = todo.pop()
        node = node.get_object() if node is not None else None
        kids = node.get("/Kids") if isinstance(node, DictionaryObject) else None
        leaves += kids is None
        nodes += 1
        # A tree may refer to itself, without a single leaf.
        budget.check_pages(max(leaves, nodes // 2))
        if kids is not None:
            todo.extend(kids.get_object())
