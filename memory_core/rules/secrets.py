"""
Keys and passwords in a text, and the text without them.

1. A secret is known by the mark its issuer gives it (``ghp_``, ``AKIA``, ``BEGIN PRIVATE KEY``),
   or by what stands before it (``password=``, ``Authorization: Bearer``). A run of letters and
   digits alone is no secret: hashes of commits, ids and digests stay as they are.
2. A word that says what it is, such as ``YOUR_API_KEY`` or ``${TOKEN}``, is no secret either.
3. What was taken out once is found no more: the words put in its place match nothing here.
4. The work grows with the text and no faster: no pattern starts within a word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

# Long enough for every real key; what goes on beyond is no key.
_LONGEST = 4000
# The shortest secret that is told by the word before it alone.
_SHORTEST = 12

_START = r"(?<![A-Za-z0-9_-])"
_WORD = r"[A-Za-z0-9_-]"
_LINE_END = r"(?:\s|\\[nrt])"

_MARKED: tuple[tuple[str, str], ...] = (
    ("AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("GitHub token", rf"(?:gh[opsur]_[A-Za-z0-9]{{36,255}}|github_pat_{_WORD}{{22,255}})"),
    ("GitLab token", rf"gl(?:pat|dt|rt|ptt)-{_WORD}{{20,255}}"),
    ("Anthropic key", rf"sk-ant-{_WORD}{{20,255}}"),
    ("OpenAI key", rf"sk-(?:(?:proj|svcacct|admin)-)?(?=[A-Za-z_-]*\d){_WORD}{{20,255}}"),
    ("Google API key", rf"AIza{_WORD}{{35}}"),
    ("Google access token", rf"ya29\.{_WORD}{{20,{_LONGEST}}}"),
    ("Slack token", r"xox[a-z]-(?:[A-Za-z0-9]+-?){3,20}"),
    ("Stripe key", r"(?:[rs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,255}"),
    ("npm token", r"npm_[A-Za-z0-9]{36}"),
    ("PyPI token", rf"pypi-{_WORD}{{50,{_LONGEST}}}"),
    ("Hugging Face token", r"hf_[A-Za-z0-9]{30,255}"),
    ("SendGrid key", rf"SG\.{_WORD}{{16,64}}\.{_WORD}{{16,128}}"),
    ("DigitalOcean token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("Groq key", r"gsk_[A-Za-z0-9]{40,255}"),
    ("Pinecone key", rf"pcsk_{_WORD}{{20,255}}"),
    ("Voyage key", rf"pa-{_WORD}{{40,255}}"),
    ("Telegram bot token", rf"\d{{8,10}}:AA{_WORD}{{33}}"),
    (
        "JSON web token",
        rf"eyJ{_WORD}{{10,{_LONGEST}}}\.eyJ{_WORD}{{10,{_LONGEST}}}\.{_WORD}{{10,{_LONGEST}}}",
    ),
)

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<of>[A-Z0-9 ]{0,40})PRIVATE KEY(?P<block> BLOCK)?-----"
    rf"(?:(?:[^-]|-(?!----))*-----END (?P=of)PRIVATE KEY(?P=block)?-----"
    rf"|{_LINE_END}*(?:[A-Za-z0-9+/=]{{40,}}{_LINE_END}*)+)"
)

_BY_MARK = re.compile(
    _START
    + "(?:"
    + "|".join(f"(?P<k{n}>{pattern})" for n, (_, pattern) in enumerate(_MARKED))
    + ")"
)

# What a password stands in, and the words before it.
_HEADER = re.compile(
    r"(?i)(?<![a-z0-9_-])(?P<before>authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:bearer|basic|token)\s{1,3})(?P<secret>[^\s\"'\\,;<>]{12,4000})"
)
_IN_URL = re.compile(
    r"(?P<before>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,100}:)"
    r"(?P<secret>[^\s:/@\"'<>]{1,200})(?=@)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?i)(?<![a-z0-9])(?P<before>(?:[a-z0-9]{1,30}[_-]){0,4}"
    r"(?:api[_-]?key|secret[_-]?key|secret[_-]?access[_-]?key|access[_-]?token|auth[_-]?token"
    r"|refresh[_-]?token|client[_-]?secret|private[_-]?key|password|passwd|secret|token)"
    r"\\?[\"']?\s{0,3}(?::=|=>|[:=])\s{0,3}\\?[\"']?)"
    r"(?P<secret>[A-Za-z0-9_+/=.~!@#$%^&*-]{12,400})"
)

# One of these is in every text that holds a secret; looking for them costs next to nothing.
_SIGNS = (
    *("AKIA", "ASIA", "gh", "gl", "sk-", "k_", "AIza", "ya29.", "xox", "whsec_", "npm_", "pypi-"),
    *("hf_", "SG.", "_v1_", "pcsk_", "pa-", ":AA", "eyJ", "PRIVATE KEY", "://"),
)
_WORDS = ("authorization", "key", "token", "secret", "passw")


class Redaction(NamedTuple):
    """A secret that was taken out: what it was and in which part of what was given."""

    kind: str
    where: str


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """Return *text* without its secrets, and what each of them was, in order of the patterns."""
    if len(text) < _SHORTEST or not _may_hold_one(text):
        return text, ()
    kinds: list[str] = []

    def marked(found: re.Match[str]) -> str:
        kinds.append(_MARKED[int(str(found.lastgroup)[1:])][0])
        return _in_place_of(kinds[-1])

    def block(found: re.Match[str]) -> str:
        kinds.append("private key")
        return _in_place_of("private key")

    def told(found: re.Match[str]) -> str:
        if not _looks_made(found["secret"]):
            return found[0]
        kinds.append("password or key")
        return found["before"] + _in_place_of("password or key")

    def in_url(found: re.Match[str]) -> str:
        if _is_placeholder(found["secret"]):
            return found[0]
        kinds.append("password in an address")
        return found["before"] + _in_place_of("password in an address")

    text = _KEY_BLOCK.sub(block, text)
    text = _BY_MARK.sub(marked, text)
    text = _IN_URL.sub(in_url, text)
    text = _HEADER.sub(told, text)
    return _ASSIGNED.sub(told, text), tuple(kinds)


def redacted_arguments(values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Redaction, ...]]:
    """
    Return JSON values by name without the secrets in their texts, and where each was.

    A name that says so makes a secret of the text beside it: {"api_key": "..."}.
    """
    found: list[Redaction] = []
    return dict(_members(values, "", found)), tuple(found)


def _walked(value: Any, where: str, found: list[Redaction]) -> Any:
    if isinstance(value, str):
        text, kinds = redacted(value)
        found.extend(Redaction(kind, where) for kind in kinds)
        return text
    if isinstance(value, list):
        return [_walked(item, f"{where}[{n}]", found) for n, item in enumerate(value)]
    if isinstance(value, dict):
        return dict(_members(value, where, found))
    return value


def _members(
    values: Mapping[str, Any], where: str, found: list[Redaction]
) -> Iterator[tuple[str, Any]]:
    for name, item in values.items():
        place = f"{where}.{name}" if where else name
        if isinstance(item, str):
            beside = json.dumps({name: item}, ensure_ascii=False)
            told = _ASSIGNED.search(beside)
            if told and told["secret"] == item and _looks_made(item):
                found.append(Redaction("password or key", place))
                yield name, _in_place_of("password or key")
                continue
        yield name, _walked(item, place, found)


def _in_place_of(kind: str) -> str:
    return f"[redacted: {kind}]"


def _may_hold_one(text: str) -> bool:
    if any(sign in text for sign in _SIGNS):
        return True
    folded = text.lower()
    return any(word in folded for word in _WORDS)


def _looks_made(secret: str) -> bool:
    """Return whether a machine made it: letters and digits mixed, and no name of a variable."""
    return (
        not _is_placeholder(secret)
        and any(char.isdigit() for char in secret)
        and any(char.isalpha() for char in secret)
        and len(set(secret)) >= 8
    )


def _is_placeholder(secret: str) -> bool:
    return secret.startswith(("$", "{", "<", "%", "[", "*")) or set(secret) <= set("xX*.-")
