"""MCP bundle (.mcpb) for one-click installation in desktop clients."""

from __future__ import annotations

from pydantic import Field

from .base import Value


class DesktopBundle(Value):
    """A .mcpb file: the server, and a manifest with its start command."""

    path: str = Field(description="Path of the file.")
    version: str = Field(description="Server version in the bundle.")
    tools: int = Field(description="Number of tools in the manifest.")
    files: int = Field(description="Number of files.")
    size_bytes: int = Field(description="Size in bytes.")
    sha256: str = Field(description="SHA-256 checksum; reproducible for the same source.")
