from __future__ import annotations

import io
import time
import zipfile
from functools import partial

import pytest

from memory_core.errors import ForbiddenError, ValidationError
from memory_core.readers import docx, html, read_bytes
from memory_core.readers import pdf as pdf_reader
from memory_core.readers.budget import ReadBudget
from memory_core.rules import limits
from tests.readers.test_formats import pdf, written

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FIX = r"the maximum\. Cut it into parts, or save its text alone\.$"


def word_file(body):
    """Return a DOCX with this XML as the content of its body."""
    from docx import Document

    whole = io.BytesIO(written(Document()))
    buffer = io.BytesIO()
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(buffer, "w", 8) as target:
        for name in source.namelist():
            is_body = name == "word/document.xml"
            text = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
            target.writestr(name, text if is_body else source.read(name))
    return buffer.getvalue()


PARAGRAPH = "<w:p><w:r><w:t>words</w:t></w:r></w:p>"
ROW = f"<w:tbl><w:tr><w:tc>{PARAGRAPH}</w:tc></w:tr></w:tbl>"
READERS = {
    "docx": (docx.text, lambda: word_file(PARAGRAPH * 4)),
    "html": (html.text, lambda: b"<p>words</p>" * 4),
    "pdf": (pdf_reader.text, lambda: written(pdf("one", "two", "three", "four"))),
}


class Clock:
    """A clock that is a second later at each look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1
        return self.now


@pytest.mark.parametrize(
    ("read", "content", "limit", "unit"),
    [
        (docx.text, lambda: word_file(PARAGRAPH * 4), {"elements": 4}, "paragraphs"),
        (docx.text, lambda: word_file("<w:p/>" * 4), {"elements": 4}, "paragraphs"),
        (docx.text, lambda: word_file(ROW), {"elements": 3}, "paragraphs"),
        (html.text, lambda: b"<p>words</p>" * 4, {"elements": 4}, "tags"),
        (html.text, lambda: b"<br>" * 4, {"elements": 4}, "tags"),
        (html.text, lambda: b"<b>" * 4 + b"words", {"elements": 4}, "tags"),
        (pdf_reader.text, lambda: written(pdf("one", "two")), {"pages": 2}, "pages"),
        (pdf_reader.text, lambda: written(pdf("one", "two")), {"characters": 6}, "characters"),
    ],
)
def test_a_file_at_a_limit_is_read_and_one_above_refused(read, content, limit, unit):
    (name, most), *_ = limit.items()
    budget = partial(ReadBudget, **{"characters": 1_000_000, **limit})
    read(content(), budget())

    with pytest.raises(ForbiddenError, match=f"more than {most - 1} {unit}.*{FIX}"):
        read(content(), budget(**{name: most - 1}))


def test_a_pdf_page_at_its_limit_is_read_and_one_byte_above_refused():
    from pypdf import PdfReader

    content = written(pdf("words"))
    page = PdfReader(io.BytesIO(content)).pages[0]
    size = len(page.get_contents().get_data())

    assert "words" == pdf_reader.text(content, ReadBudget(1_000, page_bytes=size))[0]
    with pytest.raises(ForbiddenError, match=f"more than {size - 1} bytes .* on one page, {FIX}"):
        pdf_reader.text(content, ReadBudget(1_000, page_bytes=size - 1))


@pytest.mark.parametrize("kind", READERS)
def test_time_is_checked_between_elements(kind):
    read, content = READERS[kind]
    clock = Clock()
    read(content(), ReadBudget(1_000_000, seconds=1e9, clock=clock))
    looks = clock.now - 1

    assert looks >= 4
    read(content(), ReadBudget(1_000_000, seconds=looks, clock=Clock()))
    with pytest.raises(ForbiddenError, match=f"more than {looks - 1:g} seconds .*{FIX}"):
        read(content(), ReadBudget(1_000_000, seconds=looks - 1, clock=Clock()))


def test_the_time_within_one_pdf_page_is_checked():
    clock = Clock()
    commands = "(x) Tj " * 100
    content = written(pdf(f"a) Tj {commands}(b"))

    with pytest.raises(ForbiddenError, match="seconds"):
        pdf_reader.text(content, ReadBudget(1_000_000, seconds=50, clock=clock))


def test_a_page_tree_that_contains_itself_ends():
    from pypdf.generic import ArrayObject, NameObject

    writer = pdf("words")
    tree = writer._root_object["/Pages"].get_object()
    tree[NameObject("/Kids")] = ArrayObject([tree.indirect_reference] * 3)

    with pytest.raises((ForbiddenError, ValidationError), match=r"pages|cannot be read"):
        pdf_reader.text(written(writer), ReadBudget(1_000))


def test_files_are_read_with_the_limits_of_one_module():
    budget = ReadBudget(1)

    assert (limits.MAX_FILE_ELEMENTS, limits.MAX_FILE_PAGES) == (budget.elements, budget.pages)
    assert (limits.MAX_PAGE_BYTES, limits.MAX_READ_SECONDS) == (budget.page_bytes, budget.seconds)
    assert budget.clock is time.thread_time


def test_empty_paragraphs_beyond_the_limit_are_refused_by_name():
    content = word_file("<w:p/>" * (limits.MAX_FILE_ELEMENTS + 1))

    with pytest.raises(ForbiddenError, match="more than 500,000 paragraphs"):
        read_bytes("a.docx", content, max_bytes=20_000_000)


@pytest.mark.parametrize("parts", [0, 1])
def test_docx_parts_are_limited(parts, monkeypatch):
    content = word_file(PARAGRAPH)
    count = len(zipfile.ZipFile(io.BytesIO(content)).namelist())
    monkeypatch.setattr(docx, "MAX_ZIP_PARTS", count - parts)

    if parts:
        with pytest.raises(ForbiddenError, match=rf"{count} parts and may to .* in {count - 1}"):
            read_bytes("a.docx", content, max_bytes=1_000_000)
    else:
        assert "words" == read_bytes("a.docx", content, max_bytes=1_000_000).text


def test_plain_text_of_any_shape_needs_no_budget():
    for text in ("," * 1_000_000, "[" * 1_000_000, "\n" * 999_999 + "x"):
        assert text == read_bytes("a.csv", text.encode(), max_bytes=1_000_000).text
