"""YAML front matter of Markdown files.

1. Only what JSON has: text, numbers, true, false, null, lists and mappings. No tag makes
   an object, and a date stays the text it was written as.
2. Aliases may repeat a part, but what they unfold to is counted before it is built.
3. A key that is given twice is refused: the first one would be lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from ..errors import ValidationError

if TYPE_CHECKING:
    import yaml

# Ten pages of it; the parser is slow, and its recursion is bounded by this alone.
LONGEST = 64_000
# Values that all aliases unfold to, at most.
MOST_VALUES = 10_000

_FENCE = "---"
_TAG = "tag:yaml.org,2002:"
_PLAIN = (
    ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), "tTfF"),
    ("int", re.compile(r"[-+]?[0-9]{1,18}\Z"), "-+0123456789"),
    (
        "float",
        re.compile(r"[-+]?[0-9]{1,18}(?:\.[0-9]{1,18})(?:[eE][-+]?[0-9]{1,3})?\Z"),
        "-+0123456789",
    ),
    ("null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ("~", "n", "N", "")),
)


def split_front_matter(text: str) -> tuple[str | None, str]:
    """Return the front matter, None if there is none, and the body that follows it."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != _FENCE:
        return None, "".join(lines)
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in (_FENCE, "..."):
            return "".join(lines[1:number]), "".join(lines[number + 1 :])
    return None, "".join(lines)


def parse_front_matter(front: str) -> dict[str, JsonValue]:
    """Return what the front matter says; raise ValidationError if that is no plain mapping."""
    import yaml

    if len(front) > LONGEST:
        raise ValidationError(
            f"its front matter has {len(front):,} characters and may have {LONGEST:,}"
        )
    try:
        loader = _loader()(front)
        node = loader.get_single_node()
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            raise ValidationError("its front matter is no mapping of names to values")
        _count(node, {})
        return {str(key): value for key, value in _value(node).items()}
    except yaml.YAMLError as error:
        raise ValidationError(f"its front matter is no YAML: {_place(error)}") from error
    except RecursionError as error:
        raise ValidationError("its front matter is nested too deeply") from error


def format_front_matter(values: Mapping[str, JsonValue]) -> str:
    """Return *values* as front matter with both its fences; parsed() reads the same from it."""
    import yaml

    said = yaml.dump(dict(values), Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100)
    return f"{_FENCE}\n{said}{_FENCE}\n"


def _loader() -> Any:
    import yaml

    kind: Any = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": {}})
    for name, pattern, first in _PLAIN:
        kind.add_implicit_resolver(_TAG + name, pattern, list(first))
    return kind


def _dumper() -> Any:
    import yaml

    # What other readers take for a word of their own ("yes") is quoted; a date is not.
    resolvers = {
        first: [rule for rule in rules if rule[0] != _TAG + "timestamp"]
        for first, rules in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }
    plain = {"yaml_implicit_resolvers": resolvers, "ignore_aliases": lambda self, value: True}
    return type("Dumper", (yaml.SafeDumper,), plain)


def _count(node: yaml.Node, known: dict[int, int]) -> int:
    """
    Return how many values *node* unfolds to; raise ValidationError if too many, or without end.
    """
    import yaml

    if isinstance(node, yaml.ScalarNode):
        return 1
    size = known.get(id(node))
    if size is not None:
        if not size:
            raise ValidationError("its front matter contains itself")
        return size
    known[id(node)] = 0
    inner = (
        node.value
        if isinstance(node, yaml.SequenceNode)
        else [n for pair in node.value for n in pair]
    )
    total = 1
    for part in inner:
        total += _count(part, known)
        if total > MOST_VALUES:
            raise ValidationError(f"its front matter unfolds to more than {MOST_VALUES:,} values")
    known[id(node)] = total
    return total


def _value(node: yaml.Node) -> Any:
    import yaml

    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = _key(key)
            if name in found:
                raise ValidationError(f"its front matter gives {name[:60]!r} twice")
            found[name] = _value(value)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(part) for part in node.value]
    return _scalar(node)


def _key(node: yaml.Node) -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise ValidationError("its front matter has a name that is no text")
    return str(node.value)


def _scalar(node: yaml.Node) -> JsonValue:
    kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
    except ValueError as error:
        raise ValidationError(f"its front matter has {text[:40]!r}, which is no {kind}") from error
    if kind not in ("str", "timestamp"):
        raise ValidationError(
            f"its front matter has the tag {str(node.tag)[:60]!r}; only plain values do"
        )
    return text


def _place(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", "") or "it cannot be read")[:100]
    # The fence above it is line 1.
    return f"{problem} (line {mark.line + 2})" if mark else problem
