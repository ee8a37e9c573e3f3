"""Whole memories as files: out to one that any program can read, in from many kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
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
from ...rules.import_export import export_format
from ...storage import scoping
from ...storage.database import Connection, Database
from ...storage.files import atomic_write, backups, temporary
from ...storage.files import table_transfer as rows
from ..allowed_paths import EXPORTS, data_folders, write_target
from ..progress import Progress
from ..scopes import checked_names
from .bundles import Bundles
from .formats import SHOWN, Importer, Source, find_importer
from .importer import OwnRows, Tally, Words, Writers

__all__ = ["Interchange", "Writers"]

SUFFIX = ".jsonl"
OKF = "okf"
FORMATS = ("auto", "jsonl", "mcp", "sqlite", OKF)

LARGEST = 4 * 1024**3
# An entity of a knowledge graph is one line, with all its observations.
LONGEST_LINE = 64 * 1024**2


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

    @contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """Yield a folder for copies, which is deleted afterwards, or later if the process dies."""
        backups.make_folder(self.folder)
        with temporary.folder(self.folder) as folder:
            yield folder

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
        with self.temporary_folder() as folder:
            copy = folder / self._db.path.name
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
        """Import a file by its format; return the format, what was left out, and a notice."""
        source = self._open_source(work, format)
        try:
            with ExitStack() as stack:
                if source.kind == "sqlite":
                    folder = stack.enter_context(self.temporary_folder())
                    source.open_sqlite(stack, self._roots, folder=folder)
                importer = find_importer(source)
                if importer is None:
                    raise ValidationError(_UNKNOWN.format(place=work.place))
                if format not in ("auto", importer.family):
                    raise ValidationError(
                        f"{work.place} is of the format {importer.family}, not {format}. "
                        "Give that, or auto."
                    )
                self._writer(work, importer).take(importer.convert(source), work.tick)
        except ValidationError as error:
            if source.kind != "sqlite" or str(work.place) in str(error):
                raise
            raise ValidationError(f"{work.place} was not imported: {error}.") from error
        return {
            "format": importer.name,
            "not_recognised": source.left_out[:SHOWN],
            "notice": source.notice,
        }

    def _open_source(self, work: _Import, format: str) -> Source:
        kind, first = import_formats.kind_of(work.file, longest=self._longest_line)
        return Source(
            file=work.file,
            place=work.place,
            project_id=work.project_id,
            longest_line=self._longest_line,
            tally=work.tally,
            ontology=self._writers.graph.ontology,
            kind="mcp" if kind == "" and format == "mcp" else kind,
            first=first,
        )

    def _writer(self, work: _Import, importer: Importer) -> OwnRows | Words:
        if importer.has_rows:
            return OwnRows(
                self._db,
                self._writers.graph.ontology,
                tally=work.tally,
                project_id=work.project_id,
                user_id=work.user_id,
                merges=importer.merges,
            )
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
    "Unsupported file format: {place}. Supported: an export of this program (JSON lines), the "
    "file of an MCP knowledge-graph server (JSON), a SQLite file with tables of entities or "
    "memories (also of Turbovec MCP, turbomem and VellumMem), a Markdown bundle (folder or zip). "
    "Nothing was imported."
)
