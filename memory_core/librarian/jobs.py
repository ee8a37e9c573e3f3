"""The jobs of a cycle, in order, as a table: code, tests and pages read the same one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from ..rules.graph.duplicates import SAME_THING
from ..services.discovery.relation_candidates import relate, unrelated_pairs
from ..services.discovery.similarity import gather
from ..services.discovery.suggestions import MOST_OPEN
from ..storage.graph import entities
from .clusters import cohesion, find_clusters, standing_out
from .concepts import follow_clusters
from .context import CycleState
from .duplicates import find_duplicates


@dataclass(frozen=True)
class Job:
    """One part of a cycle."""

    name: str
    run: Callable[[CycleState], None]
    what: str


def read_vectors(work: CycleState) -> None:
    work.likeness = gather(work.desk.db, work.project_id, work.job_run.tick)
    work.job_run.counts["entities"] = len(work.likeness.cards)
    work.job_run.counts["without_vector"] = len(work.likeness.without)


def find_neighbours(work: CycleState) -> None:
    work.close = work.options.cluster or standing_out(work.likeness.matrix)
    least = min(work.options.relation, work.close, SAME_THING)
    work.near = work.likeness.pairs(least, work.job_run.tick)
    work.job_run.counts["near_pairs"] = len(work.near)


def cluster_entities(work: CycleState) -> None:
    cards = work.likeness.cards
    near = work.near.at_least(work.close)
    groups = find_clusters(near, len(cards), cosine=work.close, smallest=work.options.smallest)
    work.clusters = [frozenset(cards[row].row_id for row in group) for group in groups]
    work.cohesion = cohesion(near, groups, len(cards))
    work.job_run.counts["clusters"] = len(groups)


def find_relations(work: CycleState) -> None:
    desk, near = work.desk, work.near.at_least(work.options.relation)
    pairs = unrelated_pairs(desk.db, desk.ontology, work.likeness, near, skip=frozenset(work.same))
    found = list(islice(pairs, MOST_OPEN))
    work.job_run.counts["relations_found"] = len(found)
    if work.options.auto_create and not work.dry_run:
        work.job_run.counts["relations_made"] = relate(
            desk.db, desk.ids, found, cause=work.cause, tick=work.job_run.tick
        )
        found = []
    work.relations = desk.discovery.suggest_relations(
        work.job_run, work.likeness, found, project_id=work.project_id, least=work.options.relation
    )


def count_orphans(work: CycleState) -> None:
    with work.desk.db.read() as connection:
        _, total = entities.orphans(connection, work.project_id, after=("", ""), limit=1)
    work.job_run.counts["orphans"] = total


JOBS = (
    Job("vectors", read_vectors, "reading vectors"),
    Job("neighbours", find_neighbours, "looking for near entities"),
    Job("clusters", cluster_entities, "grouping"),
    Job("concepts", follow_clusters, "writing concepts"),
    Job("duplicates", find_duplicates, "comparing facts"),
    Job("relations", find_relations, "looking for relations"),
    Job("orphans", count_orphans, "counting orphans"),
)
