"""
Snapshot files of the vector index.

A file consists of a magic number, a header with its own checksum, and the payload of the index. The
header contains the store and model, the position in the log, and the size and checksum of the
payload. If anything does not match, the index is rebuilt; no error leaves this module.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import secrets
import struct
import sys
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from ..model.search.vectors import BackendKind
from .backends.factory import make_backend
from .backends.protocol import VectorBackend
from .backends.turbovec import BITS

logger = logging.getLogger(__name__)

_MARK = b"TVMCIDX1"
# Length of the header and its checksum.
_LENGTHS = struct.Struct("<II")


@dataclass(frozen=True)
class Label:
    """Identity of a snapshot, which is used only if every field matches."""

    uuid: str
    model: str
    dimension: int
    kind: BackendKind
    position: int
    count: int
    change: str | None = None


def snapshot_of(memory: Path, *, of: str = "") -> Path:
    """Return the path of the snapshot, next to the database."""
    return memory.with_name(f"{memory.name}-vectors{of and f'-{of}'}")


def save(path: Path, label: Label, payload: bytes) -> bool:
    """Replace the snapshot atomically; return False if that failed or is not needed."""
    try:
        with _lock_file(path) as mine:
            if not mine or _is_newer(path, label):
                return False
            _sweep(path)
            _replace(path, _pack(label, payload))
            return True
    except OSError as error:
        logger.warning("The vector index could not be saved: %s", error)
        return False


def load(
    path: Path, *, uuid: str, model: str, dimension: int
) -> tuple[Label, VectorBackend] | None:
    """Return the saved index of that store and model, or None."""
    try:
        label, payload = _unpack(path.read_bytes())
        if (label.uuid, label.model, label.dimension) != (uuid, model, dimension):
            raise ValueError("it is of another store or model")
        backend = make_backend(label.kind, dimension, payload)
        if len(backend) != label.count:
            raise ValueError("its count is wrong")
        return label, backend
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, ImportError) as error:
        logger.warning("The vector index snapshot is not usable; rebuilding: %s", error)
        return None


def _pack(label: Label, payload: bytes) -> bytes:
    words = asdict(label) | {"bits": BITS, "size": len(payload), "crc": zlib.crc32(payload)}
    header = json.dumps(words).encode()
    return _MARK + _LENGTHS.pack(len(header), zlib.crc32(header)) + header + payload


def _unpack(file: bytes) -> tuple[Label, bytes]:
    label, size, crc, start = _header(file)
    payload = file[start:]
    if len(payload) != size or zlib.crc32(payload) != crc:
        raise ValueError("its contents are damaged")
    return label, payload


def _header(file: bytes) -> tuple[Label, int, int, int]:
    start = len(_MARK) + _LENGTHS.size
    if len(file) < start or not file.startswith(_MARK):
        raise ValueError("it is not an index snapshot")
    length, crc = _LENGTHS.unpack_from(file, len(_MARK))
    header = file[start : start + length]
    if len(header) != length or zlib.crc32(header) != crc:
        raise ValueError("its header is damaged")
    words = json.loads(header)
    if words.pop("bits") != BITS:
        raise ValueError("it has another bit width")
    size, contents = words.pop("size"), words.pop("crc")
    return Label(**words), size, contents, start + length


def _is_newer(path: Path, label: Label) -> bool:
    """Return whether another process has saved the index at this or a later position."""
    try:
        with path.open("rb") as file:
            saved, size, _, start = _header(file.read(1 << 16))
            whole = file.seek(0, os.SEEK_END) == start + size
    except (OSError, ValueError, LookupError, TypeError):
        return False
    same = (saved.uuid, saved.model, saved.dimension) == (
        label.uuid,
        label.model,
        label.dimension,
    )
    return whole and same and saved.position > label.position


def _replace(path: Path, contents: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    with temporary.open("xb") as file:
        try:
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    os.replace(temporary, path)
    # Windows cannot open a folder, and does not need to.
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _sweep(path: Path) -> None:
    """Delete temporary files of processes killed during a save."""
    ours = re.compile(rf"{re.escape(path.name)}\.[0-9a-f]{{8}}\.tmp")
    for stale in path.parent.iterdir():
        if ours.fullmatch(stale.name):
            stale.unlink(missing_ok=True)


@contextlib.contextmanager
def _lock_file(path: Path) -> Iterator[bool]:
    """
    Yield whether this process holds the lock; the system releases it if the process is killed.
    """
    with path.with_name(f"{path.name}.lock").open("ab") as file:
        taken = _take_lock(file.fileno())
        try:
            yield taken
        finally:
            if taken:
                _free_lock(file.fileno())


if sys.platform == "win32":
    import msvcrt

    def _take_lock(file: int) -> bool:
        os.lseek(file, 0, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _free_lock(file: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _free_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
