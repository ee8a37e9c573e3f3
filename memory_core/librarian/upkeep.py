"""What is tidied every half hour, as a table; each job is one short transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from apsw import Connection

from ..storage import cycles, embeddings

# An index that is further behind than this is as soon built anew.
LOG_KEPT = 100_000

# Half a year of discovery every five minutes is more than anybody reads.
CYCLES_KEPT = 5_000


@dataclass(frozen=True)
class UpkeepJob:
    """One thing to tidy; *run* returns how many rows it touched."""

    name: str
    run: Callable[[Connection], int]
    what: str


def shorten_log(connection: Connection) -> int:
    floor = embeddings.log_position(connection) - LOG_KEPT
    return embeddings.prune_log(connection, floor) if floor > 0 else 0


def forget_cycles(connection: Connection) -> int:
    return cycles.prune(connection, CYCLES_KEPT)


UPKEEP = (
    UpkeepJob("vectors", embeddings.prune_vectors, "dropping vectors of texts that are gone"),
    UpkeepJob("log", shorten_log, "shortening the vector log"),
    UpkeepJob("cycles", forget_cycles, "forgetting old runs"),
)
