"""Full disks and missing rights: an error that names the thing, nothing half-written, no harm."""

from __future__ import annotations

import sys

import pytest

from benchmarks.faults import scarcity, worlds
from benchmarks.faults.checking import complaints
from benchmarks.faults.children import answer_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and modes of POSIX")

# These write little or nothing that a full disk refuses.
MAY_SUCCEED = {"export", "repair"}


@pytest.mark.process
def test_full_disk_fails_each_operation_cleanly(tmp_path):
    refusals, found = answer_of(scarcity.full_disk, tmp_path / "memory.db")

    assert [] == found
    for act, code, message in refusals:
        assert code == "STORAGE_FAILED" or (act in MAY_SUCCEED and not code), (act, message)
        assert not code or "memory" in message
        assert "not an error" not in message


def test_file_size_limit_fails_writes_cleanly(tmp_path):
    memory = worlds.open_small(tmp_path / "memory.db")
    refusals, found = scarcity.no_pages(memory)
    memory.close()

    assert [] == found
    assert {"STORAGE_FAILED"} == {refusal.code for refusal in refusals}
    assert all("memory.db: the disk is full" in refusal.message for refusal in refusals)


@pytest.mark.process
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="gives up root as Linux does")
@pytest.mark.parametrize(
    ("mode", "folder_mode"), [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555), (0o000, 0o755)]
)
def test_read_only_files_and_folders_are_reported(tmp_path, mode, folder_mode):
    path = tmp_path / "inner" / "memory.db"
    path.parent.mkdir()
    memory = worlds.open_small(path)
    worlds.fill(memory, 2)
    memory.close()
    before = path.read_bytes()

    refusals = answer_of(scarcity.without_rights, path, mode, folder_mode)

    path.parent.chmod(0o755)
    path.chmod(0o644)
    failed = [refusal for refusal in refusals if refusal.code]
    assert failed
    assert {"STORAGE_FAILED"} == {refusal.code for refusal in failed}
    assert all(str(path) in refusal.message for refusal in failed)
    assert before == path.read_bytes()
    assert [] == complaints(path)


def test_erasing_on_a_full_disk_reports_remaining_steps(memory, monkeypatch):
    import apsw

    from memory_core.storage.files import compaction

    memory.graph.create_entity("Ann", "person")

    class Full:
        def set_busy_timeout(self, milliseconds):
            pass

        def execute(self, query):
            raise apsw.FullError("database or disk is full")

        def close(self):
            pass

    monkeypatch.setattr(compaction.database, "connect", lambda path: Full())

    cleared = memory.upkeep.clear_project("default", backup=False)

    assert {"entities": 1} == cleared.erased
    assert "the disk is full" in cleared.notice
