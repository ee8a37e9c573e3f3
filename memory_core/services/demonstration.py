"""Demonstration projects, loaded through the public services."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from importlib.resources import files
from typing import Any

from ..context import acting_as, as_one_batch
from ..errors import ValidationError
from ..ids import IdSource
from ..model.facts.extraction import Message
from ..model.graph.entities import NewObservation
from ..model.scope import Scope
from .bottles import Bottles
from .documents.knowledge import Knowledge
from .entries.entries import Entries
from .facts.conversation import Conversation
from .facts.extraction import Extraction
from .graph.graph import Graph
from .graph.observations import Observations
from .graph.relations import Relations
from .maintenance.lifecycle import Lifecycle

ACTOR = "demonstration"
SHIPPED = files("memory_core") / "demonstration.json"


class Demonstration:
    """Loads the demonstration projects. Idempotent."""

    def __init__(
        self,
        ids: IdSource,
        *,
        graph: Graph,
        observations: Observations,
        relations: Relations,
        knowledge: Knowledge,
        lifecycle: Lifecycle,
        bottles: Bottles,
        entries: Entries,
        conversation: Conversation,
        extraction: Extraction,
    ) -> None:
        self._ids = ids
        self._graph = graph
        self._observations = observations
        self._relations = relations
        self._knowledge = knowledge
        self._lifecycle = lifecycle
        self._bottles = bottles
        self._entries = entries
        self._conversation = conversation
        self._extraction = extraction

    def load_demonstration(self) -> dict[str, int]:
        """
        Write the projects in one batch that undo reverts; return the number of new records by kind.
        """
        reported = json.loads(SHIPPED.read_text(encoding="utf-8"))
        added: Counter[str] = Counter(
            entities=0, observations=0, relations=0, documents=0, bottles=0, entries=0, facts=0
        )
        with acting_as(ACTOR), as_one_batch(self._ids()):
            for project in reported["projects"]:
                self._load(project, added)
        return dict(added)

    def _load(self, project: Mapping[str, Any], added: Counter[str]) -> None:
        project_id = project["project_id"]
        # First, while the embedding queue is short: facts are compared by their vectors.
        added["facts"] += self._load_people(project, project_id)
        added["bottles"] += self._load_bottles(project["bottles"], project_id)
        added["entries"] += self._load_entries(project["entries"], project_id)
        for entity in project["entities"]:
            self._load_entity(entity, project_id, added)
        for relation in project["relations"]:
            written = self._relations.create_relation(
                relation["from"], relation["to"], relation["type"], project_id=project_id
            )
            added["relations"] += not written.already_exists
        for document in project["documents"]:
            kept = self._knowledge.add_document(
                document["title"], document["content"], project_id=project_id
            )
            added["documents"] += kept.status == "added"
        for entity in project["entities"]:
            if entity["archived"]:
                self._lifecycle.archive_entities(
                    entity["key"], entity["archived"], project_id=project_id
                )

    def _load_bottles(self, bottles: list[dict[str, Any]], project_id: str) -> int:
        """Create the bottles that are missing and not expired; return how many."""
        there = self._bottles.list_bottles(
            project_id=project_id, include_acknowledged=True, limit=100
        )
        known = {bottle.message for bottle in there.bottles}
        left = 0
        for bottle in bottles:
            if bottle["message"] in known:
                continue
            # Expired bottles are skipped: they would never be shown.
            with suppress(ValidationError):
                self._bottles.create_bottle(
                    bottle["message"],
                    project_id=project_id,
                    priority=bottle["priority"],
                    expires_at=_moment(bottle["expires_at"]),
                    recipient=bottle["recipient"],
                )
                left += 1
        return left

    def _load_entries(self, entries: list[dict[str, Any]], project_id: str) -> int:
        """Write the missing entries; return how many."""
        scope = Scope(project_id=project_id)
        there = self._entries.list_entries(scope=scope, limit=200)
        known = {entry.summary for entry in there.entries}
        new = [entry for entry in entries if entry["summary"] not in known]
        for entry in new:
            self._entries.write_entry(
                entry["summary"],
                entry["tags"],
                category=entry["category"],
                context_text=entry["context_text"],
                is_time_sensitive=entry["is_time_sensitive"],
                scope=scope,
            )
        return len(new)

    def _load_people(self, project: Mapping[str, Any], project_id: str) -> int:
        """Write the facts of users that have none yet; return how many were written."""
        facts, said = defaultdict[Scope, list[Any]](list), defaultdict[Scope, list[Any]](list)
        for kind, by_scope in (("facts", facts), ("conversations", said)):
            for each in project[kind]:
                by_scope[_scope(each, project_id)].append(each)
        written = 0
        for scope in dict.fromkeys([*facts, *said]):
            if self._is_known(scope):
                continue
            if facts[scope]:
                given = [{name: f[name] for name in ("content", "category")} for f in facts[scope]]
                written += len(self._conversation.add_facts(given, scope).facts)
            written += sum(self._load_conversation(each, scope) for each in said[scope])
        return written

    def _is_known(self, scope: Scope) -> bool:
        facts = self._conversation.list_facts(scope, status="all", limit=1)
        waiting = self._conversation.list_jobs(scope, status="waiting_for_assistant", limit=1)
        return facts.total + waiting.total > 0

    def _load_conversation(self, reported: Mapping[str, Any], scope: Scope) -> int:
        """Submit a conversation with its extracted facts; return how many facts were written."""
        messages = [Message(**message) for message in reported["messages"]]
        # The facts are part of the demonstration: a configured model is not called.
        job = self._extraction.new_job(messages, scope, metadata={})
        self._extraction.open_job(job)
        if not reported["facts"]:
            return 0
        return len(self._extraction.submit_facts(job.id, reported["facts"]).facts)

    def _load_entity(self, entity: Mapping[str, Any], project_id: str, added: Counter[str]) -> None:
        written = self._graph.create_entity(
            entity["name"],
            entity["node_type"],
            project_id=project_id,
            id=entity["key"],
            aliases=entity["aliases"],
            properties=entity["properties"],
            certainty=entity["certainty"],
            occurred_at=_moment(entity["occurred_at"]),
        )
        added["entities"] += not written.already_exists
        facts = entity["observations"]
        if written.already_exists:
            # Writing it again would add a superseded fact as a current one.
            replaced = {fact["supersedes"] for fact in facts}
            facts = [{**f, "supersedes": ""} for f in facts if f["key"] not in replaced]
        added["observations"] += self._load_facts(entity["key"], facts, project_id)

    def _load_facts(self, entity_id: str, facts: list[dict[str, Any]], project_id: str) -> int:
        """Add facts with their times and sessions; return how many were new."""
        first = [fact for fact in facts if not fact["supersedes"]]
        written = self._observations.add_observations(
            [
                NewObservation(
                    entity_id=entity_id,
                    content=fact["content"],
                    certainty=fact["certainty"],
                    occurred_at=_moment(fact["occurred_at"]),
                    source=ACTOR,
                    session_id=fact["session_id"],
                )
                for fact in first
            ],
            project_id=project_id,
        )
        ids = {
            fact["key"]: new.observation.id
            for fact, new in zip(first, written.observations, strict=True)
        }
        later = [fact for fact in facts if fact["supersedes"]]
        for fact in later:
            replacement = self._observations.supersede_observation(
                ids[fact["supersedes"]],
                fact["content"],
                project_id=project_id,
                valid_from=_moment(fact["occurred_at"]),
                occurred_at=_moment(fact["occurred_at"]),
                session_id=fact["session_id"],
            )
            ids[fact["key"]] = replacement.observation.id
        return written.added + len(later)


def _scope(reported: Mapping[str, Any], project_id: str) -> Scope:
    return Scope(
        project_id=project_id,
        user_id=reported["user"],
        agent_id=reported["agent"],
        session_id=reported["session"],
    )


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
