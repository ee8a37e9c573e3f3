"""Build the .mcpb bundle for Claude Desktop.

1. The manifest lists the tools that the server registers, and its version is the server's.
2. The host installs the dependencies of the package through uv, from the pyproject.toml inside.
   No extra is among them, so no PyTorch: the packaged model runs without it.
3. Only the source goes in: nothing of this machine, no settings, no memory.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ..errors import ConflictError, ValidationError
from ..installation import dependencies, license_text
from ..model.mcpb import DesktopBundle
from ..settings import APPLICATION, VERSION
from ..storage.files.atomic_write import write_whole
from . import tools as tools
from .calls.registry import TOOLS
from .manifests import AUTHOR, DESCRIPTION, KEYWORDS, LICENSE, TITLE, VARIABLES

SUFFIX = ".mcpb"
MANIFEST = "manifest.json"
# The format of the manifest in which a host installs Python packages by itself.
MANIFEST_VERSION = "0.4"

_SOURCES = (".py", ".sql", ".json")
_LICENSE_FILE = "LICENSE"
_NAME = "memory_core"
_MAIN = """\
from memory_core.server.__main__ import main

raise SystemExit(main())
"""
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
_ENVIRONMENT = dict(
    zip(VARIABLES, ("data_dir", "project", "documents_dir", "toolsets"), strict=True)
)


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
    content = dict(_files())
    size, digest = write_whole(target, [_zip_files(content)], replace=replace)
    return DesktopBundle(
        path=str(target),
        version=VERSION,
        tools=len(TOOLS),
        files=len(content),
        size_bytes=size,
        sha256=digest,
    )


def manifest() -> dict[str, Any]:
    """Return the manifest: identity, start command and user configuration."""
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": APPLICATION,
        "display_name": TITLE,
        "version": VERSION,
        "description": DESCRIPTION,
        "long_description": "People, projects, decisions and documents are remembered across "
        "conversations and found again by words and by meaning. Nothing leaves the machine.",
        "author": {"name": AUTHOR},
        "license": LICENSE,
        "keywords": list(KEYWORDS),
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


def _files() -> Iterator[tuple[str, bytes]]:
    yield MANIFEST, _json(manifest())
    yield "pyproject.toml", _pyproject(dependencies()).encode()
    yield "main.py", _MAIN.encode()
    yield _LICENSE_FILE, license_text().encode()
    yield from sorted(_sources(files(_NAME), _NAME))


def _sources(folder: Traversable, place: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.name.startswith((".", "__pycache__")):
            continue
        if item.is_dir():
            yield from _sources(item, f"{place}/{item.name}")
        elif item.name.endswith(_SOURCES) or item.name == _LICENSE_FILE:
            yield f"{place}/{item.name}", item.read_bytes()


def _pyproject(needed: Sequence[str]) -> str:
    listed = "".join(f"    {json.dumps(each)},\n" for each in needed)
    return (
        f'[project]\nname = "{APPLICATION}"\nversion = "{VERSION}"\n'
        f'requires-python = ">=3.11"\ndependencies = [\n{listed}]\n\n[tool.uv]\npackage = false\n'
    )


def _zip_files(files: dict[str, bytes]) -> bytes:
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
