"""Cells of local arrays that have just been stored to, as variables.

    shape[c] = a[c] / volume;            const double shape_here = a[c] / volume;
    speed += shape[c] * v[c];      →     shape[c] = shape_here;
                                         speed += shape_here * v[c];

A loop that stores to a cell before it reads it depends on no cell of an earlier iteration.  Of variables analyses see
that, of arrays they do not, and the reverse sweep would take the whole array back in front of each iteration.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.canonicalise.uses import inside
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.places import changed_in, exposed, root_symbol, subscripts
from hetad.ir.types import Array, Float, Int, is_volatile
from hetad.ir.visit import declared, map_exprs, own_nodes, same_or, variables, walk_expr, walk_stmts
from hetad.passes.manager import function_pass


def stored_cells_named(function: ir.Function) -> ir.Function:
    """A kernel that does not read a cell of a local array which it has just stored to, but the value that it stored."""
    if function.kind != "kernel":
        return function
    pointed = exposed(function.body)
    arrays = {x for x in declared(function.body) if x.storage == "local" and isinstance(x.type, Array)} - pointed
    if not arrays:
        return function
    names = Names({x.name for x in (*function.params, *declared(function.body))})
    body = _Naming(arrays, pointed, names).block(function.body)
    return function if body is function.body else replace(function, body=body)


stored_cells = function_pass("name-stored-cells", stored_cells_named)


class _Naming:
    """`pointed`: variables that a pointer may lead to."""

    def __init__(self, arrays: set[ir.Symbol], pointed: set[ir.Symbol], names: Names) -> None:
        self._arrays, self._pointed, self._names = arrays, pointed, names

    def block(self, body: ir.Body) -> ir.Body:
        out = list(body)
        for i in reversed(range(len(body))):
            s = out[i]
            end = self._read_until(out, i) if isinstance(s, ir.Assign) else i
            if isinstance(s, ir.Assign) and end > i:
                stored, value = self._named(s)
                out[i:end] = [*stored, *_replaced(s.target, value, tuple(out[i + 1 : end]))]
        return same_or(body, tuple(inside(self.block, s) for s in out))

    def _named(self, s: ir.Assign) -> tuple[ir.Body, ir.Expr]:
        """The store, and what says its value behind it."""
        if isinstance(s.value, ir.Const | ir.Var):
            return (s,), s.value
        root = root_symbol(s.target)
        assert root is not None
        own = self._names.symbol(f"{root.name}_here", s.target.type, s.span, const=True)
        value = ir.Var(own, span=s.span)
        return (ir.Declare(own, s.value, span=s.span), replace(s, value=value)), value

    def _read_until(self, body: list[ir.Stmt], at: int) -> int:
        """Where the cell that is stored to there may have another value, or be another one; `at` if it is not read."""
        s = body[at]
        assert isinstance(s, ir.Assign)
        root = root_symbol(s.target)
        number = isinstance(s.target.type, Float | Int) and s.value.type == s.target.type
        if root not in self._arrays or not number or is_volatile(s.target.type):
            return at
        fixed = set(variables(s.target))
        if isinstance(s.value, ir.Var):
            fixed.add(s.value.symbol)
            if s.value.symbol.storage not in ("local", "param") or is_volatile(s.value.type):
                return at
        if not self._pointed.isdisjoint(fixed) or not all(map(_is_plain, subscripts(s.target))):
            return at  # a store to memory may choose another cell
        last, end = at, at + 1
        while end < len(body) and fixed.isdisjoint(changed_in((body[end],))):
            last = end if _reads(body[end], s.target) else last
            end += 1
        return end if last > at else at


def _is_plain(index: ir.Expr) -> bool:
    return all(isinstance(e, ir.Var | ir.Const | ir.Unary | ir.Binary | ir.Cast) for e in walk_expr(index))


def _reads(s: ir.Stmt, place: ir.Place) -> bool:
    return any(e == place for inner in walk_stmts((s,)) for e in own_nodes(inner))


def _replaced(place: ir.Place, value: ir.Expr, body: ir.Body) -> ir.Body:
    return map_exprs(lambda e: replace(value, span=e.span) if e == place else e, body)
