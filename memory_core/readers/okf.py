"""Read a bundle: list its files and parse each document."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ForbiddenError, MemoryCoreError, NotFoundError, ValidationError
from ..model.okf import BundleDocument, BundleProblem, Severity
from ..rules.import_export import okf
from .front_matter import parse_front_matter, split_front_matter
from .safe_open import contents, real_place

# A folder that was named by mistake is noticed before it is read through.
MOST_FILES = 20_000
MOST_BYTES = 512 * 1024**2


@dataclass(frozen=True)
class Bundle:
    """
    What was read.

    Attributes:
        documents: In order of path, each with the links that lead to another of them.

        indexed: Documents that an index file of the bundle's root links to.

        left_out: Reserved files that are not read: nested indexes, and logs.
    """

    folder: Path
    documents: tuple[BundleDocument, ...]
    problems: tuple[BundleProblem, ...]
    indexed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_bundle(
    folder: Path, roots: Sequence[Path], *, max_bytes: int, most_files: int = MOST_FILES
) -> Bundle:
    """
    Read the bundle in *folder*, which real_place() gave; what cannot be read is a problem.

    Raise ForbiddenError if it is too large, and NotFoundError if there is no such folder.
    """
    if not folder.is_dir():
        raise NotFoundError("folder", str(folder), "Give the folder that holds the bundle.")
    reading = _Reading(folder, roots, max_bytes)
    found: dict[str, BundleDocument] = {}
    left_out = []
    for path in _files(folder, most_files):
        if not okf.is_document(path):
            left_out.append(path)
            continue
        document = reading.document(path)
        if document is not None:
            found[path] = document
    linked = tuple(reading.resolve_links(document, found) for document in found.values())
    return Bundle(
        folder=folder,
        documents=linked,
        problems=tuple(okf.sort_problems(reading.problems)),
        indexed=reading.index_entries(found),
        left_out=tuple(path for path in left_out if path != okf.INDEX),
    )


class _Reading:
    def __init__(self, folder: Path, roots: Sequence[Path], max_bytes: int) -> None:
        self._folder = folder
        self._roots = roots
        self._max_bytes = max_bytes
        self._left = MOST_BYTES
        self.problems: list[BundleProblem] = []

    def document(self, path: str) -> BundleDocument | None:
        """Return what a file says, or None after naming what is wrong with it."""
        try:
            front, body = split_front_matter(self._text(path))
            document = okf.parse_document(
                path, None if front is None else parse_front_matter(front), body
            )
        except MemoryCoreError as error:
            self._problem(path, "error", str(error))
            return None
        for warning in okf.find_warnings(document):
            self._problem(path, "warning", warning)
        return document

    def resolve_links(
        self, document: BundleDocument, known: dict[str, BundleDocument]
    ) -> BundleDocument:
        links, unknown = okf.resolve_links(document, known.keys())
        strays = [
            *((target, "no document") for target in unknown if not self._holds(target)),
            *((target, "outside the bundle") for target in okf.external_links(document)),
        ]
        for target, what in strays:
            self._problem(document.path, "warning", f"it links to {target[:200]}, which is {what}.")
        return document.model_copy(update={"links": links})

    def _holds(self, target: str) -> bool:
        """Return whether a file or folder that is no document lies there."""
        return not okf.is_document(target) and os.path.lexists(self._folder / target)

    def index_entries(self, known: dict[str, BundleDocument]) -> tuple[str, ...]:
        if not (self._folder / okf.INDEX).is_file():
            return ()
        try:
            text = self._text(okf.INDEX)
        except MemoryCoreError as error:
            self._problem(okf.INDEX, "warning", str(error))
            return ()
        found = (target for target, _ in okf.iter_link_targets(okf.INDEX, text))
        return tuple(dict.fromkeys(target for target in found if target in known))

    def _text(self, path: str) -> str:
        # A file that is a link leads somewhere; only where it leads counts.
        place = real_place(str(self._folder / path), self._roots)
        content = contents(place, self._roots, max_bytes=self._max_bytes)
        self._left -= len(content)
        if self._left < 0:
            raise ForbiddenError(
                f"The bundle has more than {MOST_BYTES:,} bytes. Import it in parts."
            )
        try:
            return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            raise ValidationError("it is not UTF-8 text. Save it as UTF-8.") from error

    def _problem(self, path: str, severity: Severity, message: str) -> None:
        self.problems.append(BundleProblem(path=path, severity=severity, message=message[:500]))


def _files(folder: Path, most: int) -> Iterator[str]:
    """Yield the path of each Markdown file; folders that are links are not entered."""
    count = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = Path(here).relative_to(folder).as_posix()
        for name in sorted(names):
            count += 1
            if count > most:
                raise ForbiddenError(
                    f"{folder} holds more than {most:,} files. Name the bundle itself."
                )
            path = name if inside == "." else f"{inside}/{name}"
            if path.endswith(okf.SUFFIX) and not name.startswith("."):
                yield path
