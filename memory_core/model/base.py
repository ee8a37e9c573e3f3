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

# Whether the vectors of what was written exist already; full text always does.
EmbeddingState = Literal["ready", "pending"]


class Value(BaseModel):
    """An immutable value; its fields are its columns and its output schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ValidatedInput(Value):
    """A value that programs make by hand: a mistake in it is ValidationError, as anywhere else."""

    # What the value is called, and what may be in it.
    form: ClassVar[str] = ""
    takes: ClassVar[str] = ""

    @model_validator(mode="wrap")
    @classmethod
    def _refused_by_name(cls, given: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """
        Raise ValidationError: a program that gives a number for a text catches no other errors.
        """
        try:
            return read(given)
        except PydanticValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
        named = ".".join(map(str, first["loc"])) or "value"
        raise ValidationError(
            f"{cls.form} cannot have that {named}: {first['msg']}. It takes {cls.takes}."
        )
