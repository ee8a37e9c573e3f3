"""The guard that keeps programs out of the fast suite."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import process_guard
import pytest


def test_an_unmarked_test_cannot_start_a_program():
    with pytest.raises(process_guard.UnmarkedProcess, match=r"Mark the test .* process, browser"):
        subprocess.run([sys.executable, "-c", ""])


def test_an_unmarked_test_cannot_start_a_process_of_multiprocessing():
    process = multiprocessing.get_context("spawn").Process(target=print)

    with pytest.raises(process_guard.UnmarkedProcess):
        process.start()


@pytest.mark.process
def test_a_marked_test_may_start_a_program():
    assert 0 == subprocess.run([sys.executable, "-c", ""]).returncode


@pytest.mark.process
def test_a_fixture_of_an_unmarked_test_is_watched_too():
    with (
        process_guard.watched("a test", is_marked=False),
        pytest.raises(process_guard.UnmarkedProcess, match="a test"),
    ):
        subprocess.run([sys.executable, "-c", ""])
