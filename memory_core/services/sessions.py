"""Sessions and breakthroughs: entities in a chain, each operation in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from ..clock import format_timestamp
from ..errors import ConflictError, NotFoundError, ValidationError
from ..extract.protocols import Extractor
from ..ids import IdSource
from ..model.facts.extraction import Message
from ..model.facts.facts import ExtractionJob, RememberResult
from ..model.graph.entities import Entity, NewObservation, Relation
from ..model.graph.sessions import Session, WrittenBreakthrough, WrittenSession
from ..model.scope import Scope
from ..rules import limits
from ..rules.facts.conversation import MessageInput, parse_messages, spoken_messages
from ..rules.graph import identity
from ..storage.database import Connection, Database
from ..storage.graph import entities, relations
from ..storage.graph import sessions as rows
from .facts.extraction import Extraction
from .graph.observations import Observations
from .scopes import validate_scope

# Reserved properties, which clients cannot set.
OWN = ("state", "ended_at", "summary")


class Sessions:
    """Start and end sessions, and record breakthroughs."""

    def __init__(
        self, db: Database, ids: IdSource, facts: Observations, extraction: Extraction
    ) -> None:
        self._db = db
        self._ids = ids
        self._facts = facts
        self._extraction = extraction

    def start_session(
        self,
        session_id: str,
        name: str,
        *,
        project_id: str = "default",
        properties: Mapping[str, JsonValue] | None = None,
    ) -> WrittenSession:
        """
        Start a session after the latest one; an active session of that id is returned unchanged.
        """
        given = limits.validate_properties(properties or {})
        _refuse_own(given)
        now = self._db.clock()
        wanted = Entity(
            row_id=self._ids(),
            id=self._validate_name("session_id", session_id),
            project_id=limits.validate_project(project_id),
            name=self._validate_name("name", name),
            node_type="session",
            properties={**given, "state": "active"},
            occurred_at=now,
            created_at=now,
            updated_at=now,
        )
        with self._db.write("start_session") as connection:
            known = entities.find(connection, wanted.project_id, wanted.id)
            if known is not None:
                _refuse_unless_active(known)
                return _start_session(connection, known).model_copy(update={"already_exists": True})
            previous = rows.latest(connection, wanted.project_id)
            entities.insert(connection, wanted)
            if previous is not None:
                self._relate(connection, wanted, previous, "PRECEDED_BY")
            return _start_session(connection, wanted)

    def end_session(
        self,
        session_id: str,
        summary: str,
        *,
        project_id: str = "default",
        user_id: str = "",
        messages: MessageInput | Sequence[MessageInput] = (),
        extractor: Extractor | None = None,
    ) -> WrittenSession:
        """
        End a session with a summary; ending it twice raises ConflictError.

        Facts are extracted from the messages, for the user if one is named. Without an extractor
        the messages wait as a job of the user, or are stored as observations if none is named.
        """
        text = limits.validate_text("summary", summary, longest=limits.MAX_PROPERTIES // 2)
        said = parse_messages(messages) if messages else []
        asked = self._extraction.select_extractor(extractor) if said else None
        scope = Scope(project_id=project_id, user_id=user_id, session_id=session_id)
        job = self._job(scope, said, asked) if asked or (said and user_id) else None
        project_id = limits.validate_project(project_id)
        now = self._db.clock()
        with self._db.write("end_session") as connection:
            session = _known_session(connection, project_id, session_id)
            _refuse_unless_active(session)
            closed = {"state": "closed", "ended_at": format_timestamp(now), "summary": text}
            ended = session.model_copy(
                update={"properties": {**session.properties, **closed}, "updated_at": now}
            )
            entities.rewrite(connection, ended)
            if job is not None:
                self._extraction.open_job_within(connection, job)
            kept = [] if job else _as_observations(ended, said, now)
            written = WrittenSession(
                session=_session(connection, ended),
                kept_messages=len(self._facts.attach_observations(connection, ended, kept)),
            )
        return self._with_messages(written, job, asked)

    def record_breakthrough(
        self, session_id: str, title: str, content: str, *, project_id: str = "default"
    ) -> WrittenBreakthrough:
        """Record an insight of a session, linked to it."""
        text = limits.validate_text("content", content)
        now = self._db.clock()
        wanted = Entity(
            row_id=self._ids(),
            id="",
            project_id=limits.validate_project(project_id),
            name=self._validate_name("title", title),
            node_type="breakthrough",
            occurred_at=now,
            created_at=now,
            updated_at=now,
        )
        with self._db.write("record_breakthrough") as connection:
            session = _known_session(connection, wanted.project_id, session_id)
            known = _twin(connection, session, wanted)
            if known is None:
                known = self._insert(connection, session, wanted)
            new = NewObservation(
                entity_id=known.id, content=text, session_id=session.id, occurred_at=now
            )
            fresh = self._facts.attach_observations(connection, known, [new])
            return WrittenBreakthrough(
                id=known.id,
                session_id=session.id,
                title=known.name,
                already_exists=not fresh,
            )

    def get_session(self, session_id: str, *, project_id: str = "default") -> Session:
        """Return a session; raise ValidationError if the entity is not a session."""
        with self._db.read() as connection:
            entity = _known_session(connection, limits.validate_project(project_id), session_id)
            return _session(connection, entity)

    def _with_messages(
        self, written: WrittenSession, job: ExtractionJob | None, asked: Extractor | None
    ) -> WrittenSession:
        """Return the ended session with the result of its messages."""
        if job is None:
            return written.model_copy(update={"notice": _notice(written.kept_messages)})
        if asked is None:
            return written.model_copy(update={"job_id": job.id, "notice": _WAITING})
        return _with_facts(written, self._extraction.run_job(job.id, asked))

    def _job(self, scope: Scope, said: Sequence[Message], asked: Extractor | None) -> ExtractionJob:
        name = asked.name if asked else ""
        return self._extraction.new_job(said, validate_scope(scope), metadata={}, extractor=name)

    def _validate_name(self, what: str, name: str) -> str:
        # Redact before the id and the name keys are derived.
        return self._db.without_secrets(what, limits.validate_name(what, name))

    def _insert(self, connection: Connection, session: Entity, wanted: Entity) -> Entity:
        def is_taken(id: str) -> bool:
            return entities.find(connection, wanted.project_id, id) is not None

        entity = wanted.model_copy(update={"id": identity.make_id(wanted.name, is_taken)})
        entities.insert(connection, entity)
        self._relate(connection, entity, session, "BREAKTHROUGH_IN")
        return entity

    def _relate(self, connection: Connection, start: Entity, end: Entity, kind: str) -> None:
        now = self._db.clock()
        relation = Relation(
            id=self._ids(),
            from_node_id=start.id,
            to_node_id=end.id,
            relationship_type=kind,
            created_at=now,
            updated_at=now,
        )
        relations.insert(connection, start, end, relation)


def _twin(connection: Connection, session: Entity, wanted: Entity) -> Entity | None:
    """Return the recorded breakthrough of that name in the same session, if any."""
    made = rows.related_entities(connection, session.row_id, "BREAKTHROUGH_IN", forward=False)
    return next((each for each in made if identity.has_name(each, wanted.name)), None)


def _start_session(connection: Connection, session: Entity) -> WrittenSession:
    """Return an active session, with the summary of the previous one."""
    begun = WrittenSession(session=_session(connection, session))
    before = rows.related_entities(connection, session.row_id, "PRECEDED_BY", forward=True)
    if not before:
        return begun
    previous = _session(connection, before[0])
    open_still = f"The session before it, {previous.id!r}, has not been ended."
    return begun.model_copy(
        update={
            "previous_summary": previous.summary,
            "notice": open_still if previous.status == "active" else "",
        }
    )


def _known_session(connection: Connection, project_id: str, id: str) -> Entity:
    try:
        entity = entities.get(connection, project_id, id)
    except NotFoundError as error:
        hint = f"Start one with the tool start_session in project {project_id!r}."
        raise NotFoundError("session", id, hint) from error
    if entity.node_type != "session":
        raise ValidationError(
            f"{id!r} is a {entity.node_type} and not a session. Give the id of a session, "
            "or start one with the tool start_session."
        )
    return entity


def _refuse_own(properties: Mapping[str, JsonValue]) -> None:
    for name in OWN:
        if name in properties:
            raise ValidationError(
                f"The property {name!r} is the session's own. Choose another name."
            )


def _refuse_unless_active(session: Entity) -> None:
    if session.node_type != "session":
        raise ConflictError(
            f"The id {session.id!r} belongs to {session.name!r} ({session.node_type}). "
            "Give the session another id."
        )
    if session.properties.get("state") != "active":
        ended = session.properties.get("ended_at")
        raise ConflictError(
            f"The session {session.id!r} ended at {ended}. Start another one with a different id."
        )


def _as_observations(
    session: Entity, said: Sequence[Message], now: datetime
) -> list[NewObservation]:
    return [
        NewObservation(
            entity_id=session.id,
            content=message.content,
            source=_source(message),
            session_id=session.id,
            occurred_at=now,
        )
        for message in spoken_messages(said)
    ]


def _source(message: Message) -> str:
    speaker = message.name or (message.role if message.role != "user" else "")
    return f"conversation, {speaker}" if speaker else "conversation"


def _with_facts(written: WrittenSession, drawn: RememberResult) -> WrittenSession:
    """Return the ended session with the extracted facts."""
    facts = sum(fact.outcome != "duplicate" for fact in drawn.facts)
    notice = f"Extracted facts: {facts}. Find them with the tool recall and session_id."
    if drawn.outcome == "extraction_failed":
        notice = f"{drawn.reason} {drawn.notice}"
    reported = {"facts": facts, "job_id": drawn.job_id, "notice": notice}
    return written.model_copy(update=reported)


_WAITING = (
    "No extractor is configured. The messages wait as a job of the user: extract the facts "
    "yourself and call the tool memory_extract_submit with this job_id and the user_id."
)


def _notice(kept: int) -> str:
    if not kept:
        return ""
    return (
        "No extractor is configured. Messages stored as observations of the session: "
        f"{kept}. Find them with the tool search_memory."
    )


def _session(connection: Connection, entity: Entity) -> Session:
    before = rows.related_entities(connection, entity.row_id, "PRECEDED_BY", forward=True)
    made = rows.related_entities(connection, entity.row_id, "BREAKTHROUGH_IN", forward=False)
    own = entity.properties
    ended = own.get("ended_at")
    return Session(
        id=entity.id,
        name=entity.name,
        status="active" if own.get("state") == "active" else "closed",
        started_at=entity.occurred_at or entity.created_at,
        ended_at=datetime.fromisoformat(str(ended)) if ended else None,
        summary=str(own.get("summary") or ""),
        previous=before[0].id if before else "",
        breakthroughs=[each.id for each in made],
        properties={name: value for name, value in own.items() if name not in OWN},
    )
