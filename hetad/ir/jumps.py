"""Jumps, and what they leave: a loop catches `break` and `continue`, a switch `break`."""

from __future__ import annotations

from collections.abc import Iterator

from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.visit import bodies

Jump = ir.Break | ir.Continue | ir.Return | ir.Goto
Kinds = frozenset[type[Jump]]
NONE: Kinds = frozenset()

_IN_LOOP, _IN_SWITCH = Kinds({ir.Break, ir.Continue}), Kinds({ir.Break})


def caught(s: ir.Stmt) -> Kinds:
    """The jumps in a statement that leave this statement and nothing around it."""
    if isinstance(s, ir.For | ir.While | ir.DoWhile):
        return _IN_LOOP
    return _IN_SWITCH if isinstance(s, ir.Switch) else NONE


def _find_ways(s: ir.Stmt) -> Kinds:
    if isinstance(s, Jump):
        return Kinds({type(s)})
    return NONE.union(*(leaves_by(inner) for body in bodies(s) for inner in body)) - caught(s)


leaves_by: Fact[ir.Stmt, Kinds] = lasting(_find_ways)  # of the jumps by which control may leave the statement


def leaving(body: ir.Body, stay: Kinds = NONE) -> Iterator[Jump]:
    """The jumps in a body that leave it; `stay`: but for those of these kinds."""
    for s in body:
        if isinstance(s, Jump):
            if type(s) not in stay:
                yield s
        else:
            for nested in bodies(s):
                yield from leaving(nested, stay | caught(s))
