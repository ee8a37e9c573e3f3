from __future__ import annotations

import pytest
from support import HashingEmbedder

from dashboard.embedded import Status
from dashboard.health import health
from memory_core import EmbeddingError, Settings, open_memory
from memory_core.errors import UnavailableError

URL = "http://localhost:4392"


def words(now):
    return {check.name: check.word for check in now.checks}


def test_all_is_well(memory):
    now = health(memory, Status("running", URL))

    assert ("green", "All is well") == (now.colour, now.sentence)
    assert ("localhost:4392", "none yet") == (words(now)["MCP server"], words(now)["Last backup"])


def test_texts_that_wait_for_vectors_are_counted(memory):
    memory.graph.create_entity("Orders API", "service", observations=["Uses a queue."])
    before = health(memory, Status("running", URL))
    memory.catch_up()
    after = health(memory, Status("running", URL))

    assert ("amber", "Vectors: 2 texts waiting") == (before.colour, before.sentence)
    assert "green" == after.colour


@pytest.mark.parametrize(
    ("state", "colour", "word"),
    [
        ("elsewhere", "green", "localhost:4392"),
        ("starting", "amber", "starting"),
        ("stopped", "amber", "stopped"),
        ("taken", "red", "not served"),
        ("failed", "red", "not served"),
    ],
)
def test_the_server_colours_the_dot(memory, state, colour, word):
    now = health(memory, Status(state, URL, reason="because"))

    assert (colour, word) == (now.colour, words(now)["MCP server"])


def test_a_model_that_is_not_there_is_named(tmp_path):
    settings = Settings(embedding_model="no/such-model")
    memory = open_memory(settings, path=tmp_path / "memory.db")
    memory.embedder.warm().join()
    now = health(memory, Status("running", URL))
    memory.close()

    assert "amber" == now.colour
    assert "Embedding model: absent" == now.sentence
    assert "full text alone" in now.reason


def test_a_model_elsewhere_that_does_not_answer_is_named(tmp_path):
    settings = Settings(
        embedding_provider="openai_compatible",
        embedding_model="words",
        embedding_base_url="http://127.0.0.1:1",
        embedding_dimensions=64,
    )
    memory = open_memory(settings, path=tmp_path / "memory.db")
    memory.embedder.warm().join()
    before = words(health(memory, Status("running", URL)))
    with pytest.raises(EmbeddingError):
        memory.embedder.embed(["one"])
    now = health(memory, Status("running", URL))
    memory.close()

    assert "ready" == before["Embedding model"]
    assert ("amber", "Embedding model: failing") == (now.colour, now.sentence)
    assert "openai_compatible/words cannot be reached" in now.reason


def test_a_mirror_has_its_own_light_and_leaves_the_file_green(tmp_path):
    settings = Settings(
        vector_mirror="upstash", vector_mirror_url="http://127.0.0.1:1", vector_mirror_key="k"
    )
    memory = open_memory(settings, path=tmp_path / "memory.db", embedder=HashingEmbedder())
    before = words(health(memory, Status("running", URL)))
    memory.graph.create_entity("Ann", "person")
    memory.catch_up()
    with pytest.raises(UnavailableError):
        memory.mirror.catch_up()
    now = health(memory, Status("running", URL))
    memory.close()

    assert "level" == before["Mirror"]
    assert ("amber", "Mirror: upstash fails") == (now.colour, now.sentence)
    assert "green" == next(c.colour for c in now.checks if c.name == "Memory file")


def test_the_last_copy_is_shown(memory):
    memory.upkeep.create_backup()
    copies = next(
        c for c in health(memory, Status("running", URL)).checks if c.name == "Last backup"
    )

    assert "none yet" != copies.word
    assert copies.reason.endswith(".db")
