"""Attributes that are created on first access, once, whichever thread comes first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, Self, TypeVar, overload


class _Locked(Protocol):
    @property
    def creating(self) -> AbstractContextManager[Any]:
        """A lock that one thread may take again, as an attribute may need another one."""


Owner = TypeVar("Owner", bound=_Locked)
Value = TypeVar("Value")


class LazyAttribute(Generic[Owner, Value]):
    """Like functools.cached_property, which may create the value twice in two threads."""

    def __init__(self, create: Callable[[Owner], Value]) -> None:
        self._create = create
        self.__doc__ = create.__doc__

    def __set_name__(self, owner: type[Owner], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Owner]) -> Self: ...

    @overload
    def __get__(self, instance: Owner, owner: type[Owner]) -> Value: ...

    def __get__(self, instance: Owner | None, owner: type[Owner]) -> Self | Value:
        if instance is None:
            return self
        # Later accesses find the value in the instance and do not come here.
        with instance.creating:
            if self._name not in instance.__dict__:
                instance.__dict__[self._name] = self._create(instance)
            created: Value = instance.__dict__[self._name]
            return created
