"""The place that this program runs from: a checkout of the repository, or an installed wheel."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

APPLICATION = "turbovec-mcp"


@cache
def checkout() -> Path | None:
    """Return the folder with pyproject.toml that this package runs from, None for a wheel."""
    folder = Path(__file__).resolve().parents[1]
    return folder if (folder / "pyproject.toml").is_file() else None


def dependencies() -> list[str]:
    """Return the requirements of the package without its extras."""
    folder = checkout()
    if folder is None:
        return [each for each in metadata.requires(APPLICATION) or () if "extra ==" not in each]
    import tomllib

    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [str(each) for each in project["dependencies"]]


def license_text() -> str:
    """Return the licence, which a wheel keeps with its metadata."""
    folder = checkout()
    if folder is None:
        return metadata.distribution(APPLICATION).read_text("licenses/LICENSE") or ""
    return (folder / "LICENSE").read_text(encoding="utf-8")
