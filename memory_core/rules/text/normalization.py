"""
Text normalization and full-text terms.

1. Rows and queries are tokenized by the same function, so any shared term matches and no query text
   is syntax.
2. An identifier matches as a whole, by its parts and in any spelling: rotate_api_key, rotateApiKey
   and rotate-api-key share all terms.
3. Chinese, Japanese and Korean are written without spaces, so each character and each pair of
   characters is a term.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Longer words are split: users type the beginning of a key or a hash.
MAX_WORD = 100

# Kana, Han and Hangul, their compatibility forms and half-width kana.
_CJK = (
    r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    r"\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)

# By exclusion, because \w lacks vowel signs of Hindi, Thai and others.
_LETTER = rf"[^\s\x00-/:-@\[-`{{-\xa0\u2000-\u206f\u3000-\u303f{_CJK}]"

# One letter per repetition: nested repetitions would backtrack exponentially.
_WORD = re.compile(
    rf"(?P<unspaced>[{_CJK}]+)"
    rf"|(?P<name>{_LETTER}(?:[._-]?{_LETTER}){{0,{MAX_WORD - 1}}})(?P<sign>\+\+|\#)?"
)

_SEAM = re.compile(r"[._-]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def clean_text(text: str) -> str:
    """Return *text* as it is stored: NFC, without lone surrogates and NUL."""
    whole = text.replace("\0", "\ufffd")
    if whole.isascii():
        return whole
    whole = whole.encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFC", whole)


def clean_name(text: str) -> str:
    """Return *text* as a name is stored: on one line, without control characters."""
    whole = clean_text(text)
    if not whole.isprintable():
        whole = "".join(
            " " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in whole
        )
    return " ".join(whole.split())


def fold_name(name: str) -> str:
    """Return the case-folded form by which names are compared."""
    return clean_text(clean_name(name).casefold())


def extract_terms(text: str) -> list[str]:
    """Return the full-text terms of *text*; no term contains a space or a quote."""
    found: list[str] = []
    for unspaced, name, sign in _WORD.findall(clean_text(text)):
        found += _cjk_terms(unspaced) if unspaced else _identifier_terms(name, sign)
    return found


def iter_words(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the terms of each word; an identifier or CJK text has several."""
    for word in _WORD.finditer(clean_text(text)):
        unspaced, name, sign = word.groups()
        yield _cjk_terms(unspaced) if unspaced else _identifier_terms(name, sign or "")


def _cjk_terms(run: str) -> tuple[str, ...]:
    return (*run, *map("".join, itertools.pairwise(run)))


# Most words repeat; a cache lookup costs a tenth of splitting.
@lru_cache(maxsize=16_384)
def _identifier_terms(name: str, sign: str) -> tuple[str, ...]:
    """Return the parts, then the whole, which distinguishes C++ and C# from C."""
    parts = [part.casefold() for part in _SEAM.split(name) if part]
    whole = "".join(parts) + sign
    return (whole,) if parts == [whole] else (*parts, whole)
