"""Results of imports and exports."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from .base import Value


class ExportResult(Value):
    """A file that holds what a project, or the whole memory, knows now."""

    path: str = Field(description="Where the file is.")
    format: str = Field(description="Its format.")
    project_id: str = Field(description='The project it holds; "*" is all of them.')
    at: datetime = Field(description="The moment whose state it holds.")
    rows: dict[str, int] = Field(description="How many rows of each kind it holds.")
    size_bytes: int = Field(description="Its size.")
    sha256: str = Field(description="Its checksum.")
    notice: str = Field("", description="What it does not hold.")


class RejectedRow(Value):
    """Something that was left alone."""

    where: str = Field(description="The line, or the table and row.")
    why: str = Field(description="Why it was not taken.")


class ImportResult(Value):
    """What an import did. Nothing that was there before has lost anything by it."""

    path: str = Field(description="The file it came from.")
    format: str = Field(description="jsonl (an export), memory, mcp, sqlite or okf.")
    added: dict[str, int] = Field(description="How many of each kind are new.")
    already_there: dict[str, int] = Field(description="How many of each kind were known.")
    refused_count: int = Field(description="How many were left alone.")
    refused: list[RejectedRow] = Field(description="The first of those, each with the reason.")
    mapped: dict[str, int] = Field(
        description="Words that are not in the ontology, as 'word -> type'; kept in properties."
    )
    not_recognised: list[str] = Field(description="Tables and columns that were not understood.")
    batch_id: str = Field(description="Give it to undo to take the import back; empty: no change.")
    notice: str = Field("", description="What is not as it should be, and what to do.")
