"""Whole numbers of which a walk through a program knows between which they lie, and what they have to do with others:
quotients, minima, choices, what lies at an unknown place of a table.
"""

from __future__ import annotations

from collections.abc import Callable

from hetad.analysis.follower import Threads
from hetad.analysis.holding import Holding, Objects
from hetad.analysis.known import Conditions, Known, Tested, keeps_truth
from hetad.analysis.linear import Linear, Ranges
from hetad.ir import nodes as ir
from hetad.ir.types import Int

_SMALLER, _LARGER = ("min", "llmin", "umin", "ullmin"), ("max", "llmax", "umax", "ullmax")


class Bounded(Holding):
    """`given`: what holds where the walk is; `facts`: what is never negative of numbers that stand for others, by the
    number of each range that they are about; `named`: these numbers, by what they are."""

    def __init__(
        self, program: ir.Program, function: ir.Function, ranges: Ranges, memory: Objects,
        null: frozenset[ir.Symbol], threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, function, ranges, memory, null, threads)
        self.given: Conditions = ()
        self.facts: dict[int, list[Linear]] = {}
        self.named: dict[object, Linear] = {}

    def _between(self, several: tuple[tuple[Linear, Conditions], tuple[Linear, Conditions]]) -> Linear:
        """A number that is one of two, each where conditions hold."""
        (one, given), (other, also) = several
        (low, high), (low_too, high_too) = self._ends(one, given), self._ends(other, also)
        found = self.ranges.add(min(low, low_too), max(high, high_too))
        least, greatest = self.ranges.ends(other - one)
        if least >= 0:
            self._fact(found - one, other - found)
        elif greatest <= 0:
            self._fact(found - other, one - found)
        return found

    def _ends(self, value: Linear, given: Conditions) -> tuple[int, int]:
        low, high = self.ranges.ends(value)
        if low == high or self.memory.steps > self.memory.most_steps:
            return low, high
        about = self._with_facts(value, ())
        known = {k for x in (value, *about) for k in x.terms}
        about = (*about, *(c for c in given if known & c.terms.keys()))
        if not about:
            return low, high
        greatest, least = self.ranges.greatest(value, about), self.ranges.greatest(value.scaled(-1), about)
        return low if least is None else -least, high if greatest is None else greatest

    def number(self, e: ir.Expr, known: Known, wraps: bool = False) -> Linear | None:
        if isinstance(e.type, Int) and e.type.boolean:
            if isinstance(e, ir.Const):
                return Linear(int(bool(e.value)))
            if isinstance(e, ir.Var | ir.Member | ir.Index):
                found = self.held(e, known)
                return found if isinstance(found, Linear) else None
            holds, fails = self.tested(e, known) if isinstance(e, ir.Unary | ir.Binary | ir.Cast) else (None, None)
            never = holds is not None and self.never(holds)
            return Linear(0) if never else Linear(1) if fails is not None and self.never(fails) else None
        return super().number(e, known, wraps)

    def _linear(self, e: ir.Expr, known: Known, wraps: bool) -> Linear | None:
        match e:
            case ir.Select(then=then, orelse=orelse):
                found = super()._linear(e, known, wraps)
                a, b = self.number(then, known, wraps), self.number(orelse, known, wraps)
                if found is not None or a is None or b is None:
                    return found
                one = a, (*self.given, *self._holding(e.cond, known))
                two = b, (*self.given, *self._failing(e.cond, known))
                if None in self.tested(e.cond, known):  # which of the two it is, nothing says
                    return self._between((one, two))
                return self._named((one, two), lambda: self._between((one, two)))
            case ir.Intrinsic(name=name, args=(left, right)) if name in _SMALLER or name in _LARGER:
                a, b = self.number(left, known, wraps), self.number(right, known, wraps)
                sign = 1 if name in _SMALLER else -1
                return self._least(a.scaled(sign), b.scaled(sign)).scaled(sign) if a and b else None
            case ir.Binary(op="+" | "-" | "*", type=Int(signed=False, bits=bits)):
                return self._modulo(e, bits, known, wraps)
        return super()._linear(e, known, wraps)

    def _modulo(self, e: ir.Expr, bits: int, known: Known, wraps: bool) -> Linear | None:
        """A sum of unsigned numbers of so many bits, of which parts may have wrapped around and come back."""
        match e:
            case ir.Binary(op="+" | "-" | "*" as op, left=left, right=right, type=Int(bits=own)) if own == bits:
                a, b = self._modulo(left, bits, known, wraps), self._modulo(right, bits, known, wraps)
                return self._computed(op, a, b) if a is not None and b is not None else None
            case ir.Cast(operand=operand, type=Int(bits=own, boolean=False)) if own == bits:
                if isinstance(operand.type, Int) and operand.type.bits == bits:
                    return self._modulo(operand, bits, known, wraps)
        return self.number(e, known, wraps)

    def _named(self, key: object, make: Callable[[], Linear]) -> Linear:
        if key not in self.named:
            self.named[key] = make()
        return self.named[key]

    def _least(self, a: Linear, b: Linear) -> Linear:
        """The smaller one of two numbers."""

        def make() -> Linear:
            (low, high), (also_low, also_high) = self.ranges.ends(a), self.ranges.ends(b)
            found = self.ranges.add(min(low, also_low), min(high, also_high))
            self._fact(a - found, b - found)
            return found

        if not a.terms and not b.terms:
            return Linear(min(a.constant, b.constant))
        return self._named(("least", a, b), make)

    def _computed(self, op: str, a: Linear, b: Linear) -> Linear | None:
        found = super()._computed(op, a, b)
        if found is not None or op in ("+", "-"):
            return found
        low, least = self.ranges.ends(a)[0], self.ranges.ends(b)[0]
        if op in ("/", "%", ">>") and low >= 0 and not b.terms and b.constant > 0:
            by = b.constant if op != ">>" else 1 << min(b.constant, 64)
            op = op.replace(">>", "/")
            return self._named((op, a, by), lambda: self._divided(op, a, by))
        ends = numbers_between(op, self.ranges.ends(a), self.ranges.ends(b))
        if ends is None:
            return None
        number = self._named((op, a, b), lambda: self.ranges.add(*ends))
        if op == "%" and low >= 0 and least > 0:
            self._fact(b - number - Linear(1))
        return number

    def _divided(self, op: str, a: Linear, by: int) -> Linear:
        """A quotient or what is left, as a number of its own, with what makes it that."""
        low, high = self.ranges.ends(a)
        quotient = self._named(("/", a, by), lambda: self.ranges.add(low // by, high // by))
        rest = a - quotient.scaled(by)
        if op == "/":
            self._fact(rest, Linear(by - 1) - rest)
            return quotient
        left = self.ranges.add(0, min(by - 1, high))
        self._fact(left - rest, rest - left)
        return left

    def _at_most(self, value: Linear, limit: int, given: Conditions) -> bool:
        return at_most(self.ranges, value, limit, self._with_facts(value, given))

    def _with_facts(self, value: Linear, given: Conditions) -> Conditions:
        """Beside what is given, what is known of the numbers that it is about."""
        about = sorted({k for x in (value, *given) for k in x.terms})
        return (*given, *dict.fromkeys(fact for k in about for fact in self.facts.get(k, ())))

    def _fact(self, *facts: Linear) -> None:
        for fact in facts:
            for k in fact.terms:
                self.facts.setdefault(k, []).append(fact)

    # -- conditions, as far as they are known

    def outcomes(self, cond: ir.Expr, known: Known) -> Tested:
        return self._holding(cond, known), self._failing(cond, known)

    def _holding(self, e: ir.Expr, known: Known) -> Conditions:
        match e:
            case ir.Unary(op="!", operand=operand):
                return self._failing(operand, known)
            case ir.Cast(operand=operand) if keeps_truth(e):
                return self._holding(operand, known)
            case ir.Binary(op="&&", left=left, right=right):
                return (*self._holding(left, known), *self._holding(right, known))
        return self.tested(e, known)[0] or ()

    def _failing(self, e: ir.Expr, known: Known) -> Conditions:
        match e:
            case ir.Unary(op="!", operand=operand):
                return self._holding(operand, known)
            case ir.Cast(operand=operand) if keeps_truth(e):
                return self._failing(operand, known)
            case ir.Binary(op="||", left=left, right=right):
                return (*self._failing(left, known), *self._failing(right, known))
        return self.tested(e, known)[1] or ()

    def _null(self, pointer: ir.Expr, known: Known) -> Tested:
        address = self.address(pointer, known)
        if address is not None and address.parameter in self.memory.either:
            return None, None
        return super()._null(pointer, known)


def numbers_between(op: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int] | None:
    """Between which numbers the result of an operation lies on whole numbers that lie between some; None where nobody
    knows."""
    (low, high), (least, most) = a, b
    match op:
        case "*":
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case "&" if low >= 0 or least >= 0:
            return 0, min(x for x, lowest in ((high, low), (most, least)) if lowest >= 0)
        case "|" | "^" if low >= 0 and least >= 0:
            return 0, (1 << max(high, most).bit_length()) - 1
        case "/" if low >= 0 and least > 0:
            return low // most, high // least
        case "%" if low >= 0 and least > 0:
            return 0, min(high, most - 1)
        case ">>" if low >= 0 and least >= 0:
            return low >> min(most, 64), high >> least
        case "<<" if low >= 0 and least >= 0 and most < 64:
            return low << least, high << most
    return None


def at_most(ranges: Ranges, value: Linear, limit: int, given: Conditions) -> bool:
    """Whether a value is no greater than that."""
    if ranges.ends(value)[1] <= limit:
        return True
    greatest = ranges.greatest(value, given)
    return greatest is not None and greatest <= limit
