"""Prompts a person picks in the editor: each brings what memory knows of the matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import Field

from ..errors import MemoryCoreError
from ..memory import Memory
from .calls.call_context import default_user
from .calls.signature import without_memory
from .prompt_data import RULE, quote_rows

# Enough to answer from, little enough to read before every task.
HITS = 10

Project = Annotated[str, Field(description="The project.")]


def add_to(server: MCPServer[Any], memory: Memory) -> None:
    """Offer every prompt on *server*, each answered from *memory*."""
    offered: dict[str, Callable[..., str]] = {
        "Answer from memory": qna_with_context,
        "Review a codebase": review_codebase,
        "Start a session": session_start,
        "End a session": session_end,
    }
    for title, write in offered.items():
        server.add_prompt(Prompt.from_function(_bind_memory(write, memory), title=title))


def qna_with_context(
    memory: Memory, query: Annotated[str, Field(description="The question.")]
) -> str:
    """Answer a question from everything that is remembered, naming the sources."""
    return (
        f"Answer this question: {query}\n\n{_search(memory, query)}\n\n"
        "Answer from these rows first and give the id of each row you use. If they do not answer "
        "the question, say so before you answer from elsewhere."
    )


def review_codebase(
    memory: Memory,
    path: Annotated[str, Field(description="A folder or file; empty for the whole.")] = "",
) -> str:
    """Review code with what memory knows of its decisions, conventions and known problems."""
    subject = path or "the codebase in the working directory"
    known = _search(memory, f"{path} architecture decision convention known problem")
    return (
        f"Review {subject}.\n\nWhat memory knows of it:\n{known}\n\n"
        "Check the code against the decisions and conventions above, and say where it departs from "
        "them. Then look for errors, risks and what is hard to read. At the end, store each new "
        "decision or lasting problem with create_entity or add_observation."
    )


def session_start(memory: Memory, project: Project) -> str:
    """Begin work on a project: what was left for you, and what is known."""
    left = memory.bottles.list_bottles(project_id=project)
    known = _search(memory, "state of the work, open task, decision", project_id=project)
    return (
        f"We begin a session on the project {project!r}.\n\n"
        f"Messages left for this session:\n{quote_rows(left.bottles)}\n\n"
        f"What is known of the work:\n{known}\n\n"
        f"Call start_session with project_id {project!r}. Tell me in a few lines where we stand, "
        "then acknowledge each message that is dealt with."
    )


def session_end(memory: Memory, project: Project) -> str:
    """End work on a project: keep what a later session needs."""
    return (
        f"We end the session on the project {project!r}. With project_id {project!r}:\n"
        "1. Store each lasting fact of this session with add_observation, one sentence each, and "
        "each decision or insight with record_breakthrough.\n"
        "2. Leave what the next session must do with create_bottle.\n"
        "3. Call end_session with a summary: what was done, what is open, what was decided."
    )


def _search(memory: Memory, query: str, *, project_id: str = "*") -> str:
    user_id = default_user(memory.settings)
    result = memory.search.search_memory(query, project_id=project_id, user_id=user_id, limit=HITS)
    return f"{RULE}\n{quote_rows(result.hits)}"


def _bind_memory(write: Callable[..., str], memory: Memory) -> Callable[..., str]:
    """Return *write* without its first parameter, telling its errors in the protocol's way."""
    bound = partial(write, memory)

    @wraps(write)
    def answer(**arguments: Any) -> str:
        try:
            return bound(**arguments)
        except MemoryCoreError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error

    return without_memory(answer, write)
