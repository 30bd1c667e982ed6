"""Structs on the heap of which the function alone knows become variables.

`Data *s = malloc(sizeof(Data)); *s = h; s->a = …; free(s);` says the same as with `Data s`, and it is known which of
the pointers in a variable is read where (`host/live_ranges.py`).  So it is with memory for one struct whose pointer is
copied to variables that have no other value, and of which nothing is asked but what is there, a copy of the whole, and
whether it is null.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hetad.adjoint.components import component
from hetad.adjoint.structs import split_structs
from hetad.analysis.memory_calls import bytes_of
from hetad.analysis.pointer_expressions import holds_pointer, out_place
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import Names, integer, var, zero
from hetad.ir.identity import Identity, IdentityMap, IdentitySet
from hetad.ir.types import BOOL, INT, Array, Pointer, Struct, size_of
from hetad.ir.visit import declared, map_body, map_exprs, variables, walk_in_loops, walk_stmts
from hetad.memops.table import TABLE
from hetad.passes.task import entry_pass

_ALLOCATIONS = {"malloc": False, "calloc": True}  # whether it is zeroed
_COPIES = ("memcpy", "memmove")


@entry_pass("promote-structs")
def with_own_structs(function: ir.Function) -> ir.Function:
    """The host function, all calls inlined, with variables for such structs."""
    found = _Definitions(function)
    names = Names({x.name for x in (*function.params, *declared(function.body))})
    body = function.body
    for root, struct in found.roots():
        body = _Promoted(root, struct, found, names).body(body)
    return split_structs(replace(function, body=body)) if body is not function.body else function


@dataclass(slots=True)
class _Definitions:
    """What pointers are set to, each by the statement that does it; where they are declared, in the program's order;
    and the loops around these statements."""

    function: ir.Function
    of: dict[ir.Symbol, list[ir.Stmt]] = field(default_factory=dict)
    declared: dict[ir.Symbol, ir.Stmt] = field(default_factory=dict)
    loops: IdentityMap[ir.Stmt, tuple[Identity[ir.Stmt], ...]] = field(default_factory=IdentityMap)

    def __post_init__(self) -> None:
        for s, around in walk_in_loops(self.function.body):
            for x in _set_by(s):
                self.of.setdefault(x, []).append(s)
            if isinstance(s, ir.Declare):
                self.declared[s.symbol] = s
            self.loops[s] = tuple(map(Identity[ir.Stmt], around))

    def roots(self) -> Iterator[tuple[ir.Symbol, Struct]]:
        """The variables that an allocation of one struct sets, and nothing else."""
        for x, each in self.of.items():
            held = x.type.to if isinstance(x.type, Pointer) and x in self.declared else None
            if isinstance(held, Struct) and holds_pointer(held) and len(each) == 1:
                s = each[0]
                if isinstance(s, ir.Call) and s.function in _ALLOCATIONS and _product(s.args) == size_of(held):
                    yield x, held

    def copies(self, root: ir.Symbol) -> list[ir.Symbol]:
        """The root, and the variables that are copies of it and nothing else, all new in each turn of the loops around
        the allocation: else an older one might be kept."""
        around = self.loops[self.of[root][0]]
        group = [root]
        for x in group if self._is_new(root, around) else ():
            for y, each in self.of.items():
                value = _value(each[0]) if len(each) == 1 else None
                if y not in group and value is not None and _symbol(value) is x and self._is_new(y, around):
                    group.append(y)
        return sorted(group, key=list(self.declared).index)

    def _is_new(self, x: ir.Symbol, loops: tuple[Identity[ir.Stmt], ...]) -> bool:
        return x in self.declared and self.loops[self.declared[x]] == loops


def _set_by(s: ir.Stmt) -> Iterator[ir.Symbol]:
    places: list[ir.Expr | None] = []
    match s:
        case ir.Declare(symbol=symbol, init=init):
            places = [ir.Var(symbol, span=s.span)] if init is not None else []
        case ir.Assign(target=target) | ir.Update(target=target):
            places = [target]
        case ir.Call(args=args, result=result):
            places = [result, *(out_place(a) for a in args if isinstance(bare(a), ir.AddressOf))]
    yield from (p.symbol for p in places if isinstance(p, ir.Var))


def _value(s: ir.Stmt) -> ir.Expr | None:
    return s.init if isinstance(s, ir.Declare) else s.value if isinstance(s, ir.Assign) else None


class _Promoted:
    """One struct, as the variable `local`."""

    def __init__(self, root: ir.Symbol, struct: Struct, found: _Definitions, names: Names) -> None:
        group = found.copies(root)
        self.struct, self.first, self.group = struct, group[0], set(group)
        self.definitions = IdentitySet(found.of[x][0] for x in group)
        self.local = names.symbol(f"{self.first.name}_struct", struct, root.span)

    def body(self, body: ir.Body) -> ir.Body:
        """The body with the variable; the body itself where something else is asked of the pointer."""
        new = map_body(self._statement, body)
        new = map_exprs(self._expression, new)
        mentioned = set(variables(new)) | {x for s in walk_stmts(new) if isinstance(s, ir.Opaque) for x in s.declares}
        return new if self.group.isdisjoint(mentioned) else body

    def _place(self, like: ir.Expr) -> ir.Place:
        return var(self.local, like.span)

    def _statement(self, s: ir.Stmt) -> ir.Stmt | ir.Body | None:
        if isinstance(s, ir.Declare) and s.symbol in self.group:
            return ir.Declare(self.local, None, span=s.span) if s.symbol is self.first else None
        if s in self.definitions:
            cleared = isinstance(s, ir.Call) and _ALLOCATIONS[s.function]
            return tuple(zeroed(var(self.local, s.span))) if cleared else None
        if isinstance(s, ir.If | ir.While | ir.For) and s.cond is not None:
            return replace(s, cond=self._condition(s.cond))
        if not isinstance(s, ir.Call) or s.function not in TABLE:
            return s
        row = TABLE[s.function]
        if row.action == "free" and s.result is None and self._is_given(s.args[0]):
            return None
        return self._copy(s) if row.action == "copy" else s

    def _copy(self, s: ir.Call) -> ir.Stmt:
        """A copy of the whole struct."""
        moved = bytes_of(s)
        if moved is None or _product((moved.size,)) != size_of(self.struct):
            return s
        ends = TABLE[s.function].positions("dst", "src")
        args = tuple(self._address(a) if i in ends and self._is_given(a) else a for i, a in enumerate(s.args))
        dst, src = sorted(ends)
        to, from_ = bare(args[dst]), bare(args[src])
        whole = isinstance(to, ir.AddressOf) and isinstance(from_, ir.AddressOf) and s.result is None
        if whole and s.function in _COPIES and to.place.type == from_.place.type == self.struct:  # type: ignore[union-attr]
            return ir.Assign(to.place, from_.place, span=s.span)  # type: ignore[union-attr]
        return replace(s, args=args)

    def _is_given(self, e: ir.Expr) -> bool:
        return _symbol(e) in self.group

    def _address(self, e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Cast):
            return replace(e, operand=self._address(e.operand))
        return ir.AddressOf(self._place(e), Pointer(self.struct), span=e.span)

    def _expression(self, e: ir.Expr) -> ir.Expr:
        match e:
            case ir.Index(base=base, index=ir.Const(value=0)) if e.type == self.struct and self._is_given(base):
                return self._place(e)
            case ir.Binary(op="==" | "!=" as op, left=left, right=right):
                for one, other in ((left, right), (right, left)):
                    if self._is_given(one) and isinstance(bare(other), ir.Const):
                        return _truth(op == "!=", e)
            case ir.Binary(op="&&" | "||", left=left, right=right):
                return replace(e, left=self._condition(left), right=self._condition(right))
            case ir.Select(cond=cond):
                return replace(e, cond=self._condition(cond))
            case ir.Unary(op="!", operand=operand) if self._is_given(operand):
                return _truth(False, e)
            case ir.Cast(operand=operand) if e.type == BOOL and self._is_given(operand):
                return _truth(True, e)
        return e

    def _condition(self, e: ir.Expr) -> ir.Expr:
        return _truth(True, e) if self._is_given(e) else e


def _truth(value: bool, e: ir.Expr) -> ir.Const:
    return ir.Const(int(value), INT if isinstance(e.type, Pointer) else e.type, span=e.span)


def zeroed(place: ir.Place) -> Iterator[ir.Stmt]:
    """Null pointers, and numbers that are zero."""
    if isinstance(place.type, Struct | Array):
        count = len(place.type.fields) if isinstance(place.type, Struct) else place.type.length
        for i in range(count or 0):
            yield from zeroed(component(place, i, place.span))
        return
    null = ir.Cast(integer(0, place.span), place.type, span=place.span)
    yield ir.Assign(place, null if isinstance(place.type, Pointer) else zero(place.type, place.span), span=place.span)


def _symbol(e: ir.Expr) -> ir.Symbol | None:
    inner = bare(e)
    return inner.symbol if isinstance(inner, ir.Var) else None


def _product(sizes: tuple[ir.Expr, ...]) -> int | None:
    product = 1
    for size in map(bare, sizes):
        if isinstance(size, ir.Binary) and size.op == "*":
            value = _product((size.left, size.right))
        else:
            value = int(size.value) if isinstance(size, ir.Const) else None
        if value is None:
            return None
        product *= value
    return product
