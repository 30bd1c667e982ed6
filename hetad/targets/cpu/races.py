"""Kernels that tell the race detector (support/races.c) of each access to memory that other threads can reach.

Accesses are numbered as they stand in the source.  A read of `x[i]` becomes `*(float *)hetad_race_read(&x[i], ...)`, a
store a statement expression that hands the new value over, so that stores of the same value can be told.
"""

from __future__ import annotations

from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.expressions import COMMA, UNARY, Expressions
from hetad.ir import nodes as ir
from hetad.ir.places import members, root_symbol
from hetad.ir.types import Array, Pointer, Void, is_volatile
from hetad.rules import callees, operations
from hetad.targets.accesses import CHANGES, NumberedAccesses, pointed
from hetad.targets.cpu.fibers import FiberStatements

NAMES = ("hetad_race_begin", "hetad_race_read", "hetad_race_private")  # of support/races.c, which is there as a whole


def _is_watched(place: ir.Expr) -> bool:
    """Whether other threads may reach what the place stands for, and it is read or written as one value."""
    if not isinstance(place, ir.Var | ir.Index | ir.Member) or isinstance(place.type, Array):
        return False
    if not isinstance(members(place)[0], ir.Var | ir.Index):
        return False  # of a value that is stored nowhere
    root = root_symbol(place)
    return root is None or root.storage in ("shared", "global", "static")


class WatchedExpressions(Expressions):
    """Reads go through the detector."""

    def __init__(self, parts: Assembly, function: ir.Function, accesses: NumberedAccesses) -> None:
        super().__init__(parts.names, parts.names.of(function), parts.dialect)
        self.accesses = accesses

    def place(self, expr: ir.Expr, level: int = COMMA) -> str:
        text, own = super()._bound(expr)
        return text if own >= level else f"({text})"

    def noted(self, place: ir.Expr, how: str, count: str = "1") -> str:
        """`(&place, size, number, ...)`, what functions of the detector take, of so many values."""
        type_ = declaration(place.type)
        size = f"sizeof({type_})" if count == "1" else f"{count} * sizeof({type_})"
        rest = f"{size}, {self.accesses.number(place)}, {int(is_volatile(place.type))}"
        return f"({declaration(Pointer(place.type))})hetad_race_{how}(&{self.place(place, UNARY)}, {rest})"

    def _bound(self, expr: ir.Expr) -> tuple[str, int]:
        if _is_watched(expr):
            return f"*{self.noted(expr, 'read')}", UNARY
        return super()._bound(expr)

    def call(self, function: str, args: tuple[ir.Expr, ...]) -> str:
        detected = callees.find(function).text.get("races")
        if detected is not None:
            return detected
        if function == "__ldg":
            return f"({self.text(pointed(args[0]))})"
        if operations.is_named(function, *CHANGES):
            count = self.text(args[2], UNARY) if operations.is_named(function, *operations.RUNS) else "1"
            args = (self._handed(args[0], "atomic", count), *args[1:])
        elif function not in self.names.functions and callees.kind(function) != "support":
            how = "atomic" if callees.kind(function) == "atomic" else "written"
            args = tuple(self._handed(a, how) for a in args)
        return super().call(function, args)

    def _handed(self, arg: ir.Expr, how: str, count: str = "1") -> ir.Expr:
        """An argument of a function that is not the program's own: it writes the values that a pointer points to."""
        if not isinstance(arg.type, Pointer) or arg.type.const or isinstance(arg.type.to, Void):
            return arg
        place = pointed(arg)
        if not _is_watched(place):
            return arg
        text = self.noted(place, how, count)
        return ir.String(f"({text})", arg.type, span=arg.span)  # is printed as it is


class WatchedStatements(FiberStatements):
    """Stores go through the detector."""

    def __init__(self, parts: Assembly, function: ir.Function, accesses: NumberedAccesses) -> None:
        super().__init__(parts, function, WatchedExpressions(parts, function, accesses))
        self.watched = accesses

    def store(self, target: ir.Place, value: str) -> str:
        if not _is_watched(target):
            return super().store(target, value)
        place = self.expressions.place(target, UNARY)
        rest = f"sizeof hetad_value, {self.watched.number(target)}, {int(is_volatile(target.type))}"
        value = f"{declaration(target.type, 'hetad_value')} = {value}"
        return f"({{ {value}; hetad_race_store(&{place}, &hetad_value, {rest}); }})"

    def update(self, op: str, target: ir.Place, value: ir.Expr) -> str:
        if not _is_watched(target):
            return super().update(op, target, value)
        return self.store(target, f"{self.expressions.text(target, UNARY)} {op} ({self.operand(target, value)})")
