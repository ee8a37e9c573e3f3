"""Names, ids and paths for converting between bundle documents and entities."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from ...model.okf import BundleDocument
from ..limits import MAX_NAME
from ..text.normalization import clean_name, fold_name
from . import okf

# Properties for document fields that entities do not have.
PATH = "okf_path"
TITLE = "okf_title"
TYPE = "original_type"
_OWN_PROPERTIES = (PATH, TITLE, TYPE)
_HEAD = ("type", "title", "description", "resource", "tags", "timestamp")

_UNSAFE_CHARACTERS = re.compile(r'[<>:"|?*\\\x00-\x1f]')
_UNSAFE = re.compile(r"[^\w.-]+")
# Reserved device names on Windows, with any suffix.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?\Z", re.IGNORECASE)
_LONGEST = 80


def entity_key(path: str) -> str:
    """Return the entity id for the document at *path*."""
    return path.removesuffix(okf.SUFFIX)[-MAX_NAME:]


def source_uri(path: str) -> str:
    """Return the source recorded for the text of the document at *path*."""
    return f"okf:{path}"


def document_names(documents: Sequence[BundleDocument]) -> dict[str, str]:
    """Return the name of each document by path; equal names get their path appended."""
    by_path = {each.path: clean_name(okf.document_name(each))[:MAX_NAME] for each in documents}
    count = Counter(fold_name(name) for name in by_path.values())
    return {
        path: name
        if count[fold_name(name)] == 1
        else f"{name[: MAX_NAME // 2]} ({entity_key(path)[-MAX_NAME // 3 :]})"
        for path, name in by_path.items()
    }


def to_properties(document: BundleDocument, *, name: str, node_type: str) -> dict[str, JsonValue]:
    """Return the front matter as properties, and what is needed to export it again."""
    kept = {
        field: value
        for field, value in document.front.items()
        if field not in ("type", "title", *_OWN_PROPERTIES)
    }
    kept[PATH] = document.path
    if document.type != node_type:
        kept[TYPE] = document.type
    title = document.front.get("title")
    if title != name:
        kept[TITLE] = title
    return kept


def front_matter(
    name: str, node_type: str, values: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return the front matter of an entity, fields of the format first."""
    result: dict[str, JsonValue] = {
        "type": values.get(TYPE) or node_type,
        "title": values.get(TITLE, name),
        **{
            field: value
            for field, value in values.items()
            if field not in ("type", "title", *_OWN_PROPERTIES)
        },
    }
    if result["title"] is None:
        del result["title"]
    return order_front_matter(result)


def order_front_matter(front: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the front matter with the fields of the format first."""
    fields = [*(field for field in _HEAD if field in front), *(f for f in front if f not in _HEAD)]
    return {field: front[field] for field in fields}


def free_path(folder: str, name: str, is_taken: Callable[[str], bool]) -> str:
    """Return an unused, portable path for *name*."""
    stem = safe_stem(name)
    place, number = posixpath.join(folder, stem + okf.SUFFIX), 2
    while is_taken(place):
        place = posixpath.join(folder, f"{stem}-{number}{okf.SUFFIX}")
        number += 1
    return place


def safe_stem(name: str) -> str:
    """Return *name* as a portable file or folder name."""
    stem = _UNSAFE.sub("-", name.casefold()).strip("-. ")[:_LONGEST].rstrip("-. ") or "unnamed"
    if _DEVICE.match(stem) or f"{stem}{okf.SUFFIX}" in okf.RESERVED:
        return f"{stem}-1"
    return stem


def is_safe_path(place: JsonValue) -> bool:
    """Return whether a stored path may be written."""
    if not isinstance(place, str) or okf.resolve_link("", f"/{place}") != place:
        return False
    parts = place.split("/")
    return okf.is_document(place) and not any(
        _DEVICE.match(part)
        or part.startswith(".")
        or part != part.strip(" .")
        or _UNSAFE_CHARACTERS.search(part)
        for part in parts
    )
