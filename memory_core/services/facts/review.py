"""Review of the facts of all users, for the owner of the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ...clock import format_timestamp
from ...model.facts.fact_review import (
    FactCounts,
    FactScopeFilter,
    MergedFact,
    MergedFactPage,
    ReviewedJobs,
    ScopeCounts,
)
from ...model.facts.facts import ExtractionJob, Fact, FactPage
from ...model.scope import EVERYTHING
from ...rules import limits
from ...rules.facts.extraction import extraction_contract
from ...rules.paging import decode_cursor, encode_cursor
from ...storage.database import Connection, Database
from ...storage.entries import extraction_jobs as jobs
from ...storage.entries import fact_review as rows
from ...storage.entries import facts
from ...storage.entries.fact_review import FusedRow
from ...storage.history import audit_log


class FactReview:
    """
    Facts of all users, the conversations they came from, and merges.

    Only for the owner of the database: an assistant reads a user's facts through Conversation,
    where it must name the user.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def list_holders(self, project_id: str = "*") -> list[ScopeCounts]:
        """Return each exact scope that has facts or conversations, by name."""
        with self._db.read() as connection:
            return rows.holders(connection, limits.validate_project(project_id, all_allowed=True))

    def count_facts(self, whose: FactScopeFilter) -> FactCounts:
        with self._db.read() as connection:
            return rows.counts(connection, whose, now=self._db.clock())

    def list_facts(
        self,
        whose: FactScopeFilter,
        *,
        status: str = "active",
        words: str = "",
        limit: int = 50,
        cursor: str = "",
    ) -> FactPage:
        """Return facts, newest first; with *words*, only those that contain them."""
        limit = limits.validate_page_size(limit)
        of = ("facts in review", whose, status, words)
        with self._db.read() as connection:
            found, total = facts.list_facts(
                connection,
                whose,
                now=self._db.clock(),
                status=status,
                words=words,
                after=_after(cursor, of),
                limit=limit + 1,
            )
        more = len(found) > limit
        found = found[:limit]
        return FactPage(
            facts=found,
            total=total,
            cursor=_cursor(found[-1].created_at, found[-1].id, of) if more else "",
        )

    def facts_by_ids(self, ids: list[str]) -> dict[str, Fact]:
        """Return the existing facts among *ids*, by id."""
        with self._db.read() as connection:
            return facts.by_ids(connection, ids)

    def fact_version(self, id: str) -> int:
        """Return the version that expected_version of an update is compared with."""
        with self._db.read() as connection:
            return audit_log.version(connection, "entries", id).seq

    def list_jobs(
        self, whose: FactScopeFilter, *, status: str = "", limit: int = 50, cursor: str = ""
    ) -> ReviewedJobs:
        """Return conversations without their messages, newest first."""
        limit = limits.validate_page_size(limit)
        of = ("jobs in review", whose, status)
        with self._db.read() as connection:
            found, total = jobs.page(
                connection, whose, status=status, after=_after(cursor, of), limit=limit + 1
            )
            unfinished = rows.count_unfinished(connection, whose)
        more = len(found) > limit
        shown = [job.model_copy(update={"messages": []}) for job in found[:limit]]
        return ReviewedJobs(
            jobs=shown,
            total=total,
            unfinished=unfinished,
            cursor=_cursor(shown[-1].created_at, shown[-1].id, of) if more else "",
        )

    def get_job(self, job_id: str) -> ExtractionJob:
        """Return a conversation with all its messages."""
        with self._db.read() as connection:
            return jobs.get(connection, job_id, EVERYTHING)

    def extraction_contract(self) -> str:
        """Return the format that manually or externally extracted facts must have."""
        return extraction_contract()

    def list_merged(
        self, whose: FactScopeFilter, *, limit: int = 20, cursor: str = ""
    ) -> MergedFactPage:
        """Return facts that were replaced by another one, latest change first."""
        limit = limits.validate_page_size(limit)
        of = ("fused", whose)
        (before,) = decode_cursor(cursor, 0, of=of)
        with self._db.read() as connection:
            found, total = rows.merged_pairs(connection, whose, before=int(before), limit=limit + 1)
            shown = _merged_facts(connection, found[:limit])
        after = encode_cursor(found[limit - 1].seq, of=of) if len(found) > limit else ""
        return MergedFactPage(fused=shown, total=total, cursor=after)


def _merged_facts(connection: Connection, found: list[FusedRow]) -> list[MergedFact]:
    """Return the facts of these changes with their current successors."""
    known = facts.by_ids(connection, [row.id for row in found])
    heirs = {id: _heir(fact) for id, fact in known.items()}
    others = facts.by_ids(connection, [id for id in heirs.values() if id])
    shown = []
    for row in found:
        fact = known[row.id]
        rewritten = row.fate == "rewritten"
        shown.append(
            MergedFact(
                fate=row.fate,
                fact=fact,
                former=row.former,
                successor=fact if rewritten else others.get(heirs[row.id]),
                became=row.became if rewritten else "",
                actor=row.actor,
                cause=row.cause,
                at=row.at,
                seq=row.seq,
                batch_id=row.batch_id,
            )
        )
    return shown


def _heir(fact: Fact) -> str:
    return fact.superseded_by or fact.duplicate_of or ""


def _after(cursor: str, of: Sequence[object]) -> tuple[str, str]:
    created_at, id = decode_cursor(cursor, "", "", of=of)
    return str(created_at), str(id)


def _cursor(created_at: datetime, id: str, of: Sequence[object]) -> str:
    return encode_cursor(format_timestamp(created_at), id, of=of)
