"""
Split long text into chunks.

1. Lossless: the chunks without their overlap are the text. Whitespace stays with the text that
   follows it.
2. A chunk ends at the best boundary in the second half of its maximum size, or else in the first
   half. The run time is linear.
3. A fenced code block that fits is never split, regardless of the separators.
4. Without a separator (a long word, Thai, emoji), Unicode word and grapheme boundaries are used.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ...errors import ValidationError

DOCUMENT_SIZE = 1_000
HARD_CAP = 8_000

# Each matches the text before a boundary: the boundary is the end of the match.
_NAMED = {
    "heading": r"^(?= {0,3}#{1,6}[ \t])|^(?=[^\n]{1,200}\n {0,3}(?:={3,}|-{3,})[ \t]*$)",
    "fence": r"^(?=[ \t]*(?:`{3}|~{3}))",
    "paragraph": r"\n(?:[ \t\r]*\n)+",
    "list": r"^(?=[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t])",
    "sentence": (
        r"""[.!?\u2026]["'\u2019\u201d)\]*_]*\s+"""
        r"""|[\u3002\uff01\uff1f\uff61]["\u300d\u300f\uff09]*"""
    ),
    "line": r"\n",
    "word": r"\s(?!\s)",
}
SEPARATORS = tuple(_NAMED)

# Some patterns look ahead, such as for the underline of a heading.
_LOOKAHEAD = 256

# A match may begin before the range that its end must be in.
_LOOKBEHIND = 32

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Chunk:
    """A range of a text. Overlap with the previous chunk is included in the range."""

    start: int
    end: int


def split_chunks(
    text: str,
    *,
    size: int = DOCUMENT_SIZE,
    overlap: int = 0,
    separators: Sequence[str] = SEPARATORS,
) -> list[Chunk]:
    r"""
    Split *text* into non-empty chunks of at most *size* characters.

    *separators* are in order of preference: names in SEPARATORS, or literal text such as ``"\n\n"``
    or ``"\n## "``, split after its leading whitespace.
    """
    _validate_sizes(size, overlap)
    cutter = _Cutter(text, [_pattern(separator) for separator in separators], size - overlap)
    found: list[Chunk] = []
    start = 0
    while start < len(text):
        end = cutter.find_cut(start, start + (size - overlap if start else size))
        found.append(Chunk(_overlap_start(text, start, overlap), end))
        start = end
    return found


def _validate_sizes(size: int, overlap: int) -> None:
    if not 1 <= size <= HARD_CAP:
        raise ValidationError(
            f"The chunk size must be between 1 and {HARD_CAP} characters, not {size}."
        )
    if not 0 <= overlap < size:
        raise ValidationError(
            f"The overlap must be at least 0 and less than the chunk size {size}, not {overlap}."
        )


@cache
def _pattern(separator: str) -> re.Pattern[str]:
    if separator in _NAMED:
        return re.compile(_NAMED[separator], re.MULTILINE)
    if not separator:
        raise ValidationError(
            f"A separator must not be empty. Give text, or one of {', '.join(SEPARATORS)}."
        )
    marker = separator.lstrip()
    space = separator.removesuffix(marker)
    return re.compile(re.escape(space) + (f"(?={re.escape(marker)})" if marker else ""))


def _overlap_start(text: str, start: int, overlap: int) -> int:
    """Return the start of a chunk that repeats up to *overlap* characters before *start*."""
    first = max(0, start - overlap)
    if first in (0, start) or text[first - 1].isspace():
        return first
    word = _pattern("word").search(text, first, start)
    return word.end() if word and word.end() < start else first


class _Cutter:
    """Finds boundaries in one text, respecting its fenced blocks."""

    def __init__(self, text: str, patterns: Sequence[re.Pattern[str]], fits: int) -> None:
        self._text = text
        self._patterns = patterns
        whole = [(start, end) for start, end in _find_fences(text) if end - start <= fits]
        self._starts = [start for start, _ in whole]
        self._ends = [end for _, end in whole]

    def find_cut(self, start: int, limit: int) -> int:
        """Return the best boundary after *start*, at most *limit*."""
        if limit >= len(self._text):
            return len(self._text)
        middle = (start + limit) // 2
        return (
            self._boundary(middle, limit)
            or self._boundary(start, middle)
            or self._fallback_boundary(middle, limit)
        )

    def _boundary(self, after: int, last: int) -> int | None:
        """Return the last boundary of the most preferred separator in (after, last]."""
        first, seen = max(0, after - _LOOKBEHIND), last + _LOOKAHEAD
        for pattern in self._patterns:
            ends = [match.end() for match in pattern.finditer(self._text, first, seen)]
            for end in reversed(ends):
                if after < end <= last and self._fence_around(end) is None:
                    return end
        return None

    def _fallback_boundary(self, after: int, last: int) -> int:
        """Return a boundary in (after, last] without a separator."""
        end = after + _unicode_boundary(self._text[after : last + 1], last - after)
        fence = self._fence_around(end)
        if fence is None:
            return end
        start, end = fence
        return end if end <= last else start

    def _fence_around(self, position: int) -> tuple[int, int] | None:
        """Return the fenced block that contains *position*."""
        index = bisect_left(self._starts, position) - 1
        if index >= 0 and position < self._ends[index]:
            return self._starts[index], self._ends[index]
        return None


def _find_fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the range of each fenced block, with its fences and the last newline."""
    start, mark = 0, ""
    for line in _FENCE.finditer(text):
        if not mark:
            # A line such as ```x``` is inline code.
            if "`" not in line[2]:
                start, mark = line.start(), line[1]
        elif line[1].startswith(mark) and not line[2].strip():
            yield start, min(line.end() + 1, len(text))
            mark = ""


def _unicode_boundary(window: str, size: int) -> int:
    """Return the length of the first chunk of *window*, in whole words or graphemes."""
    from semantic_text_splitter import TextSplitter

    # Lone surrogates cannot be encoded; the replacement has the same length.
    whole = window.encode("utf-8", "replace").decode()
    return len(TextSplitter(size, trim=False).chunks(whole)[0])
