"""`offsetof(type, member)`: how many bytes lie in front of a member of a struct, perhaps of one of an inner struct."""

from __future__ import annotations

from pycparser import c_ast

from hetad.diagnostics import SyntaxProblem
from hetad.frontend.lower import expressions
from hetad.frontend.lower.c_nodes import arguments
from hetad.frontend.lower.constants import known_integer
from hetad.frontend.lower.context import Context
from hetad.frontend.lower.types import complete_size, declared
from hetad.ir.nodes import Const
from hetad.ir.types import SIZE_T, Array, Struct, Type, offset_of, size_of


def offsetof(ctx: Context, node: c_ast.FuncCall) -> Const:
    of, member = arguments(node)
    type_ = declared(ctx, of).type
    complete_size(ctx, type_, of)
    return Const(_member(ctx, member, type_)[0], SIZE_T, span=ctx.span(node))


def _member(ctx: Context, node: c_ast.Node, struct: Type) -> tuple[int, Type]:
    """The bytes in front of a member of `struct`, and its type."""
    match node:
        case c_ast.ID(name=name):
            return _field(ctx, node, struct, name)
        case c_ast.StructRef(type="."):
            before, inner = _member(ctx, node.name, struct)
            offset, type_ = _field(ctx, node.field, inner, node.field.name)
            return before + offset, type_
        case c_ast.ArrayRef():
            before, inner = _member(ctx, node.name, struct)
            index = known_integer(ctx, expressions.value(ctx, node.subscript))
            if isinstance(inner, Array) and index is not None:
                return before + index * size_of(inner.of), inner.of
    raise SyntaxProblem("this names no member", ctx.span(node))


def _field(ctx: Context, node: c_ast.Node, struct: Type, name: str) -> tuple[int, Type]:
    fields = {f.name: f.type for f in struct.fields} if isinstance(struct, Struct) else {}
    if name not in fields or not isinstance(struct, Struct):
        raise SyntaxProblem(f"'{struct}' has no member '{name}'", ctx.span(node))
    return offset_of(struct, name), fields[name]
