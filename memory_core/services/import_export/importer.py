"""Taking in what a file says, a transaction at a time; what cannot be taken is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import JsonValue

from ...clock import format_timestamp
from ...errors import ConflictError, NotFoundError, ValidationError
from ...ids import IdSource
from ...model.facts.entries import CATEGORIES, Category, Entry
from ...model.graph.ontology import Ontology
from ...model.import_export import RejectedRow
from ...model.scope import ALL_USERS, User
from ...rules.facts import entries as entry_rules
from ...rules.graph.ontology import canonical_entity_type, crosses_projects, stored_triple
from ...rules.import_export.export_format import decode_row
from ...rules.import_export.foreign import (
    ImportedEntity,
    ImportedFact,
    ImportedItem,
    ImportedNote,
    ImportedRelation,
)
from ...rules.import_export.imported_rows import assign_project, validate_row
from ...rules.timestamps import parse_moment
from ...storage.database import Database
from ...storage.entries import entries as entry_rows
from ...storage.files.table_transfer import Arrivals, has_entry
from ...storage.graph import entities, relations
from ..graph.graph import Graph
from ..graph.observations import Observations
from ..graph.relations import Relations
from .clean_keys import CleanKeys

CAUSE = "import_memory"
# The write lock is held for well under a second, also on a slow machine.
ROWS = 500
CHARACTERS = 2_000_000
# Enough to see what kind of thing is wrong; the rest is counted.
SHOWN = 50

OTHER_TYPE = "concept"
OTHER_RELATION = "RELATED_TO"
# The properties that keep the words which the ontology lacks.
WORD, WORDS = "original_type", "original_types"

T = TypeVar("T")


@dataclass(frozen=True)
class Writers:
    """The services through which everything foreign comes in: their rules hold for it too."""

    graph: Graph
    observations: Observations
    relations: Relations


class Tally:
    """What became of everything so far."""

    def __init__(self) -> None:
        self.added: Counter[str] = Counter()
        self.there: Counter[str] = Counter()
        self.mapped: Counter[str] = Counter()
        self.refused: list[RejectedRow] = []
        self.refused_count = 0
        # Rows of users that the call does not name: counted, and nothing else.
        self.others = 0
        self.changed = False

    @property
    def total(self) -> int:
        return self.added.total() + self.there.total() + self.refused_count + self.others

    def count(self, kind: str, *, known: bool) -> None:
        (self.there if known else self.added)[kind] += 1
        self.changed = self.changed or not known

    def refuse(self, where: str, why: object) -> None:
        self.refused_count += 1
        if len(self.refused) < SHOWN:
            self.refused.append(RejectedRow(where=where, why=str(why)[:500]))

    def map(self, word: str, meaning: str) -> None:
        pair = f"{word[:60] or '(none)'} -> {meaning}"
        self.mapped[pair if pair in self.mapped or len(self.mapped) < SHOWN else "others"] += 1


class OwnRows:
    """Takes rows of an export, ids and all."""

    def __init__(
        self,
        db: Database,
        ontology: Ontology,
        *,
        tally: Tally,
        project_id: str,
        user_id: User,
    ) -> None:
        self._db = db
        self._ontology = ontology
        self._tally = tally
        self._project_id = project_id
        self._user_id = user_id
        self._keys = CleanKeys(db)

    def take(self, rows: Iterable[tuple[str, Any]], tick: Callable[[], None]) -> None:
        """Take (where, parsed line) after (where, parsed line)."""
        sound = (row for where, value in rows for row in self._sound(where, value))
        for group in batches_of(sound, lambda row: sum(len(str(v)) for v in row[2].values())):
            with self._db.write(CAUSE) as connection:
                arrivals = Arrivals(connection)
                for where, table, row in group:
                    outcome = arrivals.put(table, row, bridge=self._is_bridge(row))
                    if outcome in ("", "there"):
                        self._tally.count(table, known=bool(outcome))
                    else:
                        self._tally.refuse(where, outcome)
            tick()

    def _sound(self, where: str, value: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
        try:
            table, given = decode_row(value)
            if not is_named(given.get("user_id", ""), self._user_id):
                self._tally.others += 1
                return
            row = given = assign_project(given, self._project_id)
            if self._db.redacts:
                # Before what a row is found by is made of it.
                row = self._keys.clean_row(
                    table, given, self._db.without_secrets_in(given, f"{where}: ")
                )
            yield where, table, validate_row(table, row, stamp=format_timestamp)
        except ValidationError as error:
            self._tally.refuse(where, error)

    def _is_bridge(self, row: dict[str, Any]) -> bool:
        # A type of another ontology is kept as it is, and bridges nothing.
        with suppress(ValidationError):
            return crosses_projects(self._ontology, str(row.get("relationship_type", "")))
        return False


class Words:
    """Takes what other programs wrote, in the words of our ontology."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        writers: Writers,
        *,
        tally: Tally,
        project_id: str,
        user_id: User,
        source: str,
    ) -> None:
        self._db = db
        self._ids = ids
        self._graph = writers.graph
        self._observations = writers.observations
        self._relations = writers.relations
        self._tally = tally
        self._project_id = project_id
        self._user_id = user_id
        self._source = source
        # What the file calls a thing, and the id it has here; "" if it was left out.
        self._known: dict[str, str] = {}
        self._unnamed: dict[tuple[str, str], dict[str, str]] = {}

    def take(self, items: Iterable[tuple[str, ImportedItem]], tick: Callable[[], None]) -> None:
        """Take (where, item) after (where, item); a thing before what is said of it."""
        for group in batches_of(items, lambda item: len(str(item[1]))):
            with self._db.act(CAUSE):
                for where, item in group:
                    self._attempt(where, item)
            tick()

    def finish(self, tick: Callable[[], None]) -> None:
        """Write the relations whose types the ontology lacks, each pair once."""
        for group in batches_of(self._unnamed.items(), lambda pair: 100 * len(pair[1])):
            with self._db.act(CAUSE):
                for (start, end), words in group:
                    try:
                        self._relate(start, end, words)
                    except (ValidationError, NotFoundError, ConflictError) as error:
                        self._tally.refuse(", ".join(words.values()), error)
            tick()

    def _attempt(self, where: str, item: ImportedItem) -> None:
        try:
            if isinstance(item, ImportedEntity):
                self._thing(where, item)
            elif isinstance(item, ImportedFact):
                self._fact(item)
            elif isinstance(item, ImportedRelation):
                self._link(where, item)
            else:
                self._memo(item)
        except (ValidationError, NotFoundError, ConflictError) as error:
            self._tally.refuse(where, error)

    def _thing(self, where: str, item: ImportedEntity) -> None:
        for name in (item.key, item.name):
            self._known.setdefault(name, "")
        kind, properties = item.kind, dict(item.properties)
        try:
            canonical_entity_type(self._graph.ontology, kind)
        except ValidationError:
            if kind:
                properties.setdefault(WORD, kind)
            self._tally.map(kind, OTHER_TYPE)
            kind = OTHER_TYPE
        written = self._graph.create_entity(
            item.name,
            kind,
            project_id=self._project_id,
            properties=properties,
            aliases=item.aliases,
        )
        for name in (item.key, item.name):
            self._known[name] = self._known[name] or written.entity.id
        self._tally.count("entities", known=written.already_exists)
        self._tally.changed = self._tally.changed or bool(written.added)
        if written.kept:
            differing = ", ".join(written.kept)[:200]
            self._tally.refuse(where, f"what is stored differs and was kept: {differing}")

    def _fact(self, item: ImportedFact) -> None:
        written = self._observations.add_observation(
            self._id_of(item.of), item.text, project_id=self._project_id, source=self._source
        )
        self._tally.count("observations", known=written.already_exists)

    def _link(self, where: str, item: ImportedRelation) -> None:
        start, end = self._id_of(item.start), self._id_of(item.end)
        if start == end:
            raise ValidationError("both its ends are the same entity")
        try:
            written = self._relations.create_relation(
                start, end, item.kind, project_id=self._project_id
            )
        except ValidationError:
            # Of no known type, or one that may not join these two: kept in its own word.
            self._unnamed.setdefault((start, end), {}).setdefault(item.kind, where)
            self._tally.map(item.kind, OTHER_RELATION)
            return
        self._tally.count("relations", known=written.already_exists)

    def _relate(self, start: str, end: str, words: Iterable[str]) -> None:
        with self._db.read() as connection:
            found = [entities.get(connection, self._project_id, id) for id in (start, end)]
            ends = {entity.row_id: entity for entity in found}
            kind, first, last = stored_triple(self._graph.ontology, OTHER_RELATION, *ends)
            known = relations.triple(connection, ends[first], ends[last], kind)
        given = dict(known.properties) if known else {}
        kept = given.get(WORDS)
        old = [word for word in kept if isinstance(word, str)] if isinstance(kept, list) else []
        written = self._relations.create_relation(
            start,
            end,
            OTHER_RELATION,
            project_id=self._project_id,
            properties={**given, WORDS: list[JsonValue](sorted({*old, *words}))},
        )
        self._tally.count("relations", known=written.already_exists)
        self._tally.changed = self._tally.changed or written.changed

    def _memo(self, item: ImportedNote) -> None:
        if not is_named(item.user_id, self._user_id):
            self._tally.others += 1
            return
        entry = self._entry(item)
        with self._db.write(CAUSE) as connection:
            scope = entry.model_dump(include={"project_id", "user_id", "agent_id", "session_id"})
            bound = {**scope, "digest": entry.digest, "summary": entry.summary}
            known = has_entry(connection, bound)
            if not known:
                entry_rows.insert(connection, entry)
        self._tally.count("entries", known=known)

    def _entry(self, item: ImportedNote) -> Entry:
        now = self._db.clock()
        text = self._db.without_secrets("text", item.text)
        tags = [self._db.without_secrets("tags", tag) for tag in item.tags]
        metadata: dict[str, Any] = {"source": self._source}
        category = _category(item.category)
        if category == "other" and item.category not in ("", "other"):
            metadata["original_category"] = item.category
        return Entry(
            id=self._ids(),
            project_id=self._project_id,
            user_id=item.user_id,
            agent_id=item.agent_id,
            session_id=item.session_id,
            form="entry" if _is_entry(item) else "fact",
            summary=text,
            tags=tags,
            category=category,
            metadata=metadata,
            digest=entry_rules.entry_digest(text, tags),
            created_at=_moment(item.created_at) or now,
            updated_at=now,
        )

    def _id_of(self, name: str) -> str:
        id = self._known.get(name, name)
        if not id:
            raise ValidationError(f"{name[:80]!r} was left out")
        return id


def is_named(owner: object, user_id: User) -> bool:
    """Return whether a row of *owner* may come in with a call that names *user_id*."""
    return user_id is ALL_USERS or owner in ("", user_id)


def batches_of(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield lists short enough for one transaction each."""
    group: list[T] = []
    characters = 0
    for item in items:
        group.append(item)
        characters += size(item)
        if len(group) >= ROWS or characters >= CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _is_entry(item: ImportedNote) -> bool:
    with suppress(ValidationError):
        return entry_rules.validate_summary(item.text) == item.text and bool(
            entry_rules.validate_tags(item.tags)
        )
    return False


def _category(word: str) -> Category:
    return next((category for category in CATEGORIES if category == word), "other")


def _moment(text: str) -> datetime | None:
    with suppress(ValidationError):
        return parse_moment("created_at", text)
    return None
