"""A bundle that a desktop client installs by one click."""

from __future__ import annotations

from pydantic import Field

from .base import Value


class DesktopBundle(Value):
    """A .mcpb file: the server, and a manifest that says how it is started."""

    path: str = Field(description="Where the file is.")
    version: str = Field(description="The version of the server in it.")
    tools: int = Field(description="How many tools its manifest lists.")
    files: int = Field(description="How many files it holds.")
    size_bytes: int = Field(description="Its size.")
    sha256: str = Field(description="Its checksum; the same source gives the same file.")
