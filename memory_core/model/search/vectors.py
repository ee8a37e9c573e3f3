"""The embedding model and what stands in the vector index."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..base import Value

# idle: nobody has asked for it yet. absent: its files are not on this machine.
ModelState = Literal["idle", "loading", "ready", "failed", "absent"]

# What can hold the vectors of an index.
BackendKind = Literal["exact", "turbovec", "sqlite-vec"]


class ModelIdentity(Value):
    """Two vectors may be compared if, and only if, their models' identities are equal."""

    model: str = Field(description="Name and fingerprint of the weights.")
    dimension: int = Field(ge=1, description="How many numbers a vector has.")
    max_tokens: int = Field(ge=1, description="Tokens of a text beyond these are not seen.")


class IndexStatus(Value):
    """One process's vector index, as of its last look at the database."""

    kind: Literal["none", "exact", "turbovec", "sqlite-vec"] = Field(
        description="How it searches: not loaded, every vector, or a backend and rescoring."
    )
    model: str = Field(description="The model its vectors are of; empty before the first look.")
    vectors: int = Field(description="How many vectors it holds.")
    position: int = Field(description="The last entry of the vector log that it has applied.")
    pending: int = Field(description="Pieces that were waiting for a vector at that time.")
    rebuilds: int = Field(description="How often it was built anew since this process started.")
