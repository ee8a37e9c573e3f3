"""Responses of embedding providers, made of word hashes."""

from __future__ import annotations

from local_provider import Answer, Asked
from support import hashed_vectors

from memory_core.settings import Settings

DIMENSION = 64


def openai_form(asked: Asked) -> Answer:
    """Answer as OpenAI, Voyage and most local servers do; twice as long as a unit vector."""
    length = asked.body.get("dimensions") or asked.body.get("output_dimension") or DIMENSION
    rows = 2 * hashed_vectors(asked.body["input"], length)
    listed = [{"index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
    return Answer({"data": listed})


def shuffled(asked: Asked) -> Answer:
    """Answer as before, but with the last vector first."""
    answer = openai_form(asked)
    answer.body["data"].reverse()
    return answer


def google_form(asked: Asked) -> Answer:
    texts = [each["content"]["parts"][0]["text"] for each in asked.body["requests"]]
    length = asked.body["requests"][0].get("outputDimensionality") or DIMENSION
    rows = 3 * hashed_vectors(texts, length)
    return Answer({"embeddings": [{"values": row.tolist()} for row in rows]})


def settings_of(provider: str, address: str, **more) -> Settings:
    """Return settings by which *provider* is at *address*, with a model of 64 numbers."""
    named = {"embedding_model": "words", "embedding_api_key": "sk-secret-1"}
    return Settings(embedding_provider=provider, embedding_base_url=address, **(named | more))
