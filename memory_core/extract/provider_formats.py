"""
Request and response formats of language-model providers.

Each format requests JSON of a given schema; responses are validated regardless.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from pydantic import JsonValue

from ..model.base import Properties
from ..model.facts.extraction import Prompt

# Enough for a hundred facts of typical length.
_MOST_TOKENS = 8192

_TEXT: Properties = {"type": "string"}
_FACT: Properties = {
    "type": "object",
    "properties": {"content": _TEXT, "category": _TEXT, "occurred_at": _TEXT},
    "required": ["content", "category", "occurred_at"],
}
_SHAPES: dict[str, Properties] = {
    "facts": {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": _FACT}},
        "required": ["facts"],
    },
    "statement": {
        "type": "object",
        "properties": {"content": _TEXT, "same_matter": {"type": "boolean"}},
        "required": ["content", "same_matter"],
    },
}


@dataclass(frozen=True)
class Wire:
    """
    Request and response format of a provider; *plainer* is for servers that reject the first form.
    """

    base_url: str
    model: str
    headers: Callable[[str], dict[str, str]]
    path: Callable[[str], str]
    body: Callable[[str, Prompt], Properties]
    answer: Callable[[JsonValue], str]
    plainer: Callable[[str, Prompt], Properties | None] = lambda model, prompt: None


def at(value: JsonValue, *path: str | int) -> JsonValue:
    """Return the value in *value* along *path*, or None."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _chat(model: str, prompt: Prompt) -> Properties:
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
    }


def _strict(prompt: Prompt) -> Properties:
    """Return the response schema for OpenAI's strict mode: no additional properties."""
    shape = json.loads(json.dumps(_SHAPES[prompt.form]))
    shape["additionalProperties"] = False
    if prompt.form == "facts":
        shape["properties"]["facts"]["items"]["additionalProperties"] = False
    return {
        "type": "json_schema",
        "json_schema": {"name": prompt.form, "strict": True, "schema": shape},
    }


def _openai(model: str, prompt: Prompt) -> Properties:
    # No temperature: reasoning models reject it.
    return {
        **_chat(model, prompt),
        "response_format": _strict(prompt),
        "max_completion_tokens": _MOST_TOKENS,
    }


def _compatible(model: str, prompt: Prompt) -> Properties:
    return {**_without_shape(model, prompt), "response_format": _strict(prompt)}


def _without_shape(model: str, prompt: Prompt) -> Properties:
    return {**_chat(model, prompt), "temperature": 0, "max_tokens": _MOST_TOKENS, "stream": False}


def _of_chat(answer: JsonValue) -> str:
    content = at(answer, "choices", 0, "message", "content")
    return content if isinstance(content, str) else _join_parts(content)


def _anthropic(model: str, prompt: Prompt) -> Properties:
    """Request a tool call, the form of structured output that all models support."""
    return {
        "model": model,
        "max_tokens": _MOST_TOKENS,
        "system": prompt.system,
        "messages": [{"role": "user", "content": prompt.user}],
        "tools": [
            {
                "name": "answer",
                "description": "Return the answer.",
                "input_schema": _SHAPES[prompt.form],
            }
        ],
        "tool_choice": {"type": "tool", "name": "answer"},
    }


def _of_anthropic(answer: JsonValue) -> str:
    blocks = at(answer, "content")
    texts: list[str] = []
    for block in blocks if isinstance(blocks, list) else []:
        given, text = at(block, "input"), at(block, "text")
        if given:
            return json.dumps(given)
        texts.append(text if isinstance(text, str) else "")
    return "".join(texts)


def _google(model: str, prompt: Prompt) -> Properties:
    return {
        "systemInstruction": {"parts": [{"text": prompt.system}]},
        "contents": [{"role": "user", "parts": [{"text": prompt.user}]}],
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseSchema": _SHAPES[prompt.form],
            "maxOutputTokens": _MOST_TOKENS,
        },
    }


def _of_google(answer: JsonValue) -> str:
    return _join_parts(at(answer, "candidates", 0, "content", "parts"))


def _join_parts(parts: JsonValue) -> str:
    """Return the joined texts of a list of parts, without reasoning parts."""
    spoken = [
        part for part in (parts if isinstance(parts, list) else []) if not at(part, "thought")
    ]
    texts = [at(part, "text") for part in spoken]
    return "".join(text for text in texts if isinstance(text, str))


WIRES: dict[str, Wire] = {
    "openai_compatible": Wire(
        base_url="http://127.0.0.1:11434/v1",
        model="",
        headers=_bearer,
        path=lambda model: "/chat/completions",
        body=_compatible,
        answer=_of_chat,
        plainer=_without_shape,
    ),
    "openai": Wire(
        base_url="https://api.openai.com/v1",
        model="gpt-4.1-mini",
        headers=_bearer,
        path=lambda model: "/chat/completions",
        body=_openai,
        answer=_of_chat,
    ),
    "anthropic": Wire(
        base_url="https://api.anthropic.com/v1",
        model="claude-haiku-4-5",
        headers=lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
        path=lambda model: "/messages",
        body=_anthropic,
        answer=_of_anthropic,
    ),
    "google": Wire(
        base_url="https://generativelanguage.googleapis.com/v1beta",
        model="gemini-2.5-flash",
        headers=lambda key: {"x-goog-api-key": key},
        path=lambda model: f"/models/{quote(model, safe='')}:generateContent",
        body=_google,
        answer=_of_google,
    ),
}
