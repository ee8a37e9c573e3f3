"""
Secrets in base64, and tokens that continue on the next line.

Both checks take linear time: a run of base64 is decoded once, and a line break is joined once.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable

from .secret_prefixes import SecretFormat

# An escaped newline of JSON may precede a run; its letter is no part of it.
BASE64_RUN = re.compile(r"(?:(?<![A-Za-z0-9+/_\\-])|(?<=\\[nrtbf]))[A-Za-z0-9+/_-]{16,}+={0,2}")
# Long enough that random characters rarely decode to ASCII.
_PROBE_LENGTH = 16
_NO_TEXT = re.compile(rb"[^\t\n\r -~]")
_USER_AND_PASSWORD = re.compile(r"[\w.@+\\-]{1,100}:(?P<password>[!-~]{3,200})\s{0,2}")
# Ids of objects: Repository:129, User:3f2a9d8c, arn:aws:s3, Issue:ABC-12, https://host.
_NO_PASSWORD = re.compile(r"/.*|.*:.*|[0-9a-fA-F-]*|[A-Z]+-\d+")

_TOKEN_CHAR = "[A-Za-z0-9_+/=.~:-]"
_SPLIT = re.compile(
    rf"(?<!{_TOKEN_CHAR})(?P<first>{_TOKEN_CHAR}{{3,}}+)"
    # What ends a line within a literal or a command: a quote, an operator, a backslash.
    r"(?=(?P<mark>(?:\\?[\"'`])?[ \t]{0,20}[\\+.&]{0,2})(?:\r?\n|\\n)[ \t>#*|+.&]{0,40}"
    rf"(?:\\?[\"'`])?(?P<rest>{_TOKEN_CHAR}{{4,2000}}+))"
)


def decoded_text(run: str) -> str | None:
    """Return the ASCII text that *run* is the base64 of, or None."""
    probe = run[:_PROBE_LENGTH]
    if _decode(probe) is None:
        return None
    return _decode(run)


def is_user_and_password(run: str) -> bool:
    """Return whether *run* is the base64 of ``user:password``, in a place that holds one."""
    text = decoded_text(run)
    found = _USER_AND_PASSWORD.fullmatch(text) if text else None
    return found is not None and not found["password"].startswith(("//", "$", "<", "{"))


def is_random_password(text: str, looks_like_password: Callable[[str], bool]) -> bool:
    """Return whether decoded *text* is ``user:password`` and the password is no object id."""
    found = _USER_AND_PASSWORD.fullmatch(text)
    return (
        found is not None
        and text[0].isalpha()
        and len(found["password"]) >= 6
        and _NO_PASSWORD.fullmatch(found["password"]) is None
        and looks_like_password(found["password"])
    )


def redact_split_tokens(
    text: str, formats: Iterable[SecretFormat], placeholder: Callable[[str], str]
) -> tuple[str, list[str]]:
    """Return *text* without the tokens that a line break divides, and the kind of each."""
    formats = [each for each in formats if each.sign in text]
    if not formats or ("\n" not in text and "\\n" not in text):
        return text, []
    kinds: list[str] = []
    parts: list[str] = []
    end = 0
    for found in _SPLIT.finditer(text):
        if found.start() < end:
            continue
        for each in formats:
            if (span := _split_token(found, each, formats)) is not None:
                parts += [text[end : span[0]], placeholder(each.kind)]
                kinds.append(each.kind)
                end = span[1]
                break
    return ("".join([*parts, text[end:]]) if kinds else text), kinds


def _decode(run: str) -> str | None:
    run = run.rstrip("=").translate(_URL_SAFE)
    if len(run) % 4 == 1:
        return None
    data = base64.b64decode(run + "=" * (-len(run) % 4))
    return None if _NO_TEXT.search(data) else data.decode("ascii")


_URL_SAFE = str.maketrans("-_", "+/")


def _split_token(
    found: re.Match[str], mark: SecretFormat, formats: list[SecretFormat]
) -> tuple[int, int] | None:
    """Return the start and end of a token of format *mark* that continues on the next line."""
    first, rest = found["first"], found["rest"]
    # The prefix may be divided too, but not a list of tokens.
    if mark.sign not in first or any(each.sign in rest for each in formats):
        return None
    # An escape before the token decides whether it starts there.
    lead = found.string[max(0, found.start() - 2) : found.start()]
    match = mark.pattern.search(lead + first + rest, len(lead))
    length = match.end() - len(lead) - len(first) if match else 0
    if match is None or length < 4 or _is_word(rest):
        return None
    if mark.pattern.search(lead + first, len(lead)) and not (found["mark"] or _is_mixed(rest)):
        return None
    return found.start() + match.start() - len(lead), found.start("rest") + length


def _is_mixed(text: str) -> bool:
    """Return whether a text is no word, number or digest: it mixes cases and digits."""
    return (
        len(text) >= 8
        and not _is_word(text)
        and any(char.isupper() for char in text)
        and any(char.islower() for char in text)
    )


def _is_word(text: str) -> bool:
    return not text.isupper() and not any(char.isdigit() for char in text)
