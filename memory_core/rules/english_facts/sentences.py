"""
Split text into sentences of its author.

Code, quoted lines, tables, headings and longer quotations are skipped. Linear in the length of the
text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

# Longer sentences are skipped, which bounds the work per sentence.
LONGEST = 400
# Longer quotations are reported speech, not titles or names.
_TITLE = 4

# Without the look-behind, runs of punctuation would take quadratic time.
_END = re.compile(
    r"(?<![.!?])[.!?]+(?=[\s)]|\Z)|[\n;\u3002\uff01\uff1f]"
    # Missing space between sentences: "in Bern.I work".
    r"|(?<=[a-z]{2})\.(?=(?:I|We|My|Our|But|The)(?:['\u2019][a-z]+)?\s)"
)
# Abbreviations, which do not end a sentence.
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|e\.g|i\.e|etc|vs|no|inc|ltd|[A-Z]))\.\Z", re.I
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|\u00ab[^\u00bb\n]*\u00bb")
_NO_PROSE = re.compile(r"\s*(?:[>|#]|```|~~~)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BULLET = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_WRAPPED = re.compile(r"\n(?=[ \t]*[a-z])")


@dataclass(frozen=True)
class Sentence:
    """A sentence, its offset, and whether it is a question."""

    text: str
    offset: int
    asks: bool


def iter_sentences(text: str) -> Iterator[Sentence]:
    """Yield the author's sentences in order."""
    prose = _WRAPPED.sub(" ", _blank_non_prose(text))
    quoted = [
        (found.start(), found.end())
        for found in _QUOTED.finditer(prose)
        if found.group().count(" ") >= _TITLE
    ]
    starts = [start for start, _ in quoted]
    begin = 0
    for end in _sentence_ends(prose):
        found = _read_sentence(prose, begin, end)
        begin = end
        if found is None:
            continue
        last = bisect_right(starts, found.offset + len(found.text)) - 1
        if last < 0 or quoted[last][1] <= found.offset:
            place = slice(found.offset, found.offset + len(found.text))
            yield replace(found, text=text[place])


def _blank_non_prose(text: str) -> str:
    """Return *text* with non-prose replaced by newlines, so that offsets stay the same."""
    lines: list[str] = []
    is_code = False
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        blank = is_code or _NO_PROSE.match(line) is not None
        is_code = is_code != fence
        lines.append("\n" * len(line) if blank else line)
    return "\n".join(lines)


def _sentence_ends(prose: str) -> Iterator[int]:
    for found in _END.finditer(prose):
        if found.group() == "." and _ABBREVIATED.search(
            prose, max(0, found.end() - 6), found.end()
        ):
            continue
        yield found.end()
    yield len(prose)


def _read_sentence(prose: str, begin: int, end: int) -> Sentence | None:
    if end - begin < 4 or end - begin > 2 * LONGEST:
        return None
    bullet = _BULLET.match(prose, begin, end)
    begin = bullet.end() if bullet else begin
    written = prose[begin:end]
    offset = begin + len(written) - len(written.lstrip())
    written = written.strip().rstrip(";").rstrip()
    if not written or len(written) > LONGEST:
        return None
    return Sentence(written, offset, asks=written[-1] in "?\uff1f" or "?!" in written[-3:])
