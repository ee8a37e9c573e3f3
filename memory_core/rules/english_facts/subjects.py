"""
Subjects of statements, in the third person.

"I" is the speaker; "we" is the speaker and others; "my" and "our" are possessives of the speaker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .phrases import Words
from .verbs import word_set

_NOT_A_SUBJECT = word_set(
    """
    he she it they this that these those there here what who which when where why how nobody
    everybody somebody anybody someone everyone anyone something everything nothing anything one
    some many most few all none both neither either each another other others let to not
    their his her its me us them him myself please thanks in on at for with from by as of after
    before during while because since although though until
    """
)
_NOT_IN_A_SUBJECT = word_set(
    """
    that which who whom whose when while because since although though not to there where is are
    was were has have had will i we he she they it like than only even hardly barely scarcely
    rarely seldom sometimes occasionally nearly almost supposedly
    """
)
# Nouns that refer to the conversation itself.
_CONVERSATION_NOUNS = word_set(
    "answer question problem issue idea output error response result thing one ones guess point"
)
# A plural noun before these may be no subject: tools like Redis.
_NO_PLURAL = word_set("like")
# Prepositions of an adverbial before "I": for Python I use Ruff.
_FRONTS = word_set("for at as since")
_FRONTS_A_NAME = word_set("on in")
_NO_FRONT = word_set("example instance opinion experience case reference first sure")
_FRONT = 5
OWNERS = word_set("my our")
_ARTICLES = frozenset(("the", "a", "an"))
CAPITAL = re.compile(r"[A-Z0-9_\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")
_ODD = re.compile(r"[\"\u201c\u201d:(),\[\]{}<>=|]")
POSSESSIVE = re.compile(r"['\u2019]s\Z|s['\u2019]\Z")
_PRONOUNS = word_set("i we he she it they them him this that these those there")
_OWN = {
    "my": "{}'s",
    "our": "{}'s",
    "me": "{}",
    "us": "{} and others",
    "mine": "{}'s",
    "myself": "themselves",
}


@dataclass(frozen=True)
class Mention:
    """A named thing, and its entity type, if known."""

    name: str
    node_type: str = ""


@dataclass(frozen=True)
class Subject:
    """
    The subject of a statement.

    Attributes:
        text: The subject as written in the statement.

        mention: The thing the statement is stored with.

        person: Form of the verb that follows.

        is_owned: Whether it belongs to the mention instead of being it.

        role: Its role for its owner, if it has no other name.
    """

    text: str
    mention: Mention
    person: str = "other"
    is_owned: bool = False
    role: str = ""


def parse_subject(words: Words, speaker: str) -> Subject | None:
    """Return the subject in *words*, if it is clear without the sentences before."""
    first = words.folded[0]
    if len(words) == 1 and first in ("i", "we"):
        if first == "i":
            return Subject(speaker, Mention(speaker, "person"), "i")
        return Subject(f"{speaker} and others", Mention(speaker, "person"), "we")
    if words.folded[-2:] == ("and", "i") and is_one_of_two(words[:-2]):
        other = to_third_person(words[:-2], speaker)
        return Subject(f"{other} and {lower_article(speaker)}", Mention(speaker, "person"), "we")
    if _ODD.search(words.text) or not _NOT_IN_A_SUBJECT.isdisjoint(words.folded):
        return None
    named = words[1:] if first in OWNERS or first in _ARTICLES else words
    if not len(named) or named.folded[-1] in _CONVERSATION_NOUNS or first in _NOT_A_SUBJECT:
        return None
    if first in OWNERS:
        mine = Mention(speaker, "person")
        text = to_third_person(words, speaker)
        return Subject(text, mine, is_owned=True, role=named.text.casefold())
    if first not in _ARTICLES and not CAPITAL.search(words.text):
        return None
    owner = next((n for n, word in enumerate(named.written) if POSSESSIVE.search(word)), None)
    if owner is not None:
        name = POSSESSIVE.sub("", named[: owner + 1].text)
        role = named[owner + 1 :].text.casefold()
        return Subject(words.text, Mention(name), is_owned=True, role=role)
    if "and" in words.folded:
        return Subject(words.text, Mention(""), "we")
    return Subject(words.text, Mention(named.text))


def is_one_of_two(words: Words) -> bool:
    """Return whether *words* only name a companion of "I": my wife, Bob."""
    own = words.folded[:1] == ("my",)
    named = words[2:] if own else words
    return len(named) < 3 and len(words) > own and all(map(CAPITAL.match, named.written))


def front_length(words: Words) -> int:
    """Return the number of words of an adverbial before "I"."""
    first, *others = words.folded[:_FRONT]
    is_named = len(words) > 1 and (others[0] == "my" or bool(CAPITAL.match(words.written[1])))
    if first not in _FRONTS and not (first in _FRONTS_A_NAME and is_named):
        return 0
    if not _NO_FRONT.isdisjoint(others):
        return 0
    at = next((n for n, word in enumerate(others, 1) if word in ("i", "we")), 0)
    return at if at > 1 and not any(map(is_pronoun, words.folded[:at])) else 0


def add_front(subject: Subject, front: Words, speaker: str) -> Subject:
    if not len(front):
        return subject
    text = f"{to_third_person(front, speaker)} {lower_article(subject.text)}"
    return replace(subject, text=text)


def is_plural(subject: Words, verb: Words) -> bool:
    last = subject.folded[-1]
    is_many = last.endswith("s") and not last.endswith("ss") and not POSSESSIVE.search(last)
    return is_many and verb.folded[0] not in _NO_PLURAL


def lower_article(text: str) -> str:
    """Return *text* as written within a sentence."""
    return text.replace("The ", "the ", 1) if text.startswith("The ") else text


def to_third_person(words: Words, speaker: str) -> str:
    named = lower_article(speaker)
    return " ".join(
        _OWN[low].format(named) if low in _OWN else word
        for word, low in zip(words.written, words.folded, strict=True)
    )


def is_pronoun(word: str) -> bool:
    return word in _PRONOUNS or word.startswith(("i'", "i\u2019"))
