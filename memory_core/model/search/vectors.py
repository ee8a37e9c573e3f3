"""State of the embedding model and the vector index."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..base import Value

# idle: not requested yet. absent: the model files are not on this machine.
ModelState = Literal["idle", "loading", "ready", "failed", "absent"]

# Backends of the vector index.
BackendKind = Literal["exact", "turbovec", "sqlite-vec"]


class ModelIdentity(Value):
    """Identity of an embedding model. Vectors are comparable only if their identities are equal."""

    model: str = Field(description="Name and fingerprint of the weights.")
    dimension: int = Field(ge=1, description="Dimension of its vectors.")
    max_tokens: int = Field(
        ge=1, description="Maximum number of tokens of a text; the rest is ignored."
    )


class IndexStatus(Value):
    """State of one process's vector index."""

    kind: Literal["none", "exact", "turbovec", "sqlite-vec"] = Field(
        description="Search method: not loaded, exact, or a backend with rescoring."
    )
    model: str = Field(description="The model of its vectors; empty before the first update.")
    vectors: int = Field(description="Number of vectors.")
    position: int = Field(description="Position in the vector change log.")
    pending: int = Field(description="Number of passages waiting for a vector.")
    rebuilds: int = Field(description="Number of rebuilds since this process started.")
