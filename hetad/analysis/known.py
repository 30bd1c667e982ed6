"""What is known of the values of variables where whole numbers are known: numbers linear in threads and iterations, and
addresses as bytes behind a parameter.

Numbers that C would wrap are not known, and a condition is known only where linear ones say just the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.webs import place_of
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import COMPARISONS, bare
from hetad.ir.types import Array, Int, Pointer, Type, Void, size_of


@dataclass(frozen=True, slots=True)
class Address:
    """So many bytes behind what a parameter of the entry points to."""

    parameter: ir.Symbol
    offset: Linear


Value = Linear | Address
# A variable, and the fields that lead to a part of it; or memory, with a place in it (`holding.py`).
Cell = tuple[ir.Symbol, tuple[str | int | None, ...]]
Known = dict[Cell, Value]
Conditions = tuple[Linear, ...]  # not negative
Tested = tuple[
    Conditions | None, Conditions | None
]  # what says that it holds, and that not; None: nothing says just that


class Values:
    """`null`: the parameters of the entry that are null."""

    def __init__(self, ranges: Ranges, null: frozenset[ir.Symbol]) -> None:
        self.ranges = ranges
        self.null = null

    def value(self, e: ir.Expr, known: Known) -> Value | None:
        if isinstance(e.type, Pointer | Array):
            return self.address(e, known)
        return self.number(e, known) if isinstance(e.type, Int) else None

    def held(self, place: ir.Place, known: Known) -> Value | None:
        """What lies at a place."""
        at = place_of(place)
        return known.get(at) if at is not None else None

    def address(self, e: ir.Expr, known: Known) -> Address | None:
        match e:
            case ir.Var() | ir.Member() | ir.Index() if isinstance(e.type, Pointer):
                found = self.held(e, known)
                return found if isinstance(found, Address) else None
            case ir.Cast(operand=operand) if isinstance(operand.type, Pointer | Array):
                return self.address(operand, known)
            case ir.AddressOf(place=place):
                return self.place(place, known)
            case ir.Index() if isinstance(e.type, Array):
                return self.place(e, known)
            case ir.Binary(op="+" | "-" as op, left=left, right=right) if isinstance(e.type, Pointer):
                base, by = (left, right) if isinstance(left.type, Pointer | Array) else (right, left)
                held = e.type.to
                return self._moved(self.address(base, known), by, held, known, 1 if op == "+" else -1)
        return None

    def place(self, place: ir.Expr, known: Known) -> Address | None:
        if not isinstance(place, ir.Index):
            return None
        base = place.base
        if isinstance(base.type, Pointer):
            return self._moved(self.address(base, known), place.index, place.type, known)
        return self._moved(self.place(base, known), place.index, place.type, known)

    def _moved(self, base: Address | None, by: ir.Expr, held: Type, known: Known, sign: int = 1) -> Address | None:
        index = self.number(by, known)
        size = size_if_known(held)
        if base is None or index is None or size is None:
            return None
        return Address(base.parameter, base.offset + index.scaled(sign * size))

    def number(self, e: ir.Expr, known: Known, wraps: bool = False) -> Linear | None:
        """The value of an integer; None where it is not linear, or C would give another."""
        if not isinstance(e.type, Int):
            return None
        found = self._linear(e, known, wraps)
        if found is None or wraps:
            return found
        low, high = self.ranges.ends(found)
        bits = e.type.bits - e.type.signed
        return found if -(1 << bits) * e.type.signed <= low and high < 1 << bits else None

    def _linear(self, e: ir.Expr, known: Known, wraps: bool) -> Linear | None:
        match e:
            case ir.Const(value=value):
                return Linear(int(value))
            case ir.Var() | ir.Member() | ir.Index():
                found = self.held(e, known)
                return found if isinstance(found, Linear) else None
            case ir.ThreadIndex():
                return self.thread(e)
            case ir.Cast(operand=operand):
                return self.number(operand, known, wraps)
            case ir.Unary(op="-", operand=operand):
                inner = self.number(operand, known, wraps)
                return inner.scaled(-1) if inner is not None else None
            case ir.Unary(op="~", operand=operand, type=Int(signed=True)):
                inner = self.number(operand, known, wraps)
                return Linear(-1) - inner if inner is not None else None
            case ir.Select(cond=cond, then=then, orelse=orelse):
                holds, fails = self.tested(cond, known)
                return self.number(then if holds == () else orelse, known, wraps) if () in (holds, fails) else None
            case ir.Binary(op=op, left=left, right=right):
                a, b = self.number(left, known, wraps), self.number(right, known, wraps)
                return self._computed(op, a, b) if a is not None and b is not None else None
        return None

    def thread(self, e: ir.ThreadIndex) -> Linear | None:
        return None

    def _computed(self, op: str, a: Linear, b: Linear) -> Linear | None:
        match op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return product(a, b)
            case "/" | "%" | "<<" | ">>" | "&" | "|" | "^" if not a.terms and not b.terms:
                return _of_numbers(op, a.constant, b.constant)
        return None

    # -- conditions

    def tested(self, e: ir.Expr, known: Known, wraps: bool = False) -> Tested:
        """What says that the condition holds, and that it does not; None where nothing says just that."""
        match e:
            case ir.Unary(op="!", operand=operand):
                return self.tested(operand, known, wraps)[::-1]
            case ir.Cast(operand=operand) if keeps_truth(e):
                return self.tested(operand, known, wraps)
            case ir.Binary(op="&&" | "||" as op, left=left, right=right):
                return self._joined(op, self.tested(left, known, wraps), self.tested(right, known, wraps))
            case ir.Binary(op="<" | "<=" | ">" | ">=" | "==" | "!=" as op, left=left, right=right):
                if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
                    pointer, other = (left, right) if isinstance(left.type, Pointer) else (right, left)
                    return self._pointer_tested(op, pointer, other, known)
                a, b = self.number(left, known, wraps), self.number(right, known, wraps)
                return self._compared(op, b - a) if a is not None and b is not None else (None, None)
        if isinstance(e.type, Pointer):
            return self._null(e, known)[::-1]
        number = self.number(e, known)
        return self._compared("!=", number) if number is not None else (None, None)

    def _compared(self, op: str, gap: Linear) -> Tested:
        """`a op b`, where `gap` is b - a."""
        low, high = self.ranges.ends(gap)
        if op in ("==", "!=") and gap.terms and (low >= 0 or high <= 0):  # that they differ says in which direction
            holds, fails = _compared("<=" if low >= 0 else ">=", gap)[0], _compared("<" if low >= 0 else ">", gap)[0]
            equal = (*(holds or ()), *(_compared(">=" if low >= 0 else "<=", gap)[0] or ()))
            return (equal, fails) if op == "==" else (fails, equal)
        return _compared(op, gap)

    def _joined(self, op: str, a: Tested, b: Tested) -> Tested:
        if op == "||":
            return self._joined("&&", a[::-1], b[::-1])[::-1]
        false: Conditions = (Linear(-1),)
        if a[0] == false or b[0] == false:
            return false, ()
        if a[0] is None or b[0] is None:
            return None, None
        fails = b[1] if a[0] == () else a[1] if b[0] == () else None
        return (*a[0], *b[0]), fails

    def _pointer_tested(self, op: str, pointer: ir.Expr, other: ir.Expr, known: Known) -> Tested:
        other = bare(other)
        if op not in ("==", "!=") or not isinstance(other, ir.Const):
            return None, None
        found = self._null(pointer, known)
        return found if op == "==" else found[::-1]

    def _null(self, pointer: ir.Expr, known: Known) -> Tested:
        address = self.address(pointer, known)
        if address is None or address.offset != Linear(0):
            return None, None
        return _truth(address.parameter in self.null)


def size_if_known(type_: Type) -> int | None:
    if isinstance(type_, Void) or (isinstance(type_, Array) and type_.length is None):
        return None
    return size_of(type_)


def keeps_truth(e: ir.Cast) -> bool:
    """Whether a number is zero if and only if what it has been cast from is."""
    if not isinstance(e.type, Int) or e.type.boolean:
        return isinstance(e.type, Int)
    given = e.operand
    if isinstance(given, ir.Binary | ir.Unary) and given.op in (*COMPARISONS, "&&", "||", "!"):
        return True
    return isinstance(given.type, Int | Pointer) and size_of(given.type) * 8 <= e.type.bits


def product(a: Linear, b: Linear) -> Linear | None:
    if not a.terms:
        return b.scaled(a.constant)
    return a.scaled(b.constant) if not b.terms else None


def _of_numbers(op: str, a: int, b: int) -> Linear | None:
    """As C rounds: towards zero."""
    if op in ("&", "|", "^"):
        return Linear(a & b if op == "&" else a | b if op == "|" else a ^ b)
    if op in ("<<", ">>"):
        if a < 0 or not 0 <= b < 64:
            return None
        return Linear(a << b if op == "<<" else a >> b)
    if b == 0:
        return None
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return Linear(quotient if op == "/" else a - quotient * b)


def _truth(value: bool) -> tuple[Conditions, Conditions]:
    false: Conditions = (Linear(-1),)
    return ((), false) if value else (false, ())


def _compared(op: str, gap: Linear) -> Tested:
    """`a op b`, where `gap` is b - a."""
    if not gap.terms:
        d = gap.constant
        held = {"<": d > 0, "<=": d >= 0, ">": d < 0, ">=": d <= 0, "==": d == 0, "!=": d != 0}
        return _truth(held[op])
    one = Linear(1)
    less, at_most = (gap - one,), (gap,)
    more, at_least = (gap.scaled(-1) - one,), (gap.scaled(-1),)
    match op:
        case "<":
            return less, at_least
        case "<=":
            return at_most, more
        case ">":
            return more, at_most
        case ">=":
            return at_least, less
        case "==":
            return (*at_most, *at_least), None
    return None, (*at_most, *at_least)
