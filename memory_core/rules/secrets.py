"""
Detection and redaction of secrets in text.

1. A secret is recognized by its issuer's format (``ghp_``, ``AKIA``, ``BEGIN PRIVATE KEY``) or by
   its context (``password=``, ``Authorization: Bearer``). Random letters and digits alone are not:
   commit hashes, ids and digests are kept.
2. Placeholders such as ``YOUR_API_KEY`` or ``${TOKEN}`` are not secrets.
3. Redaction is idempotent: the inserted text matches no pattern.
4. Time is linear in the text: long matches start at the beginning of a word and use possessive
   quantifiers.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from . import password_words
from .password_words import PASSWORD_TERMS, is_algorithm, is_password_word
from .secret_prefixes import SECRET_FORMATS
from .wrapped_secrets import (
    BASE64_RUN,
    decoded_text,
    is_random_password,
    is_user_and_password,
    redact_split_tokens,
)

# The length of the shortest secret that is looked for.
MIN_SECRET_LENGTH = 12

# Between the lines of a key that is quoted, commented, indented or embedded in source or JSON.
_LINE_SEPARATOR = r"(?:\\+[nrt]?|[\s>#|\"'`,;*+]){0,200}+"
_LINE_OF_KEY = r"(?=[a-z+/=]{0,24}[A-Z0-9])[A-Za-z0-9+/=]{24,}+"
_LINES_OF_KEY = (
    rf"(?:{_LINE_SEPARATOR}(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\n\\]{{0,200}}+){{0,6}}+"
    rf"(?:{_LINE_SEPARATOR}{_LINE_OF_KEY})++(?:{_LINE_SEPARATOR}[A-Za-z0-9+/]{{0,24}}+={{1,2}}+)?+"
    r"(?:\s|\\[nrt])*+"
)

_KEY_BLOCK = re.compile(
    r"(?<!-)-{4,10}+ ?(?i:BEGIN) (?P<of>[A-Za-z0-9 ]{0,40})(?i:PRIVATE KEY)(?: BLOCK)?"
    r" ?-{4,10}+"
    r"(?:(?P<whole>(?:[^-]|-(?!---))*+-{4,10}+ ?(?i:END) [A-Za-z0-9 ]{0,40}(?i:PRIVATE KEY)"
    rf"(?: BLOCK)? ?-{{4,10}}+)|{_LINES_OF_KEY})"
)
_PUTTY_KEY = re.compile(rf"Private-Lines: \d{{1,4}}{_LINES_OF_KEY}")
# First characters of private keys, by a substring of each.
_KEY_BODY_PREFIXES = {
    "IBAAK": r"MII[A-Za-z0-9+/]{3}IBAAK[BC]",
    "IBADAN": r"MII[A-Za-z0-9+/]{3}IBADANBgkqhkiG9w0BAQEFAAS",
    "MHcCAQEEI": "MHcCAQEEI",
    "AgEBBD": r"MIG[A-Za-z0-9+/]AgEBBD",
    "AgEAMB": r"MIG[A-Za-z0-9+/]AgEAMB[A-Za-z0-9+/]{1,3}ByqGSM49",
    "CAQAwBQYDK2": r"M[A-Za-z0-9+/]4CAQAwBQYDK2",
    "b3BlbnNzaC1rZXktdjE": "b3BlbnNzaC1rZXktdjE",
}
_KEY_BODY = re.compile(
    rf"(?<![A-Za-z0-9+/])(?:{'|'.join(_KEY_BODY_PREFIXES.values())})[A-Za-z0-9+/=]{{16,}}+"
    rf"(?:{_LINE_SEPARATOR}{_LINE_OF_KEY})*+(?:{_LINE_SEPARATOR}[A-Za-z0-9+/]{{0,24}}+={{1,2}}+)?+"
)

# Invisible characters that split a key.
_INVISIBLE = re.compile(
    "(?<=[A-Za-z0-9_+/=.-])[\u00ad\u200b-\u200d\u2060\ufeff]{1,9}(?=[A-Za-z0-9_+/=.-])"
)

# Contexts of passwords.
_HEADER = re.compile(
    r"(?i)(?P<before>(?:authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?"
    r"(?:bearer|basic|token|apikey|api-key|key|negotiate)|(?<![a-z])bearer)\s{1,3}"
    r"(?:token=\\?[\"']?)?|(?<![a-z])cookie: ?[^\s=;,]{1,60}=)(?P<secret>[^\s\"'\\,;<>]{12,}+)"
)
_PASSWORD_IN_URL = re.compile(
    r"(?P<before>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,200}:)"
    r"(?P<secret>[^\s/\"'<>]{1,200})(?=@)",
    re.IGNORECASE,
)
_USER_IN_URL = re.compile(
    r"(?P<before>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://)(?P<secret>[A-Za-z0-9_-]{20,}+)(?=@)"
)
_VALUE = r"(?P<secret>[A-Za-z0-9_+/=.~!@#$%^&*-]{8,}+)(?![(\[])"
_ASSIGNMENT = (
    # Markdown: bold labels, code, and rows of tables.
    r"\\?[\"'*_`]{0,3}[ \t]{0,20}(?::=|=>|[:=\uff1a|]|%3d|(?<=[a-z0-9])>)(?:\*\*|__)?[ \t]{0,20}"
    r"(?:[|>][+-]?)?(?:(?:\r?\n|\\n)[ \t]{1,20})?\\?[\"'`]?"
)
_NAME_SUFFIX = r"(?:[_-]?(?:base|prod|production|live|dev|test|staging|old|new|value|\d{1,3}))?"
_PASSWORD = re.compile(
    rf"(?i)(?P<before>(?:(?:password|passwd|passphrase){_NAME_SUFFIX}(?:{_ASSIGNMENT}| is )"
    # A path after pwd is the working directory, and "PASS: a" is the result of a test.
    rf"|(?<![a-z])(?:pass|pwd){_NAME_SUFFIX}=\\?[\"']?(?![/~.])"
    rf"|(?<![a-z])(?:(?-i:pass)|pwd)\\?[\"']?[ \t]{{0,9}}(?::|=>|=)[ \t]{{0,9}}\\?[\"'`]?(?![/~.])"
    r"|--password[ =]\\?[\"']?))" + _VALUE.replace("8,", "6,")
)
_KEY = re.compile(
    r"(?i)(?P<before>(?:(?:api|access|account|secret|private|encryption|signing|master|session"
    r"|auth)[ _-]?key|(?:access|auth|refresh|api|session)[_-]?token|client[_-]?secret|secret|token"
    r"|credentials?|authorization|(?<![a-z])_auth)"
    rf"{_NAME_SUFFIX}(?:{_ASSIGNMENT}| is )|--[a-z-]{{0,30}}(?:key|token|secret) \\?[\"']?"
    r"|[?&](?:key|sig|signature)=)" + _VALUE
)

# One of these is in every text that holds a secret; looking for them costs next to nothing.
_HINTS = (
    *("auth", "basic", "bearer", "key", "token", "secret", "passw", "pass", "pwd", "credential"),
    *("://", "sig=", "cookie"),
)

# Programs that accept a password as an unnamed argument.
_COMMANDS = (
    *("mysql", "mariadb", "mongo", "docker login", "podman login"),
    *("sshpass", "redis-cli", "ldap", " pass:"),
)
_PASSWORD_ARGUMENT = (
    r"(?<![a-z])(?:(?:mysql|mariadb)[a-z-]{0,12} (?:[^\n]{0,200}? )?-p"
    r"|(?:sshpass|mongo[a-z]{0,7}|(?:docker|podman) login) (?:[^\n]{0,200}? )?-p[ =]?"
    r"|redis-cli (?:[^\n]{0,200}? )?-a "
    r"|ldap[a-z]{3,8} (?:[^\n]{0,200}? )?-w "
    r"|-pass(?:in|out)? pass:)[\"']?"
)
# The value of a named property, in XML.
_PROPERTY = (
    r"(?:key|name)=\\?[\"'][\w.:-]{0,60}"
    r"(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key)\\?[\"']\s{1,20}value=\\?[\"']"
)
_STRONG_VALUE = r"(?P<secret>[^\s\"'`<>\\]{4,200}+)"
# Places of passwords that may be words.
_STRONG_CONTEXT = re.compile(
    rf"(?i)(?P<before>{_PROPERTY}|(?<![a-z])login\s{{1,9}}\S{{1,100}}\s{{1,9}}password\s{{1,9}}"
    r"|(?<![a-z])curl (?:[^\n]{0,200}? )?(?:-u|--(?:proxy-)?user)[ =]{0,3}[\"']?[\w.@-]{1,100}:)"
    + _STRONG_VALUE
)
# The user and password of a registry, in base64.
_BASIC = re.compile(
    r"(?i)(?P<before>(?<![a-z])(?:_?auth\\?[\"']?\s{0,9}[:=]\s{0,9}\\?[\"']?(?:basic\s{1,3})?"
    r"|basic\s{1,3}))(?P<secret>[a-z0-9+/_-]{8,}+={0,2})"
)
_PGPASS_LINE = r"(?<![\w.:-])[\w.*-]{1,100}:(?:\*|[56]43\d):[\w*-]{1,63}:[\w.*-]{1,63}:"

# Where else a password stands, and what is in every such text, in small letters.
_OTHER_CONTEXTS = tuple(
    (words, re.compile(rf"(?i)(?P<before>{before}){_VALUE}"))
    for words, before in (
        (
            PASSWORD_TERMS,
            rf"(?:{'|'.join(PASSWORD_TERMS)}){_NAME_SUFFIX}"
            rf"(?:{_ASSIGNMENT}| (?:ist|est|es|\u00e8) )",
        ),
        (_COMMANDS, _PASSWORD_ARGUMENT),
        ((":543", ":643", ":*:"), _PGPASS_LINE),
    )
)

# Names of properties and arguments whose values are secrets.
_SECRET_NAME = re.compile(
    r"(?i)(?:password|passwd|passphrase|(?:^|[_-])(?:pass|pwd)|(?:api|access|account|secret|private"
    r"|encryption|signing|master|session|auth)[ _-]?key|secret|token|credentials?|authorization)"
    rf"{_NAME_SUFFIX}$"
)
_PASSWORD_NAME = re.compile(
    rf"(?i)(?:password|passwd|passphrase|(?:^|[_-])(?:pass|pwd)|{'|'.join(PASSWORD_TERMS)})"
    rf"{_NAME_SUFFIX}$"
)

# Private members of a JSON Web Key.
_JWK_PRIVATE_MEMBERS = ("d", "p", "q", "dp", "dq", "qi", "k")


_PASSWORD_OR_KEY = "password or key"
_IN_ADDRESS = "password in an address"

# Every text with a secret contains one of these, the second kind in lower case.
_SIGNS = tuple({*_KEY_BODY_PREFIXES, *(mark.sign for mark in SECRET_FORMATS)})
_LOWER_SIGNS = tuple(
    {"private", *_HINTS, *(word for words, _ in _OTHER_CONTEXTS for word in words)}
)


_PASSWORD_SIGNS = ("pass", "pwd", "curl", "value=", *PASSWORD_TERMS)


class Redaction(NamedTuple):
    """A redacted secret: its kind, and its place in the input."""

    kind: str
    where: str


# Returns a text without its secrets, and the kind of each.
Redact = Callable[[str], tuple[str, tuple[str, ...]]]


def redact_text(text: str) -> tuple[str, tuple[str, ...]]:
    """
    Return *text* without its secrets, and the kind of each secret in order of the patterns.

    JSON stays JSON: each of its texts is redacted separately.
    """
    if len(text) < MIN_SECRET_LENGTH:
        return text, ()
    # Taken out only where a secret appears without them.
    visible = text if text.isascii() else _INVISIBLE.sub("", text)
    is_json = text.startswith(("{", "["))
    if not _has_sign(visible) and not (is_json and "\\u" in text):
        return text, ()
    clean, kinds = _apply_patterns(text)
    if visible != text:
        clean, kinds = max(
            (clean, kinds), _apply_patterns(visible), key=lambda found: len(found[1])
        )
    if is_json and (kinds or "\\u" in text):
        # Invalid JSON, or nested too deeply: redacted as plain text.
        with suppress(ValueError, RecursionError):
            clean, kinds = _redact_json(text) or (clean, kinds)
    return clean, kinds


def has_secret(text: str) -> bool:
    return bool(redact_text(text)[1])


def redact_arguments(
    values: Mapping[str, Any], redact: Redact = redact_text
) -> tuple[dict[str, Any], tuple[Redaction, ...]]:
    """
    Return JSON values by name with *redact* applied to their texts, and the redactions by place.

    A name may show that its text is a secret: {"api_key": "..."}.
    """
    walk = _JsonRedactor(redact)
    return walk.members(values, ""), tuple(walk.found)


def _has_sign(text: str) -> bool:
    """Return whether *text* contains any sign of a secret. Called for all text: no Python loop."""
    return (
        any(map(text.__contains__, _SIGNS))
        or any(map(text.lower().__contains__, _LOWER_SIGNS))
        or BASE64_RUN.search(text) is not None
    )


def _apply_patterns(text: str) -> tuple[str, tuple[str, ...]]:
    text, key_kinds = _apply_key_patterns(text)
    text, split_kinds = redact_split_tokens(text, SECRET_FORMATS, _placeholder)
    text, kinds = _apply_context_patterns(text)
    text, wrapped_kinds = _redact_base64(text)
    return text, (*key_kinds, *split_kinds, *kinds, *wrapped_kinds)


class _Scan:
    """A text from which patterns take secrets, and the kind of each."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []

    def take_out(
        self, pattern: re.Pattern[str], kind: str, only: Callable[[str], bool] = bool
    ) -> None:
        if pattern.search(self.text) is not None:
            self.text = pattern.sub(_make_replacer(kind, self.kinds, only=only), self.text)


def _apply_key_patterns(text: str) -> tuple[str, list[str]]:
    scan = _Scan(text)
    if "private" in text.lower():
        scan.take_out(_KEY_BLOCK, "private key", _contains_key_lines)
        scan.take_out(_PUTTY_KEY, "private key")
    if any(map(text.__contains__, _KEY_BODY_PREFIXES)):
        scan.take_out(_KEY_BODY, "private key")
    return scan.text, scan.kinds


def _apply_context_patterns(text: str) -> tuple[str, list[str]]:
    scan = _Scan(text)
    lower = text.lower()
    for mark in SECRET_FORMATS:
        if mark.sign in text:
            scan.take_out(mark.pattern, mark.kind)
    for words, pattern in _OTHER_CONTEXTS:
        if any(map(lower.__contains__, words)):
            scan.take_out(pattern, _PASSWORD_OR_KEY, _looks_like_password)
    if any(map(lower.__contains__, _HINTS)):
        scan.take_out(_PASSWORD_IN_URL, _IN_ADDRESS, _is_real)
        scan.take_out(_USER_IN_URL, _IN_ADDRESS, _looks_random)
        scan.take_out(_HEADER, _PASSWORD_OR_KEY, _looks_random)
        scan.take_out(_PASSWORD, _PASSWORD_OR_KEY, _looks_like_password)
        scan.take_out(_KEY, _PASSWORD_OR_KEY, _looks_random)
        scan.take_out(_BASIC, _PASSWORD_OR_KEY, is_user_and_password)
    if any(map(lower.__contains__, _PASSWORD_SIGNS)):
        scan.take_out(_STRONG_CONTEXT, _PASSWORD_OR_KEY, _is_given_password)
        for pattern in password_words.PATTERNS:
            scan.take_out(pattern, _PASSWORD_OR_KEY, is_password_word)
    return scan.text, scan.kinds


def _redact_base64(text: str) -> tuple[str, list[str]]:
    kinds: list[str] = []

    def replacement(found: re.Match[str]) -> str:
        decoded = decoded_text(found[0])
        if decoded is None:
            return found[0]
        _, inner = _apply_context_patterns(decoded)
        if not inner and is_random_password(decoded, _looks_like_password):
            inner = [_PASSWORD_OR_KEY]
        if not inner:
            return found[0]
        kinds.append(inner[0])
        return _placeholder(inner[0])

    return BASE64_RUN.sub(replacement, text), kinds


def _redact_json(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return *text* with each of its strings redacted; None if none contains a secret."""
    walk = _JsonRedactor(redact_text)
    clean = walk.value(json.loads(text), "")
    if not walk.found:
        return None
    kinds = tuple(redaction.kind for redaction in walk.found)
    return json.dumps(clean, ensure_ascii=False, sort_keys=True), kinds


class _JsonRedactor:
    """Redacts the texts of JSON values and collects the redactions with their places."""

    def __init__(self, redact: Redact) -> None:
        self.found: list[Redaction] = []
        self._redact = redact

    def value(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            return self._text(value, where)
        if isinstance(value, list):
            return [self.value(item, f"{where}[{n}]") for n, item in enumerate(value)]
        if isinstance(value, dict):
            return self.members(value, where)
        return value

    def members(self, values: Mapping[str, Any], where: str) -> dict[str, Any]:
        clean = {}
        for name, item in values.items():
            # The place is reported, so the name must not contain a secret either.
            clean_name = self._text(name, where) if len(name) >= MIN_SECRET_LENGTH else name
            place = f"{where}.{clean_name}" if where else clean_name
            if not isinstance(item, str):
                clean[clean_name] = self.value(item, place)
            elif _is_secret_member(name, item, values):
                self.found.append(Redaction(_PASSWORD_OR_KEY, place))
                clean[clean_name] = _placeholder(_PASSWORD_OR_KEY)
            else:
                clean[clean_name] = (
                    self._text(item, place) if len(item) >= MIN_SECRET_LENGTH else item
                )
        return clean

    def _text(self, text: str, where: str) -> str:
        clean, kinds = self._redact(text)
        if kinds:
            self.found += [Redaction(kind, where) for kind in kinds]
        return clean


def _is_secret_member(name: str, value: str, members: Mapping[str, Any]) -> bool:
    if name.lower() in ("auth", "_auth"):
        return is_user_and_password(value)
    if _PASSWORD_NAME.search(name) and is_password_word(value) and not re.search(r"\s", value):
        return True
    is_private = "kty" in members and name in _JWK_PRIVATE_MEMBERS
    return bool(is_private or _SECRET_NAME.search(name)) and _looks_like_password(value)


def _make_replacer(
    kind: str, kinds: list[str], *, only: Callable[[str], bool] = bool
) -> Callable[[re.Match[str]], str]:
    """Return a replacement function that redacts matches passing *only* and records their kind."""

    def replacement(found: re.Match[str]) -> str:
        groups = found.groupdict()
        if not only(groups.get("secret") or groups.get("whole") or found[0]):
            return found[0]
        kinds.append(kind)
        return groups.get("before", "") + _placeholder(kind)

    return replacement


def _placeholder(kind: str) -> str:
    return f"[redacted: {kind}]"


def _contains_key_lines(block: str) -> bool:
    """Return whether a block contains lines of key data, not only text about keys."""
    return re.search(r"(?=[A-Za-z+/=]{0,20}\d)[A-Za-z0-9+/=]{20}", block) is not None


def _looks_like_password(secret: str) -> bool:
    """Return whether a text mixes letters and digits and is no placeholder."""
    return (
        not _is_placeholder(secret)
        and not is_algorithm(secret)
        and any(char.isdigit() for char in secret)
        and any(char.isalpha() for char in secret)
        and len(set(secret)) >= 5
    )


def _looks_random(secret: str) -> bool:
    """Return whether a text looks machine-generated: letters and digits alternate often."""
    if not _looks_like_password(secret) or len(secret) < MIN_SECRET_LENGTH or len(set(secret)) < 8:
        return False
    digits = [char.isdigit() for char in secret if char.isalnum()]
    changes = sum(one != other for one, other in itertools.pairwise(digits))
    return changes >= 3 or (len(secret) >= 16 and secret.isalnum())


def _is_given_password(secret: str) -> bool:
    """Return whether a text where only a password can be is one, and no placeholder."""
    return _looks_like_password(secret) or is_password_word(secret)


def _is_real(secret: str) -> bool:
    return not _is_placeholder(secret)


def _is_placeholder(secret: str) -> bool:
    return secret.startswith(("$", "{", "<", "%", "[", "*")) or set(secret) <= set("xX*.-")
