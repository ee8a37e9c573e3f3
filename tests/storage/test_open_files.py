"""The registry of open databases."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_core.errors import ForbiddenError, StorageError
from memory_core.storage.database import Database
from memory_core.storage.open_files import is_open_database, refuse_open_database

FILES = ("memory.db", "memory.db-wal", "memory.db-shm")


@pytest.fixture
def db(tmp_path):
    database = Database(tmp_path / "memory.db")
    database.uuid  # noqa: B018
    yield database
    database.close()


def registered(folder):
    return [name for name in os.listdir(folder) if is_open_database((folder / name).stat())]


def test_all_files_of_an_open_database_are_registered(db, tmp_path):
    (tmp_path / "other.txt").write_text("other")

    assert sorted(FILES) == sorted(registered(tmp_path))


def test_no_file_is_registered_after_closing(db, tmp_path):
    db.close()

    assert [] == registered(tmp_path)
    refuse_open_database(db.path)


def test_a_database_stays_registered_until_its_last_connection_closes(db, tmp_path):
    second = Database(db.path)
    second.uuid  # noqa: B018
    db.close()

    with pytest.raises(ForbiddenError):
        refuse_open_database(db.path)
    second.close()
    assert [] == registered(tmp_path)


def test_a_database_that_cannot_be_opened_is_not_registered(tmp_path):
    (tmp_path / "memory.db").write_text("not a database, but long enough to be read as one" * 100)

    with pytest.raises(StorageError):
        Database(tmp_path / "memory.db")

    assert [] == registered(tmp_path)


def test_a_symlink_to_the_database_registers_the_real_files(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link.db"
    real.mkdir()
    link.symlink_to(real / "memory.db")
    database = Database(link)
    database.uuid  # noqa: B018

    assert sorted(FILES) == sorted(registered(real))
    database.close()


def test_a_file_missing_or_new_is_not_refused(db, tmp_path):
    refuse_open_database(tmp_path / "missing.db")


def test_threads_open_close_and_check_at_once(tmp_path):
    main = Database(tmp_path / "main.db")
    main.uuid  # noqa: B018
    start = threading.Barrier(4)

    def open_and_close(number):
        start.wait()
        for _ in range(20):
            Database(tmp_path / f"{number}.db").close()

    def check(_):
        start.wait()
        return [is_open_database(main.path.stat()) for _ in range(500)]

    with ThreadPoolExecutor(4) as pool:
        opening = [pool.submit(open_and_close, number) for number in range(2)]
        checking = [pool.submit(check, number) for number in range(2)]
        found = [seen for each in checking for seen in each.result()]
        assert [None, None] == [each.result() for each in opening]
    main.close()

    assert all(found)
