"""
Split text into passages, the unit of one vector and one full-text row.

1. A passage fits the window of all-MiniLM-L6-v2 (256 tokens, two of them special) in every script,
   without loading the model: tokens are counted by an upper bound.
2. The tokenizer splits a word greedily into the longest known pieces. It knows the pairs in _PAIRS,
   at the start of a word and inside; so a pair is at most one token, and any other character one,
   except Hangul, which is decomposed.
3. A passage ends at the end of a sentence in its second half, else between words; a word is split
   only if it is longer than a passage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .query_terms import STOP_WORDS

# Long rows distort bm25: one long message would match a bit of every query.
SIZE = 500
TOKENS = 254

# Text of this length always fits, since a character is at most three tokens.
_SURELY_FITS = TOKENS // 3

# First letter: second letters.
_PAIRS = """
a:abcdefghijklmnoprstuvwxz1 b:abcefinorstuy c:abcdehiklmoprstuy d:abcdehilorstu
e:acdehklmnprstuvx f:acefiklmrtu g:abeimoprstu h:acdeimoprsu i:abcdefiklmnopqrstvx j:aeiou
k:aeimosuy l:abcdeiloptu m:abcdegilmopstuxy n:aceghikloprstuyz o:bfghklmnprstuwxz
p:acdeghilmoprstu q:iu r:abcdefimnorstuy s:abcdefghiklmoprstuwy t:acehiorstuvy
u:acdhiklmnprst v:aceiorsu w:aceioru x:ix y:adeiou z:aeu 1:0123456789 2:0123456789
3:d0123456789 4:0123456789 5:0123456789 6:0456 7:05 8:056 9:0
"""
_KNOWN = re.compile(
    "|".join(f"{first}[{then}]" for first, then in (pair.split(":") for pair in _PAIRS.split()))
    + "|.",
    re.IGNORECASE | re.ASCII,
)
# Longer words are counted in parts, which can only increase the count.
_UNIT = re.compile(r"[A-Za-z0-9]{1,24}|[^\sA-Za-z0-9]")

# Other characters it decomposes: some Indic vowel signs, astral characters.
_TWO_TOKENS = re.compile(
    r"[\u09cb\u09cc\u0b4b\u0b4c\u0b94\u0bca-\u0bcc\u0ccb\u0d4a-\u0d4c\u0ddc-\u0dde"
    r"\u1b06-\u1b0e\u1b40\u1b41]|[\U00010000-\U0010ffff]"
)

_SENTENCE_END = re.compile(r"""[.!?\u2026]["'\u2019\u201d)\]*_]*\s|\n|[\u3002\uff01\uff1f]""")
_SPACE = re.compile(r"\s(?=\S*\Z)")
_INK = re.compile(r"\S")


@dataclass(frozen=True)
class PassageSpan:
    """A part of a text and its offset, without surrounding whitespace."""

    start: int
    text: str


def split_passages(text: str, *, size: int = SIZE, tokens: int = TOKENS) -> list[PassageSpan]:
    """Split *text*; the passages contain every character except whitespace."""
    cut = []
    ink = _INK.search(text)
    while ink is not None:
        start = ink.start()
        end = _passage_end(text, start, size=size, tokens=tokens)
        cut.append(PassageSpan(start, text[start:end].rstrip()))
        ink = _INK.search(text, end)
    return cut


def max_token_count(text: str) -> int:
    """Return an upper bound of the number of tokens of *text*."""
    return sum(_unit_token_count(unit) for unit in _UNIT.findall(text))


def _passage_end(text: str, start: int, *, size: int, tokens: int) -> int:
    end = min(start + size, len(text))
    if end - start > min(_SURELY_FITS, tokens):
        end = _token_limit_end(text, start, end, tokens=tokens)
    if end == len(text) or text[end].isspace():
        return end
    middle = start + (end - start) // 2
    *_, sentence = [0, *(found.end() for found in _SENTENCE_END.finditer(text, middle, end))]
    if sentence:
        return sentence
    space = _SPACE.search(text, start, end)
    return space.start() if space else end


def _token_limit_end(text: str, start: int, end: int, *, tokens: int) -> int:
    """Return the end of the longest prefix that has at most *tokens* tokens."""
    reached = start
    for unit in _UNIT.finditer(text, start, end):
        tokens -= _unit_token_count(unit[0])
        if tokens < 0:
            return max(reached, start + 1)
        reached = unit.end()
    return end


@lru_cache(maxsize=32_768)
def _unit_token_count(unit: str) -> int:
    if unit.lower() in STOP_WORDS:
        return 1
    if unit.isascii():
        return len(_KNOWN.findall(unit))
    if "\uac00" <= unit <= "\ud7a3":
        return 3
    return 2 if _TWO_TOKENS.match(unit) else 1
