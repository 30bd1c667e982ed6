"""What is found out about a node once.  Nodes do not change, so that it stays true as long as the node exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hetad.ir.identity import IdentityMap

N = TypeVar("N")
F = TypeVar("F")

Fact = Callable[[N], F]  # a function of nodes that is asked of each node, by identity, once

_MOST = 200_000  # nodes that are known at a time
_lasting: list[IdentityMap[Any, Any]] = []


def once(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that are known as long as somebody may ask for them."""
    return IdentityMap[N, F]().filled_by(find, _MOST)


def lasting(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that many passes over a program ask for, until `forget`."""
    known = IdentityMap[N, F]()
    _lasting.append(known)
    return known.filled_by(find, _MOST)


def forget() -> None:
    """Lets go of the nodes of a program that is done."""
    for known in _lasting:
        known.clear()
