"""
Conversion of a project to the documents of a bundle.

1. An entity imported from a bundle is exported to its original path, with its front matter and
   text.
2. Other entities get a path from their type and id, their observations as a list, and their
   relations as links with their types.
3. Documents that belong to no entity are exported to the folder ``documents``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from ...model.okf import BundleDocument
from . import okf, okf_names

LINK = "REFERENCES"
_DOCUMENTS = "documents"
_BRACKETS = re.compile(r"[\[\]\n]+")

Row = Mapping[str, Any]


@dataclass
class ProjectRows:
    """The rows of a project that a bundle can contain, grouped by owner."""

    entities: dict[str, Row] = field(default_factory=dict)
    facts: dict[str, list[str]] = field(default_factory=dict)
    relations: list[Row] = field(default_factory=list)
    documents: dict[str, Row] = field(default_factory=dict)
    texts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    # Number of rows in tables that bundles do not support.
    left: dict[str, int] = field(default_factory=dict)

    def add_row(self, table: str, row: Row) -> None:
        if table == "entities" and row["status"] == "active":
            self.entities[row["id"]] = row
        elif table == "observations" and row["status"] == "active":
            self.facts.setdefault(row["entity_id"], []).append(row["content"])
        elif table == "relations":
            self.relations.append(row)
        elif table == "documents" and row["chunk_count"]:
            self.documents[row["id"]] = row
        elif table == "chunks":
            self.texts.setdefault(row["document_id"], []).append((row["position"], row["text"]))
        elif table in ("entries", "bottles"):
            self.left[table] = self.left.get(table, 0) + 1

    def document_text(self, document_id: str) -> str:
        # Other chunks belong to a text that is being written or deleted.
        first, count = (self.documents[document_id][at] for at in ("first_position", "chunk_count"))
        chunks = sorted(self.texts.get(document_id, []))
        return "".join(text for at, text in chunks if first <= at < first + count)


@dataclass(frozen=True)
class Page:
    """A document to write."""

    path: str
    title: str
    front: Mapping[str, JsonValue]
    body: str


def build_pages(project: ProjectRows) -> tuple[list[Page], int]:
    """Return the documents ordered by path, and the number of exported relations."""
    places = _assign_paths(project.entities)
    edges = _outgoing_edges(project, places)
    known = set(places.values())
    taken = {path.casefold() for path in known}
    own = _document_ids(project)
    made: list[Page] = []
    for id, row in project.entities.items():
        text = project.document_text(own[id]) if id in own else ""
        more = _PageExtras(project.facts.get(id, []), edges.get(id, []), known)
        made.append(_entity_page(row, places[id], text, more))
    used = set(own.values())
    for id, row in project.documents.items():
        if id not in used:
            made.append(
                _document_page(
                    row, project.document_text(id), lambda place: place.casefold() in taken
                )
            )
            taken.add(made[-1].path.casefold())
    return sorted(made, key=lambda page: page.path), sum(map(len, edges.values()))


def build_index(project_id: str, pages: Iterable[Page]) -> str:
    """Return an index of all documents, with one section per folder."""
    folders: dict[str, list[Page]] = {}
    for page in pages:
        folders.setdefault(page.path.rpartition("/")[0], []).append(page)
    lines = [f"# {project_id}"]
    for folder, members in sorted(folders.items()):
        lines += ["", *([f"## {folder}", ""] if folder else [])]
        for page in members:
            description = str(page.front.get("description") or "")
            line = f"- [{_label(page.title)}]({okf.format_link(page.path)})"
            lines.append(f"{line}: {_BRACKETS.sub(' ', description)}" if description else line)
    return "\n".join(lines) + "\n"


def _assign_paths(entities: Mapping[str, Row]) -> dict[str, str]:
    """Return a path for each entity: the original one, if it is still usable."""
    places: dict[str, str] = {}
    taken: set[str] = set()

    def is_taken(place: str) -> bool:
        return place.casefold() in taken

    for keeps in (True, False):
        for id, row in entities.items():
            kept = _properties(row).get(okf_names.PATH)
            if id in places or keeps != (okf_names.is_safe_path(kept) and not is_taken(str(kept))):
                continue
            folder = okf_names.safe_stem(row["node_type"])
            places[id] = str(kept) if keeps else okf_names.free_path(folder, row["key"], is_taken)
            taken.add(places[id].casefold())
    return places


def _outgoing_edges(
    project: ProjectRows, places: Mapping[str, str]
) -> dict[str, list[tuple[str, str, str]]]:
    """Return type, target path and target name of the relations of each entity."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in project.relations:
        end = project.entities.get(row["to_id"])
        if row["from_id"] in places and end is not None:
            edge = (row["relationship_type"], places[row["to_id"]], end["name"])
            found.setdefault(row["from_id"], []).append(edge)
    return {id: sorted(edges) for id, edges in found.items()}


def _document_ids(project: ProjectRows) -> dict[str, str]:
    """Map each imported entity to the document with its text."""
    by_source = {row["source"]: id for id, row in project.documents.items() if row["source"]}
    found: dict[str, str] = {}
    for id, row in project.entities.items():
        path = _properties(row).get(okf_names.PATH)
        document = by_source.get(okf_names.source_uri(path)) if isinstance(path, str) else None
        if document is not None:
            found[id] = document
    return found


@dataclass(frozen=True)
class _PageExtras:
    """Observations and relations of an entity, and the paths of all documents."""

    facts: list[str]
    edges: list[tuple[str, str, str]]
    known: set[str]


def _entity_page(row: Row, path: str, text: str, more: _PageExtras) -> Page:
    values = _properties(row)
    front = okf_names.front_matter(row["name"], row["node_type"], values)
    if okf_names.PATH not in values:
        front = okf_names.order_front_matter({"timestamp": row["updated_at"], **front})
    existing, _ = okf.resolve_links(BundleDocument(path=path, type="-", body=text), more.known)
    linked = {(link.target, link.kind or LINK) for link in existing}
    edges = [edge for edge in more.edges if (edge[1], edge[0]) not in linked]
    return Page(path, row["name"], front, text + "".join(_sections(text, more.facts, edges)))


def _sections(text: str, facts: list[str], edges: list[tuple[str, str, str]]) -> Iterator[str]:
    gap = "\n" if not text or text.endswith("\n") else "\n\n"
    fact_lines = [f"- {fact}".replace("\n", "\n  ") for fact in facts if fact not in text]
    links = [f"- {kind}: [{_label(name)}]({okf.format_link(end)})" for kind, end, name in edges]
    for heading, lines in (("Observations", fact_lines), ("Relations", links)):
        if lines:
            yield gap + "\n".join([f"## {heading}", "", *lines]) + "\n"
            gap = "\n"


def _document_page(row: Row, text: str, is_taken: Callable[[str], bool]) -> Page:
    front: dict[str, JsonValue] = {"type": "document", "title": row["title"]}
    # Local file paths are not exported.
    if str(row["source"]).startswith(("http://", "https://")):
        front["resource"] = row["source"]
    front["timestamp"] = row["updated_at"]
    stem = str(row["title"]).removesuffix(okf.SUFFIX)
    return Page(okf_names.free_path(_DOCUMENTS, stem, is_taken), row["title"], front, text)


def _properties(row: Row) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = json.loads(row["properties"])
    return values


def _label(name: str) -> str:
    return _BRACKETS.sub(" ", name).strip() or "unnamed"
