"""Bundles of the Open Knowledge Format: folders of Markdown documents that link to each other."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Properties, Value

Severity = Literal["error", "warning"]


class BundleLink(Value):
    """A link from one document to another."""

    target: str = Field(description="Path of the document it leads to, within the bundle.")
    kind: str = Field("", description="The relation type it was written with, if any.")


class BundleDocument(Value):
    """One document of a bundle: a concept, as the format calls it."""

    path: str = Field(description="Its place in the bundle, with forward slashes.")
    type: str = Field(description="What kind of thing it is about, in the bundle's own words.")
    title: str = Field("", description="Its title, if it has one.")
    description: str = Field("", description="What it is about, in a sentence.")
    resource: str = Field("", description="Where the thing itself is: an address.")
    tags: list[str] = Field(default_factory=list, description="Its tags.")
    timestamp: str = Field("", description="When it was last changed, as it was written.")
    front: Properties = Field(default_factory=dict, description="The whole front matter.")
    body: str = Field("", description="The text below the front matter.")
    links: list[BundleLink] = Field(default_factory=list, description="Documents it links to.")


class BundleProblem(Value):
    """What is not as it should be with one file."""

    path: str = Field(description="The file, within the bundle.")
    severity: Severity = Field(description="error: the document is not taken; warning: it is.")
    message: str = Field(description="What is wrong, and what to do.")


class BundleReport(Value):
    """What a check of a bundle found."""

    path: str = Field(description="The folder.")
    valid: bool = Field(description="Whether there is no error.")
    documents: int = Field(description="How many documents can be taken.")
    links: int = Field(description="How many links lead from one of them to another.")
    errors: int = Field(description="How many errors there are.")
    warnings: int = Field(description="How many warnings there are.")
    problems: list[BundleProblem] = Field(description="The first of them, errors before warnings.")


class BundleNode(Value):
    """A document among the others."""

    path: str = Field(description="Its place in the bundle.")
    type: str = Field(description="Its type.")
    title: str = Field(description="Its title, or the name of its file.")
    outgoing: list[str] = Field(description="Documents it links to.")
    incoming: list[str] = Field(description="Documents that link to it.")


class BundleGraph(Value):
    """How the documents of a bundle hang together."""

    path: str = Field(description="The folder.")
    start: list[str] = Field(description="The documents that reachability was counted from.")
    nodes: list[BundleNode] = Field(description="All documents, in order of path.")
    reachable: list[str] = Field(description="What following links from the start leads to.")
    unreachable: list[str] = Field(description="What it never leads to.")
