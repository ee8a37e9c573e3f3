"""
Where to cut a long text.

1. Nothing is lost, changed or padded: the chunks, without their overlap, are the
   text. White space stays with what it follows.
2. A chunk ends at the most meaningful boundary in the second half of what fits;
   in the first half only if the second has none. So chunks are neither stubs nor
   broken sentences, and the work is linear in the text.
3. A fenced block that fits is never cut, whatever the separators.
4. Where no separator is found (a long word, Thai, a row of emoji), Unicode's own
   word and grapheme boundaries decide.
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

# Each matches what comes just before a boundary, so that a boundary is a match's end.
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

# A boundary may need to see what follows it, such as a heading's underline.
_LOOKAHEAD = 256

# What makes a boundary may begin a little before the stretch in which it is wanted.
_LOOKBEHIND = 32

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Chunk:
    """A stretch of a text; what it repeats of the one before ends where that one does."""

    start: int
    end: int


def split_chunks(
    text: str,
    *,
    size: int = DOCUMENT_SIZE,
    overlap: int = 0,
    separators: Sequence[str] = SEPARATORS,
) -> list[Chunk]:
    """
    Cut *text* into chunks of at most *size* characters, none of them empty.

    *separators* come in order of preference: names of SEPARATORS, or literal text
    such as ``"\\n\\n"`` or ``"\\n## "``, which is cut behind its leading white space.
    """
    _validate_sizes(size, overlap)
    cutter = _Cutter(text, [_pattern(separator) for separator in separators], size - overlap)
    found: list[Chunk] = []
    start = 0
    while start < len(text):
        end = cutter.cut(start, start + (size - overlap if start else size))
        found.append(Chunk(_overlap_start(text, start, overlap), end))
        start = end
    return found


def _validate_sizes(size: int, overlap: int) -> None:
    if not 1 <= size <= HARD_CAP:
        raise ValidationError(
            f"A chunk size of {size} is refused: give 1 to {HARD_CAP} characters."
        )
    if not 0 <= overlap < size:
        raise ValidationError(
            f"An overlap of {overlap} is refused: give 0 or more, and less than the "
            f"chunk size {size}."
        )


@cache
def _pattern(separator: str) -> re.Pattern[str]:
    if separator in _NAMED:
        return re.compile(_NAMED[separator], re.MULTILINE)
    if not separator:
        raise ValidationError(
            f"A separator is empty: give text, or one of {', '.join(SEPARATORS)}."
        )
    marker = separator.lstrip()
    space = separator.removesuffix(marker)
    return re.compile(re.escape(space) + (f"(?={re.escape(marker)})" if marker else ""))


def _overlap_start(text: str, start: int, overlap: int) -> int:
    """Return where a chunk begins that repeats up to *overlap* characters before *start*."""
    first = max(0, start - overlap)
    if first in (0, start) or text[first - 1].isspace():
        return first
    word = _pattern("word").search(text, first, start)
    return word.end() if word and word.end() < start else first


class _Cutter:
    """Knows one text's fenced blocks and finds where to cut it."""

    def __init__(self, text: str, patterns: Sequence[re.Pattern[str]], fits: int) -> None:
        self._text = text
        self._patterns = patterns
        whole = [(start, end) for start, end in _find_fences(text) if end - start <= fits]
        self._starts = [start for start, _ in whole]
        self._ends = [end for _, end in whole]

    def cut(self, start: int, limit: int) -> int:
        """Return the best boundary after *start*, at most *limit*."""
        if limit >= len(self._text):
            return len(self._text)
        middle = (start + limit) // 2
        return (
            self._boundary(middle, limit)
            or self._boundary(start, middle)
            or self._unmarked(middle, limit)
        )

    def _boundary(self, after: int, last: int) -> int | None:
        """Return the last boundary of the most meaningful kind in (after, last]."""
        first, seen = max(0, after - _LOOKBEHIND), last + _LOOKAHEAD
        for pattern in self._patterns:
            ends = [match.end() for match in pattern.finditer(self._text, first, seen)]
            for end in reversed(ends):
                if after < end <= last and self._fence_around(end) is None:
                    return end
        return None

    def _unmarked(self, after: int, last: int) -> int:
        """Return where to cut in (after, last] if there is no separator."""
        end = after + _unicode_boundary(self._text[after : last + 1], last - after)
        fence = self._fence_around(end)
        if fence is None:
            return end
        start, end = fence
        return end if end <= last else start

    def _fence_around(self, position: int) -> tuple[int, int] | None:
        """Return the block that would be broken by a cut at *position*."""
        index = bisect_left(self._starts, position) - 1
        if index >= 0 and position < self._ends[index]:
            return self._starts[index], self._ends[index]
        return None


def _find_fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each fenced block starts and ends, its marks and last newline included."""
    start, mark = 0, ""
    for line in _FENCE.finditer(text):
        if not mark:
            # A line such as ```x``` is code within a line.
            if "`" not in line[2]:
                start, mark = line.start(), line[1]
        elif line[1].startswith(mark) and not line[2].strip():
            yield start, min(line.end() + 1, len(text))
            mark = ""


def _unicode_boundary(window: str, size: int) -> int:
    """Return the length of the first chunk of *window*, in whole words or graphemes."""
    from semantic_text_splitter import TextSplitter

    # Half of a surrogate pair cannot be handed over; what replaces it is as long.
    whole = window.encode("utf-8", "replace").decode()
    return len(TextSplitter(size, trim=False).chunks(whole)[0])
