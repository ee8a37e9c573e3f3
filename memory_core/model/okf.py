"""Bundles of the Open Knowledge Format: folders of linked Markdown documents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Properties, Value

Severity = Literal["error", "warning"]


class BundleLink(Value):
    """A link between two documents."""

    target: str = Field(description="Path of the target document in the bundle.")
    kind: str = Field("", description="Relation type of the link, if any.")


class BundleDocument(Value):
    """A document of a bundle; the format calls it a concept."""

    path: str = Field(description="Path in the bundle, with forward slashes.")
    type: str = Field(description="Type given in the bundle.")
    title: str = Field("", description="Title, if any.")
    description: str = Field("", description="Description in one sentence.")
    resource: str = Field("", description="URL of the described resource.")
    tags: list[str] = Field(default_factory=list, description="Tags.")
    timestamp: str = Field("", description="Last change, as written in the file.")
    front: Properties = Field(default_factory=dict, description="The whole front matter.")
    body: str = Field("", description="The text below the front matter.")
    links: list[BundleLink] = Field(default_factory=list, description="Linked documents.")


class BundleProblem(Value):
    """A problem of one file."""

    path: str = Field(description="Path of the file in the bundle.")
    severity: Severity = Field(
        description="error: the document is skipped; warning: it is imported."
    )
    message: str = Field(description="The problem and its fix.")


class BundleReport(Value):
    """The result of validating a bundle."""

    path: str = Field(description="The folder.")
    valid: bool = Field(description="Whether there are no errors.")
    documents: int = Field(description="Number of valid documents.")
    links: int = Field(description="Number of links between documents.")
    errors: int = Field(description="Number of errors.")
    warnings: int = Field(description="Number of warnings.")
    problems: list[BundleProblem] = Field(description="The first problems, errors before warnings.")


class BundleNode(Value):
    """A document and its links."""

    path: str = Field(description="Path in the bundle.")
    type: str = Field(description="Entity type.")
    title: str = Field(description="Title, or the file name.")
    outgoing: list[str] = Field(description="Linked documents.")
    incoming: list[str] = Field(description="Documents that link to it.")


class BundleGraph(Value):
    """The link graph of a bundle."""

    path: str = Field(description="The folder.")
    start: list[str] = Field(description="The start documents.")
    nodes: list[BundleNode] = Field(description="All documents, ordered by path.")
    reachable: list[str] = Field(description="Documents reachable from the start.")
    unreachable: list[str] = Field(description="Documents not reachable from the start.")
