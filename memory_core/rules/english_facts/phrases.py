"""Words, predicates and objects of a clause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .verbs import FIRST_PERSON, THIRD_PERSON, Verb, word_set

_SPLIT = re.compile(r"\S+")
_EDGES = ".,!?:;\"'()[]\u201c\u201d\u2018\u2019"
_NOT = re.compile(r"n['\u2019]t\Z", re.I)
_AM = re.compile(r"(?i)\b(i)['\u2019]m\b")
_ARE = re.compile(r"(?i)\b(we)['\u2019]re\b")
_HAVE = re.compile(r"(?i)\b(i|we)(?:['\u2019]ve| have)(?: got)?\b")
# Contractions without an apostrophe.
_HASTY = {
    "dont": "do not",
    "doesnt": "does not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "cant": "cannot",
    "im": "I am",
    "ive": "I have",
}

_ADVERBS = word_set(
    """
    also really still always usually often mostly currently now only just absolutely actually
    mainly primarily generally typically personally strongly truly much definitely already
    """
)
_HABITUALLY = word_set("always usually often mostly generally typically")
# Words that cannot begin an object.
_NO_OBJECT = word_set(
    """
    of is are was were be been being to for if than then as and or but by will would can do does
    did not
    """
)
_SMALL_TALK = word_set(
    """
    sorry sure fine ok okay glad happy afraid here back done ready good great tired late busy
    curious confused still so about trying wrong right true lost stuck welcome not
    """
)
_COUNTS = word_set("a an one two three four five six seven eight nine ten no")
_PASSING = word_set(
    """
    question problem meeting look feeling idea lot bit few doubt point moment issue call
    error errors bug typo exception warning timeout list function class string array variable loop
    fix ticket solution
    """
)
# Temporary states.
_TRANSIENT = word_set(
    "down up broken better worse faster slower empty full missing red green out away sick no"
)
# Words that are no names of things.
_NO_THING = word_set(
    """
    nobody nothing everything everyone everybody someone somebody something anything anyone none
    home night nights work weekends noon myself yourself himself herself itself themselves
    """
)
_BEFORE_A_NAME = word_set("the a an my our also both only")
_AMOUNTS = word_set("little some fluent basic native")

# Words that end the name of an object.
_CUT = word_set(
    """
    because since so when while if unless which who that for in with at to from as by on over
    than before after until during but although though whenever instead via through about into
    under without every each per more most less least better best too very except besides now
    today currently again anymore lately recently nowadays called named
    """
)
_PRONOUNS = word_set("it them him her this that these those me us you i we he she they")
PAST = word_set(
    """
    was were had did went knew saw got made took came found gave became left felt brought began
    kept held wrote stood heard met ran paid sat spoke led grew lost fell sent built drew broke
    spent rose drove bought wore chose ate drank slept said told thought been done gone seen
    """
)
_HAS_BEEN = (("has", "been"), ("have", "been"))
_NAME = 5


@dataclass(frozen=True)
class Words:
    """Words as written, and folded without punctuation."""

    written: tuple[str, ...]
    folded: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.written)

    def __getitem__(self, part: slice) -> Words:
        return Words(self.written[part], self.folded[part])

    @property
    def text(self) -> str:
        return " ".join(self.written)

    def without_marks(self) -> Words:
        """Return the words without leading and trailing ones that have no letter or digit."""
        with_content = [n for n, word in enumerate(self.written) if any(c.isalnum() for c in word)]
        return self[with_content[0] : with_content[-1] + 1] if with_content else self[:0]

    def without_leading(self, fillers: Collection[str]) -> Words:
        begin = 0
        while begin < len(self) - 1 and self.folded[begin] in fillers:
            begin += 1
        return self[begin:]


@dataclass(frozen=True)
class Predicate:
    """A predicate: the verb in the third person, and the rest as written."""

    text: str
    rest: Words
    verb: Verb | None
    is_denied: bool = False
    is_preference: bool = False
    relation: str = ""

    def noun(self) -> str:
        """Return the class the subject is said to belong to, or ""."""
        is_case = self.verb is not None and self.verb.third == "is" and not self.is_denied
        if not is_case or self.rest.folded[0] not in ("a", "an", "the"):
            return ""
        return next(iter(iter_object_names(self.rest)), "")


def split_words(text: str) -> Words:
    """Return the words of *text*, contractions expanded."""
    text = _HAVE.sub(r"\1 have", _ARE.sub(r"\1 are", _AM.sub(r"\1 am", text)))
    written: list[str] = []
    for found in _SPLIT.finditer(text):
        word = found.group()
        if word.casefold() in _HASTY:
            written += _HASTY[word.casefold()].split()
            continue
        negated = _NOT.search(word.rstrip(_EDGES))
        if negated is None:
            written.append(word)
        elif word.casefold() in ("can't", "can\u2019t"):
            written.append("cannot")
        else:
            written += [word[: negated.start()], "not"]
    return Words(tuple(written), tuple(word.strip(_EDGES).casefold() for word in written))


def parse_predicate(words: Words, person: str) -> Predicate | None:
    """
    Return the predicate at the beginning of *words* for a person (i, we, other); None if none.
    """
    table = THIRD_PERSON if person == "other" else FIRST_PERSON
    at, adverbs = _read_adverbs(words, 0)
    auxiliary, helped = _read_auxiliary(words, at, person)
    later, more = _read_adverbs(words, helped)
    if auxiliary == "do not":
        table = FIRST_PERSON
    first = words.folded[later] if later < len(words) else ""
    if not auxiliary and first in ("am", "is", "are", "was"):
        return _parse_being(words, later, adverbs, person)
    if not auxiliary and words.folded[later : later + 2] in _HAS_BEEN:
        return _parse_having_been(words, later, adverbs, person)
    for verb in table.get(first, ()):
        base = (verb.first if table is FIRST_PERSON else verb.third).split()
        end = later + len(base)
        if words.folded[later:end] == tuple(base) and _has_object(words[end:], verb):
            forms = _conjugate(verb, auxiliary, person)
            text = " ".join((*adverbs, *forms[:-1], *more, forms[-1]))
            return _make_predicate(text, words[end:], verb, denied=auxiliary)
    return _parse_habit(words, at, person)


def iter_object_names(rest: Words) -> Iterator[str]:
    """Yield the names in an object; ambiguous phrases are skipped."""
    end = next((n for n, word in enumerate(rest.folded) if word in _CUT or word == "or"), len(rest))
    if end < len(rest) and rest.folded[end] == "or":
        return
    named: list[str] = []
    for place, (word, low) in enumerate(zip(rest.written[:end], rest.folded[:end], strict=True)):
        if low == "and":
            yield from _clean_name(named)
            named = []
            continue
        if low in ("a", "an") and place and rest.written[place - 1].endswith(","):
            # "Acme, a maker of anvils" is one thing with an apposition.
            break
        named.append(word)
        if word[-1] in ",;:(":
            yield from _clean_name(named)
            named = []
    yield from _clean_name(named)


def _clean_name(words: list[str]) -> Iterator[str]:
    kept = [word.strip(',;:!?"()\u201c\u201d') for word in words]
    while kept and (kept[0].casefold() in _BEFORE_A_NAME or kept[0] in _AMOUNTS):
        kept = kept[1:]
    name = " ".join(kept).rstrip(".!")
    if not 0 < len(kept) <= _NAME or not name:
        return
    first = kept[0].casefold().strip(_EDGES)
    if first in _PRONOUNS | _NO_OBJECT | _NO_THING or (first == "port" and len(kept) > 1):
        return
    yield name


def _read_adverbs(words: Words, at: int) -> tuple[int, tuple[str, ...]]:
    begin = at
    while at < len(words) and words.folded[at] in _ADVERBS:
        at += 1
    return at, words.folded[begin:at]


def _read_auxiliary(words: Words, at: int, person: str) -> tuple[str, int]:
    """Return the negation before a verb, and the position of the verb."""
    two = words.folded[at : at + 2]
    if two in (("do", "not"), ("does", "not")):
        return "do not", at + 2
    if two == ("no", "longer"):
        return "no longer", at + 2
    if two[:1] == ("never",):
        return "never", at + 1
    return "", at


def _conjugate(verb: Verb, auxiliary: str, person: str) -> list[str]:
    """Return the verb in the form for the subject; the last item follows any adverbs."""
    if auxiliary == "do not":
        return ["do not" if person == "we" else "does not", verb.first]
    plain = verb.first if person == "we" else verb.third
    return [auxiliary, plain] if auxiliary else [plain]


def _make_predicate(text: str, rest: Words, verb: Verb, *, denied: str) -> Predicate:
    relation = "" if denied else verb.relation
    if denied == "do not" and verb.third in ("likes", "loves", "enjoys"):
        relation = "DISLIKES"
    return Predicate(
        text, rest, verb, bool(denied), is_preference=verb.is_preference, relation=relation
    )


def _parse_being(words: Words, at: int, adverbs: tuple[str, ...], person: str) -> Predicate | None:
    """Parse "is" with its negation and adverbs, and the longest phrase that follows."""
    form = words.folded[at]
    if (form == "am") != (person == "i" and form != "was") or (form == "is" and person == "we"):
        return None
    form_shown = "is" if form == "am" else form
    later, more = _read_adverbs(words, at + 1)
    denied = words.folded[later : later + 1] == ("not",)
    longer = words.folded[later : later + 2] == ("no", "longer")
    later += 1 if denied else 2 if longer else 0
    middle = [*more, *(["not"] if denied else ["no longer"] if longer else [])]
    key = "was" if form == "was" else "is"
    for verb in THIRD_PERSON[key]:
        phrase = tuple(verb.third.split()[1:])
        end = later + len(phrase)
        if words.folded[later:end] == phrase and _has_object(words[end:], verb):
            text = " ".join((*adverbs, form_shown, *middle, *phrase))
            is_denied = denied or longer or (form == "was" and not phrase)
            return _make_predicate(text, words[end:], verb, denied="not" if is_denied else "")
    return None


def _parse_having_been(
    words: Words, at: int, adverbs: tuple[str, ...], person: str
) -> Predicate | None:
    """Parse "has been" and the longest phrase that follows."""
    later, more = _read_adverbs(words, at + 2)
    form = "have been" if person == "we" else "has been"
    for verb in (*THIRD_PERSON["is"], *THIRD_PERSON["was"]):
        phrase = tuple(verb.third.split()[1:])
        end = later + len(phrase)
        if words.folded[later:end] == phrase and _has_object(words[end:], verb):
            text = " ".join((*adverbs, form, *more, *phrase))
            return _make_predicate(text, words[end:], verb, denied="")
    return None


def _has_object(rest: Words, verb: Verb) -> bool:
    if not len(rest) or not any(char.isalnum() for char in rest.text):
        return False
    first = rest.folded[0]
    if verb.is_state:
        if len(rest) == 1 and first in _TRANSIENT:
            return False
        return first not in _SMALL_TALK and not first.endswith("ing") and first not in ("to", "of")
    if verb.third == "has":
        counted = first in _COUNTS or first.isdigit()
        return counted and len(rest) > 1 and _PASSING.isdisjoint(rest.folded[1:3])
    if verb.third == "is working on" and not _PASSING.isdisjoint(rest.folded[:2]):
        return False
    if verb.is_preference:
        preferred = rest[1:] if first == "not" else rest
        if preferred.folded[:1] == ("to",):
            return len(preferred) > 1
    return first not in _NO_OBJECT


def _parse_habit(words: Words, at: int, person: str) -> Predicate | None:
    """Parse habits such as "never eats meat" and "usually walks to work", with any verb."""
    habit = words.folded[at - 1] if at and words.folded[at - 1] in _HABITUALLY else ""
    if words.folded[at : at + 1] == ("never",):
        habit, at = "never", at + 1
    if not habit or person == "we" or at + 1 >= len(words):
        return None
    verb = words.folded[at]
    if not _PASSING.isdisjoint(words.folded[at + 1 : at + 4]):
        return None
    if not verb.isascii() or not verb.isalpha() or verb in PAST or verb.endswith("ed"):
        return None
    if person == "other" and not (verb.endswith("s") and len(verb) > 2):
        return None
    third = _third_person(verb) if person == "i" else verb
    return Predicate(f"{habit} {third}", words[at + 1 :], None, habit == "never", True)


def _third_person(verb: str) -> str:
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}s"
