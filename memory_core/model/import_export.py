"""Results of exports and imports."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from .base import Value


class ExportResult(Value):
    """A file with the current data of a project or of the whole memory."""

    path: str = Field(description="Path of the file.")
    format: str = Field(description="Format.")
    project_id: str = Field(description='Exported project; "*" for all projects.')
    at: datetime = Field(description="Time of the exported state.")
    rows: dict[str, int] = Field(description="Number of rows by kind.")
    size_bytes: int = Field(description="Size in bytes.")
    sha256: str = Field(description="SHA-256 checksum.")
    notice: str = Field("", description="What the file does not contain.")


class RejectedRow(Value):
    """A row that was not imported."""

    where: str = Field(description="The line, or the table and row.")
    why: str = Field(description="Why it was rejected.")


class ImportResult(Value):
    """The result of an import. Existing rows keep their data."""

    path: str = Field(description="The imported file.")
    format: str = Field(
        description="jsonl (an export), memory, mcp, turbovec, turbomem, vellum, sqlite or okf."
    )
    added: dict[str, int] = Field(description="Number of new rows by kind.")
    already_there: dict[str, int] = Field(description="Number of existing rows by kind.")
    refused_count: int = Field(description="Number of rejected rows.")
    refused: list[RejectedRow] = Field(description="The first rejected rows, each with the reason.")
    mapped: dict[str, int] = Field(
        description="Words that are not in the ontology, as 'word -> type'; kept in properties."
    )
    not_recognised: list[str] = Field(
        description="Tables, columns, fields and files that were left out."
    )
    batch_id: str = Field(description="Pass to undo to revert the import; empty: no change.")
    notice: str = Field("", description="Warnings and how to fix them.")
