"""Whose last bits decide nothing: values that only flow into adjoints, on which these depend smoothly.

What a condition, an index or a whole number depends on has to be what it is in the primal, to the bit, and so has what
is stored in the program's own memory.  Other values may be worked out in another order, or by another operation that
is as exact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hetad.analysis.pointer_expressions import cell_at
from hetad.ir import nodes as ir
from hetad.ir.build import is_zero
from hetad.ir.places import base, exposed, root_symbol
from hetad.ir.types import Array, Float, Pointer
from hetad.ir.visit import children, own_variables, variables, walk_stmts
from hetad.rules import math as rules


def smooth_operands(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """Those on which the expression depends smoothly: their last bits only move its own."""
    match e:
        case ir.Binary(op="+" | "-" | "*" | "/", type=Float()):
            return (e.left, e.right)
        case ir.Unary(op="-", type=Float()):
            return (e.operand,)
        case ir.Cast(type=Float()) if isinstance(e.operand.type, Float):
            return (e.operand,)
        case ir.Select(type=Float()):
            return (e.then, e.orelse)
        case ir.Intrinsic(name=name, args=args) if rules.is_math(name) and not rules.is_inactive(name):
            return tuple(a for k, a in enumerate(args) if rules.is_stable(name, k, args))
        case ir.Index(base=base_) | ir.Member(base=base_):
            return (base_,)
        case ir.Aggregate(elements=elements):
            return elements
    return ()


def _depends_on_zero(e: ir.Expr) -> bool:
    """`v == 0 ? 0 : …`: the quotient is zero where the product is."""
    return isinstance(e, ir.Select) and _compares_with_zero(e.cond, "==") and is_zero(e.then)


def _compares_with_zero(e: ir.Expr, op: str) -> bool:
    return isinstance(e, ir.Binary) and e.op == op and isinstance(e.left, ir.Var) and is_zero(e.right)


def _decisive(e: ir.Expr) -> Iterator[ir.Expr]:
    """The parts of an expression whose last bit may decide something."""
    smooth = smooth_operands(e)
    for part in smooth:
        yield from _decisive(part)
    if not _depends_on_zero(e):
        yield from (part for part in children(e) if not any(part is x for x in smooth))


class LastBits:
    """Which values may change in their last bit: those that only flow into adjoints."""

    def __init__(self, body: ir.Body, adjoints: Collection[ir.Symbol]) -> None:
        self._adjoints = adjoints
        self._decisive: set[ir.Symbol] = {x for x in exposed(body) if not isinstance(x.type, Array)}
        self._from: dict[ir.Symbol, list[ir.Expr]] = {}
        for s in walk_stmts(body):
            self._collect(s)
        waiting = list(self._decisive)
        while waiting:
            new = {y for value in self._from.get(waiting.pop(), ()) for y in variables(value)} - self._decisive
            self._decisive |= new
            waiting += new

    def are_free(self, x: ir.Symbol) -> bool:
        """Whether the variable's may change."""
        return x not in self._decisive

    def _collect(self, s: ir.Stmt) -> None:
        values: tuple[ir.Expr, ...] = ()
        match s:
            case ir.Declare(symbol=x, init=value) if value is not None:
                self._from.setdefault(x, []).append(value)
                values = (value,)
            case ir.Assign(target=target, value=value) | ir.Update(target=target, value=value):
                values = (target, value)
                root = root_symbol(target)
                if root is not None and root.storage == "local":
                    self._from.setdefault(root, []).append(value)
                elif base(target) not in self._adjoints:
                    self._decisive.update(variables(value))
            case ir.Call() if self.adds(s):  # several from an array, or one
                values = tuple(a.place if isinstance(a, ir.AddressOf) else a for a in s.args)
            case ir.If() if _compares_with_zero(s.cond, "!=") and not s.orelse and all(map(self._only_adds, s.then)):
                pass
            case _:
                self._decisive.update(x for x in own_variables(s))
        self._decisive.update(x for value in values for e in _decisive(value) for x in variables(e))

    def adds(self, s: ir.Stmt) -> bool:
        """Whether it is a call that adds its arguments to adjoints, and nothing else."""
        if not isinstance(s, ir.Call) or s.result is not None or not s.args:
            return False
        return isinstance(s.args[0].type, Pointer | Array) and base(cell_at(s.args[0])) in self._adjoints

    def _only_adds(self, s: ir.Stmt) -> bool:
        """The same of an update, too."""
        plain = isinstance(s, ir.Update) and s.op in ("+", "-") and base(s.target) in self._adjoints
        return plain or self.adds(s)

    def values(self, s: ir.Stmt) -> tuple[ir.Expr, ...]:
        """Of a statement."""
        match s:
            case ir.Declare(symbol=x, init=value) if value is not None:
                return (value,) if x not in self._decisive else ()
            case ir.Assign(target=target, value=value) | ir.Update(op="+" | "-", target=target, value=value):
                root = root_symbol(target)
                if root is not None and root.storage == "local":
                    return (value,) if root not in self._decisive else ()
                return (value,) if base(target) in self._adjoints else ()
            case ir.Call(args=args):
                return args if self.adds(s) else ()
        return ()
