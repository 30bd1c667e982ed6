"""Nodes as keys: this one, and none that looks like it.

Nodes are equal if they look alike, and their hash is that of all that is in them.  What a pass knows of a statement it
knows of that object.  These hold their nodes, too, so that the number of an object is no other's meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, ValuesView
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

_UNKNOWN: Any = object()


class Identity(Generic[K]):
    """A node as a part of a key, as in `(Identity(s), cell)`."""

    __slots__ = ("node",)

    def __init__(self, node: K) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.node is self.node

    def __hash__(self) -> int:
        return id(self.node)


class IdentityMap(Generic[K, V]):
    """A dict by nodes."""

    __slots__ = ("_found",)

    def __init__(self, pairs: Iterable[tuple[K, V]] = ()) -> None:
        self._found: dict[int, tuple[K, V]] = {id(pair[0]): pair for pair in pairs}

    def __getitem__(self, key: K) -> V:
        return self._found[id(key)][1]

    def __setitem__(self, key: K, value: V) -> None:
        self._found[id(key)] = (key, value)

    def __contains__(self, key: object) -> bool:
        return id(key) in self._found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self._found.values())

    def items(self) -> ValuesView[tuple[K, V]]:
        return self._found.values()

    def values(self) -> Iterator[V]:
        return (value for _, value in self._found.values())

    @overload
    def get(self, key: object) -> V | None: ...

    @overload
    def get(self, key: object, default: D) -> V | D: ...

    def get(self, key: object, default: object = None) -> object:
        found = self._found.get(id(key))
        return default if found is None else found[1]

    def setdefault(self, key: K, default: V) -> V:
        return self._found.setdefault(id(key), (key, default))[1]


def asked_once(find: Callable[[K], V], most: int) -> tuple[Callable[[K], V], Callable[[], None]]:
    """What `find` gives, for each node found once; and what lets go of all nodes, as happens by itself when there are
    `most`.  All passes ask: a quick answer is what this is for."""
    known: dict[int, V] = {}
    nodes: list[K] = []  # those that are known

    def value(node: K) -> V:
        found: V = known.get(id(node), _UNKNOWN)
        if found is not _UNKNOWN:
            return found
        found = find(node)
        if len(nodes) >= most:
            forget()
        nodes.append(node)
        known[id(node)] = found
        return found

    def forget() -> None:
        known.clear()
        nodes.clear()

    return value, forget


class IdentitySet(Generic[K]):
    """A set of nodes, in the order in which they came."""

    __slots__ = ("_found",)

    def __init__(self, nodes: Iterable[K] = ()) -> None:
        self._found: dict[int, K] = {id(node): node for node in nodes}

    def __contains__(self, node: object) -> bool:
        return id(node) in self._found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[K]:
        return iter(self._found.values())

    def __sub__(self, other: IdentitySet[K]) -> IdentitySet[K]:
        return IdentitySet(node for node in self if node not in other)

    def add(self, node: K) -> None:
        self._found[id(node)] = node

    def update(self, nodes: Iterable[K]) -> None:
        for node in nodes:
            self._found[id(node)] = node
