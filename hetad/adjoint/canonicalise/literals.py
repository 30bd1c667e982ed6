"""Powers of two that every use of a value is multiplied by: the value itself is defined so.

Of squares come `seed = adj_r * (-0.5f * r)` and sums of `2.0f * seed * x`; by hand one writes `seed = adj_r * r`, and
subtracts `seed * x`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.build import zero
from hetad.ir.simplify import negated, simplest
from hetad.ir.types import Float
from hetad.ir.visit import map_body, map_exprs, own_nodes, walk_stmts


def absorbed(body: ir.Body) -> ir.Body:
    """The body where literals met in a definition take in what its uses are multiplied by.  No value changes."""
    uses = _Uses(body)
    declared: dict[ir.Symbol, list[ir.Expr]] = {}  # copies of a statement declare one symbol in several scopes
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare) and s.symbol.const and s.init is not None:
            declared.setdefault(s.symbol, []).append(s.init)
    factors: dict[ir.Symbol, float] = {}
    turned: set[ir.Symbol] = set()  # those that have the other sign now
    for symbol, values in declared.items():
        by = uses.factor(symbol)
        if by is None or any(_scaled(value, by) is None for value in values):
            continue
        factors[symbol] = by
        if uses.only_added(symbol) and all(map(_negative, values)):
            turned.add(symbol)
    if not factors:
        return body

    def statement(s: ir.Stmt) -> ir.Stmt:
        if isinstance(s, ir.Declare) and s.symbol in factors and s.init is not None:
            by = factors[s.symbol]
            return replace(s, init=_scaled(s.init, -by if s.symbol in turned else by))
        if isinstance(s, ir.Update) and _multiplied(_first_factor(s.value)) in turned:
            return replace(s, op="-" if s.op == "+" else "+")
        return s

    def use(e: ir.Expr) -> ir.Expr:
        symbol = _multiplied(e)
        return ir.Var(symbol, span=e.span) if symbol in factors else e

    return map_exprs(use, map_body(statement, body))


class _Uses:
    """How the variables of a body are used."""

    def __init__(self, body: ir.Body) -> None:
        self._all: Counter[ir.Symbol] = Counter()
        self._by: dict[ir.Symbol, list[float]] = {}
        self._added: Counter[ir.Symbol] = Counter()
        for s in walk_stmts(body):
            for e in (e for e in own_nodes(s)):
                if isinstance(e, ir.Var):
                    self._all[e.symbol] += 1
                if isinstance(e, ir.Binary) and isinstance(e.left, ir.Const) and (symbol := _multiplied(e)) is not None:
                    self._by.setdefault(symbol, []).append(float(e.left.value))
            if (
                isinstance(s, ir.Update)
                and s.op in "+-"
                and (symbol := _multiplied(_first_factor(s.value))) is not None
            ):
                self._added[symbol] += 1

    def factor(self, symbol: ir.Symbol) -> float | None:
        """What all uses of the variable are multiplied by, if that is one power of two."""
        by = self._by.get(symbol, [])
        one = len(by) == self._all[symbol] and len(set(by)) == 1
        return by[0] if one and math.frexp(by[0])[0] == 0.5 else None

    def only_added(self, symbol: ir.Symbol) -> bool:
        """Whether all uses are added to something, or subtracted."""
        return self._added[symbol] == self._all[symbol]


def _multiplied(e: ir.Expr) -> ir.Symbol | None:
    """The variable of `2.0f * v`."""
    match e:
        case ir.Binary(op="*", left=ir.Const(type=Float()), right=ir.Var(symbol=symbol)):
            return symbol
    return None


def _first_factor(e: ir.Expr) -> ir.Expr:
    while isinstance(e, ir.Binary) and e.op == "*" and _multiplied(e) is None:
        e = e.left
    return e


def _scaled(e: ir.Expr, by: float) -> ir.Expr | None:
    """The product of both, if a literal of the expression can take it in."""
    match e:
        case ir.Const(value=value, type=Float() as type_):
            return ir.Const(value * by, type_, span=e.span)
        case ir.Binary(op="*", left=left, right=right):
            if (product := _scaled(left, by)) is not None:
                return simplest(replace(e, left=product))
            product = _scaled(right, by)
            return simplest(replace(e, right=product)) if product is not None else None
        case ir.Unary(op="-", operand=operand):
            product = _scaled(operand, by)
            return negated(product) if product is not None else None
        case ir.Select(then=then, orelse=orelse) if then == zero(then.type, then.span):
            product = _scaled(orelse, by)
            return replace(e, orelse=product) if product is not None else None
    return None


def _negative(e: ir.Expr) -> bool:
    """Whether the literals of a product make it negative."""
    match e:
        case ir.Const(value=value):
            return value < 0
        case ir.Binary(op="*", left=left, right=right):
            return _negative(left) != _negative(right)
        case ir.Unary(op="-", operand=operand):
            return not _negative(operand)
        case ir.Select(orelse=orelse):
            return _negative(orelse)
    return False
