"""Regenerate document paths that were derived from a secret, from the redacted title."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from ...model.okf import BundleDocument
from ...rules.graph.identity import is_generated_id
from ...rules.import_export import okf, okf_names
from ...rules.secrets import has_secret


def with_clean_paths(
    given: Sequence[BundleDocument], clean: Sequence[BundleDocument]
) -> list[BundleDocument]:
    """
    Return the *clean* form of what was *given*, under paths that tell no secret either.

    What links to a document still does.
    """
    renamed: dict[str, str] = {}
    taken = {document.path for document in given}
    for before, after in zip(given, clean, strict=True):
        if _tells(before):
            folder = posixpath.dirname(before.path)
            place = "" if has_secret(folder) else folder
            renamed[before.path] = okf_names.free_path(
                place, okf.document_name(after), taken.__contains__
            )
            taken.add(renamed[before.path])
    return [_move_document(document, renamed) for document in clean] if renamed else [*clean]


def _tells(document: BundleDocument) -> bool:
    """Return whether a path holds a secret, by itself or by the title that it was made from."""
    stem, title = _stem(document.path), document.title
    made = is_generated_id(stem, title) or stem == okf_names.safe_stem(title)
    return has_secret(document.path) or (made and has_secret(title))


def _move_document(document: BundleDocument, renamed: Mapping[str, str]) -> BundleDocument:
    body = document.body
    for old, new in renamed.items():
        body = body.replace(_stem(old), _stem(new))
    links = [
        link.model_copy(update={"target": renamed.get(link.target, link.target)})
        for link in document.links
    ]
    path = renamed.get(document.path, document.path)
    return document.model_copy(update={"path": path, "body": body, "links": links})


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(okf.SUFFIX)
