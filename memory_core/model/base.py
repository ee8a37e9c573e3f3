"""Base classes of all values."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    ModelWrapValidatorHandler,
    model_validator,
)
from pydantic import (
    ValidationError as PydanticValidationError,
)

from ..errors import ValidationError

# Properties and metadata: any JSON object.
Properties = dict[str, JsonValue]

# Whether the vectors of written rows exist already; full text is always indexed.
EmbeddingState = Literal["ready", "pending"]


class Value(BaseModel):
    """An immutable value. Its fields are its columns and its output schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ValidatedInput(Value):
    """A value that library callers construct. Invalid input raises ValidationError."""

    # Name of the value and its accepted fields, for error messages.
    type_label: ClassVar[str] = ""
    accepted_fields: ClassVar[str] = ""

    @model_validator(mode="wrap")
    @classmethod
    def _raise_validation_error(cls, given: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        """Raise our ValidationError, because callers do not catch the one of pydantic."""
        try:
            return validate(given)
        except PydanticValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "value"
        raise ValidationError(
            f"{cls.type_label} has an invalid {field}: {first['msg']}. "
            f"It accepts {cls.accepted_fields}."
        )
