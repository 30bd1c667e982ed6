"""`const` and `__restrict__` on the parameters of generated kernels, where that is certain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.facts import lasting
from hetad.ir.places import base, cells_of, cells_read, through_pointer
from hetad.ir.types import Array, Pointer, Type
from hetad.ir.visit import (
    bodies,
    children,
    declared,
    own_exprs,
    own_nodes,
    substitute,
    variables,
    walk_exprs,
    walk_stmts,
)


def qualified(function: ir.Function, alone: Collection[ir.Symbol], adjoints: Collection[ir.Symbol]) -> ir.Function:
    """`alone`: those of the `adjoints` behind which lies memory that the kernel reaches through no other one.

    A parameter that is only read is `const`; one that another adjoint may overlap is not `__restrict__`, and none that
    a compiler would read by one load with memory that changes.
    """
    sweep = function.sweep
    whole = (*function.body, *sweep.body, *(sweep.alone or ())) if sweep is not None else function.body
    escaping, stored = set(_escaping(whole)), _stored(whole)
    pointers = [p for p in function.params if isinstance(p.type, Pointer) and not isinstance(p.type.to, Pointer)]
    constant = {p for p in pointers if p not in escaping and p not in stored and (p in alone or p not in adjoints)}
    merged = _read_beside(function.body, constant)
    replacements: dict[ir.Symbol, ir.Symbol] = {}
    for p in pointers:
        if p in escaping or (p in stored and p not in alone):
            continue
        assert isinstance(p.type, Pointer)
        overlapped = p in adjoints and p not in alone
        type_ = replace(p.type, const=p.type.const or p not in stored, restrict=not overlapped and p not in merged)
        replacements[p] = replace(p, type=type_)
    params = tuple(replacements.get(p, p) for p in function.params)
    if sweep is not None:
        serial = substitute(replacements, sweep.alone) if sweep.alone is not None else None
        sweep = replace(sweep, body=substitute(replacements, sweep.body), alone=serial)
    return replace(function, params=params, body=substitute(replacements, function.body), sweep=sweep)


def _stored(body: ir.Body) -> set[ir.Symbol]:
    """The pointers behind which something is stored, by assignments or by calls that are given the address."""
    targets: list[ir.Expr] = [s.target for s in walk_stmts(body) if isinstance(s, ir.Assign | ir.Update)]
    targets += [e.place for e in walk_exprs(body) if isinstance(e, ir.AddressOf)]
    return {x for t in targets if (x := base(t)) is not None}


def _read_beside(body: ir.Body, constant: Collection[ir.Symbol]) -> set[ir.Symbol]:
    """Those of the `constant` pointers that are read in one branch where the other reads memory which may change.

    Of both loads NVRTC 13.0 and 13.5 makes one, through whichever pointer, and takes it for one of memory that nothing
    changes, `ld.global.nc`, if one of them is: what a thread has just stored through the other is not seen.
    """
    found: set[ir.Symbol] = set()
    for then, orelse in _branches(body):
        for own, other in ((then, orelse), (orelse, then)):
            changing = {type_ for x, type_ in other if x not in constant}
            found.update(x for x, type_ in own if x in constant and type_ in changing)
    return found


_Read = set[tuple[ir.Symbol, Type]]  # pointers, and the type of what is read through them


def _branches(body: ir.Body) -> Iterator[tuple[_Read, _Read]]:
    """What is read in both branches of each `if` and `?:`, and in two of opposite conditions in one block."""
    for s in walk_stmts(body):
        if isinstance(s, ir.If):
            yield _read(s.then), _read(s.orelse)
        for e in own_nodes(s):
            if isinstance(e, ir.Select):
                yield _through_pointers(cells_of(e.then)), _through_pointers(cells_of(e.orelse))
    for block in (body, *(inner for s in walk_stmts(body) for inner in bodies(s))):
        by_condition = {s.cond: s for s in block if isinstance(s, ir.If)}
        for s in by_condition.values():
            opposite = by_condition.get(s.cond.operand) if isinstance(s.cond, ir.Unary) and s.cond.op == "!" else None
            if opposite is not None:
                yield _read(s.then), _read(opposite.then)


def _read(body: ir.Body) -> _Read:
    """But for what is read in loops that no compiler unrolls: those loads stay there."""
    return set().union(*map(_read_by, body))


def _find_read(s: ir.Stmt) -> _Read:
    if isinstance(s, _LOOPS):
        return set().union(*map(_read, bodies(s))) if _is_unrolled(s) else set()
    return _through_pointers(cells_read(s)).union(*map(_read, bodies(s)))


_read_by = lasting(_find_read)
_LOOPS = (ir.For, ir.While, ir.DoWhile)


def _is_unrolled(loop: ir.For | ir.While | ir.DoWhile) -> bool:
    """Whether the text alone may tell how often the loop runs."""
    return isinstance(loop, ir.For) and (loop.cond is None or set(variables(loop.cond)) <= set(declared(loop.init)))


def _through_pointers(cells: Iterable[ir.Expr]) -> _Read:
    return {(x, c.type) for c in cells if through_pointer(c) and (x := base(c)) is not None}


def _escaping(body: ir.Body) -> list[ir.Symbol]:
    """Pointers that are used otherwise than to reach a cell at once: copied, moved, or passed on, themselves or as the
    array to which they lead."""
    found: list[ir.Symbol] = []

    def visit(expr: ir.Expr, reached: bool) -> None:
        if isinstance(expr.type, Array) and not reached and (x := base(expr)) is not None:
            found.append(x)
        if isinstance(expr, ir.Var):
            if isinstance(expr.type, Pointer) and not reached:
                found.append(expr.symbol)
            return
        for child in children(expr):
            visit(child, isinstance(expr, ir.Index | ir.Member) and child is expr.base)

    for s in walk_stmts(body):
        for own in own_exprs(s):
            kept = isinstance(s, ir.Declare | ir.Assign | ir.Update) and isinstance(own.type, Pointer)
            found += [x for x in variables(own) if isinstance(x.type, Pointer)] if kept else []
            visit(own, False)
    return found
