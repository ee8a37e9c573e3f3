"""Office and archive formats that are not read, by their content, each with what to do instead."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import ValidationError


class _Unsupported(NamedTuple):
    name: str
    fix: str


_WRITER = "Open it in a word processor and save it as DOCX, PDF or plain text."
_SHEET = "Open it in a spreadsheet program and save each sheet as CSV."
_SLIDES = "Open it in a presentation program and save it as PDF."

_WORD = _Unsupported("a Word document in an old format", _WRITER)
_MAIL = _Unsupported("an Outlook message", "Open it in a mail program and save it as plain text.")
_BOOK = _Unsupported("an e-book", "Convert it to HTML, DOCX or plain text.")
_WEB_ARCHIVE = _Unsupported("a web archive", "Open it in a browser and save it as HTML.")

_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
# Names within a zip, where they are not compressed. None is a format that is read.
_IN_ZIP: dict[bytes, _Unsupported | None] = {
    b"word/document": None,
    b"xl/workbook": _Unsupported("an XLSX workbook", _SHEET),
    b"ppt/presentation": _Unsupported("a PPTX presentation", _SLIDES),
    f"{_OPEN_DOCUMENT}text".encode(): _Unsupported("an ODT document", _WRITER),
    f"{_OPEN_DOCUMENT}spreadsheet".encode(): _Unsupported("an ODS spreadsheet", _SHEET),
    f"{_OPEN_DOCUMENT}presentation".encode(): _Unsupported("an ODP presentation", _SLIDES),
    _OPEN_DOCUMENT.encode(): _Unsupported("an OpenDocument file", "Save it as PDF."),
    b"application/epub+zip": _BOOK,
    b".iwa": _Unsupported("an Apple iWork document", "Export it as PDF, DOCX or CSV."),
    b"Index.zip": _Unsupported("an Apple iWork document", "Export it as PDF, DOCX or CSV."),
}
# Stream names of the container that older office programs write, in UTF-16.
_IN_COMPOUND = {
    "EncryptedPackage": _Unsupported(
        "an encrypted office document", "Save a copy without a password and add that."
    ),
    "WordDocument": _WORD,
    "Workbook": _Unsupported("an XLS workbook", _SHEET),
    "PowerPoint Document": _Unsupported("a PPT presentation", _SLIDES),
    "__substg1.0": _MAIL,
}
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"

# At the beginning of the file, after white space.
_BY_BEGINNING: dict[bytes, _Unsupported] = {
    rb"\{\\rtf\d?\\?": _Unsupported("an RTF document", _WRITER),
    rb"\xffWPC": _Unsupported("a WordPerfect document", _WRITER),
    rb"\xdb\xa5-\0|\x31\xbe\0\0": _WORD,
    rb"%!PS": _Unsupported("a PostScript document", "Convert it to PDF."),
    rb".{60}BOOKMOBI|.{60}TEXtREAd|ITOLITLS": _BOOK,
    rb"ITSF": _Unsupported("compiled HTML help", "Decompile it and add its HTML pages."),
    rb"AT&TFORM": _Unsupported("a DjVu document", "Convert it to PDF with a text layer."),
    rb"!BDN": _Unsupported("an Outlook data file", "Save single messages as plain text."),
    rb"bplist00.{0,40}WebMainResource": _WEB_ARCHIVE,
    rb"(?=(?:[\w-]+: [^\n]*\n[ \t]?){1,20})(?=.{0,2000}multipart/related)"
    rb"(?=.{0,2000}\n(?:Snapshot-Content-Location|From: <Saved by|Content-Location):"
    rb"|From: <Saved by)": _WEB_ARCHIVE,
    rb"(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)?<\?mso-application[^>]*Word": _Unsupported(
        "a Word document as XML", _WRITER
    ),
    rb"(?:<\?xml[^>]*>\s*)?(?:<!--.{0,500}?-->\s*)?<\?mso-application[^>]*Excel": _Unsupported(
        "an Excel workbook as XML", _SHEET
    ),
    rb"(?:<\?xml[^>]*>\s*)?<(?:pkg:package|w:wordDocument|office:document)\b": _Unsupported(
        "an office document as XML", "Open it in its program and save it as DOCX, CSV or PDF."
    ),
    rb"\x1f\x8b|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|BZh\d1AY|\xfd7zXZ|\x28\xb5\x2f\xfd": _Unsupported(
        "an archive", "Unpack it and add the files in it."
    ),
}
_ARCHIVE = _Unsupported("a ZIP archive", "Unpack it and add the files in it.")
# The expressions above look no further than this.
_BEGINNING = 4096


def refuse_unsupported(content: bytes, *, is_docx: bool) -> None:
    """
    Raise ValidationError, naming the format and the fix, for a format that is known but not read.

    Whether a zip is a DOCX file is in doubt only when it is broken; then its name decides.
    """
    if found := _find_unsupported(content, is_docx=is_docx):
        raise ValidationError(f"is not text but {found.name}, which is not read. {found.fix}")


def is_docx_content(content: bytes) -> bool:
    return content.startswith(_ZIP) and _first_in_zip(content) == b"word/document"


def _find_unsupported(content: bytes, *, is_docx: bool) -> _Unsupported | None:
    if content.startswith(_ZIP):
        first = _first_in_zip(content)
        return _IN_ZIP[first] if first else None if is_docx else _ARCHIVE
    if content.startswith(_COMPOUND):
        inside = (
            each for name, each in _IN_COMPOUND.items() if name.encode("utf-16-le") in content
        )
        return next(inside, _Unsupported("an office document in an old format", _WRITER))
    beginning = content[:_BEGINNING].removeprefix(b"\xef\xbb\xbf").lstrip()
    for expression, found in _BY_BEGINNING.items():
        if re.match(expression, beginning, re.DOTALL):
            return found
    return None


def _first_in_zip(content: bytes) -> bytes | None:
    """
    Return which of the names occurs first: a document may embed others. No archive is opened, so
    that a broken one is recognized too.
    """
    places = {name: content.find(name) for name in _IN_ZIP}
    return min((name for name in places if places[name] >= 0), key=places.__getitem__, default=None)
