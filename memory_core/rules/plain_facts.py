"""
Plain statements in a text, taken as they stand, without any model.

1. Only what is stated: no questions, suppositions, reports of what others say, nothing
   whose subject is a pronoun. In doubt a sentence yields nothing, and only itself.
2. "I" is the speaker; "we" is the speaker and others. Negations, numbers and the words
   of the sentence stay; past and denied statements make no relations.
3. A statement has a subject, a verb of the table in plain_verbs and an object. The first
   verb counts. Each word is looked at a bounded number of times, so the work grows with
   the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .plain_phrases import Predicate, Words, objects, predicate, words_of
from .plain_verbs import word_set
from .sentences import Sentence, sentences

_SUBJECT = 6

_UNSURE = word_set(
    """
    if would could might maybe perhaps unless suppose supposing imagine wish hope hopes probably
    possibly should shall said say says saying told tells tell claims claimed claim thinks think
    thought believe believes guess asked asks heard hear seems seem apparently allegedly rumour
    rumor whether let's pretend joking kidding according you your you're yours quote
    """
)
# What stands before a statement without changing it.
_FILLERS = word_set(
    """
    yes yeah yep no nope well oh ok okay hi hello hey so also actually fyi and but anyway
    basically currently today now btw
    """
)
_NOT_A_SUBJECT = word_set(
    """
    he she it they this that these those there here what who which when where why how nobody
    everybody somebody anybody someone everyone anyone something everything nothing anything one
    some many most few all none both neither either each another other others let to not our
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
_ARTICLES = frozenset(("the", "a", "an"))
_CAPITAL = re.compile(r"[A-Z0-9_\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]")
_ODD = re.compile(r"[\"\u201c\u201d:(),\[\]{}<>=|]")
_POSSESSIVE = re.compile(r"['\u2019]s\Z|s['\u2019]\Z")
_PRONOUNS = word_set("i we he she it they them him this that these those there")
# What follows them may be left out, and the statement still holds.
_REASONS = word_set("because since so although though but and")
_OWN = {"my": "{}'s", "me": "{}", "mine": "{}'s", "myself": "themselves"}


@dataclass(frozen=True)
class Mention:
    """A thing by the name it has in the text, and of what type it seems to be, if anything."""

    name: str
    node_type: str = ""


@dataclass(frozen=True)
class PlainLink:
    """A relation between two things, in its right direction."""

    kind: str
    start: Mention
    end: Mention


@dataclass(frozen=True)
class PlainFact:
    """
    One statement, and the sentence at *offset* that it was taken from.

    The subject's name is empty where several things are spoken of at once.
    """

    statement: str
    category: str
    subject: Mention
    links: tuple[PlainLink, ...]
    source: str
    offset: int


@dataclass(frozen=True)
class _Subject:
    text: str
    mention: Mention
    person: str = "other"


def plain_facts(text: str, *, speaker: str = "The user") -> list[PlainFact]:
    """Return the plain statements of *text* in order, each of them once."""
    found: dict[str, PlainFact] = {}
    for sentence in sentences(text):
        for fact in _stated(sentence, speaker):
            found.setdefault(fact.statement.casefold(), fact)
    return list(found.values())


def _stated(sentence: Sentence, speaker: str) -> Iterator[PlainFact]:
    words = words_of(sentence.text)
    if sentence.asks or not _UNSURE.isdisjoint(words.folded):
        return
    carried: _Subject | None = None
    for clause in _clauses(words.without_leading(_FILLERS)):
        found = _clause(clause, speaker, carried)
        if found is None:
            continue
        carried, said = found
        yield _fact(sentence, carried, said, speaker)


def _clauses(words: Words) -> Iterator[Words]:
    """Yield the parts that "and" or "but" join, where the next one has a verb of its own."""
    begin = 0
    for place in range(1, len(words) - 1):
        if words.folded[place] not in ("and", "but"):
            continue
        rest = words[place + 1 :]
        if rest.folded[0] in ("i", "we", "my") or _begins_with_verb(rest) or _begins_anew(rest):
            yield words[begin:place]
            begin = place + 1
    yield words[begin:]


def _begins_with_verb(words: Words) -> bool:
    return any(predicate(words, person) is not None for person in ("other", "i"))


def _begins_anew(words: Words) -> bool:
    """Return whether a name and a verb follow: "and Bob likes coffee"."""
    if not _CAPITAL.match(words.written[0]):
        return False
    return any(predicate(words[at:], "other") is not None for at in range(1, min(len(words), 4)))


def _clause(
    words: Words, speaker: str, carried: _Subject | None
) -> tuple[_Subject, Predicate] | None:
    if carried is not None:
        said = predicate(words, carried.person)
        if said is not None:
            plain = _plain(said)
            return (carried, plain) if plain else None
    for at in range(1, min(len(words), _SUBJECT + 1)):
        subject = _subject(words[:at], speaker)
        said = predicate(words[at:], subject.person if subject else "other")
        if said is not None:
            plain = _plain(said)
            return (subject, plain) if subject and plain else None
    return None


def _subject(words: Words, speaker: str) -> _Subject | None:
    """Return what *words* name, if they can be understood without the sentences before."""
    first = words.folded[0]
    if len(words) == 1 and first in ("i", "we"):
        if first == "i":
            return _Subject(speaker, Mention(speaker, "person"), "i")
        return _Subject(f"{speaker} and others", Mention(speaker, "person"), "we")
    named = words[1:] if first in _ARTICLES else words
    own = first == "my"
    if not named or _ODD.search(words.text) or not _NOT_IN_A_SUBJECT.isdisjoint(words.folded):
        return None
    if first in _NOT_A_SUBJECT or not (own or first in _ARTICLES or _CAPITAL.search(words.text)):
        return None
    if own:
        owned = f"{speaker}'s {words[1:].text}"
        return _Subject(owned, Mention(speaker, "person")) if len(words) > 1 else None
    owner = next((n for n, word in enumerate(named.written) if _POSSESSIVE.search(word)), None)
    if owner is not None:
        name = _POSSESSIVE.sub("", named[: owner + 1].text)
        return _Subject(words.text, Mention(name))
    if "and" in words.folded:
        return _Subject(words.text, Mention(""), "we")
    return _Subject(words.text, Mention(named.text))


def _plain(said: Predicate) -> Predicate | None:
    """Return what is said without a reason that speaks of "I" or "it"; None if that is all."""
    rest = said.rest
    unclear = next((n for n, word in enumerate(rest.folded) if _is_pronoun(word)), None)
    if unclear is None:
        return said
    reason = next((n for n in range(unclear - 1, 0, -1) if rest.folded[n] in _REASONS), None)
    return None if reason is None else replace(said, rest=rest[:reason])


def _is_pronoun(word: str) -> bool:
    return word in _PRONOUNS or word.startswith(("i'", "i\u2019"))


def _fact(sentence: Sentence, subject: _Subject, said: Predicate, speaker: str) -> PlainFact:
    inside = speaker.replace("The ", "the ", 1) if speaker.startswith("The ") else speaker
    rest = " ".join(
        _OWN[low].format(inside) if low in _OWN else word
        for word, low in zip(said.rest.written, said.rest.folded, strict=True)
    )
    statement = f"{subject.text} {said.text} {rest}".rstrip(".!,: ")
    favourite = bool({"favourite", "favorite"} & set(words_of(subject.text).folded))
    return PlainFact(
        statement=f"{statement[:1].upper()}{statement[1:]}.",
        category="preference" if favourite or said.is_preference else "knowledge",
        subject=_typed(subject, said),
        links=tuple(_links(subject, said, favourite=favourite)),
        source=sentence.text,
        offset=sentence.offset,
    )


def _typed(subject: _Subject, said: Predicate) -> Mention:
    """Return the subject with what it is said to be: "Acme is a company"."""
    mention = subject.mention
    whole = subject.text in (mention.name, f"The {mention.name}", f"the {mention.name}")
    if not mention.name or mention.node_type or not whole:
        return mention
    if said.verb is not None and said.verb.subject_type:
        return Mention(mention.name, said.verb.subject_type)
    return Mention(mention.name, said.noun())


def _links(subject: _Subject, said: Predicate, *, favourite: bool) -> Iterator[PlainLink]:
    verb = said.verb
    if verb is None or (said.is_denied and not said.relation):
        return
    kind = "PREFERS" if favourite and verb.third == "is" else said.relation
    owned = subject.text != subject.mention.name and not subject.text.lower().startswith(
        tuple(f"{article} " for article in _ARTICLES)
    )
    if not kind or subject.person == "we" or (owned and not favourite):
        return
    start = _typed(subject, said)
    for name in objects(said.rest):
        end = Mention(name, verb.object_type)
        yield PlainLink(kind, end, start) if verb.is_backwards else PlainLink(kind, start, end)


def mentions(facts: Sequence[PlainFact]) -> list[Mention]:
    """Return the things that *facts* are about or join, each once, typed where any fact does."""
    types: dict[str, Mention] = {}
    for fact in facts:
        for one in (fact.subject, *(end for link in fact.links for end in (link.start, link.end))):
            known = types.get(one.name.casefold())
            if (one.name and known is None) or (known and one.node_type and not known.node_type):
                types[one.name.casefold()] = one
    return list(types.values())
