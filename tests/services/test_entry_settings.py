"""The settings of entries: ours, the ancestor's, and those chosen while the program runs."""

from __future__ import annotations

import pytest

from memory_core import Settings
from memory_core.errors import ConfigurationError, ValidationError


@pytest.mark.parametrize("size", ["0", "8001", "wide"])
def test_a_chunk_size_out_of_bounds_is_refused(monkeypatch, tmp_path, size):
    monkeypatch.setenv("VELLUM_CHUNK_SIZE", size)

    with pytest.raises(ConfigurationError, match="VELLUM_CHUNK_SIZE"):
        Settings.load(env_file=tmp_path / "none")


def test_invalid_setting_is_rejected_and_not_stored(memory):
    with pytest.raises(ValidationError, match=r"group_k must be an integer from 2 to 12, not '99'"):
        memory.entry_settings.choose_setting("group_k", "99")
    with pytest.raises(ValidationError, match="Unknown entry setting 'colour'"):
        memory.entry_settings.choose_setting("colour", 1)

    assert 4 == memory.entry_settings.whole("group_k")


def test_invalid_stored_setting_is_ignored_and_reported(memory):
    memory.entry_settings.choose_setting("group_threshold", 0.6)
    with memory.db.note() as connection:
        connection.execute(
            "insert into choices (name, value, chosen_by, chosen_at) "
            "values ('group_k', '\"many\"', 'x', 'x')"
        )

    settings = {setting.key: setting for setting in memory.entry_status.status().settings}

    assert (4, "many", "environment") == (
        settings["group_k"].value,
        settings["group_k"].stored,
        settings["group_k"].source,
    )
    assert "group_k must be an integer from 2 to 12, not 'many'" in settings["group_k"].problem
    assert (0.6, 0.45, "stored") == (
        settings["group_threshold"].value,
        settings["group_threshold"].initial,
        settings["group_threshold"].source,
    )
    memory.groups.rebuild_groups()


def test_vellum_setting_names_are_accepted(monkeypatch, tmp_path):
    env_file = tmp_path / ".env"
    env_file.write_text("EMBEDDING_MODEL=ours\n", encoding="utf-8")
    for name, value in {
        "VELLUM_DB_PATH": "old.db",
        "VELLUM_TRANSFORMER_MODEL": "theirs",
        "VELLUM_DEDUP_ENABLE": "true",
        "VELLUM_DEDUP_THRESHOLD": "0.8",
        "VELLUM_DAEMON_INTERVAL": "60",
        "VELLUM_DEFAULT_TTL_DAYS": "7",
        "VELLUM_CHUNK_SIZE": "900",
        "VELLUM_CONTEXT_SEPARATORS": r'["\n\n", "line", " "]',
    }.items():
        monkeypatch.setenv(name, value)

    settings = Settings.load(env_file=env_file)

    assert "old.db" == str(settings.sqlite_db_file)
    assert "ours" == settings.embedding_model
    defaults = settings.entry_defaults()
    assert (7, 900, ("\n\n", "line", " ")) == (
        defaults.ttl_days,
        defaults.chunk_size,
        defaults.separators,
    )
    assert (True, 0.8, 60) == (
        defaults.dedup_enable,
        defaults.dedup_threshold,
        defaults.daemon_interval,
    )
    origins = {setting.name: setting.origin for setting in settings.sources()}
    assert "environment, as VELLUM_DB_PATH" == origins["SQLITE_DB_FILE"]
