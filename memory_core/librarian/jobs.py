"""Jobs of a librarian cycle."""

from __future__ import annotations

from functools import partial
from itertools import islice

from ..rules.graph.duplicates import SAME_THING
from ..services.discovery.relation_candidates import relate, unrelated_pairs
from ..services.discovery.similarity import gather
from ..services.discovery.suggestions import MOST_OPEN
from ..services.job_runs import Job
from ..storage.graph import entities
from .clusters import cohesion, find_clusters, standing_out
from .concepts import follow_clusters
from .context import CycleState
from .duplicates import find_duplicates


def cycle_jobs(work: CycleState) -> tuple[Job, ...]:
    """Return the jobs of a cycle in order; each reads the results of earlier ones from *work*."""
    return (
        Job("vectors", partial(read_vectors, work), "reading vectors"),
        Job("neighbours", partial(find_neighbours, work), "looking for near entities"),
        Job("clusters", partial(cluster_entities, work), "grouping"),
        Job("concepts", partial(follow_clusters, work), "writing concepts"),
        Job("duplicates", partial(find_duplicates, work), "comparing facts"),
        Job("relations", partial(find_relations, work), "looking for relations"),
        Job("orphans", partial(count_orphans, work), "counting orphans"),
    )


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
