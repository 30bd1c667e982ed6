"""What is found out about a node once.  Nodes do not change, so that it stays true as long as the node exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

N = TypeVar("N")
F = TypeVar("F")

Fact = Callable[[N], F]  # a function of nodes that is asked of each node, by identity, once

_MOST = 200_000  # nodes that are known at a time
_lasting: list[dict[int, Any]] = []


def once(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that are known as long as somebody may ask for them."""
    return _remembered(find, {})


def lasting(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that many passes over a program ask for, until `forget`."""
    known: dict[int, tuple[N, F]] = {}
    _lasting.append(known)
    return _remembered(find, known)


def _remembered(find: Callable[[N], F], known: dict[int, tuple[N, F]]) -> Fact[N, F]:
    """`known` has each node too, whose number is no other's as long as it is here."""

    def fact(node: N) -> F:
        try:
            return known[id(node)][1]
        except KeyError:
            pass  # and what `find` raises is raised by itself
        found = find(node)
        if len(known) >= _MOST:
            known.clear()
        known[id(node)] = (node, found)
        return found

    return fact


def forget() -> None:
    """Lets go of the nodes of a program that is done."""
    for known in _lasting:
        known.clear()
