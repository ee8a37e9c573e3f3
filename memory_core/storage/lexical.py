"""
Full text: a follower of the journal that never lags.

It runs inside every write, just before the commit, so a row is findable from
the moment it exists, and one rolled back never was. The FTS5 table keeps no
text of its own: its rows are pieces of searchables, and which piece of which
is in the rowid.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from apsw import Connection

from ..rules.pieces import pieces
from ..rules.text import terms
from . import journal

# Rowids set aside for each searchable; SQLite's longest text has fewer pieces.
ROOM = 1 << 24

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


@dataclass(frozen=True)
class Hit:
    """A searchable and the bm25 of its best piece; higher is better."""

    id: int
    score: float


def follow(connection: Connection, seq: int) -> None:
    """Bring the full text level with everything that changed after *seq*."""
    last = 0
    while batch := journal.pending(connection, seq, last):
        for item in batch:
            _rewrite(connection, item)
        seq, last = batch[-1].seq, batch[-1].id


def rebuild(connection: Connection) -> None:
    """Make the full text anew, after damage or when the rules of text changed."""
    connection.execute(_FORGET_ALL)
    follow(connection, -1)


def check(connection: Connection) -> None:
    """Raise apsw.CorruptError if the full text contradicts itself; needs a write."""
    connection.execute(_CHECK)


def digest(text: str) -> bytes:
    """Return what two pieces share if and only if their vectors are the same."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _rewrite(connection: Connection, item: journal.Pending) -> None:
    first = item.id * ROOM
    room = {"first": first, "last": first + ROOM - 1}
    connection.execute(_FORGET_PIECES, room)
    connection.execute(_FORGET_TERMS, room)
    text = item.text or ""
    for number, piece in enumerate(pieces(text)):
        connection.execute(
            _INSERT_PIECE,
            {
                "id": first + number,
                "start": piece.start,
                "length": len(piece.text),
                "digest": digest(piece.text),
            },
        )
        connection.execute(
            _INSERT_TERMS,
            {"rowid": first + number, "own": " ".join(terms(piece.text)), "day": "", "context": ""},
        )
