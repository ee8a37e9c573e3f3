"""DOCX reader: paragraphs and tables in order."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ForbiddenError, ValidationError

if TYPE_CHECKING:
    from docx.document import Document

# A text's XML is about ten times as large as its zip; a bomb is a thousand times.
_UNPACKED = 10
_MOST_PARTS = 5_000

# Errors that parsers of a broken file may raise in addition to OpcError; XML raises SyntaxError.
_FAULTS = (
    *(AttributeError, LookupError, NotImplementedError, OSError, RuntimeError, SyntaxError),
    *(TypeError, ValueError, zipfile.BadZipFile, zlib.error),
)


def text(content: bytes, most: int) -> tuple[str, str]:
    """Return what the document says, headings and lists as in Markdown."""
    from docx import Document
    from docx.opc.exceptions import OpcError

    try:
        _refuse_bomb(content, most * _UNPACKED)
        document = Document(io.BytesIO(content))
        return "\n\n".join(_blocks(document, document.element.body)), ""
    except (OpcError, *_FAULTS) as error:
        raise ValidationError(
            f"is not a DOCX file that can be read ({type(error).__name__}). Open it in a word "
            "processor and save it as DOCX."
        ) from error


def _refuse_bomb(content: bytes, most: int) -> None:
    # Unpacking never yields more than is declared here, or fails.
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    if unpacked > most or len(parts) > _MOST_PARTS:
        raise ForbiddenError(
            f"The DOCX file unpacks to {unpacked:,} bytes in {len(parts):,} parts and may to "
            f"{most:,} in {_MOST_PARTS:,}. Save its text alone."
        )


def _blocks(document: Document, parent: Any) -> Iterator[str]:
    """Yield the text of each block within an XML element, that of content controls too."""
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph

    for child in parent.iterchildren():
        if child.tag == qn("w:p"):
            said = _paragraph(Paragraph(child, document))
            if said:
                yield said
        elif child.tag == qn("w:tbl"):
            yield "\n".join(_rows(document, child))
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent")):
            yield from _blocks(document, child)


def _rows(document: Document, table: Any) -> Iterator[str]:
    from docx.oxml.ns import qn

    for row in table.iterchildren(qn("w:tr")):
        cells = row.iterchildren(qn("w:tc"))
        yield " | ".join(" ".join(_blocks(document, cell)) for cell in cells)


def _paragraph(paragraph: Any) -> str:
    said: str = paragraph.text.strip()
    style = paragraph.style.name or "" if said and paragraph.style else ""
    if style.startswith("Heading ") and style[8:].isdigit():
        return "#" * min(int(style[8:]), 6) + " " + said
    if style == "Title":
        return "# " + said
    return "- " + said if style.startswith("List ") else said
