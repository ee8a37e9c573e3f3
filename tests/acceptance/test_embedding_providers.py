"""A memory whose vectors are made by a provider."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from embedding_provider import openai_form, settings_of
from local_provider import Answer, provider

from memory_core import open_memory

DOWN = Answer(b"{}", 503, {"retry-after": "90"})


@pytest.fixture
def opened(tmp_path, connect):
    """Open a memory whose model is at a server, and connect a client to it."""

    @contextmanager
    def opened(server, **changed):
        settings = settings_of("openai_compatible", server.address, **changed)
        memory = open_memory(settings, path=tmp_path / "m.db")
        memory.embedder.get()
        yield memory, connect(memory)
        memory.close()

    return opened


def tell(tool_client):
    tool_client("create_entity", name="Ann", node_type="person")
    tool_client("add_observation", entity_id="ann", content="keeps the cellar key")


def search(tool_client):
    return tool_client("search_memory", query="cellar key")


def test_text_embedded_by_a_provider_is_found_semantically(opened):
    with provider(openai_form) as server, opened(server) as (memory, tool_client):
        tell(tool_client)
        memory.catch_up()
        found = search(tool_client)

    assert {"lexical", "vector"} == set(found["channels"])
    assert "keeps the cellar key" == found["hits"][0]["passages"][0]["text"]


def test_search_falls_back_to_full_text_while_provider_is_down(opened):
    with provider(openai_form, DOWN) as server, opened(server) as (memory, tool_client):
        tell(tool_client)
        found = search(tool_client)
        health = memory.health.health_report(thorough=False)
    with provider(openai_form) as server, opened(server) as (repaired, tool_client):
        made = repaired.catch_up()
        again = search(tool_client)

    assert ["lexical"] == found["channels"] and "503" in found["notice"]
    assert "full text" in found["notice"]
    assert "keeps the cellar key" == found["hits"][0]["passages"][0]["text"]
    assert any("503" in problem.what for problem in health.problems)
    assert 2 == made
    assert {"lexical", "vector"} == set(again["channels"])


@pytest.mark.parametrize("changed", [{"embedding_model": "other"}, {"embedding_dimensions": 32}])
def test_vectors_of_two_models_are_never_mixed(opened, changed):
    with provider(openai_form) as server:
        with opened(server) as (first, tool_client):
            tell(tool_client)
            first.catch_up()
        with opened(server, **changed) as (_, tool_client):
            found = search(tool_client)
            remade = tool_client("optimize_memory", reindex=True)
            again = search(tool_client)

    assert ["lexical"] == found["channels"] and "reindex=true" in found["notice"]
    assert 2 == remade["vectors_made"]
    assert {"lexical", "vector"} == set(again["channels"])
