"""Scheduled maintenance jobs, as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..services.entries.groups import Groups
from ..services.entries.maintenance import EntryUpkeep
from ..services.facts.maintenance import FactUpkeep
from ..services.maintenance.upkeep import Upkeep
from ..storage import job_runs
from ..storage.database import Connection
from ..storage.search import embeddings

# Rebuilding an index that is further behind than this is as fast.
LOG_KEPT = 100_000

# Half a year of discovery every five minutes is more than anybody reads.
CYCLES_KEPT = 5_000


@dataclass(frozen=True)
class DatabaseJob:
    """One thing to tidy; *run* returns how many rows it touched."""

    name: str
    run: Callable[[Connection], int]
    what: str


@dataclass(frozen=True)
class ServiceJob:
    """Something to look after that opens its own transactions; *run* returns how much it did."""

    name: str
    run: Callable[[], int]
    what: str


def entry_jobs(entries: EntryUpkeep, groups: Groups) -> tuple[ServiceJob, ...]:
    """Return what entries need, in its order: what goes is neither compared nor grouped."""
    return (
        ServiceJob("entries_expired", entries.remove_expired, "removing expired entries"),
        ServiceJob("entries_merged", lambda: len(entries.merge_if_wanted()), "comparing entries"),
        ServiceJob(
            "groups_rebuilt", lambda: len(groups.rebuild_stale_groups()), "grouping entries"
        ),
    )


def fact_jobs(facts: FactUpkeep) -> tuple[ServiceJob, ...]:
    """Return what facts need: what a job brings in is compared in the same run."""
    return (
        ServiceJob("jobs_retried", facts.retry_due, "drawing facts from conversations"),
        ServiceJob("facts_compared", facts.compare_waiting, "comparing facts"),
        ServiceJob("transcripts_forgotten", facts.forget_old, "forgetting old conversations"),
    )


def backup_job(upkeep: Upkeep) -> ServiceJob:
    """Return what comes last: should the disk be full, all else was done before."""
    return ServiceJob("backups_made", upkeep.backup_if_due, "copying the memory")


def shorten_log(connection: Connection) -> int:
    floor = embeddings.log_position(connection) - LOG_KEPT
    return embeddings.prune_log(connection, floor) if floor > 0 else 0


def forget_cycles(connection: Connection) -> int:
    return job_runs.prune(connection, CYCLES_KEPT)


DATABASE_JOBS = (
    DatabaseJob("vectors", embeddings.prune_vectors, "dropping vectors of texts that are gone"),
    DatabaseJob("log", shorten_log, "shortening the vector log"),
    DatabaseJob("cycles", forget_cycles, "forgetting old runs"),
)
