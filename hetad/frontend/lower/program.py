"""Functions and variables at file scope: from parsed items to the IR."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.items import Item
from hetad.frontend.lower import packed, references, statements
from hetad.frontend.lower.c_nodes import declared_name, innermost
from hetad.frontend.lower.constants import with_constants
from hetad.frontend.lower.context import Context, Qualified, Reference, Signature
from hetad.frontend.lower.declarations import completed, initialiser
from hetad.frontend.lower.idioms import with_atomic_add
from hetad.frontend.lower.types import declared, parameter
from hetad.frontend.normalize.jumps import without_gotos
from hetad.frontend.normalize.launch_arguments import with_plain_arguments
from hetad.ir.arithmetic import integer_value
from hetad.ir.nodes import Const, Declare, Expr, Function, Global, Symbol
from hetad.ir.types import VOID, Float, Int, Pointer, Type


def signature(ctx: Context, declaration: c_ast.Decl, item: Item, defaults: dict[int, c_ast.Node]) -> Signature:
    """What a function takes and returns."""
    function = declaration.type
    assert isinstance(function, c_ast.FuncDecl)
    span = ctx.span(innermost(declaration))
    returns = declared(ctx, function.type).type
    params = _parameters(ctx, function, item)
    if item.kind == "kernel" and returns != VOID:
        raise SyntaxProblem("a kernel must return void", span)
    return Signature(
        declared_name(declaration),
        item.kind,
        returns,
        tuple(p.type for p in params),
        tuple(p.name for p in params),
        tuple(defaults.get(i) for i in range(len(params))),
        span,
        tuple(p.reference for p in params),
    )


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    type: Type
    const: bool
    reference: bool
    span: Span


def _parameters(ctx: Context, function: c_ast.FuncDecl, item: Item) -> list[_Parameter]:
    """The parameters; a reference is a pointer, or a value where that is the same."""
    found: list[tuple[str, Qualified, Span]] = []
    given = function.args.params if function.args is not None else []
    for number, node in enumerate(given):
        if isinstance(node, c_ast.EllipsisParam):
            ctx.refuse("a function with variable arguments", node, "give it fixed parameters")
        if isinstance(node, c_ast.ID):
            raise SyntaxProblem(f"parameter '{node.name}' has no type", ctx.span(node))
        assert isinstance(node, c_ast.Decl | c_ast.Typename)
        qualified, name = parameter(declared(ctx, node.type)), node.name
        if qualified.type == VOID:
            if name is None and len(given) == 1:
                return []
            raise SyntaxProblem("a parameter cannot have type void", ctx.span(node))
        span = ctx.span(innermost(node)) if name else ctx.span(node)
        if qualified.reference and item.kind == "kernel":
            ctx.refuse("a reference parameter of a kernel", span, "pass it by value, or a pointer")
        found.append((name or f"unused_{number}", qualified, span))
    types = [q for _, q, _ in found]
    careful = _shares_memory(ctx, item) if any(q.reference for q in types) else False
    result = []
    for number, (name, qualified, span) in enumerate(found):
        type_, const, reference = qualified.type, qualified.const, qualified.reference
        if reference and references.by_value(types, number, careful):
            assert isinstance(type_, Pointer)
            type_, const, reference = type_.to, True, False
        result.append(_Parameter(name, type_, const, reference, span))
    return result


def _shares_memory(ctx: Context, item: Item) -> bool:
    """Whether other threads or variables at file scope may change an argument while the function runs."""
    return (
        item.keeps_references
        or ctx.outer.has_writable_variables()
        or any(t.text.startswith("__sync") for t in item.tokens)
    )


def function(ctx: Context, node: c_ast.FuncDef, item: Item) -> Function:
    """A function definition; `ctx.function` is its signature."""
    own = ctx.function
    assert own is not None
    assert isinstance(node.decl.type, c_ast.FuncDecl)
    if node.param_decls:
        ctx.refuse("a function definition in the style of K&R", node, "declare the parameters' types in its head")
    params = []
    with ctx.scope():
        for p in _parameters(ctx, node.decl.type, item):
            symbol = Symbol(p.name, p.type, p.span, "param", p.const)
            ctx.define(p.name, Reference(references.pointee(symbol)) if p.reference else symbol)
            params.append(symbol)
        body = statements.body(ctx, with_atomic_add(node.body))
        references.check_choices(body, ctx.chosen)
        body = packed.as_bits(references.resolved(body, ctx.references))
        body = (*(Declare(s, None, span=s.span) for s in (*ctx.shared.values(), *ctx.lasting)), *body)
    whole = Function(own.name, item.kind, tuple(params), own.returns, body, own.span, _bounds(ctx, item), item.inline)
    return with_plain_arguments(without_gotos(whole))


def _bounds(ctx: Context, item: Item) -> str | None:
    """The text in `__launch_bounds__`, with the values of constants."""
    return with_constants(ctx, item.launch_bounds) if item.launch_bounds is not None else None


def variable(ctx: Context, node: c_ast.Decl, item: Item) -> Global | Const:
    """A variable at file scope; a const number with a constant initialiser is that constant."""
    span = ctx.span(innermost(node))
    if "__shared__" in item.spaces and "extern" not in (node.storage or []):
        ctx.refuse("shared memory at file scope", span, "declare it in the kernel")
    qualified = declared(ctx, node.type, f"{node.name}_t")
    storage = "constant" if "__constant__" in item.spaces else "shared" if "__shared__" in item.spaces else "global"
    type_ = completed(ctx, qualified.type, node, "shared" if storage == "shared" else "global")
    const = qualified.const or storage == "constant" or "constexpr" in (node.storage or [])
    init = initialiser(ctx, node.init, type_) if node.init is not None else None
    device = bool(item.spaces & {"__device__", "__constant__", "__shared__"})
    if const and not device and init is not None and isinstance(type_, Int | Float):
        constant = _constant(init, type_)
        if constant is not None:
            return constant
    writable = Symbol(node.name, type_, span, storage, const)  # type: ignore[arg-type]
    return Global(writable, init, device, span, "__managed__" in item.spaces and not const)


def _constant(init: Expr, type_: Type) -> Const | None:
    if isinstance(init, Const):
        return init
    if isinstance(type_, Int):
        number = integer_value(init)
        if number is not None:
            return Const(number, type_, str(number), span=init.span)
    return None
