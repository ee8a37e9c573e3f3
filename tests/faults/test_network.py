"""A memory on a network file system, where a write-ahead log is not safe."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from benchmarks.faults import worlds
from benchmarks.faults.checking import complaints
from benchmarks.faults.children import Question
from dashboard.embedded import Status
from dashboard.health import health
from memory_core import StorageError
from memory_core.storage.files import file_system

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /proc rw - proc proc rw
40 22 0:50 / /home rw,relatime shared:1 master:2 - nfs4 server:/export rw,vers=4.2
41 40 0:51 / /home/ann/local\\040disk rw - xfs /dev/vdb rw
42 22 0:52 / /mnt/share rw - cifs //server/share rw
43 22 0:53 / /mnt/far rw - fuse.sshfs ann@far: rw
44 22 0:54 / /mnt/near rw - fuse.bindfs near rw
"""


@pytest.fixture
def on_nfs(monkeypatch):
    monkeypatch.setattr(file_system, "kind_of", lambda path: "nfs4")


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home/ann", "nfs4"),
        ("/home/ann/local disk/x", "xfs"),
        ("/homes/ann", "ext4"),
        ("/mnt/share/deep/er", "cifs"),
        ("/mnt/far", "fuse.sshfs"),
    ],
)
def test_the_deepest_mount_above_a_folder_is_its_file_system(folder, kind):
    assert kind == file_system.kind_in(MOUNTS, Path(folder))


@pytest.mark.parametrize(
    ("kind", "network"),
    [
        *((kind, kind) for kind in ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "remote")),
        *((kind, "") for kind in ("ext4", "apfs", "overlay", "fuse.bindfs", "tmpfs", "")),
    ],
)
def test_network_file_systems_are_distinguished_from_local_disks(
    monkeypatch, tmp_path, kind, network
):
    monkeypatch.setattr(file_system, "kind_of", lambda path: kind)

    assert network == file_system.network_kind(tmp_path / "memory.db")


def test_file_systems_of_this_machine_are_detected(tmp_path):
    assert isinstance(file_system.kind_of(tmp_path / "memory.db"), str)


def test_network_file_systems_use_no_wal_and_report_it(tmp_path, on_nfs, caplog):
    path = tmp_path / "memory.db"
    with caplog.at_level(logging.WARNING):
        memory = worlds.open_small(path)
    worlds.fill(memory, 3)
    memory.catch_up()
    found = memory.search.search_memory("rope").hits
    report = memory.health.health_report()
    names = {each.name for each in tmp_path.iterdir()}
    memory.close()

    assert found
    assert "network file system (nfs4)" in caplog.text
    assert ("amber", "delete", "nfs4") == (
        report.status,
        report.file.journal_mode,
        report.file.network,
    )
    assert "network file system (nfs4)" in report.problems[0].what
    assert "memory.db-wal" not in names


@pytest.mark.process
def test_processes_share_a_database_on_a_network_file_system(tmp_path, on_nfs):
    path = tmp_path / "memory.db"
    memory = worlds.open_small(path)
    writers = [Question(write_on_a_network, path, name) for name in "ab"]
    for _ in range(20):
        memory.search.search_memory("rope")
    assert ["done", "done"] == [writer.answer() for writer in writers]

    assert 20 == len(memory.graph.list_entities().entities)
    memory.close()


def write_on_a_network(path, name):
    file_system.kind_of = lambda path: "nfs4"
    memory = worlds.open_small(path)
    for number in range(10):
        memory.graph.create_entity(f"rope {name} {number}", "technology")
    memory.close()
    return "done"


def test_wal_in_use_on_a_network_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "memory.db"
    monkeypatch.setattr(file_system, "kind_of", lambda path: "ext4")
    near = worlds.open_small(path)
    near.graph.create_entity("Ann", "person")
    monkeypatch.setattr(file_system, "kind_of", lambda path: "nfs4")

    with pytest.raises(StorageError, match=r"network file system \(nfs4\).*another process"):
        worlds.open_small(path)
    near.close()
    monkeypatch.undo()
    assert [] == complaints(path)


def test_wal_is_used_again_on_a_local_disk(tmp_path, monkeypatch):
    path = tmp_path / "memory.db"
    monkeypatch.setattr(file_system, "kind_of", lambda path: "nfs4")
    worlds.open_small(path).close()
    monkeypatch.undo()
    memory = worlds.open_small(path)

    assert "wal" == memory.health.health_report().file.journal_mode
    memory.close()


def test_network_notice_is_shown_on_every_page(tmp_path, on_nfs):
    memory = worlds.open_small(tmp_path / "memory.db")
    shown = health(memory, Status("running", "http://localhost:1"))
    memory.close()

    assert "amber" == shown.colour
    assert "network file system (nfs4)" in shown.sentence
