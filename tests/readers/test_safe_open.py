from __future__ import annotations

import os
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from database_links import LINKS, link_to, other_process_takes_write_lock

from memory_core.errors import ForbiddenError, NotFoundError, ValidationError
from memory_core.readers import read_file
from memory_core.readers.safe_open import configured_contents, contents, open_file, real_place
from memory_core.storage.database import Database

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "outside.txt").write_text("secret")
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "note.txt").write_text("hello")
    return folder


@pytest.fixture
def db(root):
    database = Database(root / "memory.db")
    with database.write("test"):
        yield database
    database.close()


@pytest.fixture
def shm(db):
    """The file that has the write lock."""
    return db.path.with_name("memory.db-shm")


def read(path, root, max_bytes=1_000):
    return read_file(str(path), roots=[root], max_bytes=max_bytes)


def test_a_file_under_a_root_is_read(root):
    assert "hello" == read(root / "no" / ".." / "note.txt", root).text


def test_a_file_in_a_folder_of_a_root_is_read(root):
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "deep.txt").write_text("deep")

    assert "deep" == read(root / "a" / "b" / "deep.txt", root).text


@pytest.mark.parametrize("path", ["../outside.txt", "../missing.txt", "a/../../outside.txt"])
def test_paths_outside_the_roots_are_rejected_even_if_missing(root, path):
    with pytest.raises(ForbiddenError, match="outside the folders"):
        read(root / path, root)


def test_folder_with_a_root_as_name_prefix_is_outside(root):
    other = root.with_name("root-of-another")
    other.mkdir()
    (other / "note.txt").write_text("secret")

    with pytest.raises(ForbiddenError):
        read(other / "note.txt", root)


def test_without_roots_nothing_is_read(root):
    with pytest.raises(ForbiddenError, match="none"):
        read_file(str(root / "note.txt"), roots=[], max_bytes=10)


@posix
def test_a_symlink_that_leads_outside_is_refused(root):
    (root / "link.txt").symlink_to(root.parent / "outside.txt")

    with pytest.raises(ForbiddenError):
        read(root / "link.txt", root)


@posix
def test_a_symlink_that_stays_inside_is_followed(root):
    (root / "link.txt").symlink_to(root / "note.txt")

    assert "note.txt" == read(root / "link.txt", root).title


@posix
def test_a_root_may_itself_be_a_symlink(root):
    link = root.with_name("link")
    link.symlink_to(root)

    assert "hello" == read(link / "note.txt", link).text


@posix
def test_symlinks_in_a_circle_are_an_error(root):
    (root / "one").symlink_to(root / "two")
    (root / "two").symlink_to(root / "one")

    with pytest.raises((ValidationError, NotFoundError, ForbiddenError)):
        read(root / "one", root)


@posix
def test_symlink_replacing_a_checked_file_is_not_followed(root, monkeypatch):
    monkeypatch.delattr(os, "O_PATH", raising=False)
    place = real_place(str(root / "note.txt"), [root])
    look, swapped = os.stat, []

    def look_and_swap(*given, **options):
        seen = look(*given, **options)
        if not swapped and given[0] == place.name:
            swapped.append(place)
            place.rename(root / "old.txt")
            place.symlink_to(root.parent / "outside.txt")
        return seen

    monkeypatch.setattr("memory_core.readers.safe_open.os.stat", look_and_swap)

    with pytest.raises(ForbiddenError):
        contents(place, [root], max_bytes=100)
    assert swapped


@pytest.mark.parametrize("name", ["file", "folder"])
@posix
def test_symlink_created_after_the_check_is_not_followed(root, name):
    (root / "folder").mkdir()
    (root / "folder" / "file").write_text("harmless")
    (root.parent / "elsewhere").mkdir()
    (root.parent / "elsewhere" / "file").write_text("secret")
    place = real_place(str(root / "folder" / "file"), [root])
    swapped = root / "folder" if name == "folder" else place
    swapped.rename(root / "old")
    swapped.symlink_to(root.parent / "elsewhere" / ("" if name == "folder" else "file"))

    with pytest.raises(ForbiddenError):
        contents(place, [root], max_bytes=100)


@pytest.mark.parametrize("path", ["", "  ", "no\0te.txt", "~no-user-of-that-name/x"])
def test_invalid_paths_are_rejected(root, path):
    with pytest.raises((ValidationError, ForbiddenError)):
        read(path, root)


@pytest.mark.parametrize("path", [r"\\server\share\x.txt", "//server/share/x.txt", r"\\.\COM1"])
def test_a_network_path_is_refused(root, path):
    with pytest.raises(ForbiddenError, match="network"):
        read(path, root)


def test_a_missing_file_is_named(root):
    with pytest.raises(NotFoundError, match=r"nothing\.txt"):
        read(root / "nothing.txt", root)


def test_a_folder_is_not_a_file(root):
    with pytest.raises(ValidationError, match="folder"):
        read(root, root)


@posix
def test_a_pipe_is_refused_at_once(root):
    os.mkfifo(root / "pipe")

    with pytest.raises(ForbiddenError, match="regular"):
        read(root / "pipe", root)


@posix
def test_a_socket_is_refused(root, monkeypatch):
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

        with pytest.raises(ForbiddenError, match="regular"):
            read(root / "socket", root)


@posix
def test_a_device_is_refused_even_in_an_allowed_folder():
    with pytest.raises(ForbiddenError, match="regular"):
        read("/dev/zero", Path("/dev"))


def test_a_file_of_the_largest_size_is_read_and_no_larger_one(root):
    (root / "large.txt").write_text("x" * 11)

    with pytest.raises(ForbiddenError, match="11 bytes or more and may have 10"):
        read(root / "large.txt", root, max_bytes=10)
    assert "x" * 11 == read(root / "large.txt", root, max_bytes=11).text


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_file_reporting_zero_size_is_still_limited():
    with pytest.raises(ForbiddenError, match="may have 10"):
        read("/proc/self/maps", Path("/proc"), max_bytes=10)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="needs a user without all rights"
)
def test_a_file_without_permission_is_named(root):
    (root / "note.txt").chmod(0)

    with pytest.raises(ForbiddenError, match="permissions"):
        read(root / "note.txt", root)


@pytest.mark.process
@pytest.mark.parametrize("has_path_descriptors", [True, False])
@pytest.mark.parametrize("kind", LINKS)
@posix
def test_a_link_to_an_open_database_is_refused_before_it_is_opened(
    db, shm, root, monkeypatch, kind, has_path_descriptors
):
    if not has_path_descriptors:
        monkeypatch.delattr(os, "O_PATH", raising=False)
    link = link_to(shm, root, kind, ".txt")

    for call in (
        lambda: read(link, root),
        lambda: configured_contents(link, max_bytes=10**6),
        lambda: contents(link.resolve(), [root], max_bytes=10**6),
    ):
        with pytest.raises(ForbiddenError, match="open memory database"):
            call()

    assert not other_process_takes_write_lock(db.path)


@pytest.mark.process
@pytest.mark.parametrize("has_path_descriptors", [True, False])
@posix
def test_database_replacing_a_checked_file_is_rejected(
    db, shm, root, monkeypatch, has_path_descriptors
):
    if not has_path_descriptors:
        monkeypatch.delattr(os, "O_PATH", raising=False)
    place = real_place(str(root / "note.txt"), [root])
    open_file, swapped = os.open, []

    def swap_and_open(path, *given, **options):
        if path == place.name:
            place.unlink()
            os.link(shm, place)
            swapped.append(path)
        return open_file(path, *given, **options)

    monkeypatch.setattr("memory_core.readers.safe_open.os.open", swap_and_open)

    with pytest.raises(ForbiddenError, match="open memory database"):
        contents(place, [root], max_bytes=10**6)
    assert swapped
    assert not other_process_takes_write_lock(db.path)


@pytest.mark.process
@posix
def test_file_opened_as_database_during_read_keeps_its_locks(root):
    database = Database(root / "memory.db")
    shm = root / "memory.db-shm"
    # No connection is open yet, and the first one uses the file that it finds.
    shm.touch()
    with ExitStack() as stack:
        stack.callback(database.close)
        with open_file(real_place(str(shm), [root]), [root]):
            stack.enter_context(database.write("test"))

        assert not other_process_takes_write_lock(database.path)


@posix
def test_a_configured_file_may_be_a_symlink_to_another_folder(root):
    (root / "link.txt").symlink_to(root.parent / "outside.txt")

    assert b"secret" == configured_contents(root / "link.txt", max_bytes=100)
