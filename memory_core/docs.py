"""Generator of the reference pages.

``python -m memory_core.docs`` writes them; ``--check`` only compares and exits with 1 if a page
is stale. A page is generated whole, or has parts between ``<!-- generated: name -->`` and
``<!-- end of name -->``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .model.search.recipe import Recipe
from .model.setting import Setting, describe_rule
from .server import manifests
from .server import tools as tools
from .server.app import ESSENTIAL
from .server.calls.catalogue import format_catalogue
from .server.calls.registry import TOOLS, Tool, listing
from .settings import settings_table

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"

# Estimate: four characters of English or JSON per token.
CHARACTERS_PER_TOKEN = 4


_PART = "<!-- generated: {name} -->\n{body}\n<!-- end of {name} -->"
_FIND = r"<!-- generated: {name} -->\n.*?<!-- end of {name} -->"


def main(arguments: list[str]) -> int:
    """Write the pages, or with --check print the stale ones; return the exit code."""
    stale = [path for path, text in pages().items() if _on_disk(path) != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale: run python -m memory_core.docs")
        return 1 if stale else 0
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


def pages() -> dict[Path, str]:
    """Return the expected text of each generated page."""
    return {
        ROOT / "memory_core" / "server" / "tools.json": format_catalogue(TOOLS),
        ROOT / "docs" / "tools.md": _tools_page(),
        ROOT / "docs" / "configuration.md": _configuration_page(),
        ROOT / ".env.example": _env_example(),
        ROOT / "server.json": _json(manifests.registry_server()),
        ROOT / ".claude-plugin" / "plugin.json": _json(manifests.plugin()),
        ROOT / ".claude-plugin" / "marketplace.json": _json(manifests.marketplace()),
        ROOT / "skills" / manifests.SKILL / "SKILL.md": manifests.skill(),
        README: _fill_parts(_on_disk(README), README_PARTS),
    }


def _on_disk(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _fill_parts(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    for name, write in parts.items():
        # Backslashes in what is put in are not for re.sub to read.
        part = _PART.format(name=name, body=write()).replace("\\", r"\\")
        text = re.sub(_FIND.format(name=name), part, text, flags=re.DOTALL)
    return text


def _families() -> dict[str, list[Tool]]:
    families: dict[str, list[Tool]] = {}
    for tool in TOOLS:
        families.setdefault(tool.family, []).append(tool)
    return families


def _schema(tool: Tool) -> dict[str, Any]:
    entry = listing(tool)
    return {
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
        "inputSchema": entry.parameters,
        "outputSchema": entry.output,
    }


def _tokens(tools: Iterable[Tool], *, with_output: bool = False) -> int:
    """Estimate the tokens of the list of *tools*."""
    size = 0
    for tool in tools:
        schema = _schema(tool)
        if not with_output:
            del schema["outputSchema"]
        size += len(json.dumps(schema, separators=(",", ":")))
    return size // CHARACTERS_PER_TOKEN


def _tools_page() -> str:
    lines = [
        "# Tools reference",
        "",
        "Generated from the code by `python -m memory_core.docs`. Every tool returns structured "
        "content and a short text. Failures are tool errors that name the subject, the rule and "
        "the fix.",
        "",
        f"{len(TOOLS)} tools in {len(_families())} families. Listing tools costs tokens in every "
        "conversation; `MEMORY_TOOLSETS` selects which are served.",
        "",
        "## Toolsets",
        "",
        _preset_table(),
        "",
        "## Summary",
        "",
        _tools_table(),
    ]
    for family, members in _families().items():
        lines += ["", f"## {family}", ""]
        for tool in members:
            lines += _tool_section(tool)
    return "\n".join(lines).rstrip() + "\n"


def _tool_section(tool: Tool) -> list[str]:
    schema = _schema(tool)
    required = schema["inputSchema"].get("required", [])
    lines = [f"### {tool.name}", "", str(schema["description"]), "", f"*{_hints(tool)}*", ""]
    properties = schema["inputSchema"].get("properties", {})
    if properties:
        lines += ["| argument | type | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in properties.items():
        default = "required" if name in required else f"`{json.dumps(field.get('default'))}`"
        lines.append(f"| `{name}` | {_type(field)} | {default} | {_cell(field['description'])} |")
    return [*lines, ""]


def _hints(tool: Tool) -> str:
    if tool.reads:
        return "only reads"
    kinds = ["writes", "destructive" if tool.destroys else "", "idempotent" * tool.idempotent]
    return ", ".join(kind for kind in kinds if kind)


def _type(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return _cell(" or ".join(f"`{value}`" for value in field["enum"]))
    if field.get("type") == "array":
        return f"list of {field.get('items', {}).get('type', 'any')}"
    return str(field.get("type", "any"))


def _configuration_page() -> str:
    return "\n".join(
        [
            "# Configuration guide",
            "",
            "Generated from the code by `python -m memory_core.docs`.",
            "",
            "Precedence: flags of `turbovec-mcp`, the environment, `.env` in the data directory, "
            "`.env` in a checkout, the default. An empty value or an unfilled placeholder counts "
            "as unset. Invalid values are reported together at start.",
            "",
            _settings_table(),
            "",
            "## Ranking weights",
            "",
            "`RECIPE` overrides any of them. docs/benchmarks.md describes how they were chosen.",
            "",
            _recipe_table(),
            "",
        ]
    )


def _settings_table() -> str:
    rows = ["| setting | default | rule | meaning |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{setting.name}` | {_default(setting)} | {_cell(setting.rule)} "
        f"| {_cell(setting.description)} |"
        for setting in settings_table()
    ]
    return "\n".join(rows)


def _recipe_table() -> str:
    rows = ["| weight | default | rule | meaning |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{name}` | `{field.default}` | {describe_rule(field)} "
        f"| {_cell(field.description or '')} |"
        for name, field in Recipe.model_fields.items()
    ]
    return "\n".join(rows)


def _tools_table() -> str:
    rows = ["| tool | what it does |", "| --- | --- |"]
    for family, members in _families().items():
        rows.append(f"| **{family}** | |")
        rows += [
            f"| `{tool.name}` | {_cell(str(_schema(tool)['description']).splitlines()[0])} |"
            for tool in members
        ]
    return "\n".join(rows)


def _preset_table() -> str:
    essential = [tool for tool in TOOLS if tool.name in ESSENTIAL]
    rows = [
        "| `MEMORY_TOOLSETS` | tools | tokens of the list, about | with output schemas |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, members in (("all", TOOLS), ("essential", essential), *_families().items()):
        listed = _tokens(members), _tokens(members, with_output=True)
        rows.append(f"| `{name}` | {len(members)} | {listed[0]:,} | {listed[1]:,} |")
    return "\n".join(rows)


def _env_example() -> str:
    lines = [
        "# Copy to .env in the data directory (turbovec doctor prints it) or, in a checkout,",
        "# to the top folder, and uncomment the settings to change.",
        "# Generated by python -m memory_core.docs; see docs/configuration.md.",
    ]
    for setting in settings_table():
        lines += ["", f"# {setting.description}", f"#{setting.name}={setting.value}"]
    return "\n".join(lines) + "\n"


def _instructions() -> str:
    return f"```text\n{manifests.INSTRUCTIONS}```"


def _registry_name() -> str:
    return f"<!-- mcp-name: {manifests.REGISTRY_NAME} -->"


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _default(setting: Setting) -> str:
    return f"`{setting.value}`" if setting.value else "unset"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


README_PARTS: Mapping[str, Callable[[], str]] = {
    "instructions": _instructions,
    "registry name": _registry_name,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
