"""
Parsing of bundles of the Open Knowledge Format.

1. Every Markdown file is a document, except the reserved index.md and log.md.
2. Its front matter has a type. Other fields are optional, and unknown ones are kept.
3. A link is a relation: ``/a/b.md`` from the root of the bundle, ``b.md`` or ``../b.md`` from the
   folder of the document. A list item ``- DEPENDS_ON: [b](/b.md)`` gives its type.
4. Paths use forward slashes on every system, and never leave the bundle.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote

from pydantic import JsonValue

from ...errors import ValidationError
from ...model.okf import BundleDocument, BundleGraph, BundleLink, BundleNode, BundleProblem
from .. import limits
from ..timestamps import parse_moment

SUFFIX = ".md"
RESERVED = frozenset(("index.md", "log.md"))
INDEX = "index.md"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(?<!`)(`++)(?!`)(?:(?!\1(?!`)).)*+\1(?!`)")
_LINK = re.compile(r"(?<!!)\[[^\[\]]*+\]\(\s*+<?([^()\s<>]++)>?(?:\s++\"[^\"]*+\")?\s*+\)")
_DEFINED = re.compile(r" {0,3}\[[^\[\]]++\]:\s*+<?([^\s<>]++)>?")
_TYPED = re.compile(r"\s*+[-*+] ([A-Z][A-Z0-9_]{0,63}): (?=\[)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")
# Local files.
_LOCAL_FILE = re.compile(r"(?i)file:|[a-z]:[\\/]")


def is_document(path: str) -> bool:
    """Return whether the file at *path* is a document: Markdown, and not reserved."""
    return path.endswith(SUFFIX) and posixpath.basename(path) not in RESERVED


def parse_document(path: str, front: Mapping[str, JsonValue] | None, body: str) -> BundleDocument:
    """Return the document, its links unresolved; raise ValidationError if it is invalid."""
    if front is None:
        raise ValidationError("no front matter. Begin the file with ---, type: ..., ---.")
    kind = front.get("type")
    if not isinstance(kind, str) or not kind.strip():
        raise ValidationError("the front matter has no type. Add one, such as type: Service.")
    texts = {
        name: _optional_text(name, front.get(name)) for name in ("title", "description", "resource")
    }
    return BundleDocument(
        path=path,
        type=limits.validate_name("its type", kind),
        tags=_parse_tags(front.get("tags")),
        timestamp=_validate_timestamp(front.get("timestamp")),
        front=limits.validate_properties(front, "the front matter"),
        body=body,
        **texts,
    )


def find_warnings(document: BundleDocument) -> Iterator[str]:
    """Yield warnings about a valid document."""
    if not document.body.strip():
        yield "no text below the front matter."


def resolve_links(
    document: BundleDocument, known: Collection[str]
) -> tuple[list[BundleLink], list[str]]:
    """Return the distinct links to documents in *known*, and the unknown targets."""
    found: dict[tuple[str, str], BundleLink] = {}
    unknown: dict[str, None] = {}
    for target, kind in iter_link_targets(document.path, document.body):
        if target == document.path or posixpath.basename(target) in RESERVED:
            continue
        place = target if target in known else f"{target}{SUFFIX}"
        if place in known:
            found.setdefault((place, kind), BundleLink(target=place, kind=kind))
        else:
            unknown.setdefault(target)
    named = {place for place, kind in found if kind}
    kept = [link for (place, kind), link in found.items() if kind or place not in named]
    return kept, list(unknown)


def iter_link_targets(path: str, body: str) -> Iterator[tuple[str, str]]:
    """Yield target path and type of each link of a text within the bundle."""
    for written, kind in _iter_links(body):
        if target := resolve_link(path, written):
            yield target, kind


def external_links(document: BundleDocument) -> list[str]:
    """Return the distinct links to files outside the bundle, as written."""
    written = dict.fromkeys(target for target, _ in _iter_links(document.body))
    return [
        each for each in written if _LOCAL_FILE.match(each) or _leaves_bundle(document.path, each)
    ]


def resolve_link(path: str, target: str) -> str:
    """Return the path a link leads to; "" if it is not in the bundle."""
    whole = _normalize_target(path, target)
    return "" if whole == "." or _is_outside(whole) else whole


def _leaves_bundle(path: str, target: str) -> bool:
    return _is_outside(_normalize_target(path, target))


def _is_outside(whole: str) -> bool:
    return whole == ".." or whole.startswith("../")


def _normalize_target(path: str, target: str) -> str:
    """Return the path of a link from the root of the bundle; "." for the root or a URL."""
    place = unquote(target.partition("#")[0].partition("?")[0]).replace("\\", "/")
    if _SCHEME.match(target) or not place:
        return "."
    start = "" if place.startswith("/") else posixpath.dirname(path)
    return posixpath.normpath(posixpath.join(start, place.lstrip("/")))


def _iter_links(body: str) -> Iterator[tuple[str, str]]:
    """Yield each link of a text as written, and its type."""
    for line in _iter_prose(body):
        typed = _TYPED.match(line)
        first = typed.end() if typed else -1
        for match in (*_LINK.finditer(line), *_DEFINED.finditer(line)):
            yield match[1], typed[1] if typed and match.start() == first else ""


def format_link(path: str) -> str:
    """Return *path* as a link from the root of the bundle."""
    return "/" + quote(path, safe="/-_.~")


def build_graph(
    folder: str, documents: Sequence[BundleDocument], start: Sequence[str] = ()
) -> BundleGraph:
    """Return all incoming and outgoing links, and the documents reachable from *start*."""
    outgoing = {each.path: sorted({link.target for link in each.links}) for each in documents}
    incoming: dict[str, list[str]] = {path: [] for path in outgoing}
    for path in sorted(outgoing):
        for target in outgoing[path]:
            incoming[target].append(path)
    begin = list(start) or sorted(path for path, sources in incoming.items() if not sources)
    reached = find_reachable(outgoing, begin)
    return BundleGraph(
        path=folder,
        start=begin,
        nodes=[
            BundleNode(
                path=each.path,
                type=each.type,
                title=document_name(each),
                outgoing=outgoing[each.path],
                incoming=incoming[each.path],
            )
            for each in sorted(documents, key=lambda each: each.path)
        ],
        reachable=sorted(reached),
        unreachable=sorted(outgoing.keys() - reached),
    )


def find_reachable(outgoing: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    """Return the nodes reachable from *start*, including *start*."""
    reached, todo = set(start), list(start)
    while todo:
        for target in outgoing[todo.pop()]:
            if target not in reached:
                reached.add(target)
                todo.append(target)
    return reached


def document_name(document: BundleDocument) -> str:
    """Return the title or, without one, the file name as words."""
    stem = posixpath.basename(document.path).removesuffix(SUFFIX)
    return document.title or re.sub(r"[-_\s]+", " ", stem).strip() or stem


def sort_problems(problems: Iterable[BundleProblem]) -> list[BundleProblem]:
    return sorted(problems, key=lambda each: (each.severity != "error", each.path, each.message))


def _iter_prose(body: str) -> Iterator[str]:
    """Yield the lines outside of code blocks, without inline code."""
    fence = ""
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence)
            fence = "" if closes and not line.strip(" " + fence[0]) else fence
        elif mark:
            fence = mark[1]
        else:
            yield _CODE.sub(" ", line) if "`" in line else line


def _optional_text(name: str, value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, list | dict):
        raise ValidationError(f"its {name} is not a string.")
    return str(value)


def _parse_tags(value: JsonValue) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [tag.strip() for tag in value.split(",") if tag.strip()]
    if not isinstance(value, list) or any(isinstance(tag, list | dict) for tag in value):
        raise ValidationError("its tags are not a list of strings.")
    return [str(tag) for tag in value]


def _validate_timestamp(value: JsonValue) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValidationError(
            f"its timestamp {str(value)[:40]} is not a timestamp, such as 2026-03-14."
        )
    parse_moment("its timestamp", value)
    return value
