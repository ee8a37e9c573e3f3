"""
The bundle for Claude Desktop: one file with the server, installed by one click.

1. The manifest lists the tools that the server registers, and its version is the server's.
2. The host installs what requirements.txt names through uv, from the pyproject.toml inside.
   PyTorch is left out: the packaged model runs without it, and it is a gigabyte.
3. Only the source goes in: nothing of this machine, no settings, no memory.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import ConflictError, ValidationError
from ..model.mcpb import DesktopBundle
from ..settings import APPLICATION, VERSION
from ..storage.files import write_whole
from . import tools as tools
from .registry import TOOLS

ROOT = Path(__file__).parents[2]
SUFFIX = ".mcpb"
MANIFEST = "manifest.json"
# The format of the manifest in which a host installs Python packages by itself.
MANIFEST_VERSION = "0.4"

_LEFT_OUT = ("torch", "sentence-transformers")
_SOURCES = (".py", ".sql", ".json")
_BESIDE = ("main.py", "ontology.json", "LICENSE", "README.md")
_NAME = "memory_core"
# The oldest date a zip can hold: no file's own date, so that equal sources are equal files.
_DATE = (1980, 1, 1, 0, 0, 0)

_USER_CONFIG: dict[str, dict[str, Any]] = {
    "data_dir": {
        "type": "directory",
        "title": "Data folder",
        "description": "Where the memory file is kept. Empty: your user data folder.",
        "required": False,
    },
    "project": {
        "type": "string",
        "title": "Project",
        "description": "The project that is meant when the assistant names none.",
        "required": False,
        "default": "default",
    },
    "documents_dir": {
        "type": "directory",
        "title": "Documents folder",
        "description": "The folder that files may be read from. Empty: your documents.",
        "required": False,
    },
    "toolsets": {
        "type": "string",
        "title": "Tools",
        "description": "all, essential, or families of tools, comma separated.",
        "required": False,
        "default": "all",
    },
}
_ENVIRONMENT = {
    "MEMORY_DATA_DIR": "data_dir",
    "MEMORY_PROJECT": "project",
    "KNOWLEDGE_ROOTS": "documents_dir",
    "MEMORY_TOOLSETS": "toolsets",
}


def build(target: Path, *, replace: bool = False) -> DesktopBundle:
    """Write the bundle to *target*; raise ConflictError if it is there and may not be replaced."""
    if target.suffix != SUFFIX:
        raise ValidationError(f"{target.name} must end in {SUFFIX}: call it {target.stem}{SUFFIX}.")
    if not target.parent.is_dir():
        raise ValidationError(
            f"There is no folder {target.parent}. Make it, or name another place."
        )
    if target.exists() and not replace:
        raise ConflictError(
            f"{target} is there already. Choose another name, or say it is replaced."
        )
    files = dict(_files())
    size, digest = write_whole(target, [_zipped(files)], replace=replace)
    return DesktopBundle(
        path=str(target),
        version=VERSION,
        tools=len(TOOLS),
        files=len(files),
        size_bytes=size,
        sha256=digest,
    )


def manifest() -> dict[str, Any]:
    """Return what a host is told: who we are, how to start us, what to ask the user for."""
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": APPLICATION,
        "display_name": "Turbovec memory",
        "version": VERSION,
        "description": "Long-term memory on your own machine.",
        "long_description": "People, projects, decisions and documents are remembered across "
        "conversations and found again by words and by meaning. Nothing leaves the machine.",
        "author": {"name": "The Turbovec MCP authors"},
        "license": "MIT",
        "keywords": ["memory", "knowledge graph", "search"],
        "server": {
            "type": "uv",
            "entry_point": "main.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "main.py"],
                "env": {name: f"${{user_config.{field}}}" for name, field in _ENVIRONMENT.items()},
            },
        },
        "tools": [
            {"name": tool.name, "description": (tool.run.__doc__ or "").strip().splitlines()[0]}
            for tool in TOOLS
        ],
        "tools_generated": False,
        "prompts_generated": True,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
        "user_config": _USER_CONFIG,
    }


def requirements() -> list[str]:
    """Return what the server needs to be installed, without PyTorch."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    named = (line.partition("#")[0].strip() for line in lines)
    return [line for line in named if line and not _is_left_out(line)]


def _is_left_out(requirement: str) -> bool:
    name = requirement.replace(">", "=").replace("<", "=").partition("=")[0].strip()
    return name in _LEFT_OUT


def _files() -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _json(manifest())
    yield "pyproject.toml", _pyproject(requirements()).encode()
    for name in _BESIDE:
        yield name, (ROOT / name).read_bytes()
    for path in sorted((ROOT / _NAME).rglob("*")):
        place = path.relative_to(ROOT)
        hidden = any(part.startswith((".", "__pycache__")) for part in place.parts)
        if path.is_file() and path.suffix in _SOURCES and not hidden:
            yield place.as_posix(), path.read_bytes()


def _pyproject(needed: Sequence[str]) -> str:
    listed = "".join(f"    {json.dumps(each)},\n" for each in needed)
    return (
        f'[project]\nname = "{APPLICATION}"\nversion = "{VERSION}"\n'
        f'requires-python = ">=3.11"\ndependencies = [\n{listed}]\n\n[tool.uv]\npackage = false\n'
    )


def _zipped(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return whole.getvalue()


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
