"""Documents added together with the entities, facts and relations that they state."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from typing import TypeVar

from ...context import as_one_batch, current_batch
from ...errors import ConflictError, NotFoundError, ValidationError
from ...ids import new_id
from ...model.documents import AddedDocument, DocumentExtraction
from ...model.graph.entities import Entity
from ...readers import ReadFile
from ...rules import limits
from ...rules.english_facts.facts import (
    EnglishFact,
    EnglishRelation,
    collect_mentions,
    extract_facts,
)
from ...rules.english_facts.subjects import Mention
from ...rules.graph.ontology import canonical_entity_type, stored_triple
from ...rules.text.normalization import fold_name
from ...storage import document_derivations as drawn_rows
from ...storage.database import Connection, Database
from ...storage.graph import entities, relations
from ...storage.graph import observations as observation_rows
from ..graph.graph import Graph
from ..graph.observations import Observations
from ..graph.relations import Relations
from .knowledge import Knowledge

# Every fact is a few rows in one transaction, which blocks other writers.
FACTS = 300
# Enough to recognise what was skipped; the rest is counted.
_SHOWN = 20

# Relations found by a rule are less certain than those stated by a user.
_CONFIDENCE = 0.8
_CERTAINTY = "stated"
_SPEAKER = "The user"
_OTHER_TYPE = "thing"
_LAST_RESORT = "concept"

T = TypeVar("T")


class Prose:
    """Adds a document and the facts it states."""

    def __init__(
        self,
        db: Database,
        *,
        knowledge: Knowledge,
        graph: Graph,
        observations: Observations,
        relations: Relations,
        user_entity: str,
    ) -> None:
        """*user_entity* is the id of the entity that "I" refers to, if known."""
        self._db = db
        self._knowledge = knowledge
        self.graph = graph
        self.observations = observations
        self.relations = relations
        self._user_entity = user_entity

    def add_prose(self, title: str, content: str, *, project_id: str = "default") -> AddedDocument:
        """
        Store a text and what it states, in one batch that one undo reverts.

        Existing data is unchanged; invalid statements are skipped and reported. What was
        extracted from an older text of the document and is not stated any more is withdrawn. A
        failure leaves nothing of a short text; a long one is stored before its statements.
        """
        built = self._knowledge.build_document(
            ReadFile(title, content, "text/plain", ""), project_id
        )
        project_id = built.document.project_id
        with self._db.read() as connection:
            speaker = self._speaker(connection, project_id)
        facts = extract_facts(content, speaker=speaker)
        is_long = built.document.characters > limits.WRITE_CHARACTERS
        batch_id = current_batch() or new_id()
        with as_one_batch(batch_id):
            added = self._knowledge.store_document(built) if is_long else None
            with self._db.act("add_knowledge") as connection:
                added = added or self._knowledge.store_document(built)
                taking = _Taking(self, connection, project_id, added.document.id)
                taking.take(facts[:FACTS])
                if len(facts) > FACTS:
                    more = f"{len(facts) - FACTS:,} more facts"
                    taking.leave_out(more, f"{FACTS} are taken at most")
                elif added.status != "added":
                    taking.withdraw({fact.statement for fact in facts})
        return added.model_copy(update={"drawn": taking.build_extraction(batch_id), "notice": ""})

    def _speaker(self, connection: Connection, project_id: str) -> str:
        known = entities.find(connection, project_id, self._user_entity)
        return known.name if known is not None else _SPEAKER


class _Taking:
    """Writes the facts of one document."""

    def __init__(
        self, prose: Prose, connection: Connection, project_id: str, document_id: str
    ) -> None:
        self._prose = prose
        self._connection = connection
        self._project_id = project_id
        self._document_id = document_id
        self._source = drawn_rows.source(document_id)
        self._known: dict[str, Entity] = {}
        self._entities: list[str] = []
        # Ids of the records that the text states, new or existing.
        self._stated: set[str] = set()
        self._observations = self._relations = self._there = self._withdrawn = 0
        self._left_out: list[str] = []

    def take(self, facts: Sequence[EnglishFact]) -> None:
        """
        Write *facts*, entities first, each in its own savepoint, so that an invalid one skips only
        itself.
        """
        for mention in collect_mentions(facts):
            self._attempt(mention.name, self._thing, mention)
        for fact in facts:
            if fact.subject.name:
                self._attempt(fact.source, self._observe, fact)
            for link in fact.links:
                self._attempt(fact.source, self._relate, link)

    def withdraw(self, statements: Set[str]) -> None:
        """Delete records from earlier versions of the document that it no longer states."""
        where = (self._connection, self._project_id, self._document_id)
        gone = [id for id in drawn_rows.observations(*where) if id not in self._stated]
        said = observation_rows.by_ids(self._connection, gone)
        # A statement that was skipped this time still counts as stated.
        gone = [id for id in gone if said[id].content not in statements]
        for id in gone:
            observation_rows.delete(self._connection, id)
        loose = [id for id in drawn_rows.relations(*where) if id not in self._stated]
        for id in loose:
            relations.delete(self._connection, id)
        self._withdrawn = len(gone) + len(loose)

    def leave_out(self, what: str, why: object) -> None:
        self._left_out.append(f"{what[:80]}: {str(why)[:300]}")

    def build_extraction(self, batch_id: str) -> DocumentExtraction:
        more = len(self._left_out) - _SHOWN
        shown = self._left_out[:_SHOWN]
        return DocumentExtraction(
            entities=self._entities,
            observations=self._observations,
            relations=self._relations,
            already_known=self._there,
            withdrawn=self._withdrawn,
            left_out=[*shown, f"And {more:,} more."] if more > 0 else shown,
            batch_id=batch_id,
        )

    def _attempt(self, where: str, act: Callable[[T], None], item: T) -> None:
        try:
            act(item)
        except (ValidationError, NotFoundError, ConflictError) as error:
            self.leave_out(where, error)

    def _thing(self, mention: Mention) -> None:
        """Find or create the mentioned entity."""
        known = entities.find_by_name(self._connection, self._project_id, mention.name)
        node_type = self._type_of(mention)
        if len(known) > 1:
            known = [entity for entity in known if entity.node_type == node_type]
        if len(known) > 1:
            raise ConflictError("several entities have this name")
        if known:
            entity = known[0]
        else:
            created = self._prose.graph.create_entity(
                mention.name, node_type, project_id=self._project_id, certainty=_CERTAINTY
            )
            entity = created.entity
            self._entities.append(entity.id)
        self._known[fold_name(mention.name)] = entity

    def _type_of(self, mention: Mention) -> str:
        """Return the type in an entity's name ("billing service"), or the type stated of it."""
        words = mention.name.split()
        # "Robert Service" is no service: a type is written in lower case.
        nouns = (" ".join(words[-2:]), words[-1]) if words[-1].islower() else ()
        for word in (*nouns, mention.node_type, _OTHER_TYPE):
            with suppress(ValidationError):
                return canonical_entity_type(self._prose.graph.ontology, word)
        return _LAST_RESORT

    def _observe(self, fact: EnglishFact) -> None:
        written = self._prose.observations.add_observation(
            self._entity(fact.subject).id,
            fact.statement,
            project_id=self._project_id,
            certainty=_CERTAINTY,
            source=self._source,
        )
        self._stated.add(written.observation.id)
        self._observations += not written.already_exists
        self._there += written.already_exists

    def _relate(self, link: EnglishRelation) -> None:
        ends = {end.row_id: end for end in (self._entity(link.start), self._entity(link.end))}
        if len(ends) < 2:
            raise ValidationError("both its ends are the same entity")
        kind, start, end = stored_triple(self._prose.graph.ontology, link.kind, *ends)
        known = relations.triple(self._connection, ends[start], ends[end], kind)
        if known is not None:
            # An existing source is kept.
            self._stated.add(known.id)
            self._there += 1
            return
        created = self._prose.relations.create_relation(
            ends[start].id,
            ends[end].id,
            kind,
            project_id=self._project_id,
            confidence=_CONFIDENCE,
            source=self._source,
        )
        self._stated.add(created.relation.id)
        self._relations += 1

    def _entity(self, mention: Mention) -> Entity:
        known = self._known.get(fold_name(mention.name))
        if known is None:
            raise ValidationError(f"{mention.name!r} was left out")
        return known
