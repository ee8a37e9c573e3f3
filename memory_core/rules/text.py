"""
What a text can be found by.

1. A row and a query are taken apart by the same function, so whatever is in
   both is found, and nothing in a query can be syntax.
2. An identifier is found whole, by its parts and in any spelling:
   rotate_api_key, rotateApiKey and rotate-api-key share every term.
3. Chinese, Japanese and Korean need no spaces between words, so two
   neighbouring characters stand for a word, and each stands for itself.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator

# Longer rows drown in bm25: one long message would match a bit of everything.
PIECE = 500

_PIECE = re.compile(rf"\S.{{0,{PIECE - 1}}}(?!\S)|\S{{{PIECE}}}", re.DOTALL)

# Kana, Han and Hangul, their compatibility forms and half-width kana.
_CJK = (
    r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    r"\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)

# By exclusion, because \w lacks the vowel signs of Hindi, Thai and others.
_LETTER = rf"[^\s\x00-/:-@\[-`{{-\xa0\u2000-\u206f\u3000-\u303f{_CJK}]"

_WORD = re.compile(
    rf"(?P<unspaced>[{_CJK}]+)"
    rf"|(?P<name>{_LETTER}+(?:[._-]{_LETTER}+)*)(?P<sign>\+\+|\#)?"
)

_SEAM = re.compile(r"[._-]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def clean(text: str) -> str:
    """Return *text* as it is stored: composed (NFC), no half of a surrogate pair, no NUL."""
    whole = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return unicodedata.normalize("NFC", whole)


def clean_name(text: str) -> str:
    """Return *text* as a name is stored: clean, on one line, without control characters."""
    spaced = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in clean(text)
    )
    return " ".join(spaced.split())


def fold(name: str) -> str:
    """Return what two names must share to be the same name."""
    return clean(clean_name(name).casefold())


def pieces(text: str) -> list[str]:
    """Cut *text* between words; only a word longer than a piece is cut inside."""
    return _PIECE.findall(text)


def terms(text: str) -> list[str]:
    """Return what *text* can be found by; no term has a space or a quote in it."""
    return [
        term
        for piece in pieces(clean(text))
        for word in _WORD.finditer(piece)
        for term in _of_word(word)
    ]


def _of_word(word: re.Match[str]) -> Iterator[str]:
    if run := word["unspaced"]:
        yield from run
        yield from map("".join, itertools.pairwise(run))
    else:
        yield from _of_identifier(word["name"], word["sign"] or "")


def _of_identifier(name: str, sign: str) -> Iterator[str]:
    """Yield the parts, then the whole, which sets C++ and C# apart from C."""
    parts = [part.casefold() for part in _SEAM.split(name) if part]
    yield from parts
    whole = "".join(parts) + sign
    if parts != [whole]:
        yield whole
