"""HTML reader: text with headings, lists and code as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .plain import characters

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

# Where a block begins or ends. No text has it: a file with a NUL in it is not read,
# and a character reference to it stands for U+FFFD.
_EDGE = "\0"

_UNSAID = {"script", "style", "noscript", "template", "svg", "title"}
_SECTIONS = ["article", "aside", "body", "div", "footer", "header", "main", "nav", "section"]
_BLOCKS = ["address", "blockquote", "dd", "dl", "dt", "fieldset", "figcaption", "figure", "form"]
_LISTS_AND_TABLES = ["hr", "li", "ol", "p", "pre", "table", "tr", "ul"]
_HEADINGS = {f"h{level}": _EDGE + "#" * level + " " for level in range(1, 7)}
_EDGES = dict.fromkeys([*_SECTIONS, *_BLOCKS, *_LISTS_AND_TABLES, *_HEADINGS], _EDGE)

_OPENED_BY = {**_EDGES, **_HEADINGS, "li": _EDGE + "- ", "pre": _EDGE + "```\n", "br": "\n"}
_CLOSED_BY = {**_EDGES, "pre": "\n```" + _EDGE, "td": " ", "th": " "}

_WHITE_SPACE = re.compile(r"\s+")
_BETWEEN_ITEMS = re.compile(r"\n\n(?=- )")
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")


def text(content: bytes, most: int) -> tuple[str, str]:
    """Return what the page says to a reader, without scripts and styles, and a notice."""
    from bs4 import BeautifulSoup
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(content[:4096], is_html=True) or ""
    source, notice = characters(content, declared)
    if "<" not in source:
        return source, notice
    # XHTML is read as HTML all the same; with its declaration, a warning is given.
    soup = BeautifulSoup(_XML_DECLARATION.sub("", source), "html.parser")
    return _extract_text(soup), notice


def _extract_text(soup: BeautifulSoup) -> str:
    title = _WHITE_SPACE.sub(" ", soup.title.get_text()).strip() if soup.title else ""
    blocks = _blocks("".join(_strings(soup)))
    body = _BETWEEN_ITEMS.sub("\n", "\n\n".join(blocks))
    # A page often begins with its title.
    return body if title in body[: len(title) + 10] else f"{title}\n\n{body}"


def _strings(soup: BeautifulSoup) -> Iterator[str]:
    """Yield the page's text; a run of white space is one space, but in preformatted text."""
    from bs4.element import NavigableString, Tag

    # Not by recursion: old pages leave paragraphs open, thousands of levels deep.
    within: list[tuple[str, Iterator[object]]] = [("", iter(soup.contents))]
    preformatted = 0
    while within:
        name, children = within[-1]
        child = next(children, None)
        if child is None:
            within.pop()
            preformatted -= name == "pre"
            yield _CLOSED_BY.get(name, "")
        elif isinstance(child, Tag) and child.name not in _UNSAID:
            within.append((child.name, iter(child.contents)))
            preformatted += child.name == "pre"
            yield _OPENED_BY.get(child.name, "")
        # Comments and declarations are of classes derived from it.
        elif type(child) is NavigableString:
            yield str(child) if preformatted else _WHITE_SPACE.sub(" ", child)


def _blocks(marked: str) -> Iterator[str]:
    bullet = ""
    for block in marked.split(_EDGE):
        said = block.strip(" \n")
        if said == "-":
            # The item's text is in a block of its own.
            bullet = "- "
        elif said.strip("#"):
            yield bullet + said
            bullet = ""
