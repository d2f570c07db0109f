"""Values that stay as their constructors have checked them: compiled code trusts them, and looks at no range again."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class Immutable:
    """A base of values whose attributes are `fixed` or `cached`.

    All of them lie in one slot, so that there is nothing for ``vars`` to change, and no attribute that
    ``object.__setattr__`` can set by its public name. A pickle or a copy calls the constructor (each class says so in
    `__reduce__`), which checks its arguments.
    """

    __slots__ = ("__weakref__", "_attributes")

    _attributes: dict[str, Any]
    _how = "make another"  #: the advice in place of a change

    def _hold(self, **values: Any) -> None:
        """Set all `fixed` attributes, at the end of the constructor, once."""
        if hasattr(self, "_attributes"):
            self._refuse("it cannot be made again")
        object.__setattr__(self, "_attributes", values)

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse(f"{name} cannot be set")

    def __delattr__(self, name: str) -> None:
        self._refuse(f"{name} cannot be deleted")

    def _refuse(self, what: str) -> None:
        kind = type(self).__name__
        msg = f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind} is immutable, so {what}: {self._how}"
        raise AttributeError(msg)


def fixed() -> Any:
    """Return an attribute of an `Immutable` that its constructor has set."""
    return _Fixed()


class _Fixed:
    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else instance._attributes[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._refuse(f"{self.name} cannot be set")


class cached(cached_property[T]):
    """An attribute of an `Immutable` that is computed when it is first read."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        known, name = instance._attributes, self.attrname
        if name not in known:
            known[name] = self.func(instance)
        return known[name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._refuse(f"{self.attrname} cannot be set")
