"""The version of this program; pyproject.toml and every manifest read it from here."""

from __future__ import annotations

VERSION = "0.1.0"
