"""
Full-text terms of numbers with separators.

1. A separator groups three digits (12,500, 12.500,00, 12 500, 12'500; Indian 12,34,567) or begins
   the decimals (12.5, 12,5). 12.500 may be either and has the terms of both.
2. The canonical term has no groups and no trailing zeros: 12500, or 12d5 for 12.5.
3. Digits without a separator are ordinary words.
"""

from __future__ import annotations

import re

_GROUPED = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d+"
    r"|\d{1,3}(?:['\u2019]\d{3})+(?:[.,]\d+)?"
    r"|\d{1,3}(?: \d{3})+(?:[.,]\d+)?"
)
# No part of an identifier, a version (1.2.3), a list (1,2,3) or a date.
NUMBER = rf"(?<![\w.,])(?:{_GROUPED}|\d+[.,]\d+)(?![\d_]|[.,-]\d|\.\w)"

_DIGITS = re.compile(r"\d+")
_GROUPS = re.compile(r"\d{1,3}[.,]\d{3}")


def number_terms(number: str) -> tuple[str, ...]:
    """Return the terms of a match of NUMBER, the canonical one last."""
    words = _DIGITS.findall(number)
    whole = "".join(words)
    separators = set(number) - set("0123456789")
    if len(words) == 2 and separators <= {".", ","}:
        readings = [_canonical(words[0], words[1])]
        if _GROUPS.fullmatch(number) and words[0] != "0":
            readings.append(whole)
        parts = () if separators == {","} and len(words[1]) == 3 else words
        return tuple(dict.fromkeys([*parts, *readings]))
    if separators == {" "}:
        return (*words, whole)
    if len(separators) == 1:
        return (whole,)
    return (_canonical("".join(words[:-1]), words[-1]),)


def _canonical(whole: str, decimals: str) -> str:
    decimals = decimals.rstrip("0")
    return f"{whole.lstrip('0') or '0'}d{decimals}" if decimals else whole
