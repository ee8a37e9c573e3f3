"""Plain-text reader: detect the encoding and decode."""

from __future__ import annotations

import codecs

from ..errors import ValidationError
from .budget import ReadBudget
from .encodings import Detected, detect_legacy, detect_wide

_BINARY = "is not text. Text, Markdown, source code, HTML, PDF and DOCX files are read."

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)

# Tabs, line ends, page breaks, and what terminals write in bold and colour.
_HARMLESS = "\t\n\v\f\r\b\x1b"
_CONTROLS = {code: None for code in range(32) if chr(code) not in _HARMLESS}
_MOST_CONTROLS = 0.01


def text(content: bytes, budget: ReadBudget) -> tuple[str, str]:
    """Return the text of *content*, lines ended by a newline alone, and a notice."""
    decoded, notice = characters(content)
    return decoded.replace("\r\n", "\n").replace("\r", "\n"), notice


def characters(content: bytes, declared: str = "") -> tuple[str, str]:
    """
    Return what *content* stands for and a notice if that is a guess.

    A byte order mark decides, then UTF-8, then the encoding *declared* inside, then detection.
    """
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    detected = None if marked else _detect(content, declared)
    names = [marked] if marked else [detected.encoding] if detected else ["utf-8", declared]
    for encoding in filter(None, names):
        decoded = _decode(content, encoding)
        if decoded is not None:
            _refuse_binary(decoded)
            return decoded, detected.notice if detected else ""
    raise ValidationError(f"is broken {marked}. Save it as UTF-8." if marked else _BINARY)


def _detect(content: bytes, declared: str) -> Detected | None:
    """Return a detected encoding, None if UTF-8 or the declared one decodes *content*."""
    if b"\0" in content:
        return detect_wide(content)
    # This encoding consists of ASCII characters.
    is_japanese = b"\x1b$" in content and not declared
    known = () if is_japanese else ("utf-8", declared or "utf-8")
    if any(_decode(content, name) is not None for name in known):
        return None
    return detect_legacy(content)


def _decode(content: bytes, encoding: str) -> str | None:
    try:
        # Unlike codecs.decode, this refuses an "encoding" such as bz2.
        return content.decode(encoding)
    except (LookupError, ValueError):
        return None


def _refuse_binary(decoded: str) -> None:
    controls = len(decoded) - len(decoded.translate(_CONTROLS))
    if "\0" in decoded or controls > _MOST_CONTROLS * len(decoded):
        raise ValidationError(_BINARY)
