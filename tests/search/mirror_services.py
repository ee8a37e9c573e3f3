"""Local HTTP stand-ins of the mirror services."""

from __future__ import annotations

from collections import Counter
from typing import Any

from local_provider import Answer, Asked

KEY = "mirror-key-1"


class Kept:
    """What a service holds, by namespace and id; every request is checked for its key."""

    def __init__(self) -> None:
        self.spaces: dict[str, dict[str, dict[str, Any]]] = {}
        self.requests = 0
        # How often each id was sent, by namespace.
        self.sent: Counter[tuple[str, str]] = Counter()
        self.failing = False

    def __call__(self, asked: Asked) -> Answer:
        self.requests += 1
        if self.failing:
            return Answer({"error": f"{KEY} is over its quota"}, 500, {"retry-after": "90"})
        return self.answer(asked)

    def answer(self, asked: Asked) -> Answer:
        raise NotImplementedError

    def ids(self, space: str) -> set[int]:
        return {int(id) for id in self.spaces.get(space, {})}


class UpstashKept(Kept):
    name = "upstash"

    def answer(self, asked: Asked) -> Answer:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            return Answer({"error": "Unauthorized", "status": 401}, 401)
        _, act, space = asked.path.split("/")
        held = self.spaces.setdefault(space, {})
        match act:
            case "reset":
                held.clear()
            case "upsert":
                held.update({row["id"]: row for row in asked.body})
                self.sent.update((space, row["id"]) for row in asked.body)
            case "delete":
                for id in asked.body["ids"]:
                    held.pop(id, None)
        return Answer({"result": "Success"})


class PineconeKept(Kept):
    name = "pinecone"

    def answer(self, asked: Asked) -> Answer:
        if asked.headers.get("api-key") != KEY:
            return Answer(b"Unauthorized", 401)
        space = asked.body["namespace"]
        if asked.path == "/vectors/upsert":
            rows = [row | {"vector": row.pop("values")} for row in asked.body["vectors"]]
            self.spaces.setdefault(space, {}).update({row["id"]: row for row in rows})
            self.sent.update((space, row["id"]) for row in rows)
            return Answer({"upsertedCount": len(rows)})
        if space not in self.spaces:
            return Answer({"code": 5, "message": "Namespace not found"}, 404)
        if asked.body.get("deleteAll"):
            del self.spaces[space]
        for id in asked.body.get("ids", ()):
            self.spaces[space].pop(id, None)
        return Answer({})
