"""What is found out about a node once.  Nodes do not change, so that it stays true as long as the node exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakMethod

from hetad.ir.identity import asked_once

N = TypeVar("N")
F = TypeVar("F")

Fact = Callable[[N], F]  # a function of nodes that is asked of each node, by identity, once

_MOST = 200_000  # nodes that are known at a time
_lasting: list[Callable[[], None]] = []  # each lets go of what it knows


def once(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that are known as long as somebody may ask for them."""
    return asked_once(find, _MOST)[0]


def part_of_self(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that a method finds and that are kept in an attribute of its own object.  They do not keep the object in
    turn: it goes, with all it knows, when nobody has it any more, and need not wait for the collector of garbage."""
    method = WeakMethod(find)

    def found(node: N) -> F:
        own = method()
        assert own is not None, "a fact that has outlived the object that it is a part of"
        return own(node)

    return once(found)


def lasting(find: Callable[[N], F]) -> Fact[N, F]:
    """Facts that many passes over a program ask for, until `forget`."""
    fact, let_go = asked_once(find, _MOST)
    _lasting.append(let_go)
    return fact


def forget() -> None:
    """Lets go of the nodes of a program that is done."""
    for let_go in _lasting:
        let_go()
