"""
Text normalization and full-text terms.

1. Rows and queries are tokenized by the same function, so any shared term matches and no query text
   is syntax.
2. An identifier matches as a whole, by its parts and in any spelling: rotate_api_key, rotateApiKey
   and rotate-api-key share all terms.
3. Chinese, Japanese and Korean are written without spaces, so each character and each pair of
   characters is a term. In Thai, Lao, Khmer and Burmese, syllable parts take the place of
   characters.
4. Letters are folded (folding.py), numbers have one spelling (numbers.py), and a full date has a
   term of its own (dates.py).
5. A change of these rules needs a migration that indexes existing files again
   (storage/search/full_text.py).
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .dates import date_terms
from .folding import fold_letters, strip_accents, unify_forms
from .numbers import NUMBER, number_terms

# Longer words are split: users type the beginning of a key or a hash.
MAX_WORD = 100

# Kana, Han and Hangul, their compatibility forms and half-width kana.
_CJK = (
    r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    r"\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)

# Thai, Lao, Burmese, Khmer, Tai Le, New Tai Lue and the extensions of Burmese.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"

# A letter with its vowel signs and tone marks; a subscript consonant belongs to it.
_MARKS = (
    r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    r"\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    r"\u17b4-\u17d3\u17dd\ua9e5\uaa7b-\uaa7d"
)
_SYLLABLE_PART = re.compile(rf"[{_UNSPACED}](?:[{_MARKS}]|(?<=[\u1039\u17d2])[{_UNSPACED}])*")

# By exclusion, because \w lacks vowel signs of Hindi, Thai and others.
_LETTER = rf"[^\s\x00-/:-@\[-`{{-\xa0\u2000-\u206f\u3000-\u303f{_CJK}{_UNSPACED}]"

# One letter per repetition: nested repetitions would backtrack exponentially.
_WORD = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<syllables>[{_UNSPACED}]+)"
    rf"|(?P<number>{NUMBER})"
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


def loosen_name(name: str) -> str:
    """Return the form by which a name is looked up if no name equals it (fold_name)."""
    return " ".join(strip_accents(fold_letters(unify_forms(fold_name(name)))).split())


def extract_terms(text: str) -> list[str]:
    """Return the full-text terms of *text*; no term contains a space or a quote."""
    cleaned = unify_forms(clean_text(text))
    return [*itertools.chain.from_iterable(_iter_words(cleaned)), *date_terms(cleaned)]


def iter_words(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the terms of each word; an identifier, a number or unspaced text has several."""
    return _iter_words(unify_forms(clean_text(text)))


def is_syllable_part(term: str) -> bool:
    """Return whether *term* is one letter of Thai, Lao, Khmer or Burmese, with its marks."""
    return _SYLLABLE_PART.fullmatch(term) is not None


def _iter_words(cleaned: str) -> Iterator[tuple[str, ...]]:
    for cjk, syllables, number, name, sign in _WORD.findall(cleaned):
        if name:
            yield _identifier_terms(name, sign)
        elif cjk:
            yield _cjk_terms(cjk)
        elif number:
            yield number_terms(number)
        else:
            yield _syllable_terms(syllables)


def _cjk_terms(run: str) -> tuple[str, ...]:
    return (*run, *map("".join, itertools.pairwise(run)))


def _syllable_terms(run: str) -> tuple[str, ...]:
    """Return pairs and triples of letters with their marks, or the only one."""
    parts = _SYLLABLE_PART.findall(run)
    if len(parts) < 2:
        return (run,)
    return tuple(
        "".join(parts[start : start + size])
        for size in (1, 2, 3)
        for start in range(len(parts) - size + 1)
    )


# Most words repeat; a cache lookup costs a tenth of splitting.
@lru_cache(maxsize=16_384)
def _identifier_terms(name: str, sign: str) -> tuple[str, ...]:
    """Return the parts, then the whole, which distinguishes C++ and C# from C."""
    parts = [fold_letters(part) for part in _SEAM.split(name) if part]
    whole = "".join(parts) + sign
    return (whole,) if parts == [whole] else (*parts, whole)
