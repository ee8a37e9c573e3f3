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
class UpkeepJob:
    """One thing to tidy; *run* returns how many rows it touched."""

    name: str
    run: Callable[[Connection], int]
    what: str


@dataclass(frozen=True)
class Chore:
    """Something to look after that opens its own transactions; *run* returns how much it did."""

    name: str
    run: Callable[[], int]
    what: str


def entry_chores(entries: EntryUpkeep, groups: Groups) -> tuple[Chore, ...]:
    """Return what entries need, in its order: what goes is neither compared nor grouped."""
    return (
        Chore("entries_expired", entries.remove_expired, "removing expired entries"),
        Chore("entries_merged", lambda: len(entries.merge_if_wanted()), "comparing entries"),
        Chore("groups_rebuilt", lambda: len(groups.rebuild_stale()), "grouping entries"),
    )


def fact_chores(facts: FactUpkeep) -> tuple[Chore, ...]:
    """Return what facts need: what a job brings in is compared in the same run."""
    return (
        Chore("jobs_retried", facts.retry_due, "drawing facts from conversations"),
        Chore("facts_compared", facts.compare_waiting, "comparing facts"),
        Chore("transcripts_forgotten", facts.forget_old, "forgetting old conversations"),
    )


def backup_chore(upkeep: Upkeep) -> Chore:
    """Return what comes last: should the disk be full, all else was done before."""
    return Chore("backups_made", upkeep.backup_if_due, "copying the memory")


def shorten_log(connection: Connection) -> int:
    floor = embeddings.log_position(connection) - LOG_KEPT
    return embeddings.prune_log(connection, floor) if floor > 0 else 0


def forget_cycles(connection: Connection) -> int:
    return job_runs.prune(connection, CYCLES_KEPT)


UPKEEP = (
    UpkeepJob("vectors", embeddings.prune_vectors, "dropping vectors of texts that are gone"),
    UpkeepJob("log", shorten_log, "shortening the vector log"),
    UpkeepJob("cycles", forget_cycles, "forgetting old runs"),
)
