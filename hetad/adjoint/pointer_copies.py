"""Local pointers that are another name for memory of the caller's: what they lead to is said by the caller's pointer.

    const Vec *nodes = mesh.position;         x[c] = mesh.position[k];
    x[c] = nodes[k];                     →
    Vec *self = mesh.velocity + n;            mesh.velocity[n].x += a * material.density;
    const Material *of = &material;
    self->x += a * of->density;

References become such pointers where a function that has them is inlined.  Which cells are meant is then seen by
comparing expressions, and the caller's pointers can be promised to be the only ones to their memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hetad.adjoint.canonicalise.uses import inside
from hetad.adjoint.inline import followed
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.places import exposed, is_fixed, root_symbol, written
from hetad.ir.types import Array, Pointer, Type, is_volatile
from hetad.ir.visit import declared, map_exprs, same_or, substitute, substituted, variables, walk_expr, walk_exprs
from hetad.passes.manager import function_pass


def forwarded(function: ir.Function) -> ir.Function:
    """A kernel without pointers that are copies, or that lead to one cell, of pointers that do not change."""
    if function.kind != "kernel":
        return function
    names = Names({x.name for x in (*function.params, *declared(function.body))})
    body = function.body
    while (made := _Copies(body, names).forwarded()) is not body:  # then more lead to one cell
        body = made
    return function if body is function.body else replace(function, body=body)


pointer_copies = function_pass("forward-pointer-copies", forwarded)


class _Copies:
    def __init__(self, body: ir.Body, names: Names) -> None:
        self._body, self._names = body, names
        self._pointed = exposed(body)  # variables whose address is taken
        self._changed = written(body) | self._pointed
        mentioned = Counter(variables(body))
        cells = Counter(p for e in walk_exprs(body) if (p := _cell_of(e)) is not None)
        self._to_one_cell = {p for p, n in cells.items() if mentioned[p] == n}
        self._copies: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        self._cells: dict[ir.Symbol, tuple[ir.Expr, ir.Expr]] = {}  # pointers and offsets

    def forwarded(self) -> ir.Body:
        body = self._block(self._body)
        if not self._copies and not self._cells:
            return self._body
        return map_exprs(lambda e: followed(self._at(e)), substitute(self._copies, body))

    def _block(self, body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for n, s in enumerate(body):
            found = self._forward(s, body[n + 1 :]) if isinstance(s, ir.Declare) else None
            out += (inside(self._block, s),) if found is None else found
        return same_or(body, tuple(out))

    def _forward(self, s: ir.Declare, rest: ir.Body) -> ir.Body | None:
        """What stands for the declaration of a pointer that goes."""
        p = s.symbol
        if not isinstance(p.type, Pointer) or s.init is None or p in self._changed or is_volatile(p.type.to):
            return None
        init = substituted(self._copies, s.init)
        address = _plain(init)
        if isinstance(address, ir.AddressOf) and is_fixed(address.place) and address.place.type == p.type.to:
            self._copies[p] = address
            return ()
        base, offset = _parts(init)
        if _element(base.type) != p.type.to or not self._stays(base):
            return None
        if offset is None:
            self._copies[p] = base if isinstance(base.type, Pointer) else init
            return ()
        if p not in self._to_one_cell or not self._keeps_value(offset, rest):
            return None
        opening: ir.Body = ()
        if not isinstance(offset, ir.Var | ir.Const | ir.ThreadIndex):
            at = self._names.symbol("at", offset.type, s.span, const=True)
            opening, offset = (ir.Declare(at, offset, span=s.span),), ir.Var(at, span=s.span)
        self._cells[p] = base, offset
        return opening

    def _stays(self, base: ir.Expr) -> bool:
        """Whether it is an array, or a pointer that nothing changes: a parameter or a local variable, or a member."""
        if not is_fixed(base):
            return False
        root = root_symbol(base)
        unchanged = root is not None and root.storage in ("param", "local") and root not in self._changed
        return unchanged or isinstance(base.type, Array)

    def _keeps_value(self, e: ir.Expr, rest: ir.Body) -> bool:
        """Whether an offset is the same wherever it may be read in `rest`."""
        computed = (ir.Var, ir.Const, ir.Binary, ir.Unary, ir.Cast, ir.ThreadIndex, ir.Member)
        if not all(isinstance(x, computed) for x in walk_expr(e)):
            return False
        read = set(variables(e))
        local = all(x.storage in ("param", "local") and x not in self._pointed for x in read)
        return local and (read.isdisjoint(self._changed) or read.isdisjoint(written(rest)))

    def _at(self, e: ir.Expr) -> ir.Expr:
        p = _cell_of(e)
        return ir.Index(*self._cells[p], e.type, span=e.span) if p in self._cells else e


def _parts(init: ir.Expr) -> tuple[ir.Expr, ir.Expr | None]:
    """A pointer, and how far behind it another one leads."""
    init = _plain(init)
    match init:
        case ir.Binary(op="+", left=left, right=right) if isinstance(left.type, Pointer | Array):
            return _plain(left), right
        case ir.AddressOf(place=ir.Index(base=base, index=index)):
            return _plain(base), index
    return init, None


def _element(type_: Type) -> Type | None:
    return type_.to if isinstance(type_, Pointer) else type_.of if isinstance(type_, Array) else None


def _plain(pointer: ir.Expr) -> ir.Expr:
    while isinstance(pointer, ir.Cast) and pointer.implicit and isinstance(pointer.operand.type, Pointer | Array):
        pointer = pointer.operand
    return pointer


def _cell_of(e: ir.Expr) -> ir.Symbol | None:
    """The pointer that is followed to where it leads."""
    if not isinstance(e, ir.Index) or not isinstance(e.index, ir.Const) or e.index.value != 0:
        return None
    pointer = _plain(e.base)
    return pointer.symbol if isinstance(pointer, ir.Var) else None
