"""Paths that name the home folder of a user that does not exist."""

from __future__ import annotations

import pytest

from memory_core import ConfigurationError, Settings, ValidationError, open_memory

NO_USER = "~no-such-user-7f3a/memory.db"


def test_the_path_of_a_memory_is_refused_with_a_fix():
    with pytest.raises(ValidationError, match="Give the whole path"):
        open_memory(path=NO_USER)


def test_a_setting_is_refused_with_a_fix():
    with pytest.raises((ConfigurationError, ValidationError), match="Give the whole path"):
        Settings(sqlite_db_file=NO_USER).database_path()


def test_numbers_of_more_than_64_bits_are_refused(memory):
    with pytest.raises(ValidationError, match="64 bits"):
        memory.undo.undo(seq=2**70)
