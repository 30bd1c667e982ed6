"""What is done where scopes and full expressions end: destructors, and memory of arrays of variable length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pycparser import c_ast

from hetad.diagnostics import Span
from hetad.frontend.lower import convert
from hetad.frontend.lower.c_nodes import AtEnd, Given, Named, Temporary
from hetad.frontend.lower.context import Context, Ending, Reference
from hetad.ir.nodes import Break, Call, Cast, Continue, Expr, Return, Symbol, Var
from hetad.ir.places import is_fixed, root_symbol
from hetad.ir.types import VOID, Pointer


def leave(ctx: Context, depth: int, span: Span, but: Symbol | None = None) -> None:
    """Ends the variables of the scopes from `depth` inwards, which are left here; `but` lives on as the result."""
    for scope in reversed(ctx.endings[depth:]):
        for ending in reversed(scope):
            if but is None or ending.symbol is not but:
                _emit(ctx, ending, span)


def end(ctx: Context, span: Span) -> None:
    """At the end of a scope, unless nothing comes there."""
    if not (ctx.out and isinstance(ctx.out[-1], Return | Break | Continue)):
        leave(ctx, len(ctx.endings) - 1, span)


def _emit(ctx: Context, ending: Ending, span: Span) -> None:
    from hetad.frontend.lower.statements import statement

    if ending.node is not None:
        statement(ctx, ending.node)
        return
    assert ending.symbol is not None
    memory = Cast(Var(ending.symbol, span=span), Pointer(VOID), implicit=True, span=span)
    ctx.emit(Call("free", (memory,), span=span))


# --- objects -------------------------------------------------------------------------------------


def at_end(ctx: Context, node: AtEnd) -> None:
    """Keeps what is to be done when the scope is left."""
    if ctx.jumps:
        refuse_goto(ctx, node)
    entry = ctx.local(node.name)
    assert isinstance(entry, Symbol | Reference)
    ctx.define(node.alias, entry)
    symbol = entry if isinstance(entry, Symbol) else root_symbol(entry.place)
    ctx.endings[-1].append(Ending(symbol, node.node))


def refuse_goto(ctx: Context, node: c_ast.Node) -> None:
    """Refuses jumps into and out of scopes whose end does something."""
    ctx.refuse("goto in a function with objects that have a destructor", node, "leave it by return, or use a flag")


def temporary(ctx: Context, node: Temporary) -> Expr:
    """An object that lives until the end of the full expression."""
    from hetad.frontend.lower.expressions import value

    held = ctx.hold(value(ctx, node.expr), "temporary", ctx.span(node))
    ctx.define(node.alias, held.symbol)
    ctx.temporaries.append(Ending(held.symbol, node.node, node.anywhere))
    return held


def named(ctx: Context, node: Named) -> Expr:
    """A place, for which a name stands in the rest of the scope."""
    from hetad.frontend.lower.expressions import address_of, expression

    place, span = expression(ctx, node.expr), ctx.span(node)
    if not is_fixed(place):
        place = convert.dereference(ctx.hold(address_of(place, span), "place", span), span)
    ctx.define(node.alias, Reference(place))
    return place


@contextmanager
def full_expression(ctx: Context, span: Span) -> Iterator[None]:
    """The objects without a name that are made inside end behind it, the last first."""
    before, ctx.temporaries = ctx.temporaries, []
    try:
        yield
        made, ctx.temporaries = ctx.temporaries, []
        for ending in reversed(made):
            _emit(ctx, ending, span)
    finally:
        ctx.temporaries = before


def completed(ctx: Context, span: Span, evaluate: Callable[[], Expr]) -> Expr:
    """The value of a full expression: kept in a variable if something ends behind it."""
    with full_expression(ctx, span):
        value = evaluate()
        if ctx.temporaries:
            value = ctx.hold(value, "value", span)
    return value


def ended_early(ctx: Context, node: c_ast.Node, evaluate: Callable[[], Expr]) -> Expr:
    """The value of an operand that is evaluated only sometimes; the objects that it makes end behind it."""
    before, span = len(ctx.temporaries), ctx.span(node)
    value = evaluate()
    made = ctx.temporaries[before:]
    if not all(ending.anywhere for ending in made):
        ctx.refuse("an object with a destructor that is made only sometimes", node, "give it a name, in an if")
    if made:
        value = ctx.hold(value, "value", span)
        del ctx.temporaries[before:]
        for ending in reversed(made):
            _emit(ctx, ending, span)
    return value


def given(ctx: Context, node: c_ast.Node) -> Symbol | None:
    """The variable that becomes a function's result."""
    if not isinstance(node, Given):
        return None
    entry = ctx.local(node.expr.name)
    return entry if isinstance(entry, Symbol) else None
