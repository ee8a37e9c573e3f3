"""One setting as a person reads it."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from .base import Value


class Setting(Value):
    """A setting with its value, masked when it is a secret."""

    name: str = Field(description="Name in the environment.")
    value: str = Field(description="Value in use; a secret says only whether it is set.")
    origin: str = Field(
        description="Where the value came from: flag, environment, a .env file, or default."
    )
    default: str = Field(description="Value when nothing is set.")
    rule: str = Field(description="What may be given.")
    description: str = Field(description="What it does.")


def describe_setting(name: str, field: FieldInfo, value: Any, origin: str) -> Setting:
    """Describe the field *name* of the settings, which now has *value*."""
    shown = "(set)" if value is not None and is_secret(field) else format_value(value)
    return Setting(
        name=name.upper(),
        value=shown,
        origin=origin,
        default=format_value(field.default),
        rule=describe_rule(field),
        description=field.description or "",
    )


def allowed_values(field: FieldInfo) -> tuple[str, ...]:
    """Return the words a field accepts, or nothing when it is not a choice."""
    if get_origin(field.annotation) is not Literal:
        return ()
    return tuple(str(choice) for choice in get_args(field.annotation))


def is_secret(field: FieldInfo) -> bool:
    return "SecretStr" in str(field.annotation)


def format_value(value: Any) -> str:
    """Write a value the way it is given in the environment."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return json.dumps(value) if value else ""
    if isinstance(value, tuple):
        return os.pathsep.join(str(part) for part in value)
    return str(value)


def describe_rule(field: FieldInfo) -> str:
    """Return what the field accepts, in a few words."""
    if words := allowed_values(field):
        return " or ".join(words)
    if field.annotation is bool:
        return "true or false"
    low, high = _find_bound(field, "ge"), _find_bound(field, "le")
    if low is not None and high is not None:
        return f"{low} to {high}"
    if (above := _find_bound(field, "gt")) is not None and high is not None:
        return f"above {above}, at most {high}"
    if get_origin(field.annotation) is dict:
        return "a JSON object"
    return "a secret" if is_secret(field) else "text"


def _find_bound(field: FieldInfo, name: str) -> Any:
    return next((getattr(m, name) for m in field.metadata if hasattr(m, name)), None)
