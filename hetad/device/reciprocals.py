"""Divisions by the same number, as products with its reciprocal.

    square = a * a + b * b;                   square = a * a + b * b;
    re = a / square;                          const double inverse_square = 1.0 / square;
    im = -b / square;                    →    re = a * inverse_square;
    seed = adj_re / square;                   im = -b * inverse_square;
                                              seed = adj_re * inverse_square;

A quotient of doubles takes ten times as long as a product, and comes with a branch for rare operands.  A product with
the reciprocal is as exact but for its last bit.  So it takes the place of a quotient only where the last bit cannot
decide anything: not in what a condition, an index or a whole number depends on, nor in what is stored in the program's
own memory.  The reverse sweep has most of them: what it recomputes, and what it adds to adjoints.

The reciprocal of a variable below 5.6e-309 is infinite; so is, then, each seed of the order of one divided by it.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

from hetad.adjoint.canonicalise.declarations import without_unused_values
from hetad.adjoint.canonicalise.uses import inside
from hetad.analysis.work import turns
from hetad.device.draft import Draft, with_body
from hetad.device.last_bits import LastBits, smooth_operands
from hetad.ir import nodes as ir
from hetad.ir.build import Names, times, var
from hetad.ir.places import exposed
from hetad.ir.types import DOUBLE
from hetad.ir.visit import (
    bodies,
    map_body,
    map_children,
    own_variables,
    same_or,
    walk_exprs,
)
from hetad.passes.manager import program_pass

_NORMAL = sys.float_info.min  # the least number whose reciprocal, too, has all digits


@program_pass("share-reciprocals")
def reciprocals_shared(draft: Draft) -> Draft:
    """What divides several numbers is inverted once, where only the last bits of adjoints can tell."""
    adjoints = {*draft.shadows, *draft.parameters.values()}

    def shared(body: ir.Body) -> ir.Body:
        return with_reciprocals(body, draft.function.params, adjoints, draft.names.copy())

    sweep = draft.sweep
    if sweep is not None:
        alone = shared(sweep.alone) if sweep.alone is not None else None
        draft = replace(draft, sweep=replace(sweep, body=shared(sweep.body), alone=alone))
    return with_body(draft, shared(draft.body))


def with_reciprocals(
    body: ir.Body, params: Collection[ir.Symbol], adjoints: Collection[ir.Symbol], names: Names
) -> ir.Body:
    """`params`: of the kernel; `adjoints`: the variables that are, or lead to, adjoints."""
    if not any(isinstance(e, ir.Binary) and e.op == "/" and e.type == DOUBLE for e in walk_exprs(body)):
        return body
    free = LastBits(body, set(adjoints))
    found = _Divisors(body, free)
    inverses = {
        x: names.symbol(f"inverse_{x.name}", DOUBLE, x.span, const=x.const or x in params)
        for x, quotients in found.quotients.items()
        if found.inverted_with_ease(x, params) and quotients > (1 if x in params else found.definitions[x])
    }
    rewritten = _Rewriter(free, inverses).body(body)
    opening = tuple(_inverse_of(x, inverses[x]) for x in params if x in inverses)
    return without_unused_values((*opening, *rewritten)) if inverses else rewritten


def _inverse_of(x: ir.Symbol, inverse: ir.Symbol) -> ir.Stmt:
    return ir.Declare(inverse, _reciprocal(var(x)), span=x.span)


def _reciprocal(e: ir.Expr) -> ir.Expr:
    return ir.Binary("/", ir.Const(1.0, DOUBLE, span=e.span), e, DOUBLE, span=e.span)


@dataclass(slots=True)
class _Divisors:
    """How often, about, each variable divides, and is set."""

    body: ir.Body
    free: LastBits
    quotients: Counter[ir.Symbol] = field(default_factory=Counter)
    definitions: Counter[ir.Symbol] = field(default_factory=Counter)
    _elsewhere: set[ir.Symbol] = field(default_factory=set)  # changed again and again, or by who knows whom

    def __post_init__(self) -> None:
        self._elsewhere = exposed(self.body)
        self._visit(self.body, 1)

    def inverted_with_ease(self, x: ir.Symbol, params: Collection[ir.Symbol]) -> bool:
        if x in self._elsewhere or x.type != DOUBLE:
            return False
        return x not in self.definitions if x in params else x.storage == "local"

    def _visit(self, body: ir.Body, weight: int) -> None:
        for s in body:
            for value in self.free.values(s):
                for e in _quotients(value):
                    if isinstance(e.right, ir.Var):
                        self.quotients[e.right.symbol] += weight
            match s:
                case ir.Declare(symbol=x, init=given) if given is not None:
                    self.definitions[x] += weight
                case ir.Assign(target=ir.Var(symbol=x)):
                    self.definitions[x] += weight
                case ir.Update(target=ir.Var(symbol=x)) | ir.Call(result=ir.Var(symbol=x)):
                    self._elsewhere.add(x)
                case ir.For(init=init, step=step):
                    for header in (*init, *step):
                        if isinstance(header, ir.Declare):
                            self._elsewhere.add(header.symbol)
                        elif isinstance(header, ir.Assign | ir.Update) and isinstance(header.target, ir.Var):
                            self._elsewhere.add(header.target.symbol)
            for inner in (s.body,) if isinstance(s, ir.For) else bodies(s):
                self._visit(inner, weight * turns(s))


def _quotients(e: ir.Expr) -> Iterator[ir.Binary]:
    if isinstance(e, ir.Binary) and e.op == "/" and e.type == DOUBLE:
        yield e
    for part in smooth_operands(e):
        yield from _quotients(part)


@dataclass(frozen=True, slots=True)
class _Rewriter:
    """Products for quotients, and reciprocals beside what they are of."""

    free: LastBits
    inverses: dict[ir.Symbol, ir.Symbol]

    def body(self, body: ir.Body) -> ir.Body:
        return self._behind_loads(map_body(self._statement, body))

    def _behind_loads(self, body: ir.Body) -> ir.Body:
        """With reciprocals behind the loads that follow: these need not wait for a division."""
        made = set(self.inverses.values())
        out: list[ir.Stmt] = []
        waiting: list[ir.Stmt] = []
        for s in body:
            match s:
                case ir.Declare(symbol=x) | ir.Assign(target=ir.Var(symbol=x)) if x in made:
                    waiting.append(s)
                    continue
                case (
                    ir.Declare(symbol=x, init=ir.Index() | ir.Member())
                    | ir.Assign(target=ir.Var(symbol=x), value=ir.Index() | ir.Member())
                ) if {x, *own_variables(s)}.isdisjoint(y for w in waiting for y in own_variables(w)):
                    pass
                case _:
                    out += waiting
                    waiting = []
            out.append(inside(self._behind_loads, s))
        return same_or(body, (*out, *waiting))

    def _statement(self, s: ir.Stmt) -> ir.Stmt | ir.Body:
        values = self.free.values(s)
        if values:
            s = _with_values(s, lambda e: self._product(e) if any(e is v for v in values) else e)
        match s:
            case ir.Declare(symbol=x, init=init) if x in self.inverses:
                inverse = None if init is None else _reciprocal(var(x, s.span))
                return (s, ir.Declare(self.inverses[x], inverse, span=s.span))
            case ir.Assign(target=ir.Var(symbol=x)) if x in self.inverses:
                return (s, ir.Assign(var(self.inverses[x], s.span), _reciprocal(var(x, s.span)), span=s.span))
        return s

    def _product(self, e: ir.Expr) -> ir.Expr:
        smooth = smooth_operands(e)
        e = map_children(lambda part: self._product(part) if any(part is x for x in smooth) else part, e)
        if not isinstance(e, ir.Binary) or e.op != "/" or e.type != DOUBLE:
            return e
        match e.right:
            case ir.Var(symbol=x) if x in self.inverses:
                return replace(times(e.left, var(self.inverses[x], e.span)), span=e.span)
            case ir.Const(value=value) if _NORMAL < abs(value) < 1 / _NORMAL and abs(math.frexp(value)[0]) != 0.5:
                return e if isinstance(e.left, ir.Const) else times(e.left, _reciprocal(e.right))
        return e


def _with_values(s: ir.Stmt, fn: Callable[[ir.Expr], ir.Expr]) -> ir.Stmt:
    """The statement with `fn` applied to what it stores."""
    match s:
        case ir.Declare(init=init) if init is not None:
            value = fn(init)
            return s if value is init else replace(s, init=value)
        case ir.Assign():
            value = fn(s.value)
            return s if value is s.value else replace(s, value=value)
        case ir.Update(op="+" | "-" as op):
            value = fn(s.value)
            if isinstance(value, ir.Unary) and value.op == "-" and not isinstance(s.value, ir.Unary):
                return replace(s, op="-" if op == "+" else "+", value=value.operand)
            return s if value is s.value else replace(s, value=value)
        case ir.Call():
            args = same_or(s.args, tuple(map(fn, s.args)))
            return s if args is s.args else replace(s, args=args)
    return s
