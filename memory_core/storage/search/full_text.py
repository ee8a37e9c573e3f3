"""
Full-text index, updated from the audit log before each commit.

A committed row can be found immediately; a row that was rolled back never can. The FTS5
table is contentless: its rows are passages of search documents, identified by rowid. A row
has three columns: the words of the passage, of its day, and of its neighbours in the session
(session_rows.py).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw
from apsw import Connection

from ...rules.text.dates import day_words
from ...rules.text.normalization import extract_terms
from ...rules.text.passages import PassageSpan, split_passages
from ...rules.text.query_terms import PREFIX
from ..graph import entity_names, session_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Rowids reserved for each search document. SQLite's longest text has fewer passages.
ROOM = 1 << 24

_LAST_ID = (1 << 63) - 1

# Changed rows processed at once, which limits memory use.
_BATCH = 256

# Up to this number, allowed passages are passed to SQLite; else hits are filtered afterwards.
_FEW = 5_000
# Factor by which the number of hits grows until enough of them are allowed.
_WIDENING = 4

_CHANGED = """
select id, text, seq, active, project_id, user_id, agent_id, session_id, occurred_at
from searchables
where (seq, id) > (:seq, :id)
order by seq, id
limit :limit
"""

_TEXTS = """
select id, text, occurred_at
from searchables
where id in (select value from json_each(:ids))
"""

_OUTDATED = """
select id, text, seq, active, project_id, user_id, agent_id, session_id, occurred_at
from searchables
where id > :id and text is not null
order by id
limit :limit
"""

_REINDEXED_TO = """
select reindexed_to from full_text_state
"""

_SET_REINDEXED_TO = """
update full_text_state set reindexed_to = :id
"""

_PIECES = """
select id, start, length, digest from pieces where id between :first and :last order by id
"""

_FORGET_PIECES = """
delete from pieces where id between :first and :last
"""

_FORGET_TERMS = """
delete from piece_terms where rowid between :first and :last
"""

_FORGET_ALL = """
insert into piece_terms (piece_terms) values ('delete-all')
"""

_INSERT_PIECE = """
insert into pieces (id, start, length, digest) values (:id, :start, :length, :digest)
"""

_INSERT_TERMS = """
insert into piece_terms (rowid, own, day, context) values (:rowid, :own, :day, :context)
"""

_CHECK = """
insert into piece_terms (piece_terms) values ('integrity-check')
"""

# FTS5's "order by rank" would compute the word frequencies twice, which doubles the cost;
# bm25() is not allowed in a condition, so the limit is applied here.
_BEST = """
select rowid, bm25(piece_terms, :own, :day, :context) as score
from piece_terms
where piece_terms match :query
order by score, rowid
limit :limit
"""

# The plus prevents one FTS5 lookup per row.
_BEST_OF_FEW = """
select rowid, bm25(piece_terms, :own, :day, :context) as score
from piece_terms
where piece_terms match :query and +rowid in (select value from carray(:allowed))
order by score, rowid
limit :limit
"""

# Stops at the limit: the exact count of a common word does not matter.
_COUNT = """
select count(*) from (select 1 from piece_terms where piece_terms match :query limit :limit)
"""

# For each term, the number of passages with it up to a limit, and whether one passage has it.
_COVERED = """
select
    (
        select count(*)
        from (select 1 from piece_terms where piece_terms match asked.value limit :limit)
    ) as pieces,
    exists (
        select 1 from piece_terms where piece_terms match asked.value and rowid = :piece
    ) as covered
from json_each(:queries) asked
order by asked.key
"""


class CommonTerms:
    """
    Detects words that nearly all passages contain: expensive to search, with little effect.

    Counting is expensive too, so a word is counted again only after the store has doubled.
    """

    def __init__(self, *, size: int = 10_000) -> None:
        self._size = size
        self._common: dict[str, tuple[int, bool]] = {}

    def without(self, connection: Connection, terms: Sequence[str], *, limit: int) -> list[str]:
        """Return the *terms* in fewer than *limit* passages; all of them if there is none."""
        rare = [term for term in terms if not self._is_common(connection, term, limit=limit)]
        return rare or list(terms)

    def _is_common(self, connection: Connection, term: str, *, limit: int) -> bool:
        counted_at, common = self._common.get(term, (0, False))
        if not limit // 2 < counted_at <= limit * 2:
            bound = {"query": any_of([term]), "limit": limit}
            common = int(connection.execute(_COUNT, bound).get) >= limit
            if len(self._common) >= self._size:
                self._common.clear()
            self._common[term] = limit, common
        return common


@dataclass(frozen=True)
class _Row:
    id: int
    text: str | None
    seq: int
    active: int
    project_id: str
    user_id: str
    agent_id: str
    session_id: str
    occurred_at: str

    def place(self) -> session_rows.Place:
        text = self.text or ""
        scope = (self.project_id, self.user_id, self.agent_id, self.session_id)
        stands = bool(text and self.active and self.session_id)
        return session_rows.Place(
            id=self.id,
            session=json.dumps(scope) if stands else "",
            occurred_at=self.occurred_at,
            short=int(len(text) <= session_rows.SHORT),
        )


class _Prepared(threading.local):
    """Passages and terms of texts that the next write of this thread will index."""

    def __init__(self) -> None:
        self.texts: dict[str, list[tuple[PassageSpan, str]]] = {}


_prepared = _Prepared()


def prepare(texts: Iterable[str]) -> None:
    """Split and tokenize texts before the write that will index them takes the lock."""
    for text in texts:
        if text not in _prepared.texts:
            _prepared.texts[text] = _split_terms(text)


def forget_prepared() -> None:
    """Forget the prepared texts of this thread, at the end of its write."""
    _prepared.texts.clear()


def follow(connection: Connection, seq: int) -> None:
    """Update the full-text index with all changes after *seq*."""
    last = _LAST_ID
    while batch := _changed_rows(connection, seq, last):
        _apply(connection, batch)
        seq, last = batch[-1].seq, batch[-1].id


def rebuild(connection: Connection) -> None:
    """Rebuild the full-text index, after damage or a change of the text rules."""
    connection.execute(_FORGET_ALL)
    session_rows.forget_all(connection)
    follow(connection, -1)
    connection.execute(_SET_REINDEXED_TO, {"id": None})


def needs_reindex(connection: Connection) -> bool:
    """Return whether rows follow older text rules, and may be missed until reindex_batch()."""
    return connection.execute(_REINDEXED_TO).get is not None


def reindex_batch(connection: Connection) -> bool:
    """
    Index the next rows that follow older text rules; return whether there may be more.

    The position is stored in the same transaction, so that any process can continue.
    """
    last: Any = connection.execute(_REINDEXED_TO).get
    if last is None:
        return False
    rows = connection.execute(_OUTDATED, {"id": last, "limit": _BATCH})
    batch = [_Row(**row) for row in rows]
    _apply(connection, batch)
    more = len(batch) == _BATCH
    connection.execute(_SET_REINDEXED_TO, {"id": batch[-1].id if more else None})
    return more


def check(connection: Connection) -> None:
    """Raise apsw.CorruptError if the full-text index is inconsistent. Needs a write."""
    connection.execute(_CHECK)


def digest(text: str) -> bytes:
    """Return the digest under which the vector of a text is stored."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def search(
    connection: Connection,
    terms: Sequence[str],
    *,
    weights: tuple[float, float, float],
    limit: int,
    allowed: NDArray[np.uint64] | None = None,
) -> list[tuple[int, float]]:
    """
    Return up to *limit* passages with any term, best first, with their bm25 score.

    Only ids in *allowed* (sorted) are returned. Reading continues until *limit* of them are
    found, so that disallowed passages displace none.
    """
    if not terms or (allowed is not None and not len(allowed)):
        return []
    own, day, context = weights
    bound = {"query": any_of(terms), "own": own, "day": day, "context": context}
    if allowed is None:
        return _read_rows(connection, _BEST, {**bound, "limit": limit})
    if len(allowed) <= _FEW:
        few = apsw.carray(allowed.astype("int64"))
        return _read_rows(connection, _BEST_OF_FEW, {**bound, "limit": limit, "allowed": few})
    fetched = limit
    while True:
        fetched *= _WIDENING
        hits = _read_rows(connection, _BEST, {**bound, "limit": fetched})
        permitted = _filter_allowed(hits, allowed)
        if len(permitted) >= limit or len(hits) < fetched:
            return permitted[:limit]


def term_coverage(
    connection: Connection, terms: Iterable[str], piece: int, *, limit: int
) -> list[tuple[int, bool]]:
    """Return for each term its passage count, up to *limit*, and whether *piece* contains it."""
    bound = {"queries": json.dumps([any_of([term]) for term in terms]), "piece": piece}
    rows: Any = connection.execute(_COVERED, {**bound, "limit": limit})
    return [(row["pieces"], bool(row["covered"])) for row in rows]


def any_of(terms: Iterable[str]) -> str:
    """Return an FTS5 query for any of *terms*, quoted so that only PREFIX is syntax."""
    return " OR ".join(map(_quote, terms))


def _quote(term: str) -> str:
    return f'"{term[:-1]}" *' if term.endswith(PREFIX) else f'"{term}"'


def _read_rows(
    connection: Connection, query: str, bound: dict[str, Any]
) -> list[tuple[int, float]]:
    cursor = connection.cursor()
    # Hundreds of rows: tuples cost a quarter of dicts.
    cursor.row_trace = None
    rows: Any = cursor.execute(query, bound)
    return [(piece, -score) for piece, score in rows]


def _filter_allowed(
    hits: list[tuple[int, float]], allowed: NDArray[np.uint64]
) -> list[tuple[int, float]]:
    import numpy as np

    ids = np.fromiter((piece for piece, _ in hits), np.uint64, len(hits))
    places = np.minimum(np.searchsorted(allowed, ids), len(allowed) - 1)
    return list(itertools.compress(hits, allowed[places] == ids))


def _changed_rows(connection: Connection, seq: int, id: int) -> list[_Row]:
    rows = connection.execute(_CHANGED, {"seq": seq, "id": id, "limit": _BATCH})
    return [_Row(**row) for row in rows]


def _apply(connection: Connection, batch: list[_Row]) -> None:
    entity_names.add_loose_names(connection, [row.id for row in batch])
    stale, contexts = session_rows.move(connection, [row.place() for row in batch])
    changed = {row.id: row.text or "" for row in batch}
    days = {row.id: row.occurred_at for row in batch}
    neighbours = {id for row in stale | changed.keys() for id in contexts.get(row, ())}
    texts = dict(changed)
    for row in _texts(connection, (stale | neighbours) - changed.keys()):
        texts[row["id"]], days[row["id"]] = row["text"] or "", row["occurred_at"]
    own = {id: " ".join(extract_terms(texts[id])) for id in neighbours}
    for id in sorted(stale | changed.keys()):
        context = " ".join(own[near] for near in contexts.get(id, ()))
        _rewrite(connection, id, texts[id], day=day_words(days[id]), context=context)


def _texts(connection: Connection, ids: Collection[int]) -> Iterable[Any]:
    return connection.execute(_TEXTS, {"ids": json.dumps(list(ids))}) if ids else ()


def _rewrite(connection: Connection, id: int, text: str, *, day: str, context: str) -> None:
    first = id * ROOM
    room = {"first": first, "last": first + ROOM - 1}
    cut = _prepared.texts[text] if text in _prepared.texts else _split_terms(text)
    wanted = [_piece(first + number, piece) for number, (piece, _) in enumerate(cut)]
    stored: list[Any] = connection.execute(_PIECES, room).fetchall()
    if stored:
        connection.execute(_FORGET_TERMS, room)
    # Only changed text needs a new vector; archiving does not change it.
    if stored != wanted:
        if stored:
            connection.execute(_FORGET_PIECES, room)
        connection.executemany(_INSERT_PIECE, wanted)
    for number, (_, terms) in enumerate(cut):
        connection.execute(
            _INSERT_TERMS,
            {
                "rowid": first + number,
                "own": terms,
                "day": day,
                "context": context if number == 0 else "",
            },
        )


def _split_terms(text: str) -> list[tuple[PassageSpan, str]]:
    return [(piece, " ".join(extract_terms(piece.text))) for piece in split_passages(text)]


def _piece(id: int, piece: PassageSpan) -> dict[str, Any]:
    return {
        "id": id,
        "start": piece.start,
        "length": len(piece.text),
        "digest": digest(piece.text),
    }
