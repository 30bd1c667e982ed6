"""Integer expressions of a kernel in the words of isl, for one of two threads of a block that are compared.

What threads of a block agree on is a parameter, which has the same name for both; the position of the thread and the
indices of its own loops are coordinates.  A value is a sum for each of several cases, as `?:` makes them; a condition
is a list of cases as well.  None: it cannot be said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from hetad.analysis.integer_sets import total
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import OPPOSITE
from hetad.ir.types import Int
from hetad.ir.visit import walk_expr

Case = tuple[str, ...]  # constraints that hold together
_MOST = 32  # cases of one condition


@dataclass(frozen=True, slots=True)
class Sum:
    """`terms`: how often each atom is added; '' is one.  `case`: where that is the value."""

    terms: Mapping[str, int]
    case: Case = ()

    @property
    def text(self) -> str:
        return total((c, atom) for atom, c in self.terms.items() if c)

    @property
    def constant(self) -> int | None:
        return self.terms.get("", 0) if all(not atom or not c for atom, c in self.terms.items()) else None

    def plus(self, other: Sum, times: int = 1) -> Sum:
        atoms = dict.fromkeys((*self.terms, *other.terms))
        terms = {a: self.terms.get(a, 0) + times * other.terms.get(a, 0) for a in atoms}
        return Sum(terms, (*self.case, *other.case))

    def times(self, factor: int) -> Sum:
        return Sum({a: factor * c for a, c in self.terms.items()}, self.case)


@dataclass(slots=True)
class Parameters:
    """What the threads of a block agree on, by name; `positive` are those that are no less than zero."""

    names: dict[ir.Expr, str] = field(default_factory=dict)
    positive: set[str] = field(default_factory=set)

    def name(self, expr: ir.Expr) -> str:
        found = self.names.setdefault(expr, f"p{len(self.names)}")
        if isinstance(expr, ir.ThreadIndex):
            self.positive.add(found)
        return found


@dataclass(frozen=True, slots=True)
class Words:
    """`thread`: what the coordinates of the thread begin with; `own`: how they go on for the indices of its loops;
    `values`: of variables that are set once; `agreed`: variables that are the same for all threads of a block, where
    they are mentioned; `block`: its sizes."""

    thread: str
    parameters: Parameters
    block: Mapping[str, int]
    values: Mapping[ir.Symbol, ir.Expr]
    agreed: Collection[ir.Symbol]
    own: Mapping[ir.Symbol, str]

    # -- values

    def value(self, e: ir.Expr) -> list[Sum] | None:
        found = self._value(e)
        if found is None or len(found) > _MOST:
            return [Sum({self.parameters.name(e): 1})] if isinstance(e.type, Int) and self._is_agreed(e) else None
        return found

    def _value(self, e: ir.Expr) -> list[Sum] | None:
        match e:
            case ir.Const(value=value) if isinstance(e.type, Int):
                return [Sum({"": int(value)})]
            case ir.ThreadIndex(name="threadIdx", axis=axis):
                return [Sum({f"{self.thread}_{axis}": 1})]
            case ir.ThreadIndex(name="blockDim", axis=axis):
                return [Sum({"": self.block[axis]})]
            case ir.ThreadIndex(axis=""):
                return [Sum({"": 32})]
            case ir.ThreadIndex():
                return [Sum({self.parameters.name(e): 1})]
            case ir.Var(symbol=symbol) if isinstance(symbol.type, Int):
                return self._variable(e, symbol)
            case ir.Cast(operand=operand, type=Int() as to) if isinstance(operand.type, Int):
                return self._converted(self.value(operand), operand.type, to)
            case ir.Unary(op="-", operand=operand) if isinstance(e.type, Int) and e.type.signed:
                found = self.value(operand)
                return [s.times(-1) for s in found] if found is not None else None
            case ir.Binary() if isinstance(e.type, Int):
                return self._binary(e)
            case ir.Select(cond=cond, then=then, orelse=orelse):
                return self._select(cond, then, orelse)
        return None

    def _variable(self, e: ir.Var, symbol: ir.Symbol) -> list[Sum] | None:
        if symbol in self.own:
            return [Sum({f"{self.thread}_{self.own[symbol]}": 1})]
        if symbol in self.values:
            return self.value(self.values[symbol])
        return [Sum({self.parameters.name(e): 1})] if symbol in self.agreed else None

    def _is_agreed(self, e: ir.Expr) -> bool:
        """Whether the value is one for the threads of a block, and does not change."""
        for part in walk_expr(e):
            match part:
                case ir.Var(symbol=symbol):
                    known = symbol in self.values and self._is_agreed(self.values[symbol])
                    if not known and symbol not in self.agreed:
                        return False
                case ir.ThreadIndex(name=name):
                    if name == "threadIdx":
                        return False
                case ir.Const() | ir.Unary() | ir.Binary() | ir.Cast() | ir.Select():
                    pass
                case _:
                    return False
        return True

    def _converted(self, found: list[Sum] | None, source: Int, to: Int) -> list[Sum] | None:
        if found is None or to.boolean or to.bits < source.bits:
            return found if source.boolean else None
        return self._never_negative(found) if source.signed and not to.signed else found

    def _never_negative(self, found: list[Sum]) -> list[Sum] | None:
        """Where no value is negative; None if what threads agree on decides that."""
        kept = []
        for s in found:
            if self._is_size(s):
                kept.append(s)
            elif any(name in s.text for name in self.parameters.names.values()):
                return None
            else:
                kept.append(Sum(s.terms, (*s.case, f"{s.text} >= 0")))
        return kept

    def _is_size(self, s: Sum) -> bool:
        """Whether the sum is no less than zero; a single parameter is taken for what it is compared with, a size."""
        atoms = [a for a, c in s.terms.items() if a and c]
        positive = {f"{self.thread}_{axis}" for axis in self.block} | self.parameters.positive
        single = len(atoms) == 1 and atoms[0].startswith("p")
        known = all(a in positive or a.startswith("floor") for a in atoms)
        return all(c >= 0 for c in s.terms.values()) and (known or single)

    def _binary(self, e: ir.Binary) -> list[Sum] | None:
        left, right = self.value(e.left), self.value(e.right)
        if left is None or right is None:
            return None
        found: list[Sum] = []
        for a in left:
            for b in right:
                one = self._operation(e.op, a, b)
                if one is None:
                    return None
                found.append(one)
        assert isinstance(e.type, Int)
        return found if e.type.signed or e.op != "-" else self._never_negative(found)

    def _operation(self, op: str, a: Sum, b: Sum) -> Sum | None:
        first, second = a.constant, b.constant
        match op:
            case "+":
                return a.plus(b)
            case "-":
                return a.plus(b, -1)
            case "*" if second is not None:
                return Sum(a.times(second).terms, (*a.case, *b.case))
            case "*" if first is not None:
                return Sum(b.times(first).terms, (*a.case, *b.case))
            case "<<" if second is not None and 0 <= second < 31:
                return Sum(a.times(1 << second).terms, (*a.case, *b.case))
            case "/" | "%" if second is not None and second > 0:
                return self._divided(a, second, op == "%", b.case)
            case ">>" if second is not None and 0 <= second < 31:
                return self._divided(a, 1 << second, False, b.case)
            case "&" if second is not None and second >= 0 and second & (second + 1) == 0:
                return self._divided(a, second + 1, True, b.case)
        return None

    def _divided(self, a: Sum, by: int, rest: bool, case: Case) -> Sum | None:
        safe = self._never_negative([a])
        if safe is None:
            return None
        quotient = Sum({f"floor(({a.text})/{by})": 1}, (*safe[0].case, *case))
        return safe[0].plus(quotient, -by) if rest else quotient

    def _select(self, cond: ir.Expr, then: ir.Expr, orelse: ir.Expr) -> list[Sum] | None:
        found: list[Sum] = []
        for branch, holds in ((then, True), (orelse, False)):
            cases, sums = self.condition(cond, holds), self.value(branch)
            if cases is None or sums is None:
                return None
            found += [Sum(s.terms, (*s.case, *c)) for c in cases for s in sums]
        return found

    # -- conditions

    def condition(self, e: ir.Expr, holds: bool = True) -> list[Case] | None:
        """The cases in which the condition holds, or does not."""
        found = self._condition(e, holds)
        return found if found is None or len(found) <= _MOST else None

    def _condition(self, e: ir.Expr, holds: bool) -> list[Case] | None:
        match e:
            case ir.Unary(op="!", operand=operand):
                return self.condition(operand, not holds)
            case ir.Cast(operand=operand, type=Int(boolean=True)):
                return self.condition(operand, holds)
            case ir.Var(symbol=symbol) if symbol in self.values:
                return self.condition(self.values[symbol], holds)
            case ir.Binary(op="&&" | "||" as op, left=left, right=right):
                first, second = self.condition(left, holds), self.condition(right, holds)
                if first is None or second is None:
                    return None
                return [(*a, *b) for a in first for b in second] if (op == "&&") == holds else [*first, *second]
            case ir.Binary(op="<" | "<=" | ">" | ">=" | "==" | "!=" as op, left=left, right=right):
                return self.compared(op if holds else OPPOSITE[op], left, right)
        zero = ir.Const(0, e.type, span=e.span)
        return self.compared("!=" if holds else "==", e, zero) if isinstance(e.type, Int) else None

    def compared(self, op: str, left: ir.Expr, right: ir.Expr) -> list[Case] | None:
        first, second = self.value(left), self.value(right)
        if first is None or second is None:
            return None
        found: list[Case] = []
        for a in first:
            for b in second:
                difference = a.plus(b, -1)
                tests = ("<", ">") if op == "!=" else ("=",) if op == "==" else (op,)
                found += [(*difference.case, f"{difference.text} {test} 0") for test in tests]
        return found

    def in_steps(self, value: ir.Expr, first: ir.Expr, step: int) -> list[Case] | None:
        """That the distance is a number of steps."""
        values, firsts = self.value(value), self.value(first)
        if step == 1 or values is None or firsts is None:
            return [()] if step == 1 else None
        sums = [a.plus(b, -1) for a in values for b in firsts]
        return [(*s.case, f"({s.text}) mod {step} = 0") for s in sums]
