"""Keys that somebody pastes never reach the file, whichever door they come through."""

from __future__ import annotations

import pytest

from memory_core import Settings, open_memory
from memory_core.search.models import choose_engine

LONG = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
KEY = "ghp" + "_" + LONG[:36]
TAGS = ["deploy", "access", "ci", "github", "staging"]

CALLS = {
    "create_entity": {"name": f"Deploy {KEY}", "node_type": "service"},
    "create_bottle": {"message": f"The deploy key is {KEY}"},
    "add_knowledge": {"title": "Runbook", "content": f"Log in.\n\nUse {KEY} for pushing."},
    "memory_write": {
        "summary": f"The key is {KEY}",
        "tags": TAGS,
        "category": "knowledge",
        "context_text": f"Long text with {KEY} in it.",
    },
    "start_session": {"session_id": "s1", "name": f"Rotating {KEY}"},
    "remember": {"text": f"The user deploys with {KEY}."},
}


def everything(memory):
    """Return every byte of the file and of the log of its newest writes."""
    path = memory.db.path
    return b"".join(
        place.read_bytes() for place in sorted(path.parent.glob(f"{path.name}*")) if place.is_file()
    ).decode("latin-1")


@pytest.mark.parametrize("tool", CALLS)
def test_a_key_is_taken_out_before_it_is_stored(door, memory, tool):
    """
    The answer says what was taken out and where; the file, the past and the log have no trace.
    """
    answer = door.result(tool, **CALLS[tool])

    told = answer.structured_content["redacted"]
    assert all(line.startswith("GitHub token in ") for line in told)
    assert KEY not in everything(memory)
    assert KEY not in answer.content[0].text


def test_a_key_in_properties_and_facts_is_named_by_its_place(door, memory):
    """
    Among many observations the answer names the one that held the key.
    """
    door("create_entity", name="Billing", node_type="service")

    answer = door(
        "add_observations",
        observations=[
            {"entity_id": "billing", "content": "It runs on port 8080."},
            {"entity_id": "billing", "content": f"It signs with {KEY}."},
        ],
    )

    assert ["GitHub token in observations[1].content"] == answer["redacted"]
    assert KEY not in everything(memory)


def test_a_query_with_a_key_in_it_leaves_none_behind(door, memory):
    """
    Timings keep the text of queries; what is searched for may be a secret too.
    """
    door("search_memory", query=f"who uses {KEY}")
    memory.telemetry.flush()

    assert "search_memory" in everything(memory)
    assert KEY not in everything(memory)


def test_a_key_over_several_chunks_is_taken_out_whole(door, memory):
    """
    It goes before the text is cut: half a key would be known by nothing.
    """
    block = "\n".join(LONG + LONG[:24] for _ in range(40))
    text = f"Setup.\n\n-----BEGIN PRIVATE KEY-----\n{block}\n-----END PRIVATE KEY-----\n\nDone."

    answer = door("add_knowledge", title="Setup", content=text)

    (document,) = memory.knowledge.documents().documents
    assert ["private key in content"] == answer["redacted"]
    assert LONG[:24] not in everything(memory)
    assert document.characters < 100


def test_nothing_is_said_where_nothing_was_taken_out(door):
    """
    Hashes of commits are no keys.
    """
    answer = door("create_bottle", message="Fixed in 3f2a9d8c7b6e5f4a3d2c1b0a9f8e7d6c5b4a3f2e.")

    assert "redacted" not in answer
    (bottle,) = door("get_bottles")["bottles"]
    assert "Fixed in 3f2a9d8c7b6e5f4a3d2c1b0a9f8e7d6c5b4a3f2e." == bottle["message"]


def test_whoever_wants_to_keep_keys_can(tmp_path):
    """
    The setting is off for those whose memory is a vault of its own.
    """
    settings = Settings(redact_secrets=False)
    memory = open_memory(
        settings, path=tmp_path / "memory.db", embedder=choose_engine("all-MiniLM-L6-v2")
    )

    memory.bottles.create(f"The deploy key is {KEY}")

    assert KEY in everything(memory)
    memory.close()


def test_the_library_takes_keys_out_as_the_tools_do(memory):
    """
    What never came through a tool passes the same guard.
    """
    memory.graph.create_entity("Billing", "service", properties={"api_key": LONG})

    assert LONG not in everything(memory)
