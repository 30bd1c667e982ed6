"""Objects that are copied and pickled as what they were made of: a gradient as a function and what was asked."""

from __future__ import annotations

from typing import Any, Self


class Rebuilt:
    """Another process makes it anew from the same arguments; what was compiled stays behind."""

    _made_of: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **named: Any) -> Self:
        self = super().__new__(cls)
        self._made_of = args, named
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), *self._made_of)


def _rebuild(kind: type, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return kind(*args, **named)
