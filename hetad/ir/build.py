"""Fresh names for synthesised code, and its small expressions, placed where their operands are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.simplify import negated, simplest
from hetad.ir.types import BOOL, DOUBLE, INT, MEMCPY_KIND, Float, Int, Opaque, Pointer, Type, of_value


class Names:
    """Hands out names that no symbol of the function, and no function of the program, bears."""

    def __init__(self, taken: Iterable[str], first: int = 2) -> None:
        """`first`: the number that the second of a name gets."""
        self._taken = set(taken)
        self._first = first
        self._last: dict[str, int] = {}  # the number that each name has come to
        self._free: dict[str, int] = {}  # the first number that may be free

    def fresh(self, wanted: str) -> str:
        """The name itself, or with the first number that is free; where it ends in a number, with letters."""
        numbered = re.search(r"_\d+$", wanted) is not None
        name, n = wanted, self._last.get(wanted, self._first - 1)
        while name in self._taken:
            n += 1
            name = f"{wanted}{_letters(n)}" if numbered else f"{wanted}_{n}"
        self._taken.add(name)
        self._last[wanted] = n
        return name

    def numbered(self, wanted: str, avoid: Collection[str] = ()) -> str:
        """With the first number that is free and leads to no name to avoid."""
        n = self._free.get(wanted, 1)
        while f"{wanted}_{n}" in self._taken:
            n += 1
        self._free[wanted] = n
        while (name := f"{wanted}_{n}") in self._taken or name in avoid:
            n += 1
        self._taken.add(name)
        return name

    def reserve(self, names: Iterable[str]) -> None:
        """These are taken too."""
        self._taken.update(names)

    def copy(self) -> Names:
        return Names(self._taken, self._first)

    def symbol(
        self, wanted: str, type_: Type, span: Span, storage: ir.Storage = "local", const: bool = False
    ) -> ir.Symbol:
        return ir.Symbol(self.fresh(wanted), of_value(type_), span, storage, const)

    def adjoint(self, of: str, type_: Type, span: Span, storage: ir.Storage = "local") -> ir.Symbol:
        """A variable for the adjoint of one of this name."""
        return replace(self.symbol(f"adj_{of}", type_, span, storage), adjoint=True)

    def seed(self, type_: Type, span: Span) -> ir.Symbol:
        """A variable for what is to be multiplied by derivatives."""
        return replace(self.symbol("seed", type_, span, const=True), adjoint=True)

    def kept(self, of: ir.Symbol | None, how: str, type_: Type, span: Span) -> ir.Symbol:
        """Where something is kept that is in a variable, or behind it."""
        symbol = self.symbol(f"{of.name if of is not None else 'value'}_{how}", type_, span)
        return replace(symbol, adjoint=True) if of is not None and of.adjoint else symbol


def _letters(n: int) -> str:
    """The n-th of a, b, …, z, aa, ab, …"""
    found = ""
    while n > 0:
        n, letter = divmod(n - 1, 26)
        found = chr(ord("a") + letter) + found
    return found


def var(symbol: ir.Symbol, span: Span | None = None) -> ir.Var:
    return ir.Var(symbol, span=span or symbol.span)


def is_var(expr: ir.Expr, symbol: ir.Symbol) -> bool:
    return isinstance(expr, ir.Var) and expr.symbol is symbol


def integer(value: int, span: Span, type_: Type = INT) -> ir.Const:
    return ir.Const(value, type_, span=span)


_COPY_KINDS = ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice")


def copy_kind(kind: int, span: Span) -> ir.Const:
    """Of a copy whose ends lie where the number says: bit 0 the destination on the device, bit 1 the source."""
    return ir.Const(kind, MEMCPY_KIND, f"cudaMemcpy{_COPY_KINDS[kind]}", span=span)


def zero(type_: Type, span: Span) -> ir.Expr:
    """The zero of a type: `0` for scalars, `{0}` for aggregates."""
    if isinstance(type_, Float):
        return ir.Const(0.0, type_, "0", span=span)
    if isinstance(type_, Int):
        return ir.Const(0, type_, span=span)
    if isinstance(type_, Opaque | Pointer):
        return ir.Const(0, type_, "0", span=span)
    return ir.Aggregate((), type_, span=span)


def is_zero(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value == 0


def is_one(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value == 1


def binary(op: str, left: ir.Expr, right: ir.Expr) -> ir.Binary:
    """`left op right`, of one type; what tests is a truth value."""
    tests = op in ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
    return ir.Binary(op, left, right, BOOL if tests else left.type, span=left.span)


def succeeded(s: ir.Call) -> list[ir.Stmt]:
    """The status of a call that other statements stand for, where it is asked for: zero."""
    return [] if s.result is None else [ir.Assign(s.result, zero(s.result.type, s.span), span=s.span)]


def address_of(place: ir.Place) -> ir.Expr:
    return ir.AddressOf(place, Pointer(place.type), span=place.span)


def times(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """`left * right` of one floating type; a sign of a factor is that of the product."""
    for factor, other in ((left, right), (right, left)):
        if isinstance(factor, ir.Unary) and factor.op == "-":
            return negated(times(*((factor.operand, other) if factor is left else (other, factor.operand))))
    return simplest(ir.Binary("*", left, right, left.type, span=left.span))


def as_bool(cond: ir.Expr) -> ir.Expr:
    """What C tests of a value."""
    return cond if cond.type == BOOL else ir.Cast(cond, BOOL, implicit=True, span=cond.span)


def convert(expr: ir.Expr, type_: Type) -> ir.Expr:
    """`expr` as a value of `type_`, converted implicitly as C does."""
    if expr.type == type_:
        return expr
    if isinstance(expr, ir.Cast) and expr.implicit and expr.operand.type == type_ and type_ == DOUBLE:
        return expr.operand
    return ir.Cast(expr, type_, implicit=True, span=expr.span)
