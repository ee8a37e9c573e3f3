"""Scheduled maintenance jobs."""

from __future__ import annotations

from collections.abc import Callable

from ..services.documents.knowledge import Knowledge
from ..services.entries.groups import Groups
from ..services.entries.maintenance import EntryUpkeep
from ..services.facts.maintenance import FactUpkeep
from ..services.job_runs import Job
from ..services.maintenance.upkeep import Upkeep
from ..storage import job_runs
from ..storage.database import Connection, Database
from ..storage.search import embeddings

# Rebuilding an index that is further behind than this is as fast.
LOG_KEPT = 100_000

# About 17 days of discovery every five minutes.
CYCLES_KEPT = 5_000


def database_jobs(db: Database) -> tuple[Job, ...]:
    """Return the jobs that are one transaction each."""

    def job(name: str, prune: Callable[[Connection], int], message: str) -> Job:
        def run() -> int:
            with db.note() as connection:
                return prune(connection)

        return Job(name, run, message)

    return (
        job("vectors", embeddings.prune_vectors, "deleting unused vectors"),
        job("log", _prune_log, "shortening the vector log"),
        job("cycles", _prune_runs, "deleting old runs"),
    )


def entry_jobs(entries: EntryUpkeep, groups: Groups) -> tuple[Job, ...]:
    """Return the jobs for entries: expired ones are removed before the rest is compared."""
    return (
        Job("entries_expired", entries.remove_expired, "removing expired entries"),
        Job("entries_merged", lambda: len(entries.merge_if_wanted()), "comparing entries"),
        Job("groups_rebuilt", lambda: len(groups.rebuild_stale_groups()), "grouping entries"),
    )


def fact_jobs(facts: FactUpkeep) -> tuple[Job, ...]:
    """Return the jobs for facts: new ones are compared in the same run."""
    return (
        Job("jobs_retried", facts.retry_due, "extracting facts from conversations"),
        Job("facts_compared", facts.compare_waiting, "comparing facts"),
        Job("transcripts_forgotten", facts.forget_old, "deleting old conversations"),
    )


def upkeep_jobs(upkeep: Upkeep, knowledge: Knowledge) -> tuple[Job, ...]:
    """Return the jobs that must be last: a full disk then blocks no other."""
    return (
        Job("temporary_deleted", upkeep.delete_left_over, "deleting temporary copies"),
        Job("documents_swept", knowledge.sweep_documents, "deleting parts of documents"),
        Job("backups_made", upkeep.backup_if_due, "making a backup"),
    )


def _prune_log(connection: Connection) -> int:
    floor = embeddings.log_position(connection) - LOG_KEPT
    return embeddings.prune_log(connection, floor) if floor > 0 else 0


def _prune_runs(connection: Connection) -> int:
    return job_runs.prune(connection, CYCLES_KEPT)
