from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.errors import ConfigurationError, StorageError
from memory_core.model.search.recipe import Recipe
from memory_core.settings import Settings, settings_table
from memory_core.settings import application as settings_module


@pytest.fixture
def env_file(tmp_path):
    return tmp_path / ".env"


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch):
    for row in settings_table():
        monkeypatch.delenv(row.name, raising=False)
        monkeypatch.delenv(row.name.lower(), raising=False)


def origin_of(settings, name):
    return next(row.origin for row in settings.sources() if row.name == name)


def test_defaults_match_the_documented_ones_of_the_predecessors(env_file):
    settings = Settings.load(env_file)

    assert (False, 300, 0.7) == (
        settings.background_discovery,
        settings.bg_discovery_interval,
        settings.bg_discovery_threshold,
    )
    assert (512, False, "stdio") == (
        settings.embedding_cache_size,
        settings.reranker_enabled,
        settings.run_mode,
    )
    assert ("127.0.0.1", 4392) == (settings.mcp_host, settings.mcp_port)


def test_flags_override_environment_and_env_file(env_file, monkeypatch):
    env_file.write_text("MCP_PORT=1111\nTRACE_DAYS=7\nFUSION=rrf\n")
    monkeypatch.setenv("MCP_PORT", "2222")
    monkeypatch.setenv("TRACE_DAYS", "8")

    settings = Settings.load(env_file, mcp_port=3333)

    assert (3333, 8, "rrf") == (settings.mcp_port, settings.trace_days, settings.fusion)
    assert ["flag", "environment", ".env", "default"] == [
        origin_of(settings, name) for name in ("MCP_PORT", "TRACE_DAYS", "FUSION", "LOG_LEVEL")
    ]


def test_names_are_read_in_any_letter_case(env_file, monkeypatch):
    monkeypatch.setenv("run_mode", "LOCAL")
    monkeypatch.setenv("Background_Discovery", "yes")

    settings = Settings.load(env_file)

    assert ("local", True) == (settings.run_mode, settings.background_discovery)


def test_all_invalid_settings_are_reported_together(env_file, monkeypatch):
    monkeypatch.setenv("MCP_PORT", "seventy")
    monkeypatch.setenv("FUSION", "blendd")
    env_file.write_text("BG_DISCOVERY_THRESHOLD=3\n")

    with pytest.raises(ConfigurationError) as caught:
        Settings.load(env_file)

    message = str(caught.value)
    assert message.startswith("3 settings cannot be used:")
    assert "MCP_PORT = 'seventy' (from environment)" in message
    assert "Did you mean blend?" in message
    assert "BG_DISCOVERY_THRESHOLD = '3' (from .env)" in message
    assert "remove it to use the default, 0.7" in message


def test_a_secret_is_never_shown(env_file, monkeypatch):
    monkeypatch.setenv("MCP_TOKEN", "hush me")
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(env_file)
    monkeypatch.setenv("MCP_TOKEN", "hush-hush-hush")

    settings = Settings.load(env_file)

    assert "hush" not in str(caught.value)
    assert "hush" not in repr(settings) + repr(settings.sources())
    assert "hush-hush-hush" == settings.mcp_token.get_secret_value()


@pytest.mark.parametrize("value", ["", "  ", "${OPENAI_API_KEY}", "<your key>", "{{ token }}"])
def test_unfilled_values_count_as_unset(env_file, monkeypatch, value):
    monkeypatch.setenv("MCP_TOKEN", value)
    monkeypatch.setenv("EMBEDDING_MODEL", value)

    settings = Settings.load(env_file)

    assert settings.mcp_token is None
    assert "all-MiniLM-L6-v2" == settings.embedding_model


def test_placeholder_in_a_path_is_an_error(env_file, monkeypatch):
    monkeypatch.setenv("SQLITE_DB_FILE", "${HOME}/memory.db")

    with pytest.raises(ConfigurationError, match="contains an unfilled placeholder"):
        Settings.load(env_file)


def test_any_weight_of_the_ranking_can_be_set_in_one_object(env_file, monkeypatch):
    env_file.write_text('RECIPE={"dense": 0.5, "salience_boost": "0.05"}\nFUSION=rrf\n')
    read = Settings.load(env_file)
    monkeypatch.setenv("RECIPE", '{"fusion": "blend"}')
    nearer = Settings.load(env_file)

    assert Recipe(dense=0.5, salience_boost=0.05, fusion="rrf") == read.ranking()
    assert '{"dense": 0.5, "salience_boost": "0.05"}' == next(
        row.value for row in read.sources() if row.name == "RECIPE"
    )
    assert Recipe() == nearer.ranking()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("dense=0.5", "invalid JSON"),
        ("[0.5]", "dictionary"),
        ('{"densse": 0.5}', "unknown weights: densse. Valid weights: fusion, dense"),
        ('{"dense": 1.5, "pool": "many"}', "dense = 1.5: input should be less than or equal to 1"),
        ('{"dense": 1.5, "pool": "many"}', "pool = 'many': input should be a valid integer"),
        ('{"link_boost": NaN}', "link_boost = nan"),
    ],
)
def test_invalid_weights_are_reported_by_name(env_file, monkeypatch, value, said):
    monkeypatch.setenv("RECIPE", value)

    with pytest.raises(ConfigurationError) as caught:
        Settings.load(env_file)

    assert said in str(caught.value)


def test_unknown_names_are_ignored(env_file):
    env_file.write_text("SOMETHING_ELSE=1\nMCP_PORT=5000\n")

    settings = Settings.load(env_file)

    assert 5000 == settings.mcp_port


def test_the_default_database_lies_in_the_data_directory_made_on_first_use(tmp_path):
    settings = Settings(memory_data_dir=tmp_path / "new" / "place")

    path = settings.database_path()

    assert tmp_path / "new" / "place" / "memory.db" == path
    assert path.parent.is_dir()


def test_a_relative_database_never_depends_on_the_current_directory(tmp_path, monkeypatch):
    settings = Settings(memory_data_dir=tmp_path, sqlite_db_file=Path("mine.db"))
    monkeypatch.chdir("/")

    assert tmp_path / "mine.db" == settings.database_path()


def test_configured_database_folder_is_not_created(tmp_path):
    settings = Settings(sqlite_db_file=tmp_path / "missing" / "memory.db")

    assert tmp_path / "missing" / "memory.db" == settings.database_path()
    assert not (tmp_path / "missing").exists()


def test_a_data_directory_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    settings = Settings(memory_data_dir=tmp_path / "file" / "inside")

    with pytest.raises(StorageError, match="MEMORY_DATA_DIR"):
        settings.data_directory()


def test_files_are_not_read_from_a_working_directory_above_the_home(tmp_path, monkeypatch):
    monkeypatch.chdir("/")

    assert Path("/") not in Settings().allowed_roots()


def test_the_working_directory_may_be_read_unless_roots_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert tmp_path.resolve() in Settings().allowed_roots()
    assert (tmp_path / "a",) == Settings(knowledge_roots=str(tmp_path / "a")).allowed_roots()


def test_every_setting_has_a_description_and_rule():
    table = settings_table()

    assert [] == [row.name for row in table if not row.description or not row.rule]
    assert "blend or rrf" == next(row.rule for row in table if row.name == "FUSION")
    assert "0 to 65535" == next(row.rule for row in table if row.name == "MCP_PORT")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mcp_port": "seventy"}, r"MCP_PORT = 'seventy': .*use the default, 4392"),
        ({"vector_backend": "turbovek"}, r"VECTOR_BACKEND.*Did you mean turbovec\?"),
        ({"mcp_prot": 4392}, r"Unknown setting MCP_PROT\. Did you mean MCP_PORT\?"),
        ({"mcp_port": -1, "trace_days": -1}, "2 settings cannot be used"),
    ],
)
def test_library_and_environment_values_follow_the_same_rules(given, said):
    for make in (Settings, Settings.load):
        with pytest.raises(ConfigurationError, match=said.replace("': ", "'.*: ")) as caught:
            make(**given)
        assert {*given} == {*caught.value.broken}


def test_validation_errors_do_not_show_secrets():
    with pytest.raises(ConfigurationError) as caught:
        Settings(mcp_token="swordf")

    error = caught.value
    assert "MCP_TOKEN = (a secret)" in str(error)
    assert error.__suppress_context__ or "swordf" not in str(error.__context__)


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(settings_module, "user_data_path", lambda *_, **__: folder)
    monkeypatch.delenv("MEMORY_DATA_DIR", raising=False)
    return folder


@pytest.fixture
def in_checkout(tmp_path, monkeypatch):
    folder = tmp_path / "checkout"
    folder.mkdir()
    monkeypatch.setattr(settings_module, "checkout", lambda: folder)
    return folder


def test_the_env_file_in_the_data_directory_comes_before_the_checkout(data_folder, in_checkout):
    (data_folder / ".env").write_text("MCP_PORT=1111\nVELLUM_DB_PATH=theirs.db\n")
    (in_checkout / ".env").write_text("MCP_PORT=2222\nTRACE_DAYS=7\n")

    settings = Settings.load()

    assert (1111, 7) == (settings.mcp_port, settings.trace_days)
    assert [settings_module.DATA_ENV_FILE, ".env"] == [
        origin_of(settings, name) for name in ("MCP_PORT", "TRACE_DAYS")
    ]
    assert f"{settings_module.DATA_ENV_FILE}, as VELLUM_DB_PATH" == origin_of(
        settings, "SQLITE_DB_FILE"
    )


@pytest.mark.parametrize("named_in", ["flag", "environment", "checkout"])
def test_the_env_file_is_read_from_the_data_directory_that_was_named(
    tmp_path, monkeypatch, data_folder, in_checkout, named_in
):
    named = tmp_path / "named"
    named.mkdir()
    (named / ".env").write_text("MCP_PORT=1111\n")
    (data_folder / ".env").write_text("MCP_PORT=2222\n")
    flags = {"memory_data_dir": named} if named_in == "flag" else {}
    if named_in == "environment":
        monkeypatch.setenv("MEMORY_DATA_DIR", str(named))
    if named_in == "checkout":
        (in_checkout / ".env").write_text(f"MEMORY_DATA_DIR={named}\n")

    settings = Settings.load(**flags)

    assert (1111, named) == (settings.mcp_port, settings.data_directory())


def test_an_installed_wheel_reads_only_the_data_directory(tmp_path, monkeypatch, data_folder):
    monkeypatch.setattr(settings_module, "checkout", lambda: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("MCP_PORT=2222\n")
    (data_folder / ".env").write_text("TRACE_DAYS=7\n")

    settings = Settings.load()

    assert (4392, 7) == (settings.mcp_port, settings.trace_days)


def test_a_data_directory_named_in_its_own_env_file_is_used(tmp_path, monkeypatch, data_folder):
    monkeypatch.setattr(settings_module, "checkout", lambda: None)
    (data_folder / ".env").write_text(f"MEMORY_DATA_DIR={tmp_path / 'large'}\n")

    assert tmp_path / "large" == Settings.load().data_directory()


def test_a_wrong_value_in_the_data_directory_names_that_file(data_folder, in_checkout):
    (data_folder / ".env").write_text("TRACE_DAYS=never\n")

    with pytest.raises(ConfigurationError, match=r"from \.env in the data directory"):
        Settings.load()
