"""Choose pairs of similar entities and a relation type for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...ids import IdSource
from ...model.graph.entities import Entity
from ...model.graph.ontology import Ontology
from ...rules.graph.relation_proposals import propose_relation
from ...search.neighbours import Near
from ...storage.database import Connection, Database
from ...storage.graph import entities
from ...storage.graph import suggestions as rows
from ...storage.graph.entity_vectors import Card
from ...storage.graph.suggestions import Noted, Pair, in_order
from .relation_writer import link
from .similarity import Likeness, Tick
from .suggestions import Found, chunks

SOURCE = "radar"

# Pairs per query.
_LOOKED_UP = 1000


def unrelated_pairs(
    db: Database,
    ontology: Ontology,
    likeness: Likeness,
    near: Near,
    *,
    skip: frozenset[Pair] = frozenset(),
) -> Iterator[Found]:
    """
    Yield the pairs that are neither related nor rejected, most similar first.

    A common neighbour does not count as a relation between the two.
    """
    order = np.lexsort((near.second, near.first, -near.cosine))
    for start in range(0, len(order), _LOOKED_UP):
        part = order[start : start + _LOOKED_UP]
        ends = [
            (likeness.cards[near.first[i]], likeness.cards[near.second[i]], float(near.cosine[i]))
            for i in part
        ]
        pairs = [in_order(one.row_id, other.row_id) for one, other, _ in ends]
        with db.read() as connection:
            closed = (
                rows.related_pairs(connection, pairs) | _decided_pairs(connection, pairs) | skip
            )
        for pair, (one, other, cosine) in zip(pairs, ends, strict=True):
            if pair not in closed:
                yield _build_found(ontology, one, other, cosine)


def relate(
    db: Database,
    ids: IdSource,
    found: Sequence[Found],
    *,
    cause: str,
    tick: Tick,
) -> int:
    """Create the relations in short transactions; return how many were new."""
    made = 0
    for number, chunk in enumerate(chunks(found), 1):
        with db.write(cause) as connection:
            row_ids = [id for each in chunk for id in each.pair]
            known = entities.by_row_ids(connection, row_ids)
            # Another process may have related them since the pairs were read.
            related = rows.related_pairs(connection, [each.pair for each in chunk])
            for each in chunk:
                if each.pair in related or not _both_active(known, each):
                    continue
                made += None is not link(
                    connection,
                    known[each.from_id],
                    known[each.to_id],
                    each.relation_type,
                    id=ids(),
                    now=db.clock(),
                    confidence=round(each.similarity, 4),
                    source=SOURCE,
                )
        tick(number * len(chunk), len(found))
    return made


def as_noted(found: Found, project_id: str) -> Noted:
    """Return a found pair as a suggestion that is not stored."""
    values = {**vars(found), "similarity": round(found.similarity, 4)}
    return Noted(id="", project_id=project_id, kind="relation", status="open", **values)


def _decided_pairs(connection: Connection, pairs: list[Pair]) -> set[Pair]:
    noted = rows.of_pairs(connection, "relation", pairs)
    return {pair for pair, each in noted.items() if each.status in ("rejected", "accepted")}


def _build_found(ontology: Ontology, one: Card, other: Card, cosine: float) -> Found:
    kind, from_id, to_id = propose_relation(
        ontology, (one.row_id, one.node_type), (other.row_id, other.node_type)
    )
    start, end = (one, other) if from_id == one.row_id else (other, one)
    return Found(
        from_id=from_id,
        to_id=to_id,
        from_row_id=from_id,
        to_row_id=to_id,
        similarity=cosine,
        reason=f"{start.node_type} and {end.node_type}",
        relation_type=kind,
    )


def _both_active(known: dict[str, Entity], found: Found) -> bool:
    ends = [known.get(found.from_id), known.get(found.to_id)]
    return all(end is not None and end.status == "active" for end in ends)
