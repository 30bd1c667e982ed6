"""Variables of a loop's body whose value follows from others: they are not saved, the reverse sweep sets them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from hetad.ir import nodes as ir
from hetad.ir.places import exposed, root_symbol
from hetad.ir.types import Int, Pointer
from hetad.ir.visit import variables, walk_expr, walk_stmts

if TYPE_CHECKING:
    from hetad.adjoint.engine import Engine


def fixed_values(
    engine: Engine, loop: ir.For, forward: ir.Body, candidates: Collection[ir.Symbol]
) -> dict[ir.Symbol, ir.Expr]:
    """What each of these variables is, in the order in which `forward`, an iteration of `loop`, sets them.

    They are set once, whatever happens, from others that are set so, or from what the loop leaves alone.
    """
    times = Counter(x for s in walk_stmts(forward) for x in _set(s))
    pointed = {*exposed(forward), *engine.pointers.pointed()}
    changing = {*times, *pointed, *engine.changes(loop.body)}
    once: set[ir.Symbol] = set()
    found: dict[ir.Symbol, ir.Expr] = {}
    for s in forward:
        match s:
            case ir.Declare(symbol=x, init=value) | ir.Assign(target=ir.Var(symbol=x), value=value):
                if value is None or x not in candidates or times[x] != 1 or x in pointed:
                    continue
            case _:
                continue
        if _is_plain(value) and all(v in once or v not in changing for v in variables(value)):
            found[x] = value
        once.add(x)
    return found


def _set(s: ir.Stmt) -> Iterator[ir.Symbol]:
    """The variables that a statement sets, wholly or in part."""
    match s:
        case ir.Declare(symbol=x, init=init) if init is not None:
            yield x
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            root = root_symbol(place)
            if root is not None:
                yield root


def _is_plain(value: ir.Expr) -> bool:
    """Whether it is a copy, or arithmetic of whole numbers and pointers."""
    inner = list(walk_expr(value))
    if not all(isinstance(e, ir.Var | ir.Const | ir.Cast | ir.Binary) for e in inner):
        return False
    return isinstance(value, ir.Var | ir.Const) or all(isinstance(e.type, Int | Pointer) for e in inner)
