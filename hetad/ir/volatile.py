"""Numbers without the word `volatile`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.types import Array, Float, Pointer, Type, is_volatile, of_value
from hetad.ir.visit import map_exprs, own_nodes, substitute, walk_stmts


def plain(type_: Type) -> Type:
    """A type without the word, also that of what a pointer leads to."""
    match type_:
        case Pointer(to=to) if plain(to) is not to:
            return replace(type_, to=plain(to))
        case Array(of=of) if plain(of) is not of:
            return replace(type_, of=plain(of))
        case Float():
            return of_value(type_)
    return type_


def plain_symbols(symbols: Iterable[ir.Symbol]) -> dict[ir.Symbol, ir.Symbol]:
    """Those that have the word, with others in their place."""
    return {x: replace(x, type=plain(x.type)) for x in symbols if plain(x.type) is not x.type}


def without_volatile(body: ir.Body, instead: Mapping[ir.Symbol, ir.Symbol]) -> ir.Body:
    """A body in which nothing has the word, with other variables for those that had it."""
    return map_exprs(plain_expression, substitute(dict(instead), body))


def plain_expression(e: ir.Expr) -> ir.Expr:
    """A node that is no variable, without the word in its type."""
    if isinstance(e, ir.Var) or plain(e.type) is e.type:
        return e
    return replace(e, type=plain(e.type))


def volatile_places(body: ir.Body) -> Iterator[ir.Place]:
    """The places of numbers that have the word."""
    for s in walk_stmts(body):
        for e in own_nodes(s):
            if isinstance(e, ir.Var | ir.Index | ir.Member) and isinstance(e.type, Float) and is_volatile(e.type):
                yield e
