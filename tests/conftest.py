from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import process_guard
import pytest
import socket_guard
from hypothesis import HealthCheck
from hypothesis import settings as examples
from jsonschema import Draft202012Validator
from support import PATIENCE, HandClock, HashingEmbedder

from memory_core import Settings, open_memory
from memory_core.settings import application

socket_guard.install()
process_guard.install()

# How long an example takes says how busy the machine is.
examples.register_profile(
    "any machine", examples(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
examples.load_profile("any machine")


# Every test below these folders has the marker.
FOLDERS = {"browser": "browser", "end_to_end": "process", "properties": "slow"}


def pytest_itemcollected(item):
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    if folder in FOLDERS:
        item.add_marker(FOLDERS[folder])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    is_marked = any(item.get_closest_marker(name) for name in process_guard.MARKERS)
    with process_guard.watched(item.nodeid, is_marked=is_marked):
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def children_are_watched(tmp_path_factory):
    """Hold the programs that tests start to the same rule, as far as they inherit it."""
    socket_guard.watch_children(tmp_path_factory.mktemp("guard") / "tried")


@pytest.fixture(autouse=True, scope="session")
def nobodys_memory_is_touched(tmp_path_factory):
    """Put the place of a user's data elsewhere, for this process and for all it starts."""
    place = str(tmp_path_factory.mktemp("user"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", place)
        # Other systems have no such variable; there, this process at least is kept out.
        patch.setattr(application, "user_data_path", lambda *_, **__: Path(place, "turbovec-mcp"))
        yield


@pytest.fixture(autouse=True, scope="session")
def a_fact_waits_for_its_vector():
    """Compare facts when they are written, however slow the machine; some tests say otherwise."""
    as_set = Settings.fact_defaults

    def patient(chosen):
        said = "dedup_wait_seconds" in chosen.model_fields_set
        return as_set(chosen).model_copy(update={} if said else {"wait_seconds": PATIENCE})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Settings, "fact_defaults", patient)
        yield


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine():
    """Fail a test that tried to reach another one, even where the program lived with it."""
    socket_guard.TRIED.clear()
    yield
    assert [] == [*socket_guard.TRIED, *socket_guard.tried_by_children()]


@pytest.fixture(autouse=True, scope="session")
def schemas_are_checked_once():
    """Every session of a client checks the output schema of each tool, which takes long."""
    check, checked = Draft202012Validator.check_schema, set()

    def check_once(schema, **options):
        text = json.dumps(schema, sort_keys=True)
        if text not in checked:
            check(schema, **options)
            checked.add(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", check_once)
        yield


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory):
    """An empty memory file. To copy it is five times as fast as to migrate a new one."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    open_memory(path=path, embedder=HashingEmbedder()).close()
    return path


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def memory(tmp_path, clock, empty_file):
    count = itertools.count(1)
    opened = open_memory(
        path=shutil.copy(empty_file, tmp_path / "memory.db"),
        embedder=HashingEmbedder(),
        clock=clock,
        ids=lambda: f"id{next(count):05}",
    )
    yield opened
    opened.close()
