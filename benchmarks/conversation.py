"""
A whole conversation over the real wire: ``python -m benchmarks.conversation --data DIR``.

Starts ``main.py`` as an editor does, stores every turn through the tools, waits
until the server says that nothing is pending, and asks the conversation's own
questions. Prints each question's evidence rank, and how many were answered with
an evidence turn among the first five; exits with 1 if that is fewer than asked.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from .datasets import SHIPPED, Absent, Conversation, Question, harbour_talk, locomo_turns

MAIN = Path(__file__).parents[1] / "main.py"
FIRST = 5
BATCH = 200
# Embedding a conversation takes seconds; a machine that is busy with other things, minutes.
PATIENCE_SECONDS = 600


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    try:
        suite = locomo_turns(given.data) if given.data else harbour_talk(SHIPPED)
    except Absent as absent:
        print(f"skipped: {absent}")
        return 0
    conversation = suite.conversations[given.conversation]
    ranks = anyio.run(_ask_questions, conversation, given.questions)
    answered = sum(1 for rank in ranks.values() if 0 < rank <= FIRST)
    for text, rank in ranks.items():
        print(f"{rank or '-':>4}  {text}")
    print(f"{answered} of {len(ranks)} questions have their evidence in the first {FIRST}")
    return 0 if answered >= given.at_least else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with locomo_dev.json; default: our own")
    parser.add_argument("--conversation", type=int, default=0, help="which one, from 0")
    parser.add_argument("--questions", type=int, default=40, help="how many to ask")
    parser.add_argument("--at-least", type=int, default=10, help="how many must be answered")
    return parser


async def _ask_questions(conversation: Conversation, questions: int) -> dict[str, int]:
    """Return the rank of the first evidence turn for each question; 0 if it is not found."""
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(
            command=sys.executable,
            args=[str(MAIN), "--db", str(Path(folder) / "memory.db")],
            env={"MEMORY_DATA_DIR": folder},
        )
        async with Client(server) as client:
            ids = await _store(client, conversation)
            await _wait_until_embedded(client)
            return {
                question.text: await _rank(client, question, ids)
                for question in conversation.questions[:questions]
            }


async def _store(client: Client, conversation: Conversation) -> dict[str, str]:
    """Store every turn under its speaker; return the turn's id by observation id."""
    ids: dict[str, str] = {}
    for speaker in dict.fromkeys(row.speaker for row in conversation.rows):
        await _call(client, "create_entity", name=speaker, node_type="person", id=speaker)
    rows = conversation.rows
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        items = [
            {
                "entity_id": row.speaker,
                "content": row.text,
                "session_id": row.session,
                "occurred_at": row.at.isoformat() if row.at else "",
            }
            for row in batch
        ]
        stored = await _call(client, "add_observations", observations=items)
        for row, written in zip(batch, stored["observations"], strict=True):
            ids[written["observation"]["id"]] = row.id
    return ids


async def _wait_until_embedded(client: Client) -> None:
    """Wait until a search says that every text has its vector and both channels answer."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while True:
            found = await _call(client, "search_memory", query="anything at all", limit=1)
            if not found["pending"] and len(found["channels"]) == 2:
                return
            await anyio.sleep(0.5)


async def _rank(client: Client, question: Question, ids: dict[str, str]) -> int:
    found = await _call(
        client, "search_memory", query=question.text, limit=20, kinds=["observation"]
    )
    turns = [ids[hit["id"]] for hit in found["hits"]]
    return next((place for place, turn in enumerate(turns, 1) if turn in question.gold), 0)


async def _call(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(f"{tool}: {result.content[0]}")
    return result.structured_content


if __name__ == "__main__":
    sys.exit(main())
