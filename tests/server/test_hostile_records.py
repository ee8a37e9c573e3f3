"""No stored data makes a tool that reads fail: long values are shortened, with a marker."""

from __future__ import annotations

import json

import anyio
import pytest
from mcp import Client
from support import HandClock, HashingEmbedder

import memory_core.server.tools  # noqa: F401  (fills the table of tools)
from memory_core import Settings, open_memory
from memory_core.server.app import build_server
from memory_core.server.calls.registry import TOOLS, listing

READS = sorted(tool.name for tool in TOOLS if tool.reads)
BUDGET = 8000 * 4
LONG = "ropes of the crane " * 5_000
VALUES = {
    "as_of_iso_timestamp": "2099-01-01",
    "entity_id": "crane",
    "from_node_id": "crane",
    "from_timestamp": "2000-01-01",
    "id": "crane",
    "node_id": "crane",
    "query": "ropes of the crane",
    "session_id": "evening",
    "title_or_id": "Manual",
    "to_node_id": "hook-0",
    "to_timestamp": "2099-01-01",
}
# Tools of one record of another kind, and tools that need a file or a choice.
OF_A_TOOL = {
    "memory_query": {"query": "ropes of the crane"},
    "memory_get": {"id": "{entry}"},
    "memory_get_context": {"timeline_id": "{entry}"},
    "memory_get_groups": {"entry_id": "{entry}"},
    "validate_import": {"path": "everything.jsonl"},
    "validate_okf_bundle": {"path": "wiki"},
    "okf_graph": {"path": "wiki"},
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Records as large as the product accepts, or larger, as an older version may have stored."""
    folder = tmp_path_factory.mktemp("hostile")
    memory = open_memory(
        Settings(memory_data_dir=folder, memory_toolsets="all", knowledge_roots=(folder,)),
        embedder=HashingEmbedder(),
        clock=HandClock(),
    )
    large = {f"name {number}": LONG[:3_000] for number in range(29)}
    many = {f"name {number}": number for number in range(4_000)}
    deep = {"list": [[str(number)] * 3 for number in range(2_000)]}
    memory.graph.create_entity("Crane", "service", properties=large, observations=[LONG * 5])
    for number, properties in enumerate((large, many, deep) * 4):
        memory.graph.create_entity(
            f"Hook {number}", "service", properties=properties, observations=[LONG * 9, LONG]
        )
        memory.relations.create_relation(
            "crane", f"hook-{number}", "USES", properties={"note": LONG[:80_000]}
        )
    with memory.db.write("older version") as connection:
        aliases = json.dumps([f"alias of the crane {number}" for number in range(5_000)])
        connection.execute("update entities set aliases = :aliases", {"aliases": aliases})
    memory.knowledge.add_document("Manual", LONG * 10)
    for _ in range(20):
        memory.bottles.create_bottle(LONG[:9_000])
    memory.sessions.start_session("evening", LONG[:250])
    for number in range(10):
        memory.conversation.add_facts([f"{number} {LONG[:900]}"], metadata={"a": LONG[:1_900]})
    entry = memory.entries.write_entry(
        LONG[:190],
        ["one", "two", "three", "four", "five"],
        category="knowledge",
        metadata={"a": LONG[:1_900]},
        context_text=LONG,
    )
    (folder / "everything.jsonl").write_text("{}\n" * 100)
    (folder / "wiki").mkdir()
    (folder / "wiki" / "a.md").write_text(f"---\ntype: note\ntitle: A\n---\n{LONG}\n")
    yield memory, {"entry": entry.id}
    memory.close()


def call(memory, tool, arguments):
    async def run():
        async with Client(build_server(memory, memory.settings)) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(run)


def arguments_of(tool, ids):
    required = listing(tool).parameters.get("required", ())
    given = OF_A_TOOL.get(tool.name) or {name: VALUES[name] for name in required if name in VALUES}
    return {
        name: value.format(**ids) if isinstance(value, str) else value
        for name, value in given.items()
    }


@pytest.mark.parametrize("name", READS)
def test_no_record_makes_a_tool_that_reads_fail(hostile, name):
    memory, ids = hostile
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    result = call(memory, name, arguments_of(tool, ids))
    text = result.content[0].text

    assert not result.is_error or result.meta["code"] in ("NOT_FOUND",), text[:300]
    assert BUDGET + 200 >= len(text.encode())
