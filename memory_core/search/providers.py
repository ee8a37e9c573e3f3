"""
Request and response formats of embedding providers.

A dimension is sent only if it was configured and is not the model's default: many servers reject
unknown fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from ..model.base import Properties

Row = Sequence[object]


class Malformed(Exception):
    """A malformed response; the message says how."""


@dataclass(frozen=True)
class Provider:
    """API of one provider; *lengths* are the dimensions of known models."""

    name: str
    base_url: str
    model: str
    batch: int
    max_tokens: int
    headers: Callable[[str], dict[str, str]]
    path: Callable[[str], str]
    body: Callable[[str, Sequence[str], int], Properties]
    rows: Callable[[Properties], list[Row]]
    lengths: Mapping[str, int] = field(default_factory=dict)


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _openai(model: str, texts: Sequence[str], length: int) -> Properties:
    return _asking(model, texts, "dimensions", length)


def _voyage(model: str, texts: Sequence[str], length: int) -> Properties:
    return _asking(model, texts, "output_dimension", length)


def _asking(model: str, texts: Sequence[str], name: str, length: int) -> Properties:
    body: Properties = {"model": model, "input": [*texts]}
    if length:
        body[name] = length
    return body


def _google(model: str, texts: Sequence[str], length: int) -> Properties:
    requests: list[JsonValue] = []
    for text in texts:
        request: Properties = {"model": f"models/{model}", "content": {"parts": [{"text": text}]}}
        if length:
            request["outputDimensionality"] = length
        requests.append(request)
    return {"requests": requests}


def _by_index(answer: Properties) -> list[Row]:
    """Return the rows of an OpenAI-style response in the order of the texts."""
    found: dict[int, Row] = {}
    for item in _list_field(answer, "data"):
        place, row = item.get("index"), item.get("embedding")
        if not isinstance(place, int) or isinstance(place, bool) or not isinstance(row, list):
            raise Malformed("answered with a vector without an index")
        if place in found:
            raise Malformed("answered with two vectors for one text")
        found[place] = row
    if sorted(found) != list(range(len(found))):
        raise Malformed("answered with the wrong indexes")
    return [found[place] for place in range(len(found))]


def _in_order(answer: Properties) -> list[Row]:
    rows = [item.get("values") for item in _list_field(answer, "embeddings")]
    if not all(isinstance(row, list) for row in rows):
        raise Malformed("answered with an invalid vector")
    return [row for row in rows if isinstance(row, list)]


def _list_field(answer: Properties, name: str) -> list[dict[str, JsonValue]]:
    items = answer.get(name)
    if not isinstance(items, list):
        raise Malformed("answered without vectors")
    return [item if isinstance(item, dict) else {} for item in items]


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider(
            name="openai_compatible",
            base_url="http://127.0.0.1:11434/v1",
            model="",
            batch=100,
            max_tokens=2048,
            headers=_bearer,
            path=lambda model: "/embeddings",
            body=_openai,
            rows=_by_index,
        ),
        Provider(
            name="openai",
            base_url="https://api.openai.com/v1",
            model="text-embedding-3-small",
            batch=100,
            max_tokens=8191,
            headers=_bearer,
            path=lambda model: "/embeddings",
            body=_openai,
            rows=_by_index,
            lengths={
                "text-embedding-3-small": 1536,
                "text-embedding-3-large": 3072,
                "text-embedding-ada-002": 1536,
            },
        ),
        Provider(
            name="voyage",
            base_url="https://api.voyageai.com/v1",
            model="voyage-3.5",
            batch=128,
            max_tokens=32_000,
            headers=_bearer,
            path=lambda model: "/embeddings",
            body=_voyage,
            rows=_by_index,
            lengths={
                "voyage-3.5": 1024,
                "voyage-3.5-lite": 1024,
                "voyage-3-large": 1024,
                "voyage-code-3": 1024,
            },
        ),
        Provider(
            name="google",
            base_url="https://generativelanguage.googleapis.com/v1beta",
            model="gemini-embedding-001",
            batch=100,
            max_tokens=2048,
            headers=lambda key: {"x-goog-api-key": key},
            path=lambda model: f"/models/{model}:batchEmbedContents",
            body=_google,
            rows=_in_order,
            lengths={"gemini-embedding-001": 3072},
        ),
    )
}
