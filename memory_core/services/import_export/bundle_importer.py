"""Taking in a bundle: a document becomes an entity, a link a relation, a body chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from ...errors import ConflictError, NotFoundError, ValidationError
from ...model.graph.entities import Entity
from ...model.okf import BundleDocument
from ...rules.graph.ontology import canonical_entity_type, canonical_relation_type
from ...rules.import_export import okf_names
from ...rules.text.normalization import fold_name
from ...storage import documents as document_rows
from ...storage.database import Database
from ...storage.graph import entities
from ..documents.knowledge import Knowledge
from ..graph.relations import WORDS
from .clean_paths import with_clean_paths
from .importer import OTHER_TYPE, Tally, Writers, batches_of

CAUSE = "import_memory"
LINK = "REFERENCES"


class BundleIntake:
    """Writes what a bundle says into a project; the same bundle again changes nothing."""

    def __init__(
        self,
        db: Database,
        writers: Writers,
        knowledge: Knowledge,
        *,
        tally: Tally,
        project_id: str,
    ) -> None:
        self._db = db
        self._graph = writers.graph
        self._relations = writers.relations
        self._knowledge = knowledge
        self._tally = tally
        self._project_id = project_id
        # The path of each document that was taken, and the id of its entity.
        self._ids: dict[str, str] = {}
        self._names: Mapping[str, str] = {}

    def take(self, documents: Sequence[BundleDocument], tick: Callable[[int], None]) -> None:
        """Import documents, then the links between them; *tick* receives the number done."""
        if self._db.redacts:
            documents = with_clean_paths(documents, [*map(self._without_secrets, documents)])
        self._names = okf_names.document_names(documents)
        done = 0
        for take_one in (self._document, self._links):
            for group in batches_of(documents, lambda document: len(document.body)):
                with self._db.act(CAUSE):
                    for document in group:
                        self._attempt(take_one, document)
                done += len(group)
                tick(done)

    def _attempt(
        self, take_one: Callable[[BundleDocument], None], document: BundleDocument
    ) -> None:
        try:
            take_one(document)
        except (ValidationError, NotFoundError, ConflictError) as error:
            self._tally.refuse(document.path, error)

    def _document(self, document: BundleDocument) -> None:
        kind = self._kind(document.type)
        name = self._names[document.path]
        properties = okf_names.to_properties(document, name=name, node_type=kind)
        self._ids[document.path] = self._entity(document.path, name, kind, properties)
        if document.body.strip():
            self._body(document)

    def _kind(self, word: str) -> str:
        try:
            return canonical_entity_type(self._graph.ontology, word)
        except ValidationError:
            self._tally.map(word, OTHER_TYPE)
            return OTHER_TYPE

    def _entity(self, path: str, name: str, kind: str, properties: Mapping[str, JsonValue]) -> str:
        """Make the entity, or bring the one of this document up to date; return its id."""
        known = self._find_entity(path, name, kind)
        if known is None:
            written = self._graph.create_entity(
                name,
                kind,
                id="" if self._is_named(name, kind) else okf_names.entity_key(path),
                project_id=self._project_id,
                properties=properties,
            )
            self._tally.count("entities", known=written.already_exists)
            self._tally.changed = self._tally.changed or bool(written.added)
            return written.entity.id
        self._tally.count("entities", known=True)
        news = {
            field: value
            for field, value in properties.items()
            if value != known.properties.get(field)
        }
        if news or (known.name, known.node_type) != (name, kind):
            self._graph.update_entity(
                known.id, project_id=self._project_id, name=name, node_type=kind, properties=news
            )
            self._tally.changed = True
        return known.id

    def _find_entity(self, path: str, name: str, kind: str) -> Entity | None:
        """Return the entity that came from this document, wherever the bundle lay."""
        with self._db.read() as connection:
            keyed = entities.find(connection, self._project_id, okf_names.entity_key(path))
            named = entities.find_by_name(connection, self._project_id, name)
        for entity in [*([keyed] if keyed else []), *named]:
            if entity.properties.get(okf_names.PATH) == path:
                return entity
        return None

    def _is_named(self, name: str, kind: str) -> bool:
        """Return whether an entity from elsewhere has this name and type."""
        with self._db.read() as connection:
            named = entities.find_by_name(connection, self._project_id, name)
        return any(entity.node_type == kind for entity in named)

    def _body(self, document: BundleDocument) -> None:
        source = okf_names.source_uri(document.path)
        with self._db.read() as connection:
            there = document_rows.find_by_title(connection, self._project_id, document.path)
        if there is not None and there.source != source:
            raise ConflictError(
                f"There is another document called {there.title!r}, which was kept."
            )
        added = self._knowledge.add_document(
            document.path,
            document.body,
            project_id=self._project_id,
            source=source,
            media_type="text/markdown",
        )
        self._tally.count("documents", known=added.status != "added")
        self._tally.changed = self._tally.changed or added.status != "unchanged"

    def _links(self, document: BundleDocument) -> None:
        words: dict[str, set[str]] = {}
        for link in document.links:
            ends = self._ids.get(document.path), self._ids.get(link.target)
            if ends[0] and ends[1] and fold_name(ends[0]) != fold_name(ends[1]):
                self._link(ends[0], ends[1], link.kind, words)
        for end, unnamed in words.items():
            kept: list[JsonValue] = [*sorted(unnamed)]
            self._relate(self._ids[document.path], end, LINK, {WORDS: kept} if kept else {})

    def _link(self, start: str, end: str, kind: str, words: dict[str, set[str]]) -> None:
        """Relate two by the type that was named, or note it for the plain link they get."""
        if not kind:
            words.setdefault(end, set())
            return
        try:
            canonical_relation_type(self._graph.ontology, kind)
            self._relate(start, end, kind, {})
        except ValidationError:
            self._tally.map(kind, LINK)
            words.setdefault(end, set()).add(kind)

    def _relate(self, start: str, end: str, kind: str, properties: Mapping[str, JsonValue]) -> None:
        written = self._relations.create_relation(
            start, end, kind, project_id=self._project_id, properties=properties
        )
        self._tally.count("relations", known=written.already_exists)
        self._tally.changed = self._tally.changed or written.changed

    def _without_secrets(self, document: BundleDocument) -> BundleDocument:
        """Return the document as it will be stored: the next import compares it with that."""
        given = {"front": document.front, "title": document.title, "body": document.body}
        clean = self._db.without_secrets_in(given, f"{document.path}: ")
        return document.model_copy(update=clean) if clean != given else document
