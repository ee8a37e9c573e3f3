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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .phrases import Predicate, Words, iter_object_names, parse_predicate, split_words
from .roles import is_name, role_relation
from .sentences import Sentence, iter_sentences
from .subjects import (
    CAPITAL,
    OWNERS,
    POSSESSIVE,
    Mention,
    Subject,
    add_front,
    front_length,
    is_one_of_two,
    is_plural,
    is_pronoun,
    parse_subject,
    to_third_person,
)
from .verbs import word_set
from .wishes import may_hold_wishes, parse_wish, strip_lead

_SUBJECT = 6

_UNSURE = word_set(
    """
    if would could might maybe perhaps unless suppose supposing imagine wish hope hopes probably
    possibly should shall said say says saying told tells tell claims claimed claim thinks think
    thought believe believes guess asked asks heard hear seems seem apparently allegedly rumour
    rumor whether let's pretend joking kidding according you your you're yours quote
    following follows below above attached here wrong
    """
)
# What stands before a statement without changing it.
_FILLERS = word_set(
    """
    yes yeah yep no nope well oh ok okay hi hello hey so also actually fyi and but anyway
    basically currently today now btw
    """
)
_NAMED = word_set("called named")
# What follows them may be left out, and the statement still holds.
_REASONS = word_set("because since so although though but and")


@dataclass(frozen=True)
class EnglishRelation:
    """A relation between two things, in its right direction."""

    kind: str
    start: Mention
    end: Mention


@dataclass(frozen=True)
class EnglishFact:
    """
    One statement, and the sentence at *offset* that it was taken from.

    The subject's name is empty where several things are spoken of at once.
    """

    statement: str
    category: str
    subject: Mention
    links: tuple[EnglishRelation, ...]
    source: str
    offset: int


def extract_facts(
    text: str, *, speaker: str = "The user", wishes: bool = False
) -> list[EnglishFact]:
    """
    Return the plain statements of *text* in order, each of them once.

    With *wishes*, also what the speaker asks for once and for all.
    """
    found: dict[str, EnglishFact] = {}
    wishes = wishes and may_hold_wishes(text)
    for sentence in iter_sentences(text):
        for fact in _sentence_facts(sentence, speaker, wishes=wishes):
            found.setdefault(fact.statement.casefold(), fact)
    return list(found.values())


def _sentence_facts(sentence: Sentence, speaker: str, *, wishes: bool) -> Iterator[EnglishFact]:
    words = split_words(strip_lead(sentence.text)).without_marks()
    if sentence.asks or not len(words) or not _UNSURE.isdisjoint(words.folded):
        return
    words = words.without_leading(_FILLERS)
    if wishes and (asked := parse_wish(words)):
        yield _make_wish(sentence, *asked, speaker)
        return
    carried: Subject | None = None
    for clause in _split_clauses(words):
        found = _parse_clause(clause, speaker, carried)
        if found is None:
            continue
        carried, said = found
        yield _make_fact(sentence, carried, said, speaker)


def _split_clauses(words: Words) -> Iterator[Words]:
    """Yield the parts that "and" or "but" join, where the next one has a verb of its own."""
    begin = 0
    for place in range(1, len(words) - 1):
        if words.folded[place] not in ("and", "but"):
            continue
        rest = words[place + 1 :]
        anew = rest.folded[0] in ("i", "we") or _begins_new_clause(rest)
        if anew and is_one_of_two(words[begin:place]):
            continue
        if anew or _begins_with_verb(rest):
            yield words[begin:place]
            begin = place + 1
    yield words[begin:]


def _begins_with_verb(words: Words) -> bool:
    return any(parse_predicate(words, person) is not None for person in ("other", "i"))


def _begins_new_clause(words: Words) -> bool:
    """Return whether a name and a verb follow: "and Bob likes coffee", "and my sons ski"."""
    own = words.folded[0] in OWNERS
    if not own and not CAPITAL.match(words.written[0]):
        return False
    persons = ("other", "we") if own else ("other",)
    return any(
        parse_predicate(words[at:], person) is not None
        for at in range(1, min(len(words), 4 + own))
        for person in persons
    )


def _parse_clause(
    words: Words, speaker: str, carried: Subject | None
) -> tuple[Subject, Predicate] | None:
    if carried is not None:
        said = parse_predicate(words, carried.person)
        if said is not None:
            plain = _drop_unclear_reason(said)
            return (carried, plain) if plain else None
    front = front_length(words)
    for at in range(front + 1, min(len(words), front + _SUBJECT + 1)):
        subject = parse_subject(words[front:at], speaker)
        said = parse_predicate(words[at:], subject.person if subject else "other")
        if said is None and subject and is_plural(words[front:at], words[at:]):
            subject = replace(subject, person="we")
            said = parse_predicate(words[at:], "we")
        if said is not None:
            plain = _drop_unclear_reason(said)
            return (
                (add_front(subject, words[:front], speaker), plain) if subject and plain else None
            )
    return None


def _drop_unclear_reason(said: Predicate) -> Predicate | None:
    """Return what is said without a reason that speaks of "I" or "it"; None if that is all."""
    rest = said.rest
    last = len(rest) - 1
    unclear = next(
        (n for n, word in enumerate(rest.folded) if is_pronoun(word) or (n, word) == (last, "her")),
        None,
    )
    if unclear is None:
        return said
    reason = next((n for n in range(unclear - 1, 0, -1) if rest.folded[n] in _REASONS), None)
    return None if reason is None else replace(said, rest=rest[:reason])


def _format_sentence(text: str) -> str:
    text = text.rstrip(".!,: ")
    return f"{text[:1].upper()}{text[1:]}."


def _make_fact(sentence: Sentence, subject: Subject, said: Predicate, speaker: str) -> EnglishFact:
    favourite = bool({"favourite", "favorite"} & set(split_words(subject.text).folded))
    return EnglishFact(
        statement=_format_sentence(
            f"{subject.text} {said.text} {to_third_person(said.rest, speaker)}"
        ),
        category="preference" if favourite or said.is_preference else "knowledge",
        subject=_typed_mention(subject, said),
        links=tuple(_find_relations(subject, said, speaker, favourite=favourite)),
        source=sentence.text,
        offset=sentence.offset,
    )


def _make_wish(sentence: Sentence, how: str, what: Words, speaker: str) -> EnglishFact:
    asked = to_third_person(what, speaker).rstrip(".!,: ")
    until = " from now on" if how in ("to", "to not") else ""
    return EnglishFact(
        statement=_format_sentence(f"{speaker} asks {how} {asked}{until}"),
        category="preference",
        subject=Mention(speaker, "person"),
        links=(),
        source=sentence.text,
        offset=sentence.offset,
    )


def _typed_mention(subject: Subject, said: Predicate) -> Mention:
    """Return the subject with what it is said to be: "Acme is a company"."""
    mention = subject.mention
    whole = subject.text in (mention.name, f"The {mention.name}", f"the {mention.name}")
    if not mention.name or mention.node_type or not whole:
        return mention
    if said.verb is not None and said.verb.subject_type:
        if said.verb.subject_type == "person" and subject.text != mention.name:
            # People are called by names; "the staging server" lives somewhere, too.
            return mention
        return Mention(mention.name, said.verb.subject_type)
    return Mention(mention.name, said.noun())


def _find_relations(
    subject: Subject, said: Predicate, speaker: str, *, favourite: bool
) -> Iterator[EnglishRelation]:
    verb = said.verb
    if verb is None or (said.is_denied and not said.relation):
        return
    if verb.third == "is" and subject.person != "we":
        yield from _role_relations(subject, said.rest, speaker)
    kind = "PREFERS" if favourite and verb.third == "is" else said.relation
    if not kind or subject.person == "we" or (subject.is_owned and not favourite):
        return
    start = _typed_mention(subject, said)
    for name in iter_object_names(_cut_gapped_clause(said.rest, verb.third.split()[1:])):
        end = _make_mention(name, verb.object_type)
        yield (
            EnglishRelation(kind, end, start)
            if verb.is_backwards
            else EnglishRelation(kind, start, end)
        )


def _role_relations(subject: Subject, rest: Words, speaker: str) -> Iterator[EnglishRelation]:
    """Yield what "My manager is Ann" and "Ann is Bob's manager" say of the two."""
    if subject.is_owned:
        owner, called = subject.mention, subject.role
        named = rest[1:] if rest.folded[0] in _NAMED else rest
        bearer = named.text.rstrip(".!,")
    else:
        whose, called, bearer = rest[:-1], rest.folded[-1], subject.mention.name
        own = whose.folded in (("my",), ("our",))
        name = POSSESSIVE.sub("", whose.text)
        owner = Mention(speaker if own else name if name != whose.text else "")
        named = split_words(bearer)
    kind, is_backwards = role_relation(called)
    words = split_words(f"{bearer} {owner.name if owner.name != speaker else ''}").written
    if not kind or not owner.name or not 0 < len(named) < 4 or not all(map(is_name, words)):
        return
    ends = Mention(owner.name, "person"), Mention(bearer, "person")
    start, end = reversed(ends) if is_backwards else ends
    yield EnglishRelation(kind, start, end)


def _cut_gapped_clause(rest: Words, particles: Sequence[str]) -> Words:
    """Return *rest* up to where another clause leaves the verb out: at Acme and Bob at Initech."""
    last = particles[-1] if particles else ""
    again = rest.folded.index(last) if last in rest.folded else 0
    joined = [n for n, word in enumerate(rest.folded[:again]) if word == "and"]
    return rest[: joined[-1]] if joined else rest


def _make_mention(name: str, node_type: str) -> Mention:
    """Return what is named; a path is a file, whatever the verb expects."""
    return Mention(name, "file" if name.startswith(("~/", "/", "./")) else node_type)


def collect_mentions(facts: Sequence[EnglishFact]) -> list[Mention]:
    """Return the things that *facts* are about or join, each once, typed where any fact does."""
    types: dict[str, Mention] = {}
    for fact in facts:
        for one in (fact.subject, *(end for link in fact.links for end in (link.start, link.end))):
            known = types.get(one.name.casefold())
            if (one.name and known is None) or (known and one.node_type and not known.node_type):
                types[one.name.casefold()] = one
    return list(types.values())
