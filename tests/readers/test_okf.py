"""Reading a bundle: its documents, their links, and what is wrong with it."""

from __future__ import annotations

import os
import sys

import pytest
from okf_bundle import BUNDLE, ORDERS, laid

from memory_core import ForbiddenError, NotFoundError, ValidationError
from memory_core.readers.front_matter import (
    MOST_VALUES,
    format_front_matter,
    parse_front_matter,
    split_front_matter,
)
from memory_core.readers.okf import read_bundle

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX links and file names")


def read(folder, **caps):
    return read_bundle(folder, [folder], max_bytes=caps.pop("max_bytes", 100_000), **caps)


def reported(bundle):
    return [(each.path, each.severity, each.message) for each in bundle.problems]


def test_all_documents_are_read_with_their_front_matter(tmp_path):
    laid(tmp_path)

    bundle = read(tmp_path)

    found = {document.path: document for document in bundle.documents}
    assert sorted(set(BUNDLE) - {"index.md", "log.md"}) == sorted(found)
    orders = found["tables/orders.md"]
    assert ("BigQuery Table", "Orders", "One row for each order.") == (
        orders.type,
        orders.title,
        orders.description,
    )
    assert (["sales", "daily"], "2026-03-14T09:30:00Z") == (orders.tags, orders.timestamp)
    assert ("finance", "https://example.com/tables/orders") == (
        orders.front["owner"],
        orders.resource,
    )
    assert orders.body.startswith("\n# Orders\n")
    assert ([], ("tables/orders.md",)) == (reported(bundle), bundle.indexed)


def test_links_are_resolved_from_the_root_and_from_the_document(tmp_path):
    laid(tmp_path)

    orders = next(each for each in read(tmp_path).documents if each.title == "Orders")

    assert {
        ("tables/customers.md", ""),
        ("services/shop.md", ""),
        ("services/loader.md", "DEPENDS_ON"),
    } == {(link.target, link.kind) for link in orders.links}


@pytest.mark.parametrize(
    ("text", "severity", "message"),
    [
        ("no front matter", "error", "no front matter"),
        ("---\ntitle: x\n---\nbody", "error", "has no type"),
        ("---\ntype: ''\n---\nbody", "error", "has no type"),
        ("---\ntype: x\ntimestamp: yesterday\n---\nbody", "error", "timestamp 'yesterday'"),
        ("---\ntype: x\ntimestamp: 20260314\n---\nbody", "error", "timestamp 20260314"),
        ("---\ntype: x\ntags: {a: 1}\n---\nbody", "error", "tags"),
        ("---\ntype: x\ntitle: [1]\n---\nbody", "error", "title"),
        ("---\ntype: [x\n---\nbody", "error", "no YAML"),
        (b"---\ntype: x\n---\n\xff\xfe", "error", "UTF-8"),
        ("---\ntype: x\n---\n \n", "warning", "no text"),
        ("---\ntype: x\n---\n[a](/gone.md)", "warning", "links to gone.md"),
        ("---\ntype: x\n---\n[a](https://example.com/a.md) ![b](/p.md)", "", ""),
    ],
)
def test_a_fault_is_named_as_an_error_or_a_warning(tmp_path, text, severity, message):
    laid(tmp_path, {"a.md": text})

    problems = reported(read(tmp_path))

    assert [severity] * bool(severity) == [found for _, found, _ in problems]
    assert all(message in said for _, _, said in problems)


def test_front_matter_round_trips():
    values = {
        "type": "x",
        "timestamp": "2026-03-14",
        "tags": ["1", "true", "yes", "null", "", 1, 1.5, True, None],
        "deep": {"a": [{"b": "ä 茶: #"}]},
        "long": "word " * 100,
    }

    front, body = split_front_matter(format_front_matter(values) + "body\n")

    assert (values, "body\n") == (parse_front_matter(front), body)


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ("a: &a [*a]", "contains itself"),
        ("[" * 30_000, "nested too deeply"),
        ("a: !!python/object/apply:os.getcwd ''", "only plain values"),
        ("a: 1\na: 2", "twice"),
        ("- 1", "no mapping"),
        ("a: " + "x" * 70_000, "characters"),
    ],
)
def test_hostile_front_matter_is_refused(front, why):
    with pytest.raises(ValidationError, match=why):
        parse_front_matter(front)


def test_unbounded_alias_expansion_is_rejected():
    lines = ["a0: &a0 [" + ",".join("x" * 9) + "]"]
    lines += [f"a{n}: &a{n} [" + ",".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 10)]

    with pytest.raises(ValidationError, match=f"{MOST_VALUES:,}"):
        parse_front_matter("\n".join(lines))
    assert {"a": ["x"], "b": ["x"]} == parse_front_matter("a: &a [x]\nb: *a")


@posix
def test_symlinks_do_not_escape_the_bundle(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    laid(outside, {"secret.md": ORDERS})
    laid(inside, {"a.md": "---\ntype: x\n---\nbody"})
    os.symlink(outside / "secret.md", inside / "b.md")
    os.symlink(outside, inside / "folder")
    os.symlink(inside, inside / "loop")

    bundle = read(inside)

    assert ["a.md"] == [document.path for document in bundle.documents]
    assert [("b.md", "error")] == [(path, severity) for path, severity, _ in reported(bundle)]


def test_a_folder_that_is_too_large_is_refused(tmp_path):
    laid(tmp_path)

    with pytest.raises(ForbiddenError, match="more than 3 files"):
        read(tmp_path, most_files=3)
    assert [("tables/orders.md", "error")] == [
        (path, severity)
        for path, severity, _ in reported(read(tmp_path, max_bytes=200))
        if severity == "error"
    ]
    with pytest.raises(NotFoundError):
        read(tmp_path / "gone")


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("../outside.md", "it links to ../outside.md, which is outside the bundle."),
        ("/../outside.md", "it links to /../outside.md, which is outside the bundle."),
        ("a/../../../x", "it links to a/../../../x, which is outside the bundle."),
        ("file:///home/ann/notes.md", "it links to file:///home/ann/notes.md, which is outside"),
        (r"C:\notes\a.md", r"it links to C:\notes\a.md, which is outside the bundle."),
        ("/home/ann/notes", "it links to home/ann/notes, which is no document."),
        ("nowhere", "it links to nowhere, which is no document."),
        ("nowhere.pdf", "it links to nowhere.pdf, which is no document."),
    ],
)
def test_broken_links_are_warnings(tmp_path, target, said):
    laid(tmp_path, {"a.md": f"---\ntype: note\n---\nSee [it]({target})."})

    problems = reported(read(tmp_path))

    assert [("a.md", "warning", True)] == [
        (path, severity, message.startswith(said)) for path, severity, message in problems
    ]


@pytest.mark.parametrize(
    "target",
    [
        "https://example.com/a.md",
        "//example.com/a.md",
        "mailto:ann@example.com",
        "#part",
        "/",
        ".",
        "index.md",
        "data.csv",
        "folder/",
        "b",
        "b.md#part",
    ],
)
def test_valid_links_are_not_warnings(tmp_path, target):
    text = f"---\ntype: note\n---\nSee [it]({target})."
    laid(tmp_path, {"a.md": text, "b.md": text, "data.csv": "1", "folder/c.txt": "x"})

    assert [] == reported(read(tmp_path))
