"""Rows that come first: named by the query, or alone in containing one of its rare terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ...rules.text.normalization import fold_name, loosen_name
from ...rules.text.query_terms import STOP_WORDS, is_identifier
from ...storage.database import Connection
from ...storage.search import exact_matches
from ...storage.search.exact_matches import allowed_ids
from ...storage.search.search_filter import Ids

# The order of exact matches: a name before any number of rare terms.
_NAMED = 1_000.0

# Longer than any name.
_LONGEST = 300
# Terms that are looked up one by one.
_MOST_TERMS = 16
# In a query of more words, only identifiers are rare enough.
_FEW_WORDS = 3
_SHORTEST_WORD = 4

_AROUND = " \t\n\"'`.,;:!?<>()[]{}\u201c\u201d\u2018\u2019"
_PREFIX_OF_ID = re.compile(r"[0-9a-f]{7,}")


def exact_rows(
    connection: Connection,
    query: str,
    terms: Sequence[str],
    *,
    project_id: str,
    allowed: Ids | None,
) -> dict[int, float]:
    """Return the rows that *query* singles out, and how clearly: the higher, the better."""
    only = exact_matches.only_rows(connection, _rare(terms), allowed=allowed)
    # A word may match by its stem alone; an identifier, or all words of a query together, do not.
    is_whole = len(only) == len(terms) and len(set(only.values())) == 1
    is_clear = is_whole or any(is_identifier(term) for term in terms)
    clear = only.values() if is_clear else ()
    found = {row: float(count) for row, count in Counter(clear).items()}
    for row in _named_rows(connection, query, project_id=project_id):
        if allowed_ids([row << 24], allowed):
            found[row] = _NAMED
    return found


def _named_rows(connection: Connection, query: str, *, project_id: str) -> set[int]:
    name = query.strip(_AROUND)
    if not name or len(name) > _LONGEST:
        return set()
    forms = {query.strip(), name, fold_name(query), fold_name(name), loosen_name(name)}
    named = exact_matches.named_rows(connection, forms, project_id=project_id)
    if not named and _PREFIX_OF_ID.fullmatch(name):
        return exact_matches.rows_with_id_prefix(connection, name)
    return named


def _rare(terms: Sequence[str]) -> list[str]:
    few = len(terms) <= _FEW_WORDS
    return [
        term
        for term in terms
        if is_identifier(term) or (few and len(term) >= _SHORTEST_WORD and term not in STOP_WORDS)
    ][:_MOST_TERMS]
