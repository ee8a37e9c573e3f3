"""Text of a file of any supported format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ForbiddenError, ValidationError
from . import docx, html, pdf, plain
from .safe_open import contents, real_place


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
    # Bytes, most characters that may come out -> text, notice.
    text: Callable[[bytes, int], tuple[str, str]]


_PLAIN = _Format("text/plain", plain.text)
_MARKDOWN = _Format("text/markdown", plain.text)
_HTML = _Format("text/html", html.text)
_PDF = _Format("application/pdf", pdf.text)
_DOCX = _Format(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx.text
)

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
    suffix = Path(name).suffix.lower()
    kind = _PDF if content.startswith(b"%PDF-") else _BY_SUFFIX.get(suffix, _PLAIN)
    try:
        text, notice = kind.text(content, max_bytes)
    except ValidationError as error:
        raise ValidationError(f"{source} {error}") from error
    if not text.strip():
        raise ValidationError(
            f"{source} has no text in it. A scanned document needs text recognition first."
        )
    return ReadFile(title=name, text=text, media_type=kind.media_type, source=source, notice=notice)
