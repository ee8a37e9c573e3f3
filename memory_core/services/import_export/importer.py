"""Taking in what a file says, a transaction at a time; what cannot be taken is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from ...clock import format_timestamp
from ...errors import ConflictError, NotFoundError, ValidationError
from ...ids import IdSource
from ...model.facts.entries import CATEGORIES, Category, Entry
from ...model.graph.entities import NewObservation
from ...model.graph.ontology import Ontology
from ...model.import_export import RejectedRow
from ...model.scope import ALL_USERS, User
from ...rules.facts import entries as entry_rules
from ...rules.graph.ontology import canonical_entity_type, crosses_projects
from ...rules.import_export.export_format import decode_row
from ...rules.import_export.foreign import (
    ImportedEntity,
    ImportedFact,
    ImportedItem,
    ImportedNote,
    ImportedRelation,
    ImportFault,
)
from ...rules.import_export.imported_rows import assign_project, validate_row
from ...rules.timestamps import parse_moment
from ...storage.database import Connection, Database
from ...storage.entries import entries as entry_rows
from ...storage.files.table_transfer import Arrivals, has_entry
from ...storage.graph import entities
from ..graph.graph import Graph
from ..graph.observations import Observations
from ..graph.relations import Relations
from .clean_keys import CleanKeys

CAUSE = "import_memory"
# One transaction holds the write lock for about 0.2 s of CPU time: a row costs about 1 ms, and
# indexing about 2 s per million characters.
ROWS = 200
CHARACTERS = 100_000
# Enough to see what kind of thing is wrong; the rest is counted.
SHOWN = 50

OTHER_TYPE = "concept"
# The property that keeps the word of a type which the ontology lacks.
WORD = "original_type"
# Columns that refer to entities.
_ENDS = ("entity_id", "from_id", "to_id")

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
        merges: bool = False,
    ) -> None:
        """
        *merges*: rows about an entity whose id is taken by another row belong to that one.
        """
        self._db = db
        self._ontology = ontology
        self._merges = merges
        # The row that has the place of an entity of the file.
        self._stored: dict[str, str] = {}
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
                for where, table, given in group:
                    row = self._with_stored_ends(given)
                    outcome = arrivals.put(table, row, bridge=self._is_bridge(row))
                    if outcome and self._merges and table == "entities":
                        outcome = self._find_stored(connection, row) or outcome
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

    def _with_stored_ends(self, row: dict[str, Any]) -> dict[str, Any]:
        if not self._stored:
            return row
        ends = {name: self._stored.get(row[name]) for name in _ENDS if name in row}
        return {**row, **{name: id for name, id in ends.items() if id}}

    def _find_stored(self, connection: Connection, row: dict[str, Any]) -> str:
        """Return why an entity was not added, if what is said of it can be added."""
        known = entities.find(connection, row["project_id"], row["key"])
        if known is None or known.row_id == row["id"]:
            return ""
        self._stored[row["id"]] = known.row_id
        return f"the id {known.id!r} exists: that entity was kept, and gets the rest"

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

    def take(self, items: Iterable[tuple[str, ImportedItem]], tick: Callable[[], None]) -> None:
        """Take (where, item) after (where, item); a thing before what is said of it."""
        for group in batches_of(items, lambda item: len(str(item[1]))):
            with self._db.act(CAUSE):
                for _, run in groupby(group, key=_owner_of):
                    self._attempt_run([*run])
            tick()

    def _attempt_run(self, run: list[tuple[str, ImportedItem]]) -> None:
        """Write consecutive facts about one entity together, and anything else one by one."""
        where, first = run[0]
        facts = [(place, item) for place, item in run if isinstance(item, ImportedFact)]
        try:
            if facts:
                self._facts(facts)
            elif isinstance(first, ImportedEntity):
                self._thing(where, first)
            elif isinstance(first, ImportedRelation):
                self._link(first)
            elif isinstance(first, ImportFault):
                self._tally.refuse(where, first.why)
            elif isinstance(first, ImportedNote):
                self._memo(first)
        except (ValidationError, NotFoundError, ConflictError) as error:
            for place, _ in run:
                self._tally.refuse(place, error)

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

    def _facts(self, run: list[tuple[str, ImportedFact]]) -> None:
        id = self._id_of(run[0][1].of)
        news = [self._new_observation(id, where, item) for where, item in run]
        with self._db.write(CAUSE) as connection:
            entity = entities.get(connection, self._project_id, id)
            added = self._observations.attach_observations(connection, entity, news)
        for number in range(len(run)):
            self._tally.count("observations", known=number >= len(added))

    def _new_observation(self, id: str, where: str, item: ImportedFact) -> NewObservation:
        when = _moment(item.occurred_at)
        if item.occurred_at and when is None:
            self._tally.refuse(where, f"{item.occurred_at[:60]!r} is no date, and was left out")
        return NewObservation(
            entity_id=id,
            content=self._db.without_secrets("content", item.text),
            certainty=item.certainty,
            occurred_at=when,
            source=self._source,
        )

    def _link(self, item: ImportedRelation) -> None:
        written, is_known = self._relations.import_relation(
            self._id_of(item.start),
            self._id_of(item.end),
            item.kind,
            project_id=self._project_id,
            weight=item.weight,
            confidence=item.confidence,
            properties=item.properties,
        )
        if not is_known:
            self._tally.map(item.kind, written.relation.relationship_type)
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


def _owner_of(pair: tuple[str, ImportedItem]) -> object:
    """Return the entity that a fact is about, or the item itself."""
    item = pair[1]
    return ("fact", item.of) if isinstance(item, ImportedFact) else id(pair)


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
