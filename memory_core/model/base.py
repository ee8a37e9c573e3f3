"""What all values share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

# Properties and metadata: any JSON object.
Properties = dict[str, JsonValue]

# Whether the vectors of what was written exist already; full text always does.
EmbeddingState = Literal["ready", "pending"]


class Value(BaseModel):
    """An immutable value; its fields are its columns and its output schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")
