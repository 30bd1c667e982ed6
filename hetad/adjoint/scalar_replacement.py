"""Members of local structs as variables of their own.

    Complex value = {a, b};          double value_re = a;
    sum += value.re;          →      double value_im = b;
                                     sum += value_re;

What is said of variables holds for them then: a member that nothing depends on has no adjoint, and what is added to
an adjoint once is its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.build import Names, zero
from hetad.ir.places import base
from hetad.ir.types import Array, Struct
from hetad.ir.visit import declared, map_body, map_exprs, walk_exprs, walk_stmts
from hetad.passes.manager import function_pass


def scalar_replaced(function: ir.Function) -> ir.Function:
    """A kernel without local structs of which only members are read and written; their addresses are not taken."""
    if function.kind != "kernel":
        return function
    names = Names({x.name for x in (*function.params, *declared(function.body))})
    body = function.body
    while found := tuple(_only_by_member(body)):
        body = _replaced({x: _members(x, names) for x in found}, body)
    return function if body is function.body else replace(function, body=body)


scalar_replacement = function_pass("scalar-replacement", scalar_replaced)


def _members(x: ir.Symbol, names: Names) -> dict[str, ir.Symbol]:
    assert isinstance(x.type, Struct)
    return {f.name: names.symbol(f"{x.name}_{f.name}", f.type, x.span, const=x.const) for f in x.type.fields}


def _only_by_member(body: ir.Body) -> Iterator[ir.Symbol]:
    """The local structs that are declared member by member, and never meant as a whole."""
    uses: Counter[ir.Symbol] = Counter()
    for e in walk_exprs(body):
        match e:
            case ir.Var(symbol=x):
                uses[x] += 1
            case ir.Member(base=ir.Var(symbol=x), type=type_) if not isinstance(type_, Array):
                uses[x] -= 1
            case ir.Index(base=ir.Member(base=ir.Var(symbol=x), type=Array())):
                uses[x] -= 1
            case ir.AddressOf(place=place) if (whole := base(place)) is not None:
                uses[whole] += 1
    for s in walk_stmts(body):
        if isinstance(s, ir.Opaque):
            uses.update(s.declares)
        elif isinstance(s, ir.Declare) and s.init is not None and not isinstance(s.init, ir.Aggregate):
            uses[s.symbol] += 1
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare) and not uses[s.symbol] and s.symbol.storage == "local":
            type_ = s.symbol.type
            if isinstance(type_, Struct) and type_.fields and not type_.bits:
                yield s.symbol


def _replaced(members: Mapping[ir.Symbol, Mapping[str, ir.Symbol]], body: ir.Body) -> ir.Body:
    def expression(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Member) and isinstance(e.base, ir.Var) and e.base.symbol in members:
            return ir.Var(members[e.base.symbol][e.name], span=e.span)
        return e

    def statement(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Declare) or s.symbol not in members:
            return s
        each = tuple(members[s.symbol].values())
        if s.init is None:
            return tuple(ir.Declare(x, None, span=s.span) for x in each)
        assert isinstance(s.init, ir.Aggregate)
        given = s.init.elements
        values = (*given, *(zero(x.type, s.span) for x in each[len(given) :]))
        return tuple(ir.Declare(x, value, span=s.span) for x, value in zip(each, values, strict=True))

    return map_body(statement, map_exprs(expression, body))
