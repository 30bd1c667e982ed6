"""Local arrays of the host whose length is known when the program runs: memory that is allocated where they are
declared, and freed wherever their scope is left."""

from __future__ import annotations

from pycparser import c_ast

from hetad.diagnostics import Span
from hetad.frontend.lower import convert, expressions
from hetad.frontend.lower.c_nodes import declared_name
from hetad.frontend.lower.constants import known_integer
from hetad.frontend.lower.context import Context, Ending
from hetad.frontend.lower.types import complete_size, declared
from hetad.ir.nodes import Call, Const, Declare, Symbol, Var
from hetad.ir.types import SIZE_T, Pointer


def declare(ctx: Context, node: c_ast.Decl, span: Span) -> bool:
    """Whether a declaration without an initialiser is of such an array, which is then defined."""
    host = ctx.function is not None and ctx.function.kind == "host"
    if not host or not isinstance(node.type, c_ast.ArrayDecl) or node.type.dim is None or node.init is not None:
        return False
    with ctx.peek():
        if known_integer(ctx, expressions.value(ctx, node.type.dim)) is not None:
            return False
    name = declared_name(node)
    if ctx.jumps:
        ctx.refuse("goto in a function with arrays of variable length", span, "allocate them with malloc")
    of = declared(ctx, node.type.type)
    count = convert.convert(expressions.value(ctx, node.type.dim), SIZE_T)
    each = Const(complete_size(ctx, of.type, node), SIZE_T, span=span)
    size = ctx.hold(convert.binary("*", count, each, span), f"{name}_size", span)
    symbol = Symbol(name, Pointer(of.type), span)
    ctx.emit(Declare(symbol, None, span=span))
    ctx.emit(Call("malloc", (size,), Var(symbol, span=span), span=span))
    ctx.define(name, symbol)
    ctx.endings[-1].append(Ending(symbol))
    ctx.sizes[symbol] = size
    return True
