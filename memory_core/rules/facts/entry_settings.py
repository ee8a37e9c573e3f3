"""Entry settings that can be changed at run time, and their valid values."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...errors import ValidationError

Number = float | bool

_TRUE = ("true", "1", "yes", "on")
_FALSE = ("false", "0", "no", "off")


@dataclass(frozen=True)
class SettingRule:
    """Type and bounds of a setting."""

    kind: type[bool] | type[int] | type[float]
    low: float = 0
    high: float = 1

    def __str__(self) -> str:
        if self.kind is bool:
            return "true or false"
        whole = "an integer" if self.kind is int else "a number"
        return f"{whole} from {self.low:g} to {self.high:g}"


RULES = {
    "group_k": SettingRule(int, 2, 12),
    "group_threshold": SettingRule(float, 0, 1),
    "daemon_interval": SettingRule(int, 10, 86_400),
    "dedup_enable": SettingRule(bool),
    "dedup_threshold": SettingRule(float, 0, 1),
}


def parse_setting(key: str, value: object) -> Number:
    """Return *value* converted; raise ValidationError naming the key, the value and the rule."""
    rule = RULES.get(key)
    if rule is None:
        raise ValidationError(f"Unknown entry setting {key!r}. Valid settings: {', '.join(RULES)}.")
    read = _parse_bool(value) if rule.kind is bool else _parse_number(value, whole=rule.kind is int)
    if read is None or not (rule.kind is bool or rule.low <= read <= rule.high):
        raise ValidationError(f"{key} must be {rule}, not {str(value)[:60]!r}.")
    return read


def _parse_bool(value: object) -> bool | None:
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def _parse_number(value: object, *, whole: bool) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(str(value))
    except ValueError:
        return None
    if not math.isfinite(number) or (whole and number != int(number)):
        return None
    return int(number) if whole else number
