"""Detect and read import files of this and other programs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal

from ..errors import ConflictError, NotFoundError, StorageError, ValidationError
from ..rules.import_export import foreign
from ..rules.import_export.export_format import is_header, is_row, parse_json
from ..rules.import_export.foreign import ImportedItem
from ..storage.files import temporary
from .lines import lines
from .safe_open import open_file

# graph: one JSON text that holds what mcp says in lines.
Kind = Literal["jsonl", "mcp", "graph", "sqlite", ""]
Refuse = Callable[[str, object], None]

# Of a graph that is one JSON text, which must be read whole.
LARGEST_TEXT = 64 * 1024**2
# Broken lines do not hide the format of those after them.
_SAMPLED = 100

_SQLITE = b"SQLite format 3\0"
# What belongs to a SQLite file in use: without it, the newest rows or all sense are missing.
_BESIDE = ("-wal", "-journal")


def kind_of(file: BinaryIO, *, longest: int) -> tuple[Kind, Any]:
    """Return of what kind a file is, "" if of none we know, and the value that shows it."""
    file.seek(0)
    if file.read(len(_SQLITE)) == _SQLITE:
        return "sqlite", None
    for _, text in islice(lines(file, longest=longest), _SAMPLED):
        with suppress(ValidationError):
            value = parse_json(text)
            if is_header(value) or is_row(value):
                return "jsonl", value
            if foreign.graph_shape(value):
                return "mcp", value
    if os.fstat(file.fileno()).st_size <= LARGEST_TEXT:
        file.seek(0)
        with suppress(ValidationError):
            value = parse_json(file.read(LARGEST_TEXT).removeprefix(b"\xef\xbb\xbf"))
            if foreign.is_graph(value):
                return "graph", value
    return "", None


def json_lines(file: BinaryIO, *, longest: int, refuse: Refuse) -> Iterator[tuple[str, Any]]:
    """Yield where and what for each line; a bad one is refused."""
    for number, text in lines(file, longest=longest):
        where = f"line {number}"
        if not text:
            refuse(where, f"it is longer than {longest:,} bytes")
        else:
            try:
                value = parse_json(text)
            except ValidationError as error:
                refuse(where, error)
            else:
                yield where, value


def graph_items(
    parts: Iterable[tuple[str, Any]], refuse: Refuse
) -> Iterator[tuple[str, ImportedItem]]:
    """Yield where and what is said, part by part; a part with a fault is refused whole."""
    for where, part in parts:
        try:
            items = foreign.parse_graph_line(part)
        except ValidationError as error:
            refuse(where, error)
        else:
            yield from ((where, item) for item in items)


@contextmanager
def copy_database(
    file: BinaryIO, place: Path, roots: Sequence[Path], *, parent: Path
) -> Iterator[Path]:
    """Yield a copy in *parent* of an opened SQLite file and its log; the file is only read."""
    before = _state(file)
    with temporary.folder(parent) as folder, ExitStack() as stack:
        copy = folder / "copy.db"
        # The log first: what is folded into the file meanwhile is then in both.
        for end in _BESIDE:
            with suppress(NotFoundError):
                sibling = stack.enter_context(open_file(place.with_name(place.name + end), roots))
                _pour(sibling, copy.with_name(copy.name + end))
        _pour(file, copy)
        if _state(file) != before:
            raise ConflictError(
                f"{place} is being written. Close the program that uses it, try again."
            )
        yield copy


def _pour(file: BinaryIO, target: Path) -> None:
    file.seek(0)
    try:
        with target.open("wb") as out:
            shutil.copyfileobj(file, out, 1024**2)
    except OSError as error:
        raise StorageError(
            f"No copy could be made for reading: {error.strerror}. Free some space."
        ) from error


def _state(file: BinaryIO) -> tuple[int, int]:
    stat = os.fstat(file.fileno())
    return stat.st_size, stat.st_mtime_ns
