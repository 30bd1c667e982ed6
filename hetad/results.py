"""Several results of one call: by name as in a mapping, and by unpacking as in a tuple."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any, Protocol


class Named(Protocol):
    """Values by name: a mapping, or a result."""

    def __getitem__(self, name: str, /) -> Any: ...


class Result:
    """What a call gives for each of some names.

    `r["x"]` and `r[0]` are one of them, `dx, dw = r` all, in the order of the names; `r.keys()`, `r.items()`, `dict(r)`
    and `f(**r)` go by name, as does `"x" in r`.
    """

    __slots__ = ("_named",)

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self._named = dict(zip(names, values, strict=True))

    def __getitem__(self, name: str | int) -> Any:
        if isinstance(name, int):
            return tuple(self._named.values())[name]
        try:
            return self._named[name]
        except KeyError:
            raise KeyError(f"no gradient of {name!r}; there are those of {', '.join(self._named)}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._named.values())

    def __len__(self) -> int:
        return len(self._named)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._named

    def keys(self) -> KeysView[str]:
        return self._named.keys()

    def values(self) -> ValuesView[Any]:
        return self._named.values()

    def items(self) -> ItemsView[str, Any]:
        return self._named.items()

    def get(self, name: str, default: Any = None) -> Any:
        return self._named.get(name, default)

    def __repr__(self) -> str:
        return f"Result({self._named!r})"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._named)


_MAPPINGS = (dict, Mapping)  # a dictionary is known at once, what else is a mapping is found out


def as_mapping(given: Any) -> Mapping[str, Any] | None:
    """A mapping, or the results of another call; None for anything else."""
    return given if isinstance(given, _MAPPINGS) else dict(given.items()) if isinstance(given, Result) else None
