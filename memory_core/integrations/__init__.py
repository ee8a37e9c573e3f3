"""Remember and recall as tools for agent frameworks in the same process."""

from .agent_memory import AgentMemory
from .frameworks import langchain_tools, pydantic_ai_tools
from .function_calling import chat_tools, response_tools, run_call

__all__ = [
    "AgentMemory",
    "chat_tools",
    "langchain_tools",
    "pydantic_ai_tools",
    "response_tools",
    "run_call",
]
