"""
Entity names in a query.

1. Candidates are one to five adjacent words without surrounding punctuation, or two to six CJK
   characters. Which of them are names is looked up.
2. Of overlapping names the longest counts: "New York" is not "York".
3. A query is about one entity if all its names refer to that one.
4. A name pulls the query embedding towards all rows that mention it, so it is removed from the
   embedded text, unless nothing would be left.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..text.normalization import fold_name
from ..text.query_terms import STOP_WORDS

MAX_WORDS = 5
MAX_CHARACTERS = 6
# Only the beginning of a long query is searched for names.
_MAX_SCANNED = 600

_EDGE = r"[\s.,;:!?\"'\u2018-\u201d(){}\[\]<>/\\]"
_WORD = re.compile(r"\S+")
_LEADING = re.compile(rf"{_EDGE}*")
_POSSESSIVE = r"(?:['\u2019]s|(?<=s)['\u2019])?"
_TRAILING = re.compile(rf"{_POSSESSIVE}{_EDGE}*\Z", re.IGNORECASE)
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{2,}")
_USER = re.compile(r"\b(?:i|me|my|mine|myself|i['\u2019](?:m|ve|d|ll))\b", re.IGNORECASE)


@dataclass(frozen=True)
class Span:
    """A range of a query and its folded text."""

    start: int
    end: int
    folded: str


@dataclass(frozen=True)
class NamedEntities:
    """The entities with a name, and whether all of them are people."""

    ids: frozenset[str]
    is_person: bool = False


def find_name_candidates(query: str) -> list[Span]:
    """Return every part of *query* that may be a name."""
    read = query[:_MAX_SCANNED]
    return [*_word_spans(read), *_character_spans(read)]


def select_names(spans: Iterable[Span], known: Mapping[str, NamedEntities]) -> list[Span]:
    """Return the spans that are names, in order and without overlap, longest first."""
    selected: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        apart = all(span.end <= other.start or other.end <= span.start for other in selected)
        if span.folded in known and apart:
            selected.append(span)
    return sorted(selected, key=lambda span: span.start)


def single_named_entity(
    names: Iterable[Span], known: Mapping[str, NamedEntities], user: frozenset[str] = frozenset()
) -> frozenset[str]:
    """
    Return the entities of the only name; empty if there are several. *user* is the entity of "I".
    """
    entity_sets = {known[name.folded].ids for name in names}
    if user:
        entity_sets.add(user)
    return entity_sets.pop() if len(entity_sets) == 1 else frozenset()


def mentions_user(query: str) -> bool:
    """Return whether the query contains "I" or "my"."""
    return bool(_USER.search(query[:_MAX_SCANNED]))


def remove_names(query: str, names: Iterable[Span], *, people: Collection[str] = ()) -> str:
    """
    Return *query* without its names, and with "I" and "my" for those of *people*.

    People state facts about themselves in the first person, so this resembles the stored text.
    """
    parts, last = [], 0
    for name in names:
        parts.append(query[last : name.start])
        possessive = re.compile(rf"{_POSSESSIVE}(?!\w)", re.I).match(query, name.end)
        last = possessive.end() if possessive else name.end
        if name.folded in people:
            parts.append("my" if last > name.end else "I")
    rest = " ".join("".join([*parts, query[last:]]).split())
    left = [word for word in re.findall(r"\w+", rest.casefold()) if word not in STOP_WORDS]
    return rest if left else query


def _word_spans(query: str) -> Iterator[Span]:
    words = [(match.start(), match.end()) for match in _WORD.finditer(query)]
    for first, (start, _) in enumerate(words):
        leading = _LEADING.match(query, start)
        begin = leading.end() if leading else start
        for _, end in words[first : first + MAX_WORDS]:
            trailing = _TRAILING.search(query, begin, end)
            for stop in {end, trailing.start() if trailing else end}:
                if span := _span(query, begin, stop):
                    yield span


def _character_spans(query: str) -> Iterator[Span]:
    for run in _CJK_RUN.finditer(query):
        for start in range(run.start(), run.end() - 1):
            for end in range(start + 2, min(start + MAX_CHARACTERS, run.end()) + 1):
                yield Span(start, end, fold_name(query[start:end]))


def _span(query: str, start: int, end: int) -> Span | None:
    folded = fold_name(query[start:end])
    return Span(start, end, folded) if folded and folded not in STOP_WORDS else None
