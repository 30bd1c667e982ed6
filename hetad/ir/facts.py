"""What is found out about a node once.  Nodes do not change, so that it stays true as long as the node exists."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Generic, TypeVar

from hetad.ir import nodes as ir
from hetad.ir.visit import bodies

N = TypeVar("N")
F = TypeVar("F")

_MOST = 200_000  # nodes that are known at a time
_lasting: list[Facts[object, object]] = []


class Facts(Generic[N, F]):
    """A function of nodes that is asked of each node, by identity, once."""

    def __init__(self, find: Callable[[N], F]) -> None:
        self._find = find
        self._known: dict[int, tuple[N, F]] = {}  # with the node, whose number is no other's as long as it is here

    def __call__(self, node: N) -> F:
        known = self._known.get(id(node))
        if known is not None:
            return known[1]
        found = self._find(node)
        if len(self._known) >= _MOST:
            self._known = {}
        self._known[id(node)] = (node, found)
        return found

    def forget(self) -> None:
        self._known = {}


def lasting(find: Callable[[N], F]) -> Facts[N, F]:
    """Facts that many passes over a program ask for, until `forget`."""
    found = Facts(find)
    _lasting.append(found)  # type: ignore[arg-type]
    return found


def collected(own: Callable[[ir.Stmt], Iterable[F]]) -> Facts[ir.Stmt, tuple[F, ...]]:
    """What a statement has of its own and what the statements in it have, each once, in order; lasting."""

    def find(s: ir.Stmt) -> tuple[F, ...]:
        inner = (found(nested) for body in bodies(s) for nested in body)
        return tuple(dict.fromkeys(chain(own(s), *inner)))

    found = lasting(find)
    return found


def forget() -> None:
    """Lets go of the nodes of a program that is done."""
    for found in _lasting:
        found.forget()
