"""Facts about users, by scope, extracted from conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import JsonValue

from ...clock import format_timestamp
from ...context import as_one_batch, current_batch
from ...errors import ForbiddenError, LanguageModelUnavailableError, ValidationError
from ...extract.protocols import Extractor
from ...ids import IdSource
from ...model.base import Value
from ...model.facts.extraction import Message
from ...model.facts.facts import (
    ChangedFact,
    DeletedFact,
    ExtractionJob,
    Fact,
    FactPage,
    JobPage,
    RecalledFact,
    RecallResult,
    RememberResult,
)
from ...model.maintenance import OwnerEraseResult
from ...model.scope import EVERYTHING, Scope
from ...rules import limits
from ...rules.facts.conversation import (
    MAX_VERBATIM,
    FactInput,
    MessageInput,
    as_list,
    job_status,
    parse_messages,
    select_verbatim,
    speaker_metadata,
    spoken_messages,
    validate_metadata,
)
from ...rules.facts.entries import entry_digest
from ...rules.facts.extraction import validate_facts
from ...rules.paging import decode_cursor, encode_cursor
from ...storage.database import Database
from ...storage.entries import extraction_jobs as jobs
from ...storage.entries import facts as rows
from ...storage.history import audit_log
from ..maintenance.upkeep import Upkeep
from ..scopes import validate_scope
from ..search.search import Search
from .extraction import Extraction
from .scope_hints import hint_at_scopes
from .writing import FactWriter, NewFact

Shown = TypeVar("Shown", bound=Value)

# Bytes per page, to bound the response, and bytes of a listed job's facts.
_BUDGET = 24_000
_FACTS_OF_A_JOB = 6_000
# Characters per message in a page.
_MESSAGE = 8_000

STATUSES = ("active", "duplicate", "superseded", "all")
JOB_STATUSES = (
    "pending",
    "waiting_for_assistant",
    "failed",
    "stored",
    "deferred",
    "duplicate",
    "nothing_memorable",
)


class Conversation:
    """
    Add, search, update and delete facts.

    Facts of a user are returned only to calls that name the user; a given agent or session
    restricts the result further. A call without any of these sees records without an owner.
    """

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        *,
        writer: FactWriter,
        extraction: Extraction,
        search: Search,
        upkeep: Upkeep,
    ) -> None:
        self._db = db
        self._ids = ids
        self._writer = writer
        self._extraction = extraction
        self._search = search
        self._upkeep = upkeep

    def add_messages(
        self,
        messages_or_text: MessageInput | Sequence[MessageInput],
        scope: Scope | None = None,
        *,
        metadata: Mapping[str, JsonValue] | None = None,
        infer: bool = True,
        extractor: Extractor | None = None,
    ) -> RememberResult:
        """
        Store the facts of a conversation; model failures are reported, never raised.

        Without an extractor, or with infer = False, each message of a user is stored unchanged;
        messages of the assistant are not facts of the user.
        """
        said, scope = parse_messages(messages_or_text), validate_scope(scope)
        carried = validate_metadata(metadata or {})
        asked = self._extraction.select_extractor(extractor) if infer else None
        if asked is not None:
            job = self._extraction.new_job(said, scope, metadata=carried, extractor=asked.name)
            self._extraction.open_job(job)
            return self._extraction.run_job(job.id, asked)
        now, own = self._db.clock(), select_verbatim(said)
        facts = [
            NewFact(
                # Piped input ends with a newline.
                message.content.strip(),
                now,
                metadata={**carried, **speaker_metadata(message)},
            )
            for message in own
        ]
        left_out = len(spoken_messages(said)) - len(own)
        notices = [
            _AS_GIVEN if infer and own else "",
            _NO_USER_TURN.format(left_out) if left_out else "",
            _EXTRACT if infer else "",
        ]
        notice = " ".join(filter(None, notices))
        return self._store_facts(facts, scope).model_copy(update={"notice": notice})

    def add_facts(
        self,
        facts: FactInput | Sequence[FactInput],
        scope: Scope | None = None,
        *,
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> RememberResult:
        """Store given facts without calling an extractor."""
        scope, now = validate_scope(scope), self._db.clock()
        carried = validate_metadata(metadata or {})
        parsed = validate_facts(as_list(facts))
        if not parsed.facts:
            raise ValidationError(
                f"There is no fact to store. {' '.join(parsed.refused[:5])} Give sentences, or "
                'objects with "content".'
            )
        new = [
            NewFact(
                fact.content,
                now,
                category=fact.category or "conversation",
                metadata=carried,
                occurred_at=fact.occurred_at,
            )
            for fact in parsed.facts
        ]
        return self._store_facts(new, scope).model_copy(update={"refused": list(parsed.refused)})

    def extract_facts(
        self,
        messages_or_text: MessageInput | Sequence[MessageInput],
        scope: Scope | None = None,
        *,
        metadata: Mapping[str, JsonValue] | None = None,
        extractor: Extractor | None = None,
    ) -> RememberResult:
        """
        Like add_messages(), but without an extractor return the contract for the assistant's own
        model.
        """
        said, scope = parse_messages(messages_or_text), validate_scope(scope)
        carried = validate_metadata(metadata or {})
        asked = self._extraction.select_extractor(extractor)
        job = self._extraction.new_job(
            said, scope, metadata=carried, extractor=asked.name if asked else ""
        )
        self._extraction.open_job(job)
        return self._extraction.run_job(job.id, asked) if asked else self._extraction.offer_job(job)

    def submit_facts(
        self, job_id: str, facts: Sequence[object], scope: Scope = EVERYTHING
    ) -> RememberResult:
        """Store the facts extracted from a job; raise ExtractionError if none of them is valid."""
        scope = validate_scope(scope, all_projects=True, all_users=True)
        return self._extraction.submit_facts(job_id, facts, scope)

    def retry_job(self, job_id: str, *, extractor: Extractor | None = None) -> RememberResult:
        """
        Retry a job; raise LanguageModelUnavailableError without a model.

        Raise CancelledError if the caller is gone after extraction: no fact is stored then.
        """
        asked = self._extraction.select_extractor(extractor)
        if asked is None:
            self.get_job(job_id)
            raise LanguageModelUnavailableError(
                "There is no extractor to retry with. Set LLM_PROVIDER, or extract the facts "
                "yourself and submit them."
            )
        return self._extraction.run_job(job_id, asked, stoppable=True)

    def list_jobs(
        self,
        scope: Scope | None = None,
        *,
        status: str = "",
        limit: int = 50,
        cursor: str = "",
    ) -> JobPage:
        """Return jobs without their messages, newest first."""
        limit, scope = (
            limits.validate_page_size(limit),
            validate_scope(scope, all_projects=True, all_users=True),
        )
        if status and status not in JOB_STATUSES:
            raise ValidationError(
                f"There is no status {status!r}. The statuses: {', '.join(JOB_STATUSES)}."
            )
        of = ("jobs", scope, status)
        created_at, id = decode_cursor(cursor, "", "", of=of)
        with self._db.read() as connection:
            found, total = jobs.page(
                connection,
                scope,
                status=status,
                after=(str(created_at), str(id)),
                limit=limit + 1,
            )
        shown = _within_budget([_in_a_list(job) for job in found[:limit]])
        last = shown[-1] if len(found) > len(shown) else None
        after = encode_cursor(format_timestamp(last.created_at), last.id, of=of) if last else ""
        return JobPage(jobs=shown, total=total, cursor=after)

    def get_job(self, job_id: str, scope: Scope = EVERYTHING) -> ExtractionJob:
        """Return a job with its messages; raise NotFoundError if *scope* does not include it."""
        scope = validate_scope(scope, all_projects=True, all_users=True)
        with self._db.read() as connection:
            return jobs.get(connection, job_id, scope)

    def transcript(self, job_id: str, scope: Scope, *, cursor: str = "") -> JobPage:
        """Return a job with one page of its messages, bounded in size."""
        job = self.get_job(job_id, scope)
        of = ("transcript", job.id)
        first = max(int(decode_cursor(cursor, 0, of=of)[0]), 0)
        shown = _within_budget(job.messages[first:])
        after = first + len(shown)
        part = [_shorten(message) for message in shown]
        return JobPage(
            jobs=[job.model_copy(update={"messages": part, "facts": []})],
            total=1,
            cursor=encode_cursor(after, of=of) if after < len(job.messages) else "",
        )

    def search_facts(
        self,
        query: str,
        scope: Scope | None = None,
        *,
        limit: int = 5,
        min_relevance: float = limits.RELEVANCE_FLOOR,
    ) -> RecallResult:
        """Return the facts of a scope that match *query*, best first, scores in 0..1."""
        scope = validate_scope(scope, all_projects=True, all_users=True)
        found = self._search.search_memory(
            query,
            kinds=["fact"],
            limit=limit,
            own_only=True,
            min_relevance=min_relevance,
            **scope.model_dump(),
        )
        with self._db.read() as connection:
            known = rows.by_ids(connection, [hit.row_id for hit in found.hits])
            unseen = hint_at_scopes(connection, scope, now=self._db.clock(), found=len(known))
        # Boosts may raise the best score above 1; scaling keeps the order and the proportions.
        highest = max([1.0, *(hit.score for hit in found.hits)])
        facts = [
            RecalledFact(
                **_fields(known[hit.row_id]),
                score=round(min(max(hit.score / highest, 0.0), 1.0), 6),
                relevance=hit.relevance,
            )
            for hit in found.hits
            if hit.row_id in known
        ]
        shown = _within_budget(facts)
        notice = f"{found.notice} {unseen}".strip()
        if hidden := found.hidden + len(facts) - len(shown):
            notice = f"{notice} {hidden} more were left out to keep this short.".strip()
        return RecallResult(facts=shown, notice=notice)

    def list_facts(
        self,
        scope: Scope | None = None,
        *,
        status: str = "active",
        limit: int = 50,
        cursor: str = "",
    ) -> FactPage:
        """Return facts, newest first; a status includes superseded ones."""
        limit, scope = (
            limits.validate_page_size(limit),
            validate_scope(scope, all_projects=True, all_users=True),
        )
        if status not in STATUSES:
            raise ValidationError(
                f"There is no status {status!r}. The statuses: {', '.join(STATUSES)}."
            )
        of = ("facts", scope, status)
        created_at, id = decode_cursor(cursor, "", "", of=of)
        with self._db.read() as connection:
            found, total = rows.page(
                connection,
                scope,
                now=self._db.clock(),
                status=status,
                after=(str(created_at), str(id)),
                limit=limit + 1,
            )
        shown = _within_budget(found[:limit])
        last = shown[-1] if len(found) > len(shown) else None
        after = encode_cursor(format_timestamp(last.created_at), last.id, of=of) if last else ""
        return FactPage(facts=shown, total=total, cursor=after)

    def get_fact(self, id: str, scope: Scope | None = None) -> Fact:
        """Return a fact; raise NotFoundError if the scope does not include it."""
        with self._db.read() as connection:
            return rows.get(
                connection, validate_scope(scope, all_users=True), id, now=self._db.clock()
            )

    def update_fact(
        self, id: str, content: str, scope: Scope | None = None, *, expected_version: int = 0
    ) -> ChangedFact:
        """
        Replace the text of a fact; its id and creation time stay, the history keeps the old text.
        """
        text = limits.validate_text("content", content, longest=MAX_VERBATIM).strip()
        scope, now = validate_scope(scope, all_users=True), self._db.clock()
        with self._db.write("update_fact") as connection:
            known = rows.get(connection, scope, id, now=now)
            audit_log.check_version(connection, "entries", id, expected_version)
            changed = {"content": text, "digest": entry_digest(text, []), "updated_at": now}
            fact = known.model_copy(update=changed)
            rows.rewrite(connection, fact)
            return ChangedFact(
                **_fields(fact),
                version=audit_log.version(connection, "entries", id).seq,
                batch_id=audit_log.batch(connection),
            )

    def delete_fact(self, id: str, scope: Scope | None = None) -> DeletedFact:
        """Delete one fact; the history keeps it, and undo restores it."""
        scope, now = validate_scope(scope, all_users=True), self._db.clock()
        with self._db.write("forget") as connection:
            fact = rows.get(connection, scope, id, now=now)
            rows.delete(connection, id)
            return DeletedFact(id=id, content=fact.content, batch_id=audit_log.batch(connection))

    def delete_all_facts(
        self, scope: Scope | None = None, *, without_scope: bool = False, backup: bool = True
    ) -> OwnerEraseResult:
        """
        Erase all records of a user, agent or session with their history, after a backup.

        A scope without these three means the records without an owner; that raises ForbiddenError
        unless *without_scope* is set.
        """
        scope = validate_scope(scope, all_projects=True)
        if not (scope.user_id or scope.agent_id or scope.session_id or without_scope):
            raise ForbiddenError(
                "Nothing was erased: without user, agent and session, all facts and entries of no "
                f"one in project {scope.project_id!r} are meant. Name one, or set without_scope."
            )
        return self._upkeep.erase_owner(scope, backup=backup)

    def _store_facts(self, facts: Sequence[NewFact], scope: Scope) -> RememberResult:
        batch_id = current_batch() or self._ids()
        model = self._extraction.language_model()
        with as_one_batch(batch_id):
            done = self._writer.write(facts, scope, cause="remember", model=model)
        status = job_status([fact.outcome for fact in done])
        return RememberResult(
            outcome=status,
            facts=done,
            batch_id=batch_id if status in ("stored", "deferred") else "",
        )


_AS_GIVEN = "No extractor is available, so the messages were stored unchanged."
_NO_USER_TURN = "Messages of the assistant that are not stored as facts of the user: {}."
_EXTRACT = (
    "To extract the facts yourself, use the tool memory_extract. To set an extractor, set "
    "LLM_PROVIDER."
)


def _fields(fact: Fact) -> dict[str, object]:
    return {name: getattr(fact, name) for name in type(fact).model_fields}


def _in_a_list(job: ExtractionJob) -> ExtractionJob:
    """Return a job without its messages, and with its facts limited in size."""
    facts = _within_budget(job.facts, _FACTS_OF_A_JOB)
    return job.model_copy(update={"messages": [], "facts": facts})


def _within_budget(found: Sequence[Shown], budget: int = _BUDGET) -> list[Shown]:
    """Return the leading items that fit the budget, at least one."""
    spent = 0
    for count, each in enumerate(found):
        spent += len(each.model_dump_json().encode())
        if count and spent > budget:
            return list(found[:count])
    return list(found)


def _shorten(message: Message) -> Message:
    if len(message.content) <= _MESSAGE:
        return message
    return message.model_copy(update={"content": f"{message.content[:_MESSAGE]}… (cut)"})
