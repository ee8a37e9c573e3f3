"""
The table of tools, and the one way a tool is served.

A tool is a plain function whose first parameter is the Memory. @tool records it in TOOLS and
expands a parameter *scope* into the arguments of a client. Tests call it, the docs list it, and
only serve() binds it, records the client as the author of its writes, times it, and turns every
failure into a message that a model can act on.

A Listing is the description of a tool that clients receive. It is generated: a server need not
load a tool before its first call.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool as ServerTool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata, func_metadata
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import InputRequiredResult
from pydantic import PrivateAttr

from ...context import Redaction, acting_as, redactions, track_progress
from ...errors import MemoryCoreError
from ...memory import Memory
from ...settings import Settings
from .arguments import drop_empty, rename_id, validated_arguments
from .call_context import QuestionForClient, called_by, default_user
from .progress import ClientProgress
from .provided_arguments import giving
from .results import TooLargeError, answer, flat, telling_redactions, terse
from .signature import expand_scope, without_memory

logger = logging.getLogger(__name__)

DEFAULT_BUDGET = 8000
# Long enough for every known client's name; the journal keeps it with each change.
ACTOR_CHARACTERS = 60
PROJECT = "project_id"
USER = "user_id"

# The second is a question, after which the client makes the call again.
Result = CallToolResult | InputRequiredResult

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Tool:
    """A tool and what a client may assume of it."""

    run: Callable[..., Any]
    title: str
    reads: bool
    destroys: bool
    idempotent: bool

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def family(self) -> str:
        return self.run.__module__.rpartition(".")[2]


@dataclass(frozen=True)
class Listing:
    """The description of a tool that clients receive, available before it is loaded."""

    name: str
    family: str
    title: str
    description: str
    reads: bool
    destroys: bool
    idempotent: bool
    parameters: dict[str, Any]
    output: dict[str, Any] | None


TOOLS: list[Tool] = []


def tool(
    *, title: str, reads: bool = False, destroys: bool = False, idempotent: bool = False
) -> Callable[[F], F]:
    """Record a function in TOOLS; one that only reads is idempotent as well."""

    def record(run: F) -> F:
        run = expand_scope(run)
        TOOLS.append(Tool(run, title, reads, destroys, idempotent or reads))
        return run

    return record


def listing(tool: Tool) -> Listing:
    """Return the listing of *tool*."""
    read = ServerTool.from_function(_bind_memory(tool.run, None))
    output = read.output_schema
    if output is not None:
        output = terse(output) if tool.reads else telling_redactions(terse(output))
    return Listing(
        name=tool.name,
        family=tool.family,
        title=tool.title,
        description=read.description,
        reads=tool.reads,
        destroys=tool.destroys,
        idempotent=tool.idempotent,
        parameters={**flat(read.parameters), "additionalProperties": False},
        output=output,
    )


def serve(
    entry: Listing, load: Callable[[], Callable[..., Any]], memory: Memory, *, budget: int
) -> ServerTool:
    """
    Return a tool as MCP serves it, on *memory*, in results of at most *budget* tokens.

    *load* returns the function behind it; it is asked for at the first call.
    """
    properties = dict(entry.parameters["properties"])
    _place(properties, memory.settings)
    served = _ServedTool(
        fn=load,
        name=entry.name,
        title=entry.title,
        description=entry.description,
        parameters={**entry.parameters, "properties": properties},
        fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=entry.output),
        is_async=False,
        annotations=ToolAnnotations(
            read_only_hint=entry.reads,
            destructive_hint=entry.destroys,
            idempotent_hint=entry.idempotent,
            open_world_hint=False,
        ),
    )
    served.bind(entry.reads, memory, budget)
    return served


def actor(context: Context[Any, Any]) -> str:
    """Return the name a client gave itself, as far as it can be printed."""
    asked = context.request_context.session.client_params
    name = asked.client_info.name if asked is not None else ""
    return "".join(c for c in name if c.isprintable()).strip()[:ACTOR_CHARACTERS] or "mcp"


class _ServedTool(ServerTool):
    """The SDK's tool, but strict about arguments and plain about failures."""

    _reads: bool = PrivateAttr()
    _memory: Memory = PrivateAttr()
    _budget: int = PrivateAttr()

    def bind(self, reads: bool, memory: Memory, budget: int) -> None:
        self._reads, self._memory, self._budget = reads, memory, budget

    @cached_property
    def _load_tool(self) -> tuple[Callable[..., Any], FuncMetadata]:
        """The function on its memory, and how its arguments and its result are read."""
        bound = _bind_memory(self.fn(), self._memory)
        return bound, func_metadata(bound)

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,
    ) -> Result:
        call = functools.partial(self._call, arguments, actor(context), ClientProgress(context))
        with called_by(context):
            return await anyio.to_thread.run_sync(call)

    def _call(self, arguments: dict[str, Any], actor: str, client: ClientProgress) -> Result:
        """Run the tool on a worker thread; every outcome becomes a result."""
        try:
            with track_progress(client.tell, client.has_left):
                return self._answer(arguments, actor)
        except MemoryCoreError as error:
            logger.info("%s was refused: %s", self.name, error.code)
            return _failure(str(error), error.code)
        except Exception:
            logger.exception("%s failed", self.name)
            return _failure(
                f"{self.name} failed. This is a bug in the memory server and not in your request; "
                "server.log has the details.",
                "BUG",
            )

    def _answer(self, arguments: dict[str, Any], actor: str) -> Result:
        run, metadata = self._load_tool
        properties = self.parameters["properties"]
        arguments = drop_empty(rename_id(arguments, properties), properties)
        with acting_as(actor), self._memory.telemetry.trace(self.name) as trace:
            given = validated_arguments(
                _with_defaults(arguments, properties, default_user(self._memory.settings)),
                self.name,
                model=metadata.arg_model,
                properties=properties,
            )
            trace.note(project_id=given.get("project_id"))
            try:
                with giving(arguments), redactions() as redacted:
                    # Here each argument has its name, which the answer reports.
                    clean = given if self._reads else self._memory.db.without_secrets_in(given)
                    project = "" if self._reads else str(given.get(PROJECT) or "")
                    user = str(given.get(USER) or default_user(self._memory.settings))
                    is_new = bool(project) and not self._has_project(project, user)
                    result = self._run_within_budget(run, metadata, clean, redacted)
                    return self._with_new_project(result, project, user) if is_new else result
            except QuestionForClient as question:
                return question.result

    def _has_project(self, project: str, user: str) -> bool:
        # A record of another user does not count: its project must not be known by its absence.
        return self._memory.overview.has_project(project, user_id=user)

    def _with_new_project(self, result: Result, project: str, user: str) -> Result:
        """Add a notice if a write has created its project, which may be a misspelt name."""
        if not isinstance(result, CallToolResult) or not self._has_project(project, user):
            return result
        close = self._memory.overview.similar_projects(project, user_id=user)
        similar = " or ".join(map(repr, close))
        hint = f" If you meant {similar}, undo this and repeat it there." if similar else ""
        notice = TextContent(type="text", text=f"Project {project!r} is new.{hint}")
        return result.model_copy(update={"content": [*result.content, notice]})

    def _run_within_budget(
        self,
        run: Callable[..., Any],
        metadata: FuncMetadata,
        given: dict[str, Any],
        redacted: list[Redaction],
    ) -> Result:
        """Run the tool; a page that reads and is too large is read again with half its limit."""
        limit = most = given.get("limit", 0) if self._reads else 0
        while True:
            result = run(**({**given, "limit": limit} if limit else given))
            try:
                return answer(
                    result,
                    metadata,
                    budget=self._budget,
                    cut=self._reads,
                    drops=limit <= 1,
                    redacted=redacted,
                    notice=f"At most {limit} results fit into one answer." * (limit < most),
                )
            except TooLargeError:
                limit //= 2


def _place(properties: dict[str, Any], settings: Settings) -> None:
    """Show the configured project and user as defaults of a tool that takes them."""
    for name, shipped, configured in (
        (PROJECT, "default", settings.memory_project),
        (USER, "", settings.memory_user),
    ):
        field = properties.get(name)
        if field is not None and field.get("default") == shipped:
            properties[name] = {**field, "default": configured}


def _with_defaults(
    arguments: dict[str, Any], properties: dict[str, Any], user_id: str
) -> dict[str, Any]:
    """Return the arguments with the configured project and the call's user, if none is given."""
    meant = {PROJECT: properties.get(PROJECT, {}).get("default"), USER: user_id}
    missing = {
        name: value
        for name, value in meant.items()
        if value and name in properties and arguments.get(name) is None
    }
    return {**arguments, **missing}


def _bind_memory(tool: Callable[..., Any], memory: Memory | None) -> Callable[..., Any]:
    """Return *tool* without its first parameter, as the SDK wants to read it."""

    @functools.wraps(tool)
    def run(**arguments: Any) -> Any:
        return tool(memory, **arguments)

    return without_memory(run, tool)


def _failure(message: str, code: str) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=message)], is_error=True, _meta={"code": code}
    )
