from __future__ import annotations

import apsw
import pytest
from support import HashingEmbedder

from memory_core import EmbeddingError, open_memory


class BrokenEmbedder(HashingEmbedder):
    """A model that answers who it is and fails at every text."""

    def embed(self, texts):
        raise EmbeddingError("The model ran out of memory.")


@pytest.fixture
def broken(tmp_path, clock):
    memory = open_memory(path=tmp_path / "m.db", embedder=BrokenEmbedder(), clock=clock)
    yield memory
    memory.close()


def test_unembeddable_text_is_stored_and_found_by_full_text(broken, connect):
    tool_client = connect(broken)
    tool_client("create_entity", name="Ann", node_type="person")
    added = tool_client("add_observation", entity_id="ann", content="keeps the cellar key")
    found = tool_client("search_memory", query="cellar key")
    broken.close()
    repaired = open_memory(path=broken.db.path, embedder=HashingEmbedder())
    made = repaired.catch_up()
    again = connect(repaired)("search_memory", query="cellar key")
    repaired.close()

    assert "pending" == added["embedding"]
    assert ["lexical"] == found["channels"] and "out of memory" in found["notice"]
    assert "keeps the cellar key" == found["hits"][0]["passages"][0]["text"]
    assert 2 == made
    assert {"lexical", "vector"} == set(again["channels"])


def test_a_failed_write_is_reported_and_rolled_back(tool_client, memory):
    tool_client("create_entity", name="Ann", node_type="person")
    before = memory.atlas.version()
    blocker = apsw.Connection(str(memory.db.path))
    blocker.set_busy_timeout(60_000)
    blocker.execute(
        "create trigger full before insert on observations"
        " begin select raise(abort, 'no more room'); end"
    )

    said = tool_client.refusal("add_observation", entity_id="ann", content="lost words")
    blocker.execute("drop trigger full")
    blocker.close()

    assert "add_observation failed" in said
    assert before == memory.atlas.version()
    assert [] == tool_client.texts("lost words", channel_weights={"vector": 0})
