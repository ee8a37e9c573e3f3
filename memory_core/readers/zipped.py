"""Safe extraction of bundle zip files.

1. A name says where a file lies below the folder, or the whole zip is refused.
2. Sizes are counted as they come out; what a zip says of itself is not believed.
3. Only documents and indexes are written; links, devices and other files are skipped.
"""

from __future__ import annotations

import posixpath
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO

from ..errors import ForbiddenError, ValidationError
from ..rules.import_export import okf
from ..storage.files import temporary
from .okf import MOST_BYTES, MOST_FILES
from .safe_open import open_file

PIECE = 1024 * 1024
# Looked for there alone: what ends a zip may stand in any text.
_BEGINNING = b"PK\x03\x04"
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


def is_zip(place: Path, roots: Sequence[Path]) -> bool:
    """Return whether the file at *place*, which real_place() gave, is a zip."""
    with open_file(place, roots) as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


@contextmanager
def unpack_bundle(
    place: Path,
    roots: Sequence[Path],
    *,
    parent: Path,
    most_files: int = MOST_FILES,
    most_bytes: int = MOST_BYTES,
) -> Iterator[Path]:
    """
    Yield the folder of the bundle that a zip holds, in *parent* and only inside the block.

    A zip of one folder that has an index is the bundle in that folder. Raise ForbiddenError if the
    zip would write outside of its own folder or is too large, ValidationError if it cannot be read.
    """
    with (
        temporary.folder(parent) as outer,
        open_file(place, roots) as file,
    ):
        folder = outer / "bundle"
        folder.mkdir()
        try:
            _unpack(file, place, folder, most_files, most_bytes)
        except _FAULTS as error:
            why = getattr(error, "strerror", None) or error
            raise ValidationError(
                f"{place.name} cannot be unpacked ({why}). Nothing was imported. Zip the folder "
                "again, without a password."
            ) from error
        yield _root(folder)


def _unpack(file: BinaryIO, place: Path, folder: Path, most_files: int, most_bytes: int) -> None:
    # Its list of files is read into memory before one can count them.
    if file.seek(0, SEEK_END) > most_bytes:
        raise _too_large(place, most_bytes)
    with zipfile.ZipFile(file) as archive:
        listed = archive.infolist()
        if len(listed) > most_files:
            raise ForbiddenError(
                f"{place.name} holds more than {most_files:,} files. Import it in parts."
            )
        left = most_bytes
        for entry in listed:
            path = _path(entry, place)
            if not entry.is_dir() and path.endswith(okf.SUFFIX):
                left -= _write_entry(archive, entry, folder / path, left)
            if left < 0:
                raise _too_large(place, most_bytes)


def _too_large(place: Path, most: int) -> ForbiddenError:
    return ForbiddenError(f"{place.name} holds more than {most:,} bytes. Import it in parts.")


def _path(entry: zipfile.ZipInfo, place: Path) -> str:
    """
    Return where an entry lies below the folder; raise ForbiddenError if it leads anywhere else.
    """
    name = entry.filename.replace("\\", "/")
    path = posixpath.normpath(name)
    leaves = name.startswith("/") or ".." in name.split("/") or ":" in name
    # Zips of some systems say nothing of the kind: 0.
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if leaves or kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        what = "leads out of its folder" if leaves else "is a link or a device"
        raise ForbiddenError(
            f"{place.name} was not unpacked: {entry.filename[:200]!r} in it {what}. Make a zip of "
            "files and folders only."
        )
    return path


def _write_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Write an entry, but stop once it is larger than *most*; return how many bytes came."""
    size = 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as inside, target.open("xb") as file:
        while size <= most and (piece := inside.read(PIECE)):
            size += len(piece)
            file.write(piece)
    return size


def _root(folder: Path) -> Path:
    inner = [each for each in folder.iterdir() if not each.name.startswith((".", "__MACOSX"))]
    if len(inner) == 1 and (inner[0] / okf.INDEX).is_file():
        return inner[0]
    return folder
