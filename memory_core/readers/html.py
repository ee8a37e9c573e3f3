"""HTML reader: text with headings, lists and code as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .budget import ReadBudget
from .formulas import MAX_DEPTH, FormulaNode, linear_text
from .plain import characters

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

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


def text(content: bytes, budget: ReadBudget) -> tuple[str, str]:
    """Return what the page says to a reader, without scripts and styles, and a notice."""
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(content[:4096], is_html=True) or ""
    source, notice = characters(content, declared)
    if "<" not in source:
        return source, notice
    # XHTML is read as HTML all the same; with its declaration, a warning is given.
    soup = _parse(_XML_DECLARATION.sub("", source), budget)
    return _extract_text(soup), notice


def _parse(source: str, budget: ReadBudget) -> BeautifulSoup:
    from bs4 import BeautifulSoup

    class BudgetedSoup(BeautifulSoup):
        """Checks the budget whenever the parser reports a tag or a text."""

        def handle_starttag(self, *args: Any, **options: Any) -> Tag | None:
            budget.add_element("tags")
            return super().handle_starttag(*args, **options)

        def handle_endtag(self, *args: Any, **options: Any) -> None:
            budget.check_time()
            super().handle_endtag(*args, **options)

        def handle_data(self, data: str) -> None:
            budget.check_time()
            super().handle_data(data)

    return BudgetedSoup(source, "html.parser")


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
        elif isinstance(child, Tag) and (formula := _formula_text(child)) is not None:
            yield formula
        elif isinstance(child, Tag) and child.name not in _UNSAID:
            within.append((child.name, iter(child.contents)))
            preformatted += child.name == "pre"
            yield _OPENED_BY.get(child.name, "")
        # Comments and declarations are of classes derived from it.
        elif type(child) is NavigableString:
            yield str(child) if preformatted else _WHITE_SPACE.sub(" ", child)


def _formula_text(tag: Tag) -> str | None:
    """Return a formula as text, "" for a second rendering of one, None for any other tag."""
    if tag.name.rpartition(":")[2] == "math":
        return linear_text(_formula(tag))
    if tag.name == "script" and str(tag.get("type", "")).startswith("math/tex"):
        return tag.get_text().strip()
    is_rendering = "katex-html" in (tag.get("class") or ())
    return "" if is_rendering else None


def _formula(tag: Tag, depth: int = 0) -> FormulaNode:
    from bs4.element import NavigableString, Tag

    if depth >= MAX_DEPTH:
        return FormulaNode("", _WHITE_SPACE.sub(" ", tag.get_text()))
    children = tuple(_formula(child, depth + 1) for child in tag.contents if isinstance(child, Tag))
    own = "".join(str(child) for child in tag.contents if type(child) is NavigableString)
    attributes = {name: str(value) for name, value in tag.attrs.items()}
    name = tag.name.rpartition(":")[2]
    return FormulaNode(name, _WHITE_SPACE.sub(" ", own).strip(), children, attributes)


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
