"""Error messages for invalid settings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError as PydanticValidationError
from pydantic.fields import FieldInfo

from ..errors import ConfigurationError
from ..model.setting import allowed_values, format_value, is_secret

Fields = Mapping[str, FieldInfo]


def find_broken_rules(error: PydanticValidationError) -> dict[str, str]:
    """Return the broken rule by setting name; "" if it belongs to no setting."""
    broken = {}
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        rule = each["msg"].removeprefix("Value error, ")
        name = str(each["loc"][0]) if each["loc"] else ""
        broken[name] = rule[:1].lower() + rule[1:]
    return broken


def configuration_error(
    fields: Fields,
    broken: Mapping[str, str],
    *,
    values: Mapping[str, Any],
    origins: Mapping[str, str],
) -> ConfigurationError:
    """Return an error that lists each setting in *broken* with its value and a fix."""
    count = "One setting" if len(broken) == 1 else f"{len(broken)} settings"
    problems = [
        _format_problem(
            fields, name, broken[name], value=values.get(name), origin=origins.get(name, "")
        )
        for name in sorted(broken)
    ]
    lines = [f"{count} cannot be used:", *(f"- {problem}" for problem in problems)]
    return ConfigurationError("\n".join(lines), broken=broken)


def _format_problem(fields: Fields, name: str, rule: str, *, value: Any, origin: str) -> str:
    if name not in fields:
        close = difflib.get_close_matches(name.lower(), fields, n=1)
        hint = f" Did you mean {close[0].upper()}?" if close else ""
        return f"Unknown setting {name.upper()}.{hint} See docs/configuration.md."
    field = fields[name]
    display = "(a secret)" if is_secret(field) else repr(value)
    close = difflib.get_close_matches(str(value), allowed_values(field), n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    source = f" (from {origin})" if origin else ""
    return (
        f"{name.upper()} = {display}{source}: {rule}.{hint} "
        f"Change it, or remove it to use the default, {format_value(field.default) or 'unset'}."
    )
