"""Bundles of the Open Knowledge Format: checking, looking at, taking in and writing them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ...context import as_one_batch, current_batch
from ...errors import NotFoundError, ValidationError
from ...ids import IdSource
from ...model.import_export import ExportResult, ImportResult
from ...model.okf import BundleGraph, BundleReport
from ...model.scope import ALL_USERS, Scope, User
from ...readers.front_matter import format_front_matter
from ...readers.okf import Bundle, read_bundle
from ...readers.safe_open import real_place
from ...readers.zipped import is_zip, unpack_bundle
from ...rules import limits
from ...rules.import_export import okf, okf_pages
from ...storage import open_files
from ...storage.database import Database
from ...storage.files import atomic_folder, backups
from ...storage.files import table_transfer as rows
from ..allowed_paths import data_folders, write_target
from ..documents.knowledge import Knowledge
from ..progress import Progress
from ..scopes import checked_names
from .bundle_importer import BundleIntake
from .importer import Tally, Writers

FORMAT = "okf"
# Enough to see what kind of thing is wrong; the rest is counted.
SHOWN = 200
MOST_DOCUMENTS = 20_000


class Bundles:
    """Folders of Markdown documents as a project, and a project as such a folder."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        writers: Writers,
        knowledge: Knowledge,
        *,
        roots: Sequence[Path],
        max_bytes: int,
        folder: Path,
    ) -> None:
        """Bundles are under *roots* or next to the database; bare names are in *folder*."""
        self._db = db
        self._ids = ids
        self._writers = writers
        self._knowledge = knowledge
        self._roots = (*data_folders(db.path), *roots)
        self._max_bytes = max_bytes
        self._folder = folder

    def validate_bundle(self, path: str) -> BundleReport:
        """Return every problem of a bundle; raise NotFoundError if there is no such folder."""
        return _report(self._read_bundle(path))

    def bundle_graph(self, path: str, *, start: str = "") -> BundleGraph:
        """Return how its documents link, and what is reachable from *start* or its index."""
        bundle = self._read_bundle(path)
        if not start:
            return okf.build_graph(str(bundle.folder), bundle.documents, bundle.indexed)
        place = okf.resolve_link("", "/" + start.removeprefix("/"))
        known = {document.path for document in bundle.documents}
        begin = next((each for each in (place, f"{place}{okf.SUFFIX}") if each in known), "")
        if not begin:
            raise NotFoundError(
                "document", start, "Give its path in the bundle, such as tables/a.md."
            )
        return okf.build_graph(str(bundle.folder), bundle.documents, [begin])

    def import_bundle(self, path: str, *, project_id: str = "default") -> ImportResult:
        """
        Add what a bundle, or a zip of one, says; twice is as good as once.

        It is one act that undo takes back.
        """
        project_id = limits.validate_project(project_id)
        place = self._place(path)
        if place.is_dir():
            return self._take(self._read_bundle(path), project_id)
        if not is_zip(place, self._roots):
            raise ValidationError(
                f"{place} is neither a folder nor a zip. A bundle is one of the two."
            )
        backups.make_folder(self._folder)
        with unpack_bundle(place, self._roots, parent=self._folder) as folder:
            done = self._take(self._read_bundle(str(folder)), project_id)
        return done.model_copy(update={"path": str(place)})

    def _take(self, bundle: Bundle, project_id: str) -> ImportResult:
        batch_id, tally, steps = current_batch() or self._ids(), Tally(), Progress()
        for problem in bundle.problems:
            if problem.severity == "error":
                tally.refuse(problem.path, problem.message)
        if not bundle.documents:
            raise ValidationError(
                f"{bundle.folder} holds no document that can be taken ({tally.refused_count} with "
                "errors). A document is a Markdown file that begins with ---, type: ..., ---."
            )
        intake = BundleIntake(
            self._db, self._writers, self._knowledge, tally=tally, project_id=project_id
        )
        steps.begin_step(0, 1, "importing")
        with as_one_batch(batch_id):
            total = 2 * len(bundle.documents)
            intake.take(bundle.documents, lambda done: steps.tick(done, total))
        warned = sum(problem.severity == "warning" for problem in bundle.problems)
        return ImportResult(
            path=str(bundle.folder),
            format=FORMAT,
            added=dict(tally.added),
            already_there=dict(tally.there),
            refused_count=tally.refused_count,
            refused=tally.refused,
            mapped=dict(tally.mapped),
            not_recognised=list(bundle.left_out[:SHOWN]),
            batch_id=batch_id if tally.changed else "",
            notice=f"A check of the bundle names {warned} warnings." if warned else "",
        )

    def export_bundle(
        self,
        path: str,
        *,
        project_id: str = "default",
        user_id: User = ALL_USERS,
        replace: bool = False,
    ) -> ExportResult:
        """Write a project as a bundle; a folder that holds anything is only used if *replace*."""
        if project_id == limits.EVERY_PROJECT:
            raise ValidationError("A bundle holds one project: name it in project_id.")
        project_id = limits.validate_project(project_id)
        target = write_target(self._resolve_path(path), self._roots, folder=self._folder)
        at, project = self._project(checked_names(project_id, user_id))
        pages, links = okf_pages.build_pages(project)
        if len(pages) > MOST_DOCUMENTS:
            raise ValidationError(
                f"Project {project_id!r} would be {len(pages):,} documents and a bundle may have "
                f"{MOST_DOCUMENTS:,}. Export it as jsonl."
            )
        files = {
            page.path: (format_front_matter(page.front) + page.body).encode() for page in pages
        }
        files[okf.INDEX] = okf_pages.build_index(project_id, pages).encode()
        for name in files:
            open_files.refuse_as_target(target / name)
        size, digest = atomic_folder.write_folder(target, files, replace=replace)
        kinds = {"entities": len(project.entities), "documents": len(project.documents)}
        left = ", ".join(f"{count} {table}" for table, count in sorted(project.left.items()))
        return ExportResult(
            path=str(target),
            format=FORMAT,
            project_id=project_id,
            at=at,
            rows={**kinds, "relations": links},
            size_bytes=size,
            sha256=digest,
            notice=f"A bundle does not hold {left}; a jsonl export does." if left else "",
        )

    def _project(self, scope: Scope) -> tuple[datetime, okf_pages.ProjectRows]:
        project = okf_pages.ProjectRows()
        with self._db.read() as connection:
            at = self._db.clock()
            for table, row in rows.rows(connection, scope):
                project.add_row(table, row)
        return at, project

    def _read_bundle(self, path: str) -> Bundle:
        place = self._place(path)
        return read_bundle(place, self._roots, max_bytes=self._max_bytes)

    def _place(self, path: str) -> Path:
        return real_place(self._resolve_path(path), self._roots)

    def _resolve_path(self, path: str) -> str:
        bare = bool(path.strip()) and Path(path).name == path
        return str(self._folder / path) if bare else path


def _report(bundle: Bundle) -> BundleReport:
    errors = sum(problem.severity == "error" for problem in bundle.problems)
    return BundleReport(
        path=str(bundle.folder),
        valid=not errors,
        documents=len(bundle.documents),
        links=sum(len(document.links) for document in bundle.documents),
        errors=errors,
        warnings=len(bundle.problems) - errors,
        problems=list(bundle.problems[:SHOWN]),
    )
