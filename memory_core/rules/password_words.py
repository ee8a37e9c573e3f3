"""
Passwords of letters only, which need a label and no words after them.

A word after a label is also a type, a state, a heading or a variable; those are listed.
"""

from __future__ import annotations

import re

PASSWORD_TERMS = (
    *("passwort", "kennwort", "contrase\u00f1a", "contrasena", "mot de passe", "senha"),
    *("wachtwoord", "l\u00f6senord", "has\u0142o"),
    *("\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801", "\u5bc6\u78bc"),
    *("\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638"),
)
_LABEL = (
    rf"(?:password|passwd|passphrase|(?<![a-z])pwd|(?<![a-z])(?-i:pass)|{'|'.join(PASSWORD_TERMS)})"
    r"(?:[_-]?(?:prod|live|dev|test|staging|old|new|\d{1,3}))?"
)
_WORD = r"(?P<secret>[^\s\"'`<>,;|(){}\[\]=:/\\&]{6,64}+)"
# A variable in camel case, unless it is quoted.
_NO_VARIABLE = r"(?:(?<=[\"'`])|(?!(?-i:[a-z]+[A-Z])))"
_LINE_END = r"(?=\\?[\"'`]?[*_]{0,3}[ \t]{0,20}(?:\Z|\r|\n|\\[nr]|[,;)}\]]|</))"

PASSWORD_WORD = re.compile(
    rf"(?i)(?P<before>{_LABEL}\\?[\"'*_`]{{0,3}}[ \t]{{0,20}}(?::=|=>|[:=\uff1a])(?:\*\*|__)?"
    rf"[ \t]{{0,20}}(?:(?:\r?\n|\\n)[ \t]{{1,20}})?\\?[\"'`]?){_NO_VARIABLE}{_WORD}{_LINE_END}"
)
# Several pairs in one line: a connection string, an address, a command.
PASSWORD_WORD_IN_LIST = re.compile(
    rf"(?i)(?P<before>(?:{_LABEL}=|--password[ =])[\"']?){_NO_VARIABLE}{_WORD}(?=[\s&\"';,]|\Z)"
)
PASSWORD_WORD_IN_MARKUP = re.compile(
    r"(?i)(?P<before><[\w:.-]{0,40}(?:password|passwd|passphrase|pwd)(?:\s[^<>]{0,200})?>"
    rf"(?:<!\[CDATA\[)?\s{{0,20}}){_WORD}(?=\s{{0,20}}(?:\]\]>|</))"
)
# A heading is followed by a line of hyphens.
PASSWORD_WORD_IN_ROW = re.compile(
    rf"(?im)(?P<before>^[ \t>]{{0,20}}\|[ \t]{{0,20}}[*_`]{{0,3}}{_LABEL}[*_`]{{0,3}}"
    r"[ \t]{0,20}\|"
    rf"[ \t]{{0,20}}[`*_]{{0,3}}){_WORD}"
    r"(?=`?[ \t]{0,20}\|[ \t]{0,20}(?:\Z|\n(?![ \t]*\|[ :]*-)))"
)
PATTERNS = (
    PASSWORD_WORD,
    PASSWORD_WORD_IN_LIST,
    PASSWORD_WORD_IN_MARKUP,
    PASSWORD_WORD_IN_ROW,
)

_STATES = """
    absent accepted allowed blank cancelled changed correct default deleted denied different
    disabled empty enabled encrypted expired failed forgotten generated hashed hidden identical
    ignored incorrect invalid locked masked matched mismatch missing needed omitted optional
    plaintext private protected random redacted rejected removed renewed required reset rotated
    salted saved sensitive stored strong unchanged unique unknown unset updated verified visible
    weak wrong
"""
_TYPES = """
    any boolean bytes bytestring cleartext column field hidden input integer nullable number object
    option optional string strings textfield tinytext longtext unicode varchar nvarchar bcrypt
    argon scrypt pbkdf plain
"""
_VARIABLES = """
    account answer argument arguments argv config configuration content context credential
    credentials current params parameter prompt request response result self settings state stdin
    undefined value values variable payload userinput getenv environ environment
"""
_HEADINGS = """
    action comment column description details example format length maximum meaning minimum
    notes policy purpose remarks settings status strength system username
"""
_EXAMPLES = """
    changeit changeme change-me dummy example foobar insert placeholder replace-me replaceme sample
    something
"""
_OTHER_LANGUAGES = """
    erforderlich falsch fehlt geheim leer optional notwendig pflichtfeld ung\u00fcltig unbekannt
    obligatoire requis invalide obligatorio requerida requerido
"""
_ALGORITHM = re.compile(
    r"(?i)(?:scram-)?(?:sha|md|bcrypt|argon|scrypt|pbkdf|base|aes|hs|rs|utf|varchar|char|string|int"
    r"|hmac)-?\d{1,4}[a-z]{0,3}\d?"
)
_WORDS_OF_TEXT = frozenset(
    f"{_STATES}{_TYPES}{_VARIABLES}{_HEADINGS}{_EXAMPLES}{_OTHER_LANGUAGES}".split()
)
_PARTS_OF_NAMES = (
    *("pass", "pwd", "secret", "token", "credential", "your-", "xxx", "..."),
    *PASSWORD_TERMS,
)


def is_password_word(secret: str) -> bool:
    """Return whether the word after a label is a password and no type, state or variable."""
    word = secret.rstrip(".!?*").lower()
    return (
        len(word) >= 6
        and len(set(word)) >= 4
        and not word.startswith(tuple("$%*-@#~.[{<("))
        and not any(char in word for char in "._")
        and any(char.isalpha() for char in word)
        and not is_algorithm(word)
        and word not in _WORDS_OF_TEXT
        and not any(map(word.__contains__, _PARTS_OF_NAMES))
    )


def is_algorithm(word: str) -> bool:
    """Return whether a word with digits names an algorithm or a type: sha256, utf8mb4."""
    return _ALGORITHM.fullmatch(word) is not None
