"""DOCX reader: paragraphs and tables in order."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ForbiddenError, ValidationError
from ..rules.limits import MAX_UNPACKED_RATIO, MAX_ZIP_PARTS
from .budget import ReadBudget
from .formulas import MAX_DEPTH, FormulaNode, linear_text

if TYPE_CHECKING:
    from docx.document import Document

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OBJECTS = "It has embedded objects, such as equations of an old editor, whose text is not read."

# Errors that parsers of a broken file may raise in addition to OpcError; XML raises SyntaxError.
_FAULTS = (
    *(AttributeError, LookupError, NotImplementedError, OSError, RuntimeError, SyntaxError),
    *(TypeError, ValueError, zipfile.BadZipFile, zlib.error),
)


def text(content: bytes, budget: ReadBudget) -> tuple[str, str]:
    """Return the document's text, headings and lists as in Markdown, and a notice."""
    from docx import Document
    from docx.opc.exceptions import OpcError
    from docx.oxml.ns import qn

    try:
        _refuse_bomb(content, budget.characters * MAX_UNPACKED_RATIO)
        document = Document(io.BytesIO(content))
        body = document.element.body
        # Counting is a hundred times as fast as reading: a file that is too large fails at once.
        for count, _ in enumerate(body.iter(qn("w:p"), qn("w:tr"), qn("w:tc")), start=1):
            budget.check_elements(count, "paragraphs, rows and cells")
        has_objects = next(body.iter(qn("w:object")), None) is not None
        return "\n\n".join(_blocks(document, body, budget)), _OBJECTS if has_objects else ""
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
    if unpacked > most or len(parts) > MAX_ZIP_PARTS:
        raise ForbiddenError(
            f"The DOCX file unpacks to {unpacked:,} bytes in {len(parts):,} parts and may to "
            f"{most:,} in {MAX_ZIP_PARTS:,}. Save its text alone."
        )


def _blocks(document: Document, parent: Any, budget: ReadBudget) -> Iterator[str]:
    """Yield the text of each block within an XML element, that of content controls too."""
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph

    for child in parent.iterchildren():
        budget.check_time()
        if child.tag == qn("w:p"):
            said = _paragraph(child, Paragraph(child, document))
            if said:
                yield said
        elif child.tag == qn("w:tbl"):
            yield "\n".join(_rows(document, child, budget))
        elif child.tag in (qn("w:sdt"), qn("w:sdtContent")):
            yield from _blocks(document, child, budget)


def _rows(document: Document, table: Any, budget: ReadBudget) -> Iterator[str]:
    from docx.oxml.ns import qn

    for row in table.iterchildren(qn("w:tr")):
        cells = row.iterchildren(qn("w:tc"))
        yield " | ".join(" ".join(_blocks(document, cell, budget)) for cell in cells)


def _paragraph(element: Any, paragraph: Any) -> str:
    said = "".join(_inline_texts(element)).strip()
    style = paragraph.style.name or "" if said and paragraph.style else ""
    if style.startswith("Heading ") and style[8:].isdigit():
        return "#" * min(int(style[8:]), 6) + " " + said
    if style == "Title":
        return "# " + said
    return "- " + said if style.startswith("List ") else said


def _inline_texts(paragraph: Any) -> Iterator[str]:
    from docx.oxml.ns import qn

    for child in paragraph.iterchildren():
        if child.tag in (qn("w:r"), qn("w:hyperlink")):
            yield child.text
        elif child.tag in (_MATH + "oMath", _MATH + "oMathPara"):
            yield linear_text(_formula(child))


def _formula(element: Any, depth: int = 0) -> FormulaNode:
    name = str(element.tag).rpartition("}")[2]
    if depth >= MAX_DEPTH:
        return FormulaNode("", "".join(element.itertext()))
    attributes = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    children = tuple(_formula(child, depth + 1) for child in element)
    return FormulaNode(name, element.text or "" if name == "t" else "", children, attributes)
