from __future__ import annotations

import json

import pytest

from memory_core import Settings, acting_as, open_memory, redactions
from memory_core.search.models import choose_engine

LONG = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
KEY = "ghp" + "_" + LONG[:36]
# Recognised by its capitals only: lower-casing must happen after redaction.
CAPITALS = "AKIA" + "QWERTYUIOPASDFGH"
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
def test_secrets_are_redacted_before_storage(tool_client, memory, tool):
    answer = tool_client.result(tool, **CALLS[tool])

    reported = answer.structured_content["redacted"]
    assert all(line.startswith("GitHub token in ") for line in reported)
    assert KEY not in everything(memory)
    assert KEY not in answer.content[0].text


def test_redactions_in_properties_and_facts_report_their_place(tool_client, memory):
    tool_client("create_entity", name="Billing", node_type="service")

    answer = tool_client(
        "add_observations",
        observations=[
            {"entity_id": "billing", "content": "It runs on port 8080."},
            {"entity_id": "billing", "content": f"It signs with {KEY}."},
        ],
    )

    assert ["GitHub token in observations[1].content"] == answer["redacted"]
    assert KEY not in everything(memory)


def test_secrets_in_queries_are_not_stored(tool_client, memory):
    tool_client("search_memory", query=f"who uses {KEY}")
    memory.telemetry.flush()

    assert "search_memory" in everything(memory)
    assert KEY not in everything(memory)


def test_a_secret_spanning_chunks_is_redacted(tool_client, memory):
    block = "\n".join(LONG + LONG[:24] for _ in range(40))
    text = f"Setup.\n\n-----BEGIN PRIVATE KEY-----\n{block}\n-----END PRIVATE KEY-----\n\nDone."

    answer = tool_client("add_knowledge", title="Setup", content=text)

    (document,) = memory.knowledge.list_documents().documents
    assert ["private key in content"] == answer["redacted"]
    assert LONG[:24] not in everything(memory)
    assert document.characters < 100


def test_clean_text_reports_no_redactions(tool_client):
    answer = tool_client(
        "create_bottle", message="Fixed in 3f2a9d8c7b6e5f4a3d2c1b0a9f8e7d6c5b4a3f2e."
    )

    assert "redacted" not in answer
    (bottle,) = tool_client("get_bottles")["bottles"]
    assert "Fixed in 3f2a9d8c7b6e5f4a3d2c1b0a9f8e7d6c5b4a3f2e." == bottle["message"]


def test_redaction_can_be_disabled(tmp_path):
    settings = Settings(redact_secrets=False)
    memory = open_memory(
        settings, path=tmp_path / "memory.db", embedder=choose_engine("all-MiniLM-L6-v2")
    )

    memory.bottles.create_bottle(f"The deploy key is {KEY}")

    assert KEY in everything(memory)
    memory.close()


NAMING = {
    "entity": lambda memory, key: memory.graph.create_entity(key, "service"),
    "id": lambda memory, key: memory.graph.create_entity("Billing", "service", id=key),
    "alias": lambda memory, key: memory.graph.create_entity("Billing", "service", aliases=[key]),
    "renamed": lambda memory, key: memory.graph.update_entity(
        memory.graph.create_entity("Billing", "service").entity.id, name=key, aliases=[f"a {key}"]
    ),
    "session": lambda memory, key: memory.sessions.start_session(key, f"On {key}"),
    "breakthrough": lambda memory, key: memory.sessions.record_breakthrough(
        memory.sessions.start_session("s", "s").session.id, key, "It works."
    ),
    "document": lambda memory, key: memory.knowledge.add_document(key, "Words."),
    "upload": lambda memory, key: memory.knowledge.add_upload(f"{key}.txt", b"Words."),
    "tag": lambda memory, key: memory.entries.write_entry(
        "Words.", [*TAGS[:4], key], category="knowledge"
    ),
    "line end": lambda memory, key: memory.graph.create_entity(
        "Billing", "service", properties={"note": f"key:\n{key}"}
    ),
}


@pytest.mark.parametrize("where", NAMING)
@pytest.mark.parametrize("key", [KEY, CAPITALS])
def test_ids_are_not_derived_from_secrets_in_names(memory, where, key):
    NAMING[where](memory, key)

    stored = everything(memory).casefold()
    assert key[5:].casefold() not in stored
    assert "[redacted: " in stored


def test_secrets_in_client_names_are_redacted(memory):
    with acting_as(KEY):
        memory.bottles.create_bottle("Words.")

    assert KEY not in everything(memory)


@pytest.mark.parametrize("format", ["jsonl", "mcp"])
def test_imports_redact_names(memory, tmp_path, format):
    source = tmp_path / "source.jsonl"
    if format == "mcp":
        thing = {"type": "entity", "name": f"On {CAPITALS}", "entityType": "service"}
        source.write_text(json.dumps({**thing, "observations": [f"It signs with {CAPITALS}."]}))
    else:
        open_vault = Settings(redact_secrets=False)
        embedder = choose_engine("all-MiniLM-L6-v2")
        vault = open_memory(open_vault, path=tmp_path / "vault.db", embedder=embedder)
        vault.graph.create_entity("Billing", "service", aliases=[CAPITALS])
        vault.knowledge.add_document(f"On {CAPITALS}", "Words.")
        vault.entries.write_entry("Words.", [*TAGS[:4], CAPITALS], category="knowledge")
        vault.interchange.export_project(str(source))
        vault.close()

    with redactions() as reported:
        imported = memory.interchange.import_file(str(source))

    assert not imported.refused and reported
    assert CAPITALS.casefold() not in everything(memory).casefold()


def test_imports_redact_ids_and_keep_references(memory, tmp_path):
    source, embedder = tmp_path / "source.jsonl", choose_engine("all-MiniLM-L6-v2")
    vault = open_memory(
        Settings(redact_secrets=False), path=tmp_path / "vault.db", embedder=embedder
    )
    names = [f"Use {CAPITALS}", f"Use {CAPITALS[:-1]}X"]
    ids = [vault.graph.create_entity(name, "service").entity.id for name in names]
    vault.relations.create_relation(*ids, "DEPENDS_ON")
    session = vault.sessions.start_session(KEY, "Rotation").session.id
    vault.observations.add_observation(ids[1], "It signs.", session_id=session)
    vault.interchange.export_project(str(source))
    vault.close()

    imported = memory.interchange.import_file(str(source))
    again = memory.interchange.import_file(str(source))

    assert ([], {}) == (imported.refused, again.added)
    text = everything(memory).casefold()
    assert not [key for key in (CAPITALS, CAPITALS[:-1] + "X", KEY) if key.casefold() in text]
    first, second = "use-redacted-aws-access-key", "use-redacted-aws-access-key-2"
    found = memory.exploration.hologram(second)
    assert {(first, second)} == {(each.from_node_id, each.to_node_id) for each in found.relations}
    [node] = [node for node in found.nodes if node.entity.id == second]
    assert ["It signs."] == [fact.content for fact in node.observations]
    assert node.observations[0].session_id == memory.sessions.get_session("rotation").id


def test_bundle_imports_redact_paths(memory, tmp_path):
    embedder, bundle = choose_engine("all-MiniLM-L6-v2"), str(tmp_path / "bundle")
    vault = open_memory(
        Settings(redact_secrets=False), path=tmp_path / "vault.db", embedder=embedder
    )
    ids = [
        vault.graph.create_entity(name, "service").entity.id for name in ("Shop", f"On {CAPITALS}")
    ]
    vault.relations.create_relation(*ids, "DEPENDS_ON")
    vault.interchange.export_project(bundle, format="okf", project_id="default")
    vault.close()

    imported = memory.interchange.import_file(bundle)
    again = memory.interchange.import_file(bundle)

    assert ([], {}, "") == (imported.refused, again.added, again.batch_id)
    assert CAPITALS.casefold() not in everything(memory).casefold()
    [edge] = memory.exploration.hologram("service/shop").relations
    assert "service/on-redacted-aws-access-key" == edge.to_node_id


def test_library_calls_redact_like_tools(memory):
    memory.graph.create_entity("Billing", "service", properties={"api_key": LONG})

    assert LONG not in everything(memory)
