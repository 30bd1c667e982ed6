"""Which instance of a function template a call means."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend import templates
from hetad.frontend.cpp_syntax import TYPE_ARGUMENT
from hetad.frontend.lower import convert, expressions
from hetad.frontend.lower.constants import known_integer
from hetad.frontend.lower.context import Context, Signature
from hetad.frontend.lower.types import declared
from hetad.frontend.templates import Binding, Bindings, Template
from hetad.ir.nodes import Const
from hetad.ir.types import BOOL, INT, Pointer


def instantiate(
    ctx: Context, template: Template, given: Sequence[c_ast.Node], arguments: Sequence[c_ast.Node], span: Span
) -> Signature:
    """The instance for the template arguments `given`, the rest deduced from the call's arguments or defaults."""
    bindings: Bindings = {}
    for parameter, node in zip(template.parameters, given, strict=False):
        bindings[parameter.name] = _argument(ctx, node)
    if len(bindings) < len(template.parameters):
        _deduce(ctx, template, bindings, arguments)
    for parameter in template.parameters:
        if parameter.name not in bindings:
            bindings[parameter.name] = ctx.outer.default(template, parameter.name, bindings, span)
    return ctx.outer.instance(template, bindings, span)


def _argument(ctx: Context, node: c_ast.Node) -> Binding:
    """A type, or the value of a constant expression."""
    if isinstance(node, c_ast.Cast) and getattr(node.expr, "name", None) == TYPE_ARGUMENT:
        return declared(ctx, node.to_type)
    return constant(ctx, node)


def constant(ctx: Context, node: c_ast.Node) -> Const:
    """The value of a template argument."""
    span = ctx.span(node)
    value = expressions.value(ctx, node)
    number = known_integer(ctx, value)
    if number is None:
        raise SyntaxProblem("a template argument must be a constant", span)
    if value.type == BOOL:
        return Const(bool(number), BOOL, "true" if number else "false", span=span)
    return Const(number, INT, str(number), span=span)


def _deduce(ctx: Context, template: Template, bindings: Bindings, arguments: Sequence[c_ast.Node]) -> None:
    pattern, references = ctx.outer.pattern(template, bindings)
    for node, type_, reference in zip(arguments, pattern, references, strict=False):
        if not templates.has_placeholder(type_):
            continue
        with ctx.peek():
            given = expressions.expression(ctx, node)
        if not reference:
            templates.deduce(type_, convert.decay(given).type, bindings, ctx.span(node))
        elif isinstance(type_, Pointer):
            const = convert.is_const(given) and not type_.const
            templates.deduce(type_.to, given.type, bindings, ctx.span(node), const)
