"""Statements of C++ that hetad does not read: of the program they may mention numbers, which they only read."""

from __future__ import annotations

from pycparser import c_ast

from hetad.diagnostics import UnsupportedError
from hetad.frontend.lower import expressions
from hetad.frontend.lower.c_nodes import arguments
from hetad.frontend.lower.context import OBJECT, Context, Reference
from hetad.frontend.opaque import scope
from hetad.ir.nodes import Const, Expr, Opaque, Symbol, Var
from hetad.ir.types import Array, Float, Int, Pointer, Type, scalar_base


def statement(ctx: Context, node: c_ast.FuncCall) -> None:
    """`hetad$opaque(kind, headers, declared names, text, name, text, ...)`, see `frontend/opaque.py`."""
    kind, headers, names, *pieces = arguments(node)
    span = ctx.span(node)
    for name in _text(names).split():
        ctx.define(name, Symbol(name, OBJECT, span))
    texts = [""]
    args: list[Expr] = []
    for piece in pieces:
        if isinstance(piece, c_ast.StructRef):
            args.append(expressions.value(ctx, piece))
            texts.append("")
        elif isinstance(piece, c_ast.ID):
            arg = _argument(ctx, piece, _text(kind) == "output")
            if arg is None:
                texts[-1] += scope(piece.name) + piece.name
            else:
                args.append(arg)
                texts.append("")
        elif not isinstance(piece, c_ast.Constant):  # a value that the program computes
            args.append(ctx.hold(expressions.value(ctx, piece), "shown", span))
            texts.append("")
        else:
            texts[-1] += _text(piece)
    declared = tuple(s for n in _text(names).split() if isinstance(s := ctx.local(n), Symbol))
    ctx.emit(Opaque(tuple(texts), tuple(args), declared, tuple(_text(headers).split()), span=span))


def _text(node: c_ast.Node) -> str:
    assert isinstance(node, c_ast.Constant)
    return bytes.fromhex(node.value.strip('"')).decode()


def _argument(ctx: Context, node: c_ast.ID, output: bool) -> Expr | None:
    """A variable of the program that the statement mentions; None for other names."""
    entry = ctx.local(node.name) or ctx.outer.value(node.name)
    span = ctx.span(node)
    if isinstance(entry, Const):
        return entry
    place = (
        Var(entry, span=span) if isinstance(entry, Symbol) else entry.place if isinstance(entry, Reference) else None
    )
    if place is None or place.type == OBJECT or isinstance(place.type, Int | Float):
        return place
    if (output and _is_printed(place.type)) or _is_text(place.type):
        return place
    raise UnsupportedError(
        f"'{node.name}' is handed to C++ that hetad does not read", span, "keep this C++ apart from the data"
    )


def _is_text(type_: Type) -> bool:
    """Names of files, and the like."""
    element = type_.of if isinstance(type_, Array) else type_.to if isinstance(type_, Pointer) else None
    return isinstance(element, Int) and element.bits == 8


def _is_printed(type_: Type) -> bool:
    """What an output may read an element of."""
    return isinstance(scalar_base(type_), Int | Float)
