"""Formulas of DOCX (OMML) and HTML (MathML) as linear text: x^2, (a+b)/c, sqrt(x)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True)
class FormulaNode:
    """An element of a formula; *text* is its own text, without that of its children."""

    name: str
    text: str = ""
    children: tuple[FormulaNode, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)

    def child(self, name: str) -> FormulaNode | None:
        return next((child for child in self.children if child.name == name), None)


# Deeper parts of a formula are read as their characters only, so that no stack is exhausted.
MAX_DEPTH = 60

_TEX = ("application/x-tex", "tex", "latex", "text/x-tex")


def linear_text(node: FormulaNode) -> str:
    """Return a formula in one line, with operators for fractions, powers, indices and roots."""
    writer = _WRITERS.get(node.name)
    if writer:
        return writer(node)
    if node.name.endswith("Pr") or node.name.startswith("annotation"):
        return ""
    return node.text + _joined(node)


def _joined(node: FormulaNode) -> str:
    parts = [part for part in map(linear_text, node.children) if part]
    # Names of functions and numbers that follow each other must not become one word.
    spaced = [
        one + " " if len(one) > 1 and one.isalpha() and other[0].isalnum() else one
        for one, other in pairwise(parts)
    ]
    return "".join([*spaced, *parts[-1:]])


def _group(text: str) -> str:
    is_one = text.isalnum() or (text.startswith("(") and text.find(")") == len(text) - 1)
    return text if is_one else f"({text})"


def _part(node: FormulaNode, key: int | str) -> str:
    """Return a part by its place (MathML) or its name (OMML)."""
    if isinstance(key, str):
        child = node.child(key)
    else:
        child = node.children[key] if key < len(node.children) else None
    return linear_text(child) if child else ""


def _fraction(above: int | str, below: int | str) -> Callable[[FormulaNode], str]:
    return lambda node: f"{_group(_part(node, above))}/{_group(_part(node, below))}"


def _scripts(
    base: int | str, sub: int | str | None = None, sup: int | str | None = None
) -> Callable[[FormulaNode], str]:
    def write(node: FormulaNode) -> str:
        below = _part(node, sub) if sub is not None else ""
        above = _part(node, sup) if sup is not None else ""
        body = _part(node, base)
        body = _group(body) if len(body) > 1 and (below or above) else body
        return body + _script("_", below) + _script("^", above)

    return write


def _script(sign: str, text: str) -> str:
    return sign + _group(text) if text else ""


def _root(base: int | str, degree: int | str) -> Callable[[FormulaNode], str]:
    def write(node: FormulaNode) -> str:
        number = _part(node, degree)
        body = _part(node, base)
        return f"root({number}, {body})" if number else f"sqrt({body})"

    return write


def _property(node: FormulaNode, name: str, default: str) -> str:
    settings = next((child for child in node.children if child.name.endswith("Pr")), None)
    given = settings.child(name) if settings else None
    return given.attributes.get("val", default) if given else default


def _sum(node: FormulaNode) -> str:
    sign = _property(node, "chr", "\u222b")
    body = _part(node, "e")
    limits = _script("_", _part(node, "sub")) + _script("^", _part(node, "sup"))
    return f"{sign}{limits} {body}"


def _delimited(node: FormulaNode) -> str:
    parts = [linear_text(child) for child in node.children if child.name == "e"]
    middle = _property(node, "sepChr", "|").join(parts)
    return _property(node, "begChr", "(") + middle + _property(node, "endChr", ")")


def _fenced(node: FormulaNode) -> str:
    middle = ", ".join(map(linear_text, node.children))
    return node.attributes.get("open", "(") + middle + node.attributes.get("close", ")")


def _function(node: FormulaNode) -> str:
    return _part(node, "fName") + "(" + _part(node, "e").removeprefix("(").removesuffix(")") + ")"


def _matrix(node: FormulaNode) -> str:
    rows = [child for child in node.children if child.name in ("mr", "mtr", "mlabeledtr", "e")]
    cells = ([linear_text(cell) for cell in row.children] for row in rows)
    return "[" + "; ".join(", ".join(filter(None, row)) for row in cells) + "]"


def _semantics(node: FormulaNode) -> str:
    for child in node.children:
        if child.name == "annotation" and child.attributes.get("encoding", "").lower() in _TEX:
            return child.text.strip()
    return _part(node, 0)


_WRITERS: dict[str, Callable[[FormulaNode], str]] = {
    # MathML
    "mfrac": _fraction(0, 1),
    "msup": _scripts(0, sup=1),
    "msub": _scripts(0, sub=1),
    "msubsup": _scripts(0, 1, 2),
    "munder": _scripts(0, sub=1),
    "mover": _scripts(0, sup=1),
    "munderover": _scripts(0, 1, 2),
    "msqrt": lambda node: f"sqrt({_joined(node)})",
    "mroot": _root(0, 1),
    "mtable": _matrix,
    "mfenced": _fenced,
    "mspace": lambda _: " ",
    "semantics": _semantics,
    # OMML
    "f": _fraction("num", "den"),
    "sSup": _scripts("e", sup="sup"),
    "sSub": _scripts("e", sub="sub"),
    "sSubSup": _scripts("e", "sub", "sup"),
    "sPre": _scripts("e", "sub", "sup"),
    "limLow": _scripts("e", sub="lim"),
    "limUpp": _scripts("e", sup="lim"),
    "rad": _root("e", "deg"),
    "nary": _sum,
    "d": _delimited,
    "func": _function,
    "m": _matrix,
    "eqArr": lambda node: "; ".join(filter(None, map(linear_text, node.children))),
}
