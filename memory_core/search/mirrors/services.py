"""HTTP clients of the mirror services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from ...model.base import Properties
from ..endpoint import Endpoint


@dataclass(frozen=True)
class Vector:
    """A vector with its id and metadata."""

    id: str
    numbers: list[float]
    said: dict[str, str]


class MirrorService(Protocol):
    """A service that stores vectors by namespace and id."""

    def empty(self, namespace: str) -> None: ...

    def put(self, namespace: str, vectors: Sequence[Vector]) -> None:
        """Add or replace vectors."""

    def drop(self, namespace: str, ids: Sequence[str]) -> None:
        """Remove *ids*; unknown ones are ignored."""


class Upstash:
    """Upstash Vector."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @staticmethod
    def headers(key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {key}"}

    def empty(self, namespace: str) -> None:
        self._endpoint.post(f"/reset/{namespace}", {}, absent_is_fine=True)

    def put(self, namespace: str, vectors: Sequence[Vector]) -> None:
        self._endpoint.post(
            f"/upsert/{namespace}", [_properties_of(each, "vector") for each in vectors]
        )

    def drop(self, namespace: str, ids: Sequence[str]) -> None:
        self._endpoint.post(f"/delete/{namespace}", {"ids": [*ids]}, absent_is_fine=True)


class Pinecone:
    """A Pinecone index, at its own host."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @staticmethod
    def headers(key: str) -> dict[str, str]:
        return {"api-key": key, "x-pinecone-api-version": "2025-04"}

    def empty(self, namespace: str) -> None:
        body: Properties = {"namespace": namespace, "deleteAll": True}
        # A namespace is created by its first vector.
        self._endpoint.post("/vectors/delete", body, absent_is_fine=True)

    def put(self, namespace: str, vectors: Sequence[Vector]) -> None:
        written: list[JsonValue] = [_properties_of(each, "values") for each in vectors]
        self._endpoint.post("/vectors/upsert", {"namespace": namespace, "vectors": written})

    def drop(self, namespace: str, ids: Sequence[str]) -> None:
        body: Properties = {"namespace": namespace, "ids": [*ids]}
        self._endpoint.post("/vectors/delete", body, absent_is_fine=True)


SERVICES: dict[str, type[Upstash] | type[Pinecone]] = {"upstash": Upstash, "pinecone": Pinecone}


def _properties_of(vector: Vector, name: str) -> Properties:
    written: Properties = {"id": vector.id, name: [*vector.numbers]}
    if vector.said:
        written["metadata"] = dict(vector.said)
    return written
