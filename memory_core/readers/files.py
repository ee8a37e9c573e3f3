"""Text of a file of any supported format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ForbiddenError, ValidationError
from . import docx, html, pdf, plain
from .budget import ReadBudget
from .safe_open import contents, real_place
from .unsupported import is_docx_content, refuse_unsupported


@dataclass(frozen=True)
class ReadFile:
    """
    What a file says.

    Attributes:
        title: The file's name.

        source: The file's real path.

        notice: What the reader had to assume, or "".
    """

    title: str
    text: str
    media_type: str
    source: str
    notice: str = ""


@dataclass(frozen=True)
class _Format:
    media_type: str
    # Bytes, budget -> text, notice.
    text: Callable[[bytes, ReadBudget], tuple[str, str]]
    # Why a file that is not empty may have no text, and the fix.
    without_text: str = "It holds white space only. Add a file with text."


_PLAIN = _Format("text/plain", plain.text)
_MARKDOWN = _Format("text/markdown", plain.text)
_HTML = _Format(
    "text/html",
    html.text,
    "A page that scripts build must be saved from a browser, with what they show.",
)
_PDF = _Format("application/pdf", pdf.text, "A scanned document needs text recognition first.")
_DOCX = _Format(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    docx.text,
    "Pictures of text need text recognition first.",
)

# Byte order marks and white space of any encoding.
_BLANK = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n\v\f"

# Any other suffix is plain text: there is no end to the kinds of source code.
_BY_SUFFIX = {
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".htm": _HTML,
    ".html": _HTML,
    ".xhtml": _HTML,
    ".pdf": _PDF,
    ".docx": _DOCX,
}


def read_file(path: str, *, roots: Sequence[Path], max_bytes: int) -> ReadFile:
    """
    Return the text of the file at *path*, which must be under one of *roots*.

    Raise NotFoundError if there is none; ForbiddenError if it may not be read, is too large or is
    not a regular file; ValidationError if no text can be got out of it.
    """
    place = real_place(path, roots)
    content = contents(place, roots, max_bytes=max_bytes)
    return read_bytes(place.name, content, source=str(place), max_bytes=max_bytes)


def read_bytes(name: str, content: bytes, *, max_bytes: int, source: str = "") -> ReadFile:
    """
    Return the text of a file of that name whose bytes are here; no file is opened.

    Raise ForbiddenError if it is too large, and ValidationError if no text can be got out of it.
    """
    source = source or name
    if len(content) > max_bytes:
        raise ForbiddenError(
            f"{name} has {len(content):,} bytes and may have {max_bytes:,}. Cut it into parts, or "
            "raise KNOWLEDGE_MAX_BYTES."
        )
    try:
        if not content.strip(_BLANK):
            raise ValidationError("is empty: there is no text in it. Add a file with text.")
        kind = _detect_format(name, content)
        text, notice = kind.text(content, ReadBudget(max_bytes))
    except ValidationError as error:
        raise ValidationError(f"{source} {error}") from error
    if not text.strip():
        raise ValidationError(f"{source} has no text in it. {kind.without_text}")
    return ReadFile(title=name, text=text, media_type=kind.media_type, source=source, notice=notice)


def _detect_format(name: str, content: bytes) -> _Format:
    """Return the format by content, or else by suffix; raise ValidationError if it is not read."""
    if content.startswith(b"%PDF-"):
        return _PDF
    by_suffix = _BY_SUFFIX.get(Path(name).suffix.lower(), _PLAIN)
    refuse_unsupported(content, is_docx=by_suffix is _DOCX)
    return _DOCX if is_docx_content(content) else by_suffix
