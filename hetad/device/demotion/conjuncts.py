"""Conditions that are known to hold, or not to, and what statements are then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hetad.analysis.affine import polynomial
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import number
from hetad.ir.simplify import conjunction, conjuncts, simplest
from hetad.ir.types import Int
from hetad.ir.visit import map_bodies, map_expr, variables, walk_expr

Key = object  # equal for conditions that say the same


@dataclass(frozen=True, slots=True)
class Facts:
    holds: frozenset[Key]
    fails: frozenset[Key]

    def with_true(self, cond: ir.Expr, constant: Callable[[ir.Symbol], bool]) -> Facts:
        more = frozenset(_key(c) for c in conjuncts(cond) if _stays(c, constant))
        return replace(self, holds=self.holds | more)

    def with_false(self, cond: ir.Expr) -> Facts:
        return replace(self, fails=self.fails | {_key(cond)})

    def conjuncts_of(self, body: ir.Body, constant: Callable[[ir.Symbol], bool]) -> list[ir.Expr]:
        """Those of the branches of a body, of values that stay what they are."""
        found = [c for s in body if isinstance(s, ir.If) for c in conjuncts(s.cond) if _stays(c, constant)]
        return list({_key(c): c for c in found}.values())


def _stays(c: ir.Expr, constant: Callable[[ir.Symbol], bool]) -> bool:
    loads = any(isinstance(e, ir.Index | ir.Member | ir.CallExpr | ir.Intrinsic) for e in walk_expr(c))
    return not loads and all(map(constant, variables(c)))


def _key(c: ir.Expr) -> Key:
    match c:
        case ir.Binary(op="<" | "<=" as op, left=low, right=high) if isinstance(low.type, Int):
            return op, low.type, frozenset((polynomial(high) - polynomial(low)).terms.items())
        case ir.Binary(op=">" | ">=" as op, left=high, right=low) if isinstance(low.type, Int):
            return op.replace(">", "<"), low.type, frozenset((polynomial(high) - polynomial(low)).terms.items())
    return c


def folded(body: ir.Body, facts: Facts) -> ir.Body:
    """With what is known of the conditions of its branches, and each variable declared where it gets its value."""
    out: list[ir.Stmt] = []
    for s in body:
        s = map_bodies(lambda inner: folded(inner, facts), s) if isinstance(s, ir.If) else s
        out += _branch(s, facts) if isinstance(s, ir.If) else [s]
    return _joined(out)


def _branch(s: ir.If, facts: Facts) -> ir.Body:
    parts = conjuncts(s.cond)
    if any(_key(c) in facts.fails for c in parts):
        return s.orelse
    open_ones = [c for c in parts if _key(c) not in facts.holds]
    if not open_ones:
        return s.then
    if len(open_ones) == len(parts):
        return (s,)
    return (replace(s, cond=conjunction(open_ones)),)


def _joined(body: list[ir.Stmt]) -> ir.Body:
    """`float x; x = e;` as one statement."""
    out: list[ir.Stmt] = []
    for s in body:
        match s:
            case ir.Assign(target=ir.Var(symbol=symbol), value=value):
                empty = (i for i, d in enumerate(out) if isinstance(d, ir.Declare) and d.symbol is symbol)
                at = next(empty, None)
                first = out[at] if at is not None else None
                fresh = isinstance(first, ir.Declare) and first.init is None
                if at is not None and fresh and symbol not in variables(out[at + 1 :]):
                    del out[at]
                    out.append(ir.Declare(symbol, value, span=s.span))
                    continue
        out.append(s)
    return tuple(out)


def vanishes(body: ir.Body) -> bool:
    """Whether the statements leave nothing but zeros added to variables."""
    known: dict[ir.Symbol, ir.Expr] = {}
    for s in body:
        match s:
            case ir.Declare(symbol=symbol, init=init):
                if init is not None:
                    value = _value(init, known)
                    if value is None:
                        return False
                    known[symbol] = value
            case ir.Update(op="+" | "-", target=ir.Var(symbol=symbol), value=value) if symbol not in known:
                if not _is_zero(value, known):
                    return False
            case ir.Assign(target=ir.Var(symbol=symbol), value=ir.Binary(op="+" | "-", left=left, right=right)):
                same = isinstance(left, ir.Var) and left.symbol is symbol and symbol not in known
                if not same or not _is_zero(right, known):
                    return False
            case ir.If(then=then, orelse=orelse):
                if not (vanishes(then) and vanishes(orelse)):
                    return False
            case ir.Comment():
                pass
            case _:
                return False
    return True


def _value(e: ir.Expr, known: dict[ir.Symbol, ir.Expr]) -> ir.Expr | None:
    """The literal that an expression amounts to, if any."""
    value = number(map_expr(lambda x: known.get(x.symbol, x) if isinstance(x, ir.Var) else simplest(x), e))
    return ir.Const(value, e.type, span=e.span) if value is not None else None


def _is_zero(e: ir.Expr, known: dict[ir.Symbol, ir.Expr]) -> bool:
    value = _value(e, known)
    return value is not None and number(value) == 0
