"""
Registry of import formats.

1. A format detects its files and converts them to records; it writes nothing.
2. Records are rows of our tables, or items of other programs in their own words. importer.py
   writes both; batch, preview, progress and report are the same for every format.
3. The first format that detects a file is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ...errors import ValidationError
from ...model.graph.ontology import Ontology
from ...readers import import_formats
from ...rules.import_export import export_format, foreign, foreign_tables
from ...rules.import_export.ancestors import turbomem, turbovec, vellum
from ...rules.import_export.ancestors.conversion import Conversion, ConvertedRow
from ...rules.import_export.foreign import ImportedRelation
from ...storage.database import Connection
from ...storage.files import foreign_sqlite
from ...storage.files import table_transfer as rows
from .importer import Tally

Record = tuple[str, Any]

# Names of what was left out; a result must stay readable.
SHOWN = 100


@dataclass
class Source:
    """
    An opened file, and what its beginning shows.

    Attributes:
        kind: As found by import_formats.kind_of(), with the value that shows it.

        connection: A private copy, if it is a SQLite file, with its *tables*.

        left_out: What the format has no counterpart for.
    """

    file: BinaryIO
    place: Path
    project_id: str
    longest_line: int
    tally: Tally
    ontology: Ontology
    kind: import_formats.Kind
    first: Any
    connection: Connection | None = None
    tables: Mapping[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    notice: str = ""

    def open_sqlite(self, stack: ExitStack, roots: tuple[Path, ...], *, folder: Path) -> None:
        copying = import_formats.copy_database(self.file, self.place, roots, parent=folder)
        copy = stack.enter_context(copying)
        self.connection = stack.enter_context(foreign_sqlite.open_copy(copy))
        self.tables = foreign_sqlite.tables(self.connection)

    def lines(self, refuse: import_formats.Refuse) -> Iterator[Record]:
        return import_formats.json_lines(self.file, longest=self.longest_line, refuse=refuse)


class Importer(Protocol):
    """
    A format.

    Attributes:
        name: Reported as the format of the file.

        family: The value of the argument "format" that accepts it.

        has_rows: Whether the records are rows of our tables.

        merges: Whether rows about an entity whose id is taken belong to the stored entity.
    """

    @property
    def name(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def has_rows(self) -> bool: ...

    @property
    def merges(self) -> bool: ...

    def detect(self, source: Source) -> bool: ...

    def convert(self, source: Source) -> Iterator[Record]: ...


class ExportFile:
    """JSON Lines export of this program."""

    name = family = "jsonl"
    has_rows, merges = True, False

    def detect(self, source: Source) -> bool:
        return source.kind == "jsonl"

    def convert(self, source: Source) -> Iterator[Record]:
        has_header = export_format.is_header(source.first)
        promised = (
            export_format.expected_counts(source.first, schema=rows.schema_version())
            if has_header
            else {}
        )
        there = 0

        def refuse(where: str, why: object) -> None:
            nonlocal there
            there += 1
            source.tally.refuse(where, why)

        for where, value in source.lines(refuse):
            if not export_format.is_header(value):
                there += 1
                yield where, value
        total = sum(promised.values())
        if not has_header:
            source.notice = "The header is missing or broken, so the file may be incomplete."
        elif there != total:
            source.notice = (
                f"The file promises {total:,} rows and holds {there:,}: it was cut off or edited."
            )


class GraphFile:
    """Knowledge graph of an MCP server: JSON lines, or one JSON text."""

    name = family = "mcp"
    has_rows, merges = False, False

    def detect(self, source: Source) -> bool:
        return source.kind in ("mcp", "graph")

    def convert(self, source: Source) -> Iterator[Record]:
        """Yield entities and facts first: a relation may precede its ends."""
        source.left_out += foreign.unknown_graph_fields(
            source.first if source.kind == "graph" else None
        )
        for links, refuse in ((False, source.tally.refuse), (True, _reported_before)):
            parts = (
                foreign.iter_graph_lines(source.first)
                if source.kind == "graph"
                else source.lines(refuse)
            )
            for where, item in import_formats.graph_items(parts, refuse):
                if isinstance(item, ImportedRelation) == links:
                    yield where, item


class OwnDatabase:
    """Database of this program."""

    name, family = "memory", "sqlite"
    has_rows, merges = True, False

    def detect(self, source: Source) -> bool:
        return source.connection is not None and foreign_sqlite.is_ours(source.connection)

    def convert(self, source: Source) -> Iterator[Record]:
        assert source.connection is not None
        for table, row in foreign_sqlite.own_rows(source.connection):
            yield f"{table} {row.get('id')}", {"table": table, "row": row}


@dataclass(frozen=True)
class AncestorDatabase:
    """Database of an earlier program, recognized by its tables and columns."""

    name: str
    shape: Mapping[str, frozenset[str]]
    rows_of: Callable[[Conversion], Iterator[ConvertedRow]]
    family: str = "sqlite"
    has_rows: bool = True
    merges: bool = True

    def detect(self, source: Source) -> bool:
        return all(columns <= set(source.tables.get(t, ())) for t, columns in self.shape.items())

    def convert(self, source: Source) -> Iterator[Record]:
        assert source.connection is not None
        conversion = Conversion(
            rows=partial(foreign_sqlite.whole_rows, source.connection),
            tables=source.tables,
            ontology=source.ontology,
            project_id=source.project_id,
            map_word=source.tally.map,
            left_out=source.left_out,
        )
        for where, table, row in self.rows_of(conversion):
            yield where, {"table": table, "row": row}


class ForeignTables:
    """SQLite file with tables of entities or memories."""

    name = family = "sqlite"
    has_rows, merges = False, False

    def detect(self, source: Source) -> bool:
        return source.connection is not None

    def convert(self, source: Source) -> Iterator[Record]:
        assert source.connection is not None
        found, unknown = foreign_tables.recognize_tables(source.tables)
        if not found:
            names = ", ".join(list(source.tables)[:10]) or "it has none"
            raise ValidationError(
                f"no table of entities or memories was recognised among its own ({names})"
            )
        source.left_out += unknown
        for each in found:
            yield from _read_table(source, source.connection, each)


IMPORTERS: tuple[Importer, ...] = (
    ExportFile(),
    GraphFile(),
    OwnDatabase(),
    AncestorDatabase("turbovec", turbovec.TABLES, turbovec.convert),
    AncestorDatabase("turbomem", turbomem.TABLES, turbomem.convert),
    AncestorDatabase("vellum", vellum.TABLES, vellum.convert),
    ForeignTables(),
)


def find_importer(source: Source) -> Importer | None:
    return next((each for each in IMPORTERS if each.detect(source)), None)


def _read_table(
    source: Source, connection: Connection, found: foreign_tables.RecognizedTable
) -> Iterator[Record]:
    """Yield the items of a table; a row with a fault is refused whole."""
    read = foreign_sqlite.rows(connection, found.table, found.columns)
    for number, row in enumerate(read, start=1):
        where = f"{found.table}, row {number}"
        try:
            items = found.shape.items(row)
        except ValidationError as error:
            source.tally.refuse(where, error)
        else:
            yield from ((where, item) for item in items)


def _reported_before(where: str, why: object) -> None:
    """Do nothing: the first reading of the file has reported it."""
