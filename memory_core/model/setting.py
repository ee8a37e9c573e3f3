"""Description of a setting for display."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from .base import Value


class Setting(Value):
    """A setting and its value; the value of a secret is masked."""

    name: str = Field(description="Environment variable.")
    value: str = Field(description="Effective value; a secret only shows whether it is set.")
    origin: str = Field(
        description="Source of the value: flag, environment, a .env file, or default."
    )
    default: str = Field(description="Default value.")
    rule: str = Field(description="Accepted values.")
    description: str = Field(description="Description.")


def describe_setting(name: str, field: FieldInfo, value: Any, origin: str) -> Setting:
    """Describe the settings field *name*, whose current value is *value*."""
    display = "(set)" if value is not None and is_secret(field) else format_value(value)
    return Setting(
        name=name.upper(),
        value=display,
        origin=origin,
        default=format_value(field.default),
        rule=describe_rule(field),
        description=field.description or "",
    )


def allowed_values(field: FieldInfo) -> tuple[str, ...]:
    """Return the values of a Literal field; empty for any other."""
    if get_origin(field.annotation) is not Literal:
        return ()
    return tuple(str(choice) for choice in get_args(field.annotation))


def is_secret(field: FieldInfo) -> bool:
    return "SecretStr" in str(field.annotation)


def format_value(value: Any) -> str:
    """Format a value as an environment variable."""
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
    """Return a short description of the accepted values."""
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
