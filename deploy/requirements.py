"""Print the dependencies in pyproject.toml with those of the named extras, one a line."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def main(extras: list[str]) -> int:
    pyproject = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    for requirement in [
        *project["dependencies"],
        *(each for name in extras for each in optional[name]),
    ]:
        sys.stdout.write(f"{requirement}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
