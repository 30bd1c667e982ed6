"""Names for memory that stay, wherever the program's own pointers to it are moved.

Pointer parameters stay what they were on entry; what the program moves is a copy.  And each allocation outside loops
has a variable of its own, where it may be part of a state to save.  So memory can be named anywhere in the gradient
function, and analyses know that the name means this memory alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hetad.analysis.memory_calls import allocated
from hetad.ir import nodes as ir
from hetad.ir.build import Names, var
from hetad.ir.types import INT, Pointer
from hetad.ir.visit import declared, map_bodies, substitute, variables, walk_exprs, walk_stmts
from hetad.memops.table import TABLE
from hetad.passes.task import entry_pass


@entry_pass("name-parameters")
def steady_parameters(function: ir.Function) -> ir.Function:
    """The function with a local variable in place of each pointer parameter that it assigns or takes the address of."""
    moved = _moved(function.body)
    names = Names({s.name for s in (*function.params, *declared(function.body))})
    copies = {
        p: ir.Symbol(names.fresh(f"{p.name}_now"), p.type, p.span)
        for p in function.params
        if isinstance(p.type, Pointer) and p in moved
    }
    if not copies:
        return function
    opening = (ir.Declare(copy, var(p), span=p.span) for p, copy in copies.items())
    return replace(function, body=(*opening, *substitute(copies, function.body)))


@entry_pass("name-allocations")
def steady_allocations(function: ir.Function) -> ir.Function:
    """The function where each allocation outside loops goes first to a variable of its own, null before."""
    names = Names({s.name for s in (*function.params, *declared(function.body))})
    top: list[ir.Stmt] = []

    def named(s: ir.Stmt) -> ir.Body:
        place = _allocated(s)
        if place is None:
            return (s,)
        assert isinstance(s, ir.Call) and isinstance(place.type, Pointer)
        own = ir.Symbol(names.fresh(f"{_stem(place)}_memory"), place.type, s.span)
        null = ir.Cast(ir.Const(0, INT, span=s.span), own.type, span=s.span)
        top.append(ir.Declare(own, null, span=s.span))
        where = ir.Var(own, span=s.span)
        given = ir.Assign(place, where, span=s.span)
        if place is s.result:
            return replace(s, result=where), given
        at = TABLE[s.function].position("out")
        args = tuple(_with_place(a, where) if i == at else a for i, a in enumerate(s.args))
        return replace(s, args=args), given

    body = _outside_loops(named, function.body)
    return replace(function, body=(*top, *body)) if top else function


def _outside_loops(fn: Callable[[ir.Stmt], ir.Body], body: ir.Body) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        inside = not isinstance(s, ir.For | ir.While)
        out += fn(map_bodies(lambda b: _outside_loops(fn, b), s) if inside else s)
    return tuple(out)


def _allocated(s: ir.Stmt) -> ir.Place | None:
    """Where an allocation's pointer goes."""
    place = allocated(s)
    return place if place is not None and isinstance(place.type, Pointer) else None


def _with_place(arg: ir.Expr, place: ir.Place) -> ir.Expr:
    """The argument `(void **)&p` for another place."""
    own = ir.AddressOf(place, Pointer(place.type), span=arg.span)
    return ir.Cast(own, arg.type, span=arg.span) if isinstance(arg, ir.Cast) else own


def _stem(place: ir.Expr) -> str:
    return place.name if isinstance(place, ir.Member) else next((x.name for x in variables(place)), "own")


def _moved(body: ir.Body) -> set[ir.Symbol]:
    found: set[ir.Symbol] = set()
    for s in walk_stmts(body):
        match s:
            case ir.Assign(target=ir.Var(symbol=symbol)) | ir.Update(target=ir.Var(symbol=symbol)):
                found.add(symbol)
            case ir.Call(result=ir.Var(symbol=symbol)):
                found.add(symbol)
    return found | {
        e.place.symbol for e in walk_exprs(body) if isinstance(e, ir.AddressOf) and isinstance(e.place, ir.Var)
    }
