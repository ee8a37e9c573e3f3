"""
Detection of network file systems.

SQLite's write-ahead log needs shared memory, which two machines do not have: on a network
file system it may lose writes.
"""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")

_NETWORK = frozenset(
    [
        "9p",
        "afpfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "orangefs",
        "pvfs2",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "webdav",
    ]
)
# FUSE file systems that store files on other machines.
_NETWORK_PROGRAMS = frozenset(
    [
        "ceph",
        "davfs2",
        "gcsfuse",
        "glusterfs",
        "goofys",
        "grpcfuse",
        "mount-s3",
        "osxfs",
        "rclone",
        "s3fs",
        "sshfs",
    ]
)
_REMOTE = "remote"

# macOS: offsets of flags and name in statfs, and the flag of a local disk.
_STATFS_BYTES, _FLAGS_AT, _NAME_AT, _NAME_BYTES = 4096, 64, 72, 16
_MNT_LOCAL = 0x1000


def network_kind(path: Path) -> str:
    """Return the name of the network file system of *path*, "" if it is local."""
    kind = kind_of(path)
    program = kind.removeprefix("fuse.") if kind.startswith("fuse.") else ""
    return kind if kind in _NETWORK | {_REMOTE} or program in _NETWORK_PROGRAMS else ""


def kind_of(path: Path) -> str:
    """Return the name of the file system of *path*, "" if it is unknown."""
    folder = path.parent.resolve()
    try:
        if sys.platform == "win32":
            return _on_windows(folder)
        if sys.platform == "darwin":
            return _on_macos(folder)
        return kind_in(_MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"), folder)
    except (OSError, AttributeError, ValueError):
        return ""


def kind_in(mounts: str, folder: Path) -> str:
    """Return the file system of *folder* from Linux mountinfo. The last matching line counts."""
    found, depth = "", -1
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields, kinds = left.split(" "), right.split(" ")
        if len(fields) < 5 or not kinds[0]:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4]))
        if len(point.parts) >= depth and folder.is_relative_to(point):
            found, depth = kinds[0], len(point.parts)
    return found


def _on_macos(folder: Path) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    statfs = getattr(libc, "statfs$INODE64", None) or libc.statfs
    statfs_buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    if statfs(str(folder).encode(), statfs_buffer) != 0:
        return ""
    flags = int.from_bytes(statfs_buffer.raw[_FLAGS_AT : _FLAGS_AT + 4], sys.byteorder)
    name = (
        statfs_buffer.raw[_NAME_AT : _NAME_AT + _NAME_BYTES]
        .partition(b"\0")[0]
        .decode("ascii", "replace")
    )
    return name if flags & _MNT_LOCAL else _REMOTE


def _on_windows(folder: Path) -> str:
    if folder.drive.startswith("\\\\"):
        return _REMOTE
    kind = ctypes.windll.kernel32.GetDriveTypeW(folder.anchor)  # type: ignore[attr-defined]
    drive_remote = 4
    return _REMOTE if kind == drive_remote else "local"
