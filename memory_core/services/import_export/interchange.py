"""Whole memories as files: out to one that any program can read, in from many kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from ...clock import format_timestamp
from ...context import as_one_batch, current_batch
from ...errors import ConflictError, ForbiddenError, NotFoundError, ValidationError
from ...ids import IdSource
from ...model.import_export import ExportResult, ImportResult
from ...model.scope import ALL_USERS, Scope, User
from ...readers import import_formats
from ...readers.safe_open import contents, open_file, real_place
from ...readers.zipped import is_zip
from ...rules import limits
from ...rules.import_export import export_format, foreign, foreign_tables
from ...rules.import_export.foreign import ImportedItem, ImportedRelation
from ...storage import scoping
from ...storage.database import Connection, Database
from ...storage.files import atomic_write, backups
from ...storage.files import foreign_sqlite as other_programs
from ...storage.files import table_transfer as rows
from ..allowed_paths import EXPORTS, data_folders, write_target
from ..progress import Progress
from ..scopes import checked_names
from .bundles import Bundles
from .importer import OwnRows, Tally, Words, Writers

__all__ = ["Interchange", "Writers"]

SUFFIX = ".jsonl"
OKF = "okf"
FORMATS = ("auto", "jsonl", "mcp", "sqlite", OKF)

LARGEST = 4 * 1024**3
# A row may hold a text of a million characters, each of which may take six bytes.
LONGEST_LINE = 16 * 1024**2
# Names of what was not understood; a result must stay readable.
SHOWN = 100


@dataclass(frozen=True)
class _Import:
    """One import under way."""

    file: BinaryIO
    place: Path
    tally: Tally
    project_id: str
    user_id: User
    tick: Callable[[], None]


class Interchange:
    """Exports to JSON lines; imports those, and what other memory programs keep."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        writers: Writers,
        *,
        roots: Sequence[Path],
        bundles: Bundles | None = None,
        over: Callable[[Database], Interchange] | None = None,
        largest: int = LARGEST,
        longest_line: int = LONGEST_LINE,
    ) -> None:
        """
        Files are under *roots* or next to the database; folders are handled by *bundles*.

        *over* makes the like of this over another file: a preview imports into a copy.
        """
        self._db = db
        self._ids = ids
        self._writers = writers
        self._bundles = bundles
        self._over = over
        self._roots = (*data_folders(db.path), *roots)
        self._largest = largest
        self._longest_line = longest_line

    @property
    def folder(self) -> Path:
        """Where a file lies whose folder is not named."""
        return self._db.path.parent / EXPORTS

    def export_project(
        self,
        path: str,
        *,
        format: str = "jsonl",
        project_id: str = "*",
        user_id: User = ALL_USERS,
        replace: bool = False,
    ) -> ExportResult:
        """
        Write current data, all of one moment, to a file or, as a bundle, to a folder.

        Of files only an export is replaced; a folder that is not empty only if *replace*.
        """
        if format == OKF and self._bundles is not None:
            return self._bundles.export_bundle(
                path, project_id=project_id, user_id=user_id, replace=replace
            )
        if format != "jsonl":
            raise ValidationError(f"There is no export format {format!r}. Give jsonl or okf.")
        return self._export_rows(self._target(path), checked_names(project_id, user_id))

    def _export_rows(self, target: Path, scope: Scope) -> ExportResult:
        there = self._is_export(target)
        with self._db.read() as connection:
            at = self._db.clock()
            counts = rows.counts(connection, scope)
            others = scoping.has_others(connection, scope)
            header = export_format.build_header(
                project_id=scope.project_id,
                exported_at=format_timestamp(at),
                schema=rows.schema_version(),
                counts=counts,
            )
            size, digest = atomic_write.write_whole(
                target, _lines_of(connection, header, scope), replace=there
            )
        return ExportResult(
            path=str(target),
            format="jsonl",
            project_id=scope.project_id,
            at=at,
            rows=counts,
            size_bytes=size,
            sha256=digest,
            notice=_OTHERS if others else "",
        )

    def read_export(self, path: str) -> bytes:
        """Return the bytes of an export, for a download."""
        return contents(self._place(path), self._roots, max_bytes=self._largest)

    def import_file(
        self,
        path: str,
        *,
        format: str = "auto",
        project_id: str = "",
        user_id: User = ALL_USERS,
    ) -> ImportResult:
        """
        Add what a file says to the memory; nothing that is there is lost by it.

        An export's rows keep their projects unless *project_id* names one; all else goes
        into that project, or "default". Raise ValidationError if nothing in it is understood.
        """
        if format not in FORMATS:
            raise ValidationError(
                f"There is no format {format!r}. Give one of {', '.join(FORMATS)}."
            )
        project_id = limits.validate_project(project_id) if project_id else ""
        place = self._place(path)
        if self._bundles is not None and (
            format == OKF or (format == "auto" and self._is_bundle(place))
        ):
            return self._bundles.import_bundle(str(place), project_id=project_id or "default")
        batch_id, tally, steps = current_batch() or self._ids(), Tally(), Progress()
        with open_file(place, self._roots) as file, as_one_batch(batch_id):
            size = self._size(file, place)
            steps.begin_step(0, 1, "importing")

            def tick() -> None:
                steps.tick(min(file.tell(), size), size)

            work = _Import(file, place, tally, project_id, user_id, tick)
            done = self._import_by_format(work, format)
        return _build_result(place, tally, done, batch_id)

    def preview_import(
        self,
        path: str,
        *,
        format: str = "auto",
        project_id: str = "",
        user_id: User = ALL_USERS,
    ) -> ImportResult:
        """Return what import_file would do, from an import into a copy; nothing is written."""
        assert self._over is not None
        place = self._place(path)
        backups.make_folder(self.folder)
        with TemporaryDirectory(dir=self.folder, prefix="preview-") as folder:
            copy = Path(folder) / self._db.path.name
            backups.copy(self._db.path, copy)
            database = Database(copy, self._db.clock, redacts=self._db.redacts)
            try:
                rehearsed = self._over(database)
                done = rehearsed.import_file(
                    str(place), format=format, project_id=project_id, user_id=user_id
                )
            finally:
                database.close()
        return done.model_copy(update={"batch_id": ""})

    def _import_by_format(self, work: _Import, format: str) -> dict[str, Any]:
        """Import a file by its kind; return the kind, what was not understood, and a notice."""
        kind, first = import_formats.kind_of(work.file, longest=self._longest_line)
        if kind == "" and format == "mcp":
            kind = "mcp"
        if kind == "":
            raise ValidationError(_UNKNOWN.format(place=work.place))
        shown = "mcp" if kind == "graph" else kind
        if format not in ("auto", shown):
            raise ValidationError(
                f"{work.place} is of the format {shown}, not {format}. Give that, or auto."
            )
        done: dict[str, Any] = {"format": shown, "not_recognised": [], "notice": ""}
        if kind == "sqlite":
            return {**done, **self._import_sqlite(work)}
        if kind == "jsonl":
            return {**done, "notice": self._import_export(work, first)}
        self._import_graph(work, first if kind == "graph" else None)
        return done

    def _import_export(self, work: _Import, header: Mapping[str, Any]) -> str:
        promised = export_format.expected_counts(header, schema=rows.schema_version())
        found = import_formats.json_lines(
            work.file, longest=self._longest_line, refuse=work.tally.refuse, skip=1
        )
        self._rows(work).take(found, work.tick)
        total, there = sum(promised.values()), work.tally.total
        if there == total:
            return ""
        return f"The file promises {total:,} rows and holds {there:,}: it was cut off or edited."

    def _import_graph(self, work: _Import, graph: Mapping[str, Any] | None) -> None:
        words = self._words(work)
        # Things first, wherever in the file: a relation may stand before its ends.
        for links, refuse in ((False, work.tally.refuse), (True, _refused_before)):
            parts = (
                import_formats.json_lines(work.file, longest=self._longest_line, refuse=refuse)
                if graph is None
                else foreign.iter_graph_lines(graph)
            )
            items = import_formats.graph_items(parts, refuse)
            words.take(
                (pair for pair in items if isinstance(pair[1], ImportedRelation) == links),
                work.tick,
            )
        words.finish(work.tick)

    def _import_sqlite(self, work: _Import) -> dict[str, Any]:
        try:
            with (
                import_formats.copy_database(work.file, work.place, self._roots) as copy,
                other_programs.open_copy(copy) as connection,
            ):
                return self._import_tables(work, connection)
        except ValidationError as error:
            raise ValidationError(f"{work.place} was not imported: {error}.") from error

    def _import_tables(self, work: _Import, connection: Connection) -> dict[str, Any]:
        if other_programs.is_ours(connection):
            own = (
                (f"{table} {row.get('id')}", {"table": table, "row": row})
                for table, row in other_programs.own_rows(connection)
            )
            self._rows(work).take(own, work.tick)
            return {"format": "memory"}
        tables = other_programs.tables(connection)
        found, unknown = foreign_tables.recognize_tables(tables)
        if not found:
            names = ", ".join(list(tables)[:10]) or "it has none"
            raise ValidationError(
                f"no table of entities or memories was recognised among its own ({names})"
            )
        words = self._words(work)
        for each in found:
            words.take(_read_table(connection, each, work.tally), work.tick)
        words.finish(work.tick)
        return {"not_recognised": unknown[:SHOWN]}

    def _rows(self, work: _Import) -> OwnRows:
        ontology = self._writers.graph.ontology
        return OwnRows(
            self._db,
            ontology,
            tally=work.tally,
            project_id=work.project_id,
            user_id=work.user_id,
        )

    def _words(self, work: _Import) -> Words:
        return Words(
            self._db,
            self._ids,
            self._writers,
            tally=work.tally,
            project_id=work.project_id or "default",
            user_id=work.user_id,
            source=work.place.name,
        )

    def _size(self, file: BinaryIO, place: Path) -> int:
        size = file.seek(0, SEEK_END)
        if size > self._largest:
            raise ForbiddenError(
                f"{place} has {size:,} bytes and may have {self._largest:,}. Import it in parts."
            )
        return size

    def _resolve_path(self, path: str) -> str:
        """Return the path that is meant: a bare name lies in our own folder."""
        return str(self.folder / path) if path.strip() and Path(path).name == path else path

    def _place(self, path: str) -> Path:
        """Return where a file really is; raise ForbiddenError if it may not be opened."""
        return real_place(self._resolve_path(path), self._roots)

    def _target(self, path: str) -> Path:
        target = write_target(self._resolve_path(path), self._roots, folder=self.folder)
        if target.suffix.lower() != SUFFIX:
            raise ValidationError(
                f"{target.name} must end in {SUFFIX}: call it {target.stem}{SUFFIX}."
            )
        return target

    def _is_bundle(self, place: Path) -> bool:
        return place.is_dir() or is_zip(place, self._roots)

    def _is_export(self, target: Path) -> bool:
        """Return whether an export is there; raise ConflictError if anything else is."""
        try:
            with open_file(target, self._roots) as file:
                kind, _ = import_formats.kind_of(file, longest=self._longest_line)
        except NotFoundError:
            return False
        if kind != "jsonl":
            raise ConflictError(f"{target} is there already and is no export. Choose another name.")
        return True


def _lines_of(connection: Connection, header: Mapping[str, Any], scope: Scope) -> Iterator[bytes]:
    yield export_format.encode_line(header)
    for table, row in rows.rows(connection, scope):
        yield export_format.encode_row(table, row)


def _read_table(
    connection: Connection, found: foreign_tables.RecognizedTable, tally: Tally
) -> Iterator[tuple[str, ImportedItem]]:
    """Yield where and what a table says; a row with a fault is refused whole."""
    for number, row in enumerate(
        other_programs.rows(connection, found.table, found.columns), start=1
    ):
        where = f"{found.table}, row {number}"
        try:
            items = found.shape.items(row)
        except ValidationError as error:
            tally.refuse(where, error)
        else:
            yield from ((where, item) for item in items)


def _refused_before(where: str, why: object) -> None:
    """Say nothing: the first reading of the file has said it."""


def _build_result(place: Path, tally: Tally, done: dict[str, Any], batch_id: str) -> ImportResult:
    return ImportResult(
        path=str(place),
        added=dict(tally.added),
        already_there=dict(tally.there),
        refused_count=tally.refused_count,
        refused=tally.refused,
        mapped=dict(tally.mapped),
        batch_id=batch_id if tally.changed else "",
        **_with_others(done, tally.others),
    )


def _with_others(done: dict[str, Any], others: int) -> dict[str, Any]:
    """Return what an import reports, with the rows left out that belong to users not named."""
    said = f"Left out, since they belong to users that the call does not name: {others} rows."
    return {**done, "notice": " ".join(filter(None, (done["notice"], said)))} if others else done


_OTHERS = "Records of users that the call does not name are left out."

_UNKNOWN = (
    "{place} is of no kind that an import understands: an export of this program, the file of "
    "an MCP knowledge-graph server (JSON lines), or a SQLite file with tables of entities or "
    "memories. Nothing was imported."
)
