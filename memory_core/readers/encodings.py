"""
Encoding detection of text that is neither marked nor UTF-8.

1. UTF-16 and UTF-32 without a byte order mark are recognized by their zero bytes.
2. Bytes above 127 are single letters in Latin scripts and come in runs in all others, so that the
   two families of legacy encodings are tried apart. charset-normalizer ranks each family.
3. Only lines with such bytes are examined, which also bounds the time.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")

_LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp850", "mac_roman")
_OTHER = (
    *("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
_CENTRAL_EUROPEAN = {
    *("Croatian", "Czech", "Hungarian", "Polish", "Romanian", "Slovak", "Slovene"),
}
# Names as users know them; others are written as Python writes them.
_NAMES = {
    "cp1252": "Latin-1 (Windows-1252)",
    "cp932": "Shift JIS",
    "cp949": "EUC-KR",
    "cp1251": "Windows-1251",
    "cp1250": "Windows-1250",
    "iso8859_2": "ISO-8859-2",
    "koi8_r": "KOI8-R",
    "gb18030": "GB18030",
}

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
# Mean length of such runs: about 1.1 in Latin scripts, above 2 in others. Some words of Central
# Europe have runs of four, between many ASCII letters.
_LONG_RUN = 1.6
_LONGEST_LATIN_RUN = 4
_MOST_LATIN_SHARE = 0.35
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
# Fewer bytes above 127 are no evidence of anything but the most common encoding.
_LEAST_BYTES = 4
_SAMPLE = 32_000
# Bytes of Cyrillic letters are half-width katakana in Shift JIS, which texts hardly use.
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
# ISO-8859-2 read as Windows-1250 has symbols in place of letters.
_SYMBOL_IN_WORD = re.compile("[^\\W\\d_][\xa1-\xbf][^\\W\\d_]|[\xb1\xb6]")
# Chinese and Korean decoders read Japanese bytes as these, which their texts hardly use.
_JAPANESE = ("cp932", "euc_jp")
_FOREIGN = re.compile("[\u3041-\u3096\u30a1-\u30fa\u3131-\u318e]")


# Control characters that no text has; ISO-8859 has them where Windows has letters.
_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")


class Detected(NamedTuple):
    """An encoding, and whether another one is nearly as likely."""

    encoding: str
    in_doubt: bool

    @property
    def notice(self) -> str:
        name = _NAMES.get(self.encoding, self.encoding)
        doubt = " That is a guess: if words look wrong, save it as UTF-8." if self.in_doubt else ""
        return f"It is not UTF-8; it was read as {name}.{doubt}"


def detect_wide(content: bytes) -> Detected | None:
    """Return which of UTF-16 and UTF-32 *content* with zero bytes is in, None if in neither."""
    readings = {name: text for name in _WIDE if (text := _decode(content, name)) is not None}
    texts = {name: text for name, text in readings.items() if _is_plausible(text)}
    # In the wrong byte order, spaces and line ends are other characters.
    best = max(texts, key=lambda name: _common(texts[name]), default=None)
    return Detected(best, in_doubt=False) if best else None


def detect_legacy(content: bytes) -> Detected | None:
    """Return the most likely legacy encoding of *content*, None if it can be in none."""
    if b"\x1b$" in content and _decode(content, "iso2022_jp") is not None:
        return Detected("iso2022_jp", in_doubt=False)
    sample = _sample(content)
    ranked = [Detected("cp1252", in_doubt=True)]
    if sum(map(len, _HIGH_RUN.findall(sample))) >= _LEAST_BYTES:
        ranked = _rank(sample, _LATIN if _is_latin(sample) else _OTHER)
    usable = (each for each in ranked if _decode(content, each.encoding) is not None)
    return next(usable, None)


def _is_latin(sample: bytes) -> bool:
    runs = [len(run) for run in _HIGH_RUN.findall(sample)]
    share = sum(runs) / (sum(runs) + len(_ASCII_LETTER.findall(sample)))
    return sum(runs) / len(runs) < _LONG_RUN or (
        share < _MOST_LATIN_SHARE and max(runs) <= _LONGEST_LATIN_RUN
    )


def _rank(sample: bytes, family: tuple[str, ...]) -> list[Detected]:
    from charset_normalizer import from_bytes

    possible = [name for name in family if _is_possible(sample, name)]
    if not possible:
        return []
    matches = list(from_bytes(sample, cp_isolation=possible, preemptive_behaviour=False))
    if not matches:
        return [Detected(name, in_doubt=True) for name in possible]
    first = matches[0]
    near = [match for match in matches if match.chaos <= first.chaos + 0.05]
    is_western = first.language not in {*_CENTRAL_EUROPEAN, "Turkish"}
    near.sort(
        key=lambda match: (
            len(_SYMBOL_IN_WORD.findall(str(match))),
            is_western and match.encoding != "cp1252",
        )
    )
    readings = {str(match) for match in near if match.coherence >= near[0].coherence - 0.2}
    ordered = [*near, *(match for match in matches if match not in near)]
    return [Detected(match.encoding, in_doubt=len(readings) > 1) for match in ordered]


def _sample(content: bytes) -> bytes:
    # A line end is never part of a character in these encodings.
    lines = [line for line in content.splitlines(keepends=True) if not line.isascii()]
    sample = b""
    for line in lines:
        if sample and len(sample) + len(line) > _SAMPLE:
            break
        sample += line
    return sample


def _is_possible(sample: bytes, encoding: str) -> bool:
    text = _decode(sample, encoding)
    if text is None or _CONTROL.search(text):
        return False
    unlikely = _HALF_WIDTH if encoding in _JAPANESE else _FOREIGN
    return len(unlikely.findall(text)) * 4 <= sum(char > "\x7f" for char in text)


def _is_plausible(text: str) -> bool:
    categories = {unicodedata.category(char) for char in set(text) - set("\t\n\v\f\r\b\x1b\ufeff")}
    return not categories & {"Cc", "Cn", "Co", "Cs"} and _common(text) * 200 >= len(text)


def _common(text: str) -> int:
    return sum(char < "\x80" for char in text)


def _decode(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except ValueError:
        return None
