"""
Lead-ins of statements, and standing requests.

A standing request says so: always, never, from now on. A one-time request is no fact.
"""

from __future__ import annotations

import re

from .phrases import PAST, Words
from .verbs import word_set

_POLITE = r"(?:(?:please|pls|and|so|also|ok|okay|hey|hi)\b[,\s]+)*"
_ASIDE = r"(?:correction|update|note|reminder|fyi|ps|btw|important|edit|by the way|for the record)"
_MIND = r"(?:remember|note|keep in mind|bear in mind|don['\u2019]?t forget)"
_LEAD = re.compile(
    rf"{_POLITE}(?:{_MIND}(?:\s+that\b|\s*[:,]|(?=\s+(?:i|we|my|our)\b))|note(?=\s+the\b)|{_ASIDE}\s*[:,])\s*",
    re.I,
)
_FROM_NOW_ON = ("from", "now", "on")
_HOLDS = ("always", "never")

# Words after "never" and "always" that are no request.
_NO_WISH = word_set(
    """
    mind ever again before a an the in on at by not really quite so too good great nice happy i we
    it here there up down more less once better glad sure seen had been fun just look heard my
    welcome ready available true false wrong right possible enough
    """
)
# Longer texts are probably pasted, and their requests are not the speaker's.
_LONGEST = 600
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instruction|rule|prompt|polic)",
    re.I | re.S,
)
_UNCLEAR = word_set("it this that these those them they he she him")


def may_hold_wishes(text: str) -> bool:
    """Return whether requests in *text* are probably from the speaker, not from pasted text."""
    return len(text) <= _LONGEST and _INJECTION.search(text) is None


def strip_lead(text: str) -> str:
    """Return *text* without "Please remember that" and similar."""
    lead = _LEAD.match(text)
    return text[lead.end() :] if lead else text


def parse_wish(words: Words) -> tuple[str, Words] | None:
    """
    Return the form of a standing request ("to always") and its content; None if there is none.
    """
    words = words.without_leading(("please",))
    from_now = words.folded[:3] == _FROM_NOW_ON
    words = (words[3:] if from_now else words).without_leading(("please",))
    denied = words.folded[:2] == ("do", "not")
    holds = words.folded[0] if words.folded[:1] and words.folded[0] in _HOLDS else ""
    if not holds and not from_now:
        return None
    words = words[2 if denied else 1 if holds else 0 :]
    if len(words) < 2 or not _is_request_verb(words) or not _UNCLEAR.isdisjoint(words.folded):
        return None
    return " ".join(filter(None, ("to", holds or ("not" if denied else "")))), words


def _is_request_verb(words: Words) -> bool:
    verb = words.written[0]
    if not (verb.isascii() and verb.isalpha() and verb.islower()):
        return False
    if verb in _NO_WISH or verb in PAST or verb.endswith(("ed", "ing")):
        return False
    return not verb.endswith("s") or verb.endswith("ss")
