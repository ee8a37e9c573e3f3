"""Completions by the client's own language model (MCP sampling).

1. It is asked only if LLM_PROVIDER is sampling and the client offers it. Otherwise this
   is as if there were no extractor: the assistant may draw the facts itself.
2. Up to protocol 2025-11-25 the client is asked in the middle of the call. Since
   2026-07-28, which deprecates sampling, a call ends with the question and is made
   again with the answer; what it carries over is the id of a job that is stored already.
3. So a client that refuses, or never comes back, leaves its conversation in a job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any

import anyio
from anyio import from_thread
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    SamplingMessage,
    TextContent,
)
from mcp_types import InputRequiredResult
from mcp_types.version import is_version_at_least
from pydantic import JsonValue

from ...errors import LanguageModelUnavailableError
from ...extract.model_extractor import ModelExtractor
from ...extract.protocols import LanguageModel
from ...memory import Memory
from ...model.facts.extraction import Message, ParsedAnswer, Prompt
from ...model.facts.facts import RememberResult
from ...model.scope import Scope
from ...rules.facts.extraction import extraction_prompt, parse_answer
from .call_context import QuestionForClient, caller

NAME = "sampling"

_QUESTION = "facts"
_MOST_TOKENS = 8192
# The first revision in which a question is a result and no request of the server's.
_QUESTIONS_END_CALLS = "2026-07-28"


def remembered_by_client(
    memory: Memory,
    messages: Sequence[Message],
    scope: Scope,
    *,
    metadata: Mapping[str, JsonValue],
) -> RememberResult | None:
    """
    Remember the facts that the client's model finds; None if it is not to be asked.

    Raise QuestionForClient where the protocol has the call made again with the answer.
    """
    context = caller()
    if memory.settings.llm_provider != NAME or context is None or not _lends_model(context):
        return None
    version = context.protocol_version
    if version is None or not is_version_at_least(version, _QUESTIONS_END_CALLS):
        model = ClientModel(context, timeout=memory.settings.llm_timeout)
        return memory.conversation.extract_facts(
            messages, scope, metadata=metadata, extractor=ModelExtractor(model)
        )
    job_id, answers = context.request_state, context.input_responses
    if not job_id:
        job_id = memory.conversation.extract_facts(messages, scope, metadata=metadata).job_id
        question = {
            _QUESTION: CreateMessageRequest(params=_build_request(extraction_prompt(messages)))
        }
        raise QuestionForClient(
            InputRequiredResult(input_requests=dict(question), request_state=job_id)
        )
    answer = (answers or {}).get(_QUESTION)
    return memory.extraction.run_job(job_id, _Answered(answer))


class ClientModel:
    """The client's model, asked from the worker thread of a call that it waits for."""

    name = NAME

    def __init__(self, context: Context[Any, Any], *, timeout: float) -> None:
        self._context = context
        self._timeout = timeout

    def complete(self, prompt: Prompt) -> str:
        """Return the answer; raise LanguageModelUnavailableError if there is none."""
        try:
            answer = from_thread.run(self._ask, prompt)
        except MCPError as error:
            raise _unavailable(f"refused ({error.error.code})") from error
        except TimeoutError as error:
            raise _unavailable(f"did not answer within {self._timeout:g} seconds") from error
        except (CancelledError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise _unavailable("is gone") from error
        return _text_of(answer)

    async def _ask(self, prompt: Prompt) -> CreateMessageResult:
        with anyio.fail_after(self._timeout):
            answer: CreateMessageResult = await self._context.session.send_request(
                CreateMessageRequest(params=_build_request(prompt)),
                CreateMessageResult,
                metadata=ServerMessageMetadata(related_request_id=self._context.request_id),
            )
        return answer


class _Answered:
    """The facts in an answer that the client has brought already."""

    name = NAME
    # There is no second question in a call, so statements are not merged by the model.
    model: LanguageModel | None = None

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def facts(self, messages: Sequence[Message]) -> ParsedAnswer:
        if not isinstance(self._answer, CreateMessageResult):
            raise _unavailable("brought no answer")
        return parse_answer(_text_of(self._answer))


def _lends_model(context: Context[Any, Any]) -> bool:
    offered = context.client_capabilities
    return offered is not None and offered.sampling is not None


def _build_request(prompt: Prompt) -> CreateMessageRequestParams:
    return CreateMessageRequestParams(
        messages=[SamplingMessage(role="user", content=TextContent(type="text", text=prompt.user))],
        system_prompt=prompt.system,
        max_tokens=_MOST_TOKENS,
    )


def _text_of(answer: CreateMessageResult) -> str:
    content = answer.content
    if not isinstance(content, TextContent) or not content.text.strip():
        raise _unavailable("answered without text")
    return content.text


def _unavailable(what: str) -> LanguageModelUnavailableError:
    return LanguageModelUnavailableError(f"The model of this client {what}.")
