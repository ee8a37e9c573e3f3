"""
Facts from plain English statements, without a language model.

1. Only statements count: no questions, suppositions, reported speech, or subjects that are
   pronouns. In doubt a sentence yields nothing, without affecting others.
2. "I" is the speaker; "we" is the speaker and others. Negations, numbers and wording are kept; past
   and negated statements yield no relations.
3. A statement has a subject, a verb in the table of verbs.py and an object. The first verb counts.
   Each word is visited a bounded number of times, so the run time is linear.
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
# Words before a statement that do not change it.
_FILLERS = word_set(
    """
    yes yeah yep no nope well oh ok okay hi hello hey so also actually fyi and but anyway
    basically currently today now btw
    """
)
_NAMED = word_set("called named")
# Conjunctions of clauses that may be omitted.
_REASONS = word_set("because since so although though but and")


@dataclass(frozen=True)
class EnglishRelation:
    """A directed relation between two things."""

    kind: str
    start: Mention
    end: Mention


@dataclass(frozen=True)
class EnglishFact:
    """
    A statement, and the sentence at *offset* it was extracted from.

    The subject has no name if the statement is about several things.
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
    Return the distinct facts of *text* in order.

    With *wishes*, standing requests are included.
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
    if wishes and (request := parse_wish(words)):
        yield _make_wish(sentence, *request, speaker)
        return
    carried: Subject | None = None
    for clause in _split_clauses(words):
        found = _parse_clause(clause, speaker, carried)
        if found is None:
            continue
        carried, stated = found
        yield _make_fact(sentence, carried, stated, speaker)


def _split_clauses(words: Words) -> Iterator[Words]:
    """Yield the clauses joined by "and" or "but" that have their own verb."""
    begin = 0
    for place in range(1, len(words) - 1):
        if words.folded[place] not in ("and", "but"):
            continue
        rest = words[place + 1 :]
        is_new_clause = rest.folded[0] in ("i", "we") or _begins_new_clause(rest)
        if is_new_clause and is_one_of_two(words[begin:place]):
            continue
        if is_new_clause or _begins_with_verb(rest):
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
        stated = parse_predicate(words, carried.person)
        if stated is not None:
            plain = _drop_unclear_reason(stated)
            return (carried, plain) if plain else None
    front = front_length(words)
    for at in range(front + 1, min(len(words), front + _SUBJECT + 1)):
        subject = parse_subject(words[front:at], speaker)
        stated = parse_predicate(words[at:], subject.person if subject else "other")
        if stated is None and subject and is_plural(words[front:at], words[at:]):
            subject = replace(subject, person="we")
            stated = parse_predicate(words[at:], "we")
        if stated is not None:
            plain = _drop_unclear_reason(stated)
            return (
                (add_front(subject, words[:front], speaker), plain) if subject and plain else None
            )
    return None


def _drop_unclear_reason(stated: Predicate) -> Predicate | None:
    """Return the predicate without a subordinate clause with pronouns; None if nothing is left."""
    rest = stated.rest
    last = len(rest) - 1
    unclear = next(
        (n for n, word in enumerate(rest.folded) if is_pronoun(word) or (n, word) == (last, "her")),
        None,
    )
    if unclear is None:
        return stated
    reason = next((n for n in range(unclear - 1, 0, -1) if rest.folded[n] in _REASONS), None)
    return None if reason is None else replace(stated, rest=rest[:reason])


def _format_sentence(text: str) -> str:
    text = text.rstrip(".!,: ")
    return f"{text[:1].upper()}{text[1:]}."


def _make_fact(
    sentence: Sentence, subject: Subject, stated: Predicate, speaker: str
) -> EnglishFact:
    favourite = bool({"favourite", "favorite"} & set(split_words(subject.text).folded))
    return EnglishFact(
        statement=_format_sentence(
            f"{subject.text} {stated.text} {to_third_person(stated.rest, speaker)}"
        ),
        category="preference" if favourite or stated.is_preference else "knowledge",
        subject=_typed_mention(subject, stated),
        links=tuple(_find_relations(subject, stated, speaker, favourite=favourite)),
        source=sentence.text,
        offset=sentence.offset,
    )


def _make_wish(sentence: Sentence, how: str, what: Words, speaker: str) -> EnglishFact:
    request = to_third_person(what, speaker).rstrip(".!,: ")
    until = " from now on" if how in ("to", "to not") else ""
    return EnglishFact(
        statement=_format_sentence(f"{speaker} asks {how} {request}{until}"),
        category="preference",
        subject=Mention(speaker, "person"),
        links=(),
        source=sentence.text,
        offset=sentence.offset,
    )


def _typed_mention(subject: Subject, stated: Predicate) -> Mention:
    """Return the subject with its class as type: "Acme is a company"."""
    mention = subject.mention
    whole = subject.text in (mention.name, f"The {mention.name}", f"the {mention.name}")
    if not mention.name or mention.node_type or not whole:
        return mention
    if stated.verb is not None and stated.verb.subject_type:
        if stated.verb.subject_type == "person" and subject.text != mention.name:
            # Only a bare name is a person; "the staging server" lives somewhere as well.
            return mention
        return Mention(mention.name, stated.verb.subject_type)
    return Mention(mention.name, stated.noun())


def _find_relations(
    subject: Subject, stated: Predicate, speaker: str, *, favourite: bool
) -> Iterator[EnglishRelation]:
    verb = stated.verb
    if verb is None or (stated.is_denied and not stated.relation):
        return
    if verb.third == "is" and subject.person != "we":
        yield from _role_relations(subject, stated.rest, speaker)
    kind = "PREFERS" if favourite and verb.third == "is" else stated.relation
    if not kind or subject.person == "we" or (subject.is_owned and not favourite):
        return
    start = _typed_mention(subject, stated)
    for name in iter_object_names(_cut_gapped_clause(stated.rest, verb.third.split()[1:])):
        end = _make_mention(name, verb.object_type)
        yield (
            EnglishRelation(kind, end, start)
            if verb.is_backwards
            else EnglishRelation(kind, start, end)
        )


def _role_relations(subject: Subject, rest: Words, speaker: str) -> Iterator[EnglishRelation]:
    """Yield the relations of "My manager is Ann" and "Ann is Bob's manager"."""
    if subject.is_owned:
        owner, role_word = subject.mention, subject.role
        named = rest[1:] if rest.folded[0] in _NAMED else rest
        bearer = named.text.rstrip(".!,")
    else:
        owner_words, role_word, bearer = rest[:-1], rest.folded[-1], subject.mention.name
        own = owner_words.folded in (("my",), ("our",))
        name = POSSESSIVE.sub("", owner_words.text)
        owner = Mention(speaker if own else name if name != owner_words.text else "")
        named = split_words(bearer)
    kind, is_backwards = role_relation(role_word)
    words = split_words(f"{bearer} {owner.name if owner.name != speaker else ''}").written
    if not kind or not owner.name or not 0 < len(named) < 4 or not all(map(is_name, words)):
        return
    ends = Mention(owner.name, "person"), Mention(bearer, "person")
    start, end = reversed(ends) if is_backwards else ends
    yield EnglishRelation(kind, start, end)


def _cut_gapped_clause(rest: Words, particles: Sequence[str]) -> Words:
    """Return *rest* up to a clause that omits the verb: at Acme and Bob at Initech."""
    last = particles[-1] if particles else ""
    again = rest.folded.index(last) if last in rest.folded else 0
    joined = [n for n, word in enumerate(rest.folded[:again]) if word == "and"]
    return rest[: joined[-1]] if joined else rest


def _make_mention(name: str, node_type: str) -> Mention:
    """Return a mention; a path is a file, regardless of the type expected."""
    return Mention(name, "file" if name.startswith(("~/", "/", "./")) else node_type)


def collect_mentions(facts: Sequence[EnglishFact]) -> list[Mention]:
    """Return the distinct subjects and related things, typed where any fact gives a type."""
    types: dict[str, Mention] = {}
    for fact in facts:
        for one in (fact.subject, *(end for link in fact.links for end in (link.start, link.end))):
            known = types.get(one.name.casefold())
            if (one.name and known is None) or (known and one.node_type and not known.node_type):
                types[one.name.casefold()] = one
    return list(types.values())
