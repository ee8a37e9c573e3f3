from __future__ import annotations

import pytest
from pydantic import SecretStr

from memory_core.errors import ConfigurationError
from memory_core.settings import Settings, settings_table


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch):
    for row in settings_table():
        monkeypatch.delenv(row.name, raising=False)


def test_no_language_model_is_configured_by_default():
    assert "none" == Settings(openai_api_key=SecretStr("sk-1")).llm_provider


def test_one_key_serves_language_and_embeddings(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_PROVIDER", "OpenAI")
    monkeypatch.setenv("LLM_API_KEY", " sk-only ")
    settings = Settings.load(tmp_path / ".env")

    assert "sk-only" == settings.key_of("openai") == settings.key_of("openai", None)


def test_two_providers_each_get_their_own_key(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_PROVIDER", "anthropic")
    monkeypatch.setenv("LLM_API_KEY", "sk-ant")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-open")
    settings = Settings.load(tmp_path / ".env")

    assert ("sk-ant", "sk-open") == (settings.key_of("anthropic"), settings.key_of("openai"))
    with pytest.raises(ConfigurationError, match=r"google\. Set GOOGLE_API_KEY"):
        settings.key_of("google")


def test_role_key_overrides_the_provider_key():
    settings = Settings(openai_api_key=SecretStr("general"))

    assert "own" == settings.key_of("openai", SecretStr("own"))


@pytest.mark.parametrize("value", ["${OPENAI_API_KEY}", "<your key>", "your-api-key-here", ""])
def test_placeholders_are_not_keys(tmp_path, monkeypatch, value):
    monkeypatch.setenv("LLM_PROVIDER", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", value)

    with pytest.raises(ConfigurationError, match="No API key for openai"):
        Settings.load(tmp_path / ".env").key_of("openai")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_API_KEY", "sk-very\nsecret"),
        ("LLM_API_KEY", "two words"),
        ("LLM_BASE_URL", "localhost:11434"),
        ("LLM_BASE_URL", "http://ann:secret@localhost/v1"),
        ("LLM_BASE_URL", "http://localhost:port"),
        ("LLM_BASE_URL", "file:///v1"),
        ("LLM_PROVIDER", "oracle"),
        ("LLM_TIMEOUT", "0"),
    ],
)
def test_invalid_settings_are_reported_at_load(tmp_path, monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigurationError, match=name):
        Settings.load(tmp_path / ".env")


def test_a_key_is_never_shown():
    settings = Settings(llm_api_key=SecretStr("sk-very-secret"))

    assert "(set)" in {row.value for row in settings.sources()}
    assert "sk-very-secret" not in repr(settings) + str(settings.sources())
