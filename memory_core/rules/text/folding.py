# ruff: noqa: RUF001
"""
Unicode folding for full text and name lookup.

1. unify_forms() keeps words and case: it replaces compatibility forms (full-width, half-width,
   ligatures) and the digits of other scripts, and removes invisible format characters.
2. fold_letters() removes what writers omit or exchange: case, vowel marks, letters that have no
   Unicode decomposition (ł, ø, ß), variants of Arabic letters. FTS5 removes the accents of Latin
   letters; strip_accents() does so for names.
3. Marks that belong to the spelling stay: vowel signs of Indic and South-East Asian scripts, the
   voicing of kana, the breve of й and ў.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

# Letters without a decomposition, and letters that are exchanged, with their replacements.
_REPLACED = """
ł:l ø:o đ:d ð:d ħ:h ŧ:t ı:i ĸ:k ŋ:n ƒ:f þ:th æ:ae œ:oe ß:ss ɓ:b ɖ:d ɗ:d ƙ:k ƴ:y ɣ:g ʋ:v ƶ:z ɲ:n
ǝ:e ə:e ɛ:e ɨ:i ɩ:i ɔ:o ʉ:u ƭ:t ƥ:p ȷ:j ґ:г ҕ:г ғ:г
ٱ:ا ى:ي ی:ي ے:ي ې:ي ة:ه ہ:ه ھ:ه ە:ه ۃ:ه ک:ك ڪ:ك
"""
_LETTERS = dict(pair.split(":") for pair in _REPLACED.split())
# Hamza on the line, and tatweel.
_OMITTED = "ءـ"

_OPTIONAL_MARKS = re.compile(
    r"[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    r"\u0711\u0730-\u074a\u093c\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]"
)
# Anusvara and chandrabindu are exchanged in Hindi.
_CHANDRABINDU = "\u0901"
_ANUSVARA = "\u0902"
_WHOLE_LETTERS = "йў"

_LATIN_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
# The marks of Hebrew abbreviations are written as quotation marks too.
_HEBREW_ABBREVIATION = re.compile(r"(?<=[\u05d0-\u05ea])[\"'](?=[\u05d0-\u05ea])")

_FORMS = {
    "\u200c": "-",  # Persian joins parts of a word with it, as English does with a hyphen.
    **dict.fromkeys("\u05be\u2010\u2212", "-"),
    **dict.fromkeys("\u02bb\u02bc\u05f3\u2018\u2019", "'"),
    **dict.fromkeys("\u05f4\u201c\u201d", '"'),
    "\u066b": ".",
    "\u066c": ",",
    "\u00b7": "",
}


class _Table(dict[int, str]):
    """A translation table that computes each character once."""

    def __init__(self, replacement: Callable[[str], str]) -> None:
        super().__init__()
        self._replacement = replacement

    def __missing__(self, code: int) -> str:
        self[code] = self._replacement(chr(code))
        return self[code]


def _unified(char: str) -> str:
    category = unicodedata.category(char)
    if char in _FORMS or char.isascii():
        return _FORMS.get(char, char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category == "Cf":
        return ""
    # A term of its own: "€12" is found by 12.
    if category == "Sc":
        return f" {char} "
    return " " if category.startswith("P") else char


def _folded(char: str) -> str:
    if char in _OMITTED:
        return ""
    if char in _WHOLE_LETTERS:
        return char
    if char == _CHANDRABINDU:
        return _ANUSVARA
    decomposed = unicodedata.normalize("NFD", char)
    first, marks = decomposed[0], decomposed[1:]
    if first.isascii() and marks:
        return char
    kept = "".join(each for each in marks if not _OPTIONAL_MARKS.match(each))
    base = "" if _OPTIONAL_MARKS.match(first) else _LETTERS.get(first, first)
    return unicodedata.normalize("NFC", base + kept)


_UNIFIED = _Table(_unified)
_FOLDED = _Table(_folded)


def unify_forms(text: str) -> str:
    """Return *text* in one spelling of its characters; letter case stays."""
    if text.isascii():
        return text
    unified = unicodedata.normalize("NFKC", text).translate(_UNIFIED)
    return _HEBREW_ABBREVIATION.sub("", unified)


def fold_letters(word: str) -> str:
    """Return the form in which a word of unify_forms() is compared."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", folded).translate(_FOLDED) or folded


def strip_accents(folded: str) -> str:
    """Return a folded text without the accents of Latin letters."""
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    return unicodedata.normalize("NFC", _LATIN_ACCENTS.sub("", decomposed))
