"""The pointers among a kernel's arguments through which it comes to a cell, as expressions of its parameters.

Points-to sets name memory by the parameter, and by the field of a struct; the elements of an array of pointers count
as one.  Here `rows.at[0]` and `rows.at[1]` are two pointers.  Whether two are the same is for the launch to say.
"""

from __future__ import annotations

from collections.abc import Collection

from hetad.analysis.effects import summary_of
from hetad.analysis.pointer_expressions import component_of, pointer_parts, pointers_within, undecayed
from hetad.analysis.pointers import PointsTo, Root
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, small
from hetad.ir.build import var
from hetad.ir.types import INT, Array, Int, Pointer, Struct
from hetad.ir.visit import variables, walk_expr, walk_stmts

Pointers = frozenset[ir.Expr] | None  # one of these; None: nobody knows which


class GivenPointers:
    def __init__(self, kernel: ir.Function, pointers: PointsTo, changing: Collection[ir.Symbol]) -> None:
        """`pointers`: as if no two parameters reached the same memory; `changing`: the variables that change."""
        self._pointers, self._changing = pointers, frozenset(changing)
        self._kept = frozenset(kernel.params) - frozenset(changing)
        self._values = {
            s.symbol: s.init
            for s in walk_stmts(kernel.body)
            if isinstance(s, ir.Declare) and s.init is not None and s.symbol not in changing
        }
        self._may_follow = not summary_of(kernel).hands_on
        self._of: dict[Root, Pointers] = {}
        for p in kernel.params:
            if p in pointers.parameter_roots:
                self._note(pointers.parameter_roots[p], var(p))
            direct = pointer_parts(var(p)) if isinstance(p.type, Struct) else []
            for number, part in enumerate(pointers_within(var(p))):
                for root in (r for r, given in pointers.given_by.items() if (p, number) in given):
                    self._note(root, part if part in direct else None)

    def _note(self, root: Root, pointer: ir.Expr | None) -> None:
        known = self._of.get(root, frozenset())
        self._of[root] = known | {pointer} if known is not None and pointer is not None else None

    def to(self, place: ir.Expr) -> Pointers:
        """Those through which the kernel may come to a place."""
        pointer = base_pointer(place)
        own = self._of_parameter(pointer) if pointer is not None else None
        if own is not None:
            return frozenset({own})
        found: set[ir.Expr] = set()
        for root in self._pointers.storage(place):
            given = self._of.get(root) if isinstance(root, Root) else None
            if given is None:
                return None
            found |= given
        return frozenset(found)

    def same(self, a: ir.Expr, b: ir.Expr) -> bool:
        """Whether a thread certainly comes to both places through one pointer, whichever that is."""
        pointer = base_pointer(a)
        if pointer is None or pointer != base_pointer(b) or not self._changing.isdisjoint(variables(pointer)):
            return False
        return self._may_follow or not any(follows_memory(e) for e in walk_expr(pointer))

    def _of_parameter(self, pointer: ir.Expr) -> ir.Expr | None:
        """A pointer, or what holds it, made of parameters and numbers alone: written as `pointers_within` does."""
        match pointer:
            case ir.Var(symbol=symbol) if symbol in self._kept:
                return var(symbol)
            case ir.Var(symbol=symbol) if symbol in self._values:
                value = self._values[symbol]
                return self._of_parameter(_start(value) if isinstance(value.type, Pointer) else value)
            case ir.Member(base=base, name=name):
                whole = self._of_parameter(base)
                if whole is None or not isinstance(whole.type, Struct):
                    return None
                return component_of(whole, [f.name for f in whole.type.fields].index(name))
            case ir.Index(base=base, index=index) if is_told(index, self._kept) and not may_fail(index):
                whole, number = self._of_parameter(undecayed(base)), small(index)
                at = ir.Const(number, INT, span=pointer.span) if number is not None else index
                if whole is None or not isinstance(whole.type, Array | Pointer):
                    return None
                if isinstance(whole.type, Array):
                    within = number is None or number < (whole.type.length or 0)
                    return ir.Index(whole, at, whole.type.of, span=pointer.span) if within else None
                return ir.Index(whole, at, whole.type.to, span=pointer.span) if self._may_follow else None
        return None


def base_pointer(place: ir.Expr) -> ir.Expr | None:
    """The pointer, before anything is added to it, behind which a place lies."""
    while isinstance(place, ir.Index | ir.Member) and not isinstance(place.base.type, Pointer):
        place = place.base
    pointer = _start(place.base) if isinstance(place, ir.Index) else None
    return pointer if pointer is not None and isinstance(pointer.type, Pointer) else None


def _start(pointer: ir.Expr) -> ir.Expr:
    pointer = bare(pointer)
    while isinstance(pointer, ir.Binary):
        pointer = bare(pointer.left if isinstance(pointer.left.type, Pointer | Array) else pointer.right)
    return pointer


def is_told(number: ir.Expr, parameters: Collection[ir.Symbol]) -> bool:
    """Whether these decide a number or condition, and every machine alike: without arithmetic that may be rounded."""
    for e in walk_expr(number):
        match e:
            case ir.Var(symbol=symbol):
                if symbol not in parameters:
                    return False
            case ir.Const() | ir.Cast():
                pass
            case ir.Unary() | ir.Binary():
                if not isinstance(e.type, Int):
                    return False
            case _:
                return False
    return True


def follows_memory(e: ir.Expr) -> bool:
    return isinstance(e, ir.Index) and isinstance(undecayed(e.base).type, Pointer)


def may_fail(number: ir.Expr) -> bool:
    """Whether it divides by what may be zero."""
    return any(isinstance(e, ir.Binary) and e.op in ("/", "%") and not small(e.right) for e in walk_expr(number))
