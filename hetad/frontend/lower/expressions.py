"""Expressions: pycparser's to pure expressions of the IR; what has side effects is emitted before."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from hetad.diagnostics import ConsequenceError, SourceError, Span, SyntaxProblem, UnknownNameError
from hetad.frontend.lower import calls, convert, effects, endings
from hetad.frontend.lower.builtins import CONSTANTS, HANDLES
from hetad.frontend.lower.c_nodes import Constructed, Copied, Given, Known, Named, Temporary
from hetad.frontend.lower.constants import character_literal, floating_literal, integer_literal
from hetad.frontend.lower.context import OBJECT, Context, Qualified, Reference
from hetad.frontend.lower.types import complete_size, declared
from hetad.ir import texts
from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Assign,
    Binary,
    CallExpr,
    Const,
    Declare,
    Expr,
    For,
    Index,
    Intrinsic,
    Member,
    Place,
    String,
    Symbol,
    ThreadIndex,
    Update,
    Var,
)
from hetad.ir.printer import declarator
from hetad.ir.types import (
    BOOL,
    CHAR,
    DIM3,
    FLOAT,
    INT,
    LONG,
    SIZE_T,
    STRING,
    UINT,
    VOID,
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    is_half,
    is_volatile,
    scalar_base,
)
from hetad.memops.communication import NUMBERS
from hetad.memops.library import VARIABLES
from hetad.memops.table import TABLE

_THREAD = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_SPECIAL = {"__hetad_infinity": (float("inf"), "INFINITY"), "__hetad_nan": (float("nan"), "NAN")}


def value(ctx: Context, node: c_ast.Node) -> Expr:
    """The value of an expression; arrays decay to pointers."""
    return loaded(ctx, convert.decay(expression(ctx, node)))


def loaded(ctx: Context, expr: Expr) -> Expr:
    """The value of a place; what is volatile is read here, once, into a variable."""
    if not is_volatile(expr.type) or not isinstance(expr, Var | Index | Member):
        return expr
    if ctx.out is None:
        raise SyntaxProblem("something volatile is no constant", expr.span)
    return ctx.hold(expr, f"{expr.symbol.name}_read" if isinstance(expr, Var) else "read", expr.span)


def expression(ctx: Context, node: c_ast.Node) -> Expr:
    """The value or place of an expression; an array stays one."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        what = _DESCRIPTIONS.get(type(node), f"{type(node).__name__} in an expression")
        ctx.refuse(what, node, "write it as a statement of its own")
    return handler(ctx, node)


def place(ctx: Context, node: c_ast.Node) -> Place:
    """An expression that can be assigned to."""
    result = expression(ctx, node)
    if not isinstance(result, Var | Index | Member):
        raise SyntaxProblem("this cannot be assigned to", ctx.span(node))
    return result


def writable(ctx: Context, node: c_ast.Node) -> Place:
    result = place(ctx, node)
    if convert.is_const(result):
        raise SyntaxProblem("assignment to something const", ctx.span(node))
    if isinstance(result.type, Array):
        raise SyntaxProblem("assignment to an array", ctx.span(node), "assign its elements")
    return result


# --- names and literals --------------------------------------------------------------------------


def _identifier(ctx: Context, node: c_ast.ID) -> Expr:
    span, name = ctx.span(node), node.name
    entry = ctx.local(name) or ctx.outer.value(name)
    if isinstance(entry, Symbol):
        if entry.storage == "shared" and ctx.local(name) is None:  # `extern __shared__` at file scope
            entry = ctx.shared.setdefault(name, replace(entry))
        if entry.type == OBJECT:
            ctx.refuse(f"'{name}', a C++ object that it does not follow,", node, "keep it apart from the computation")
        return Var(entry, span=span)
    if isinstance(entry, Const):
        return replace(entry, span=span)
    if isinstance(entry, Reference):
        return replace(entry.place, span=span)
    if name in CONSTANTS:
        number, type_ = CONSTANTS[name]
        return Const(number, type_, name, span=span)
    if name in NUMBERS:
        return Intrinsic(name, (), INT, span=span)
    if name in HANDLES:
        return Var(_handle(name, span), span=span)
    if name in _THREAD:
        axes = tuple(ThreadIndex(name, axis, UINT, span=span) for axis in "xyz")
        return Aggregate(axes, DIM3, span=span)
    if name in VARIABLES:
        held = calls.result(ctx, VARIABLES[name], TABLE[VARIABLES[name]].returns, span)
        ctx.of_library[held.symbol] = name
        return held
    if name == "warpSize":
        return ThreadIndex(name, "", INT, span=span)
    if name in _SPECIAL:
        number_, text = _SPECIAL[name]
        return Const(number_, FLOAT, text, span=span)
    if isinstance(entry, Qualified):
        raise SyntaxProblem(f"'{name}' is a type, not a value", span)
    if ctx.outer.signature(name) is not None:
        ctx.refuse(f"the function '{name}' as a value", node, "call it by name")
    raise unknown(ctx, name, node)


def _handle(name: str, span: Span) -> Symbol:
    if name not in _HANDLE_SYMBOLS:
        _HANDLE_SYMBOLS[name] = Symbol(name, HANDLES[name], span, "global", const=True)
    return _HANDLE_SYMBOLS[name]


_HANDLE_SYMBOLS: dict[str, Symbol] = {}


def unknown(ctx: Context, name: str, node: c_ast.Node, what: str = "name") -> SourceError:
    """The error for an identifier that nothing declares, with the nearest that exist."""
    if ctx.is_lost(name):
        return ConsequenceError(f"the declaration of '{name}' is refused", ctx.span(node))
    known = {k for scope in ctx.scopes for k in scope} if what == "name" else set(ctx.outer.callable_names())
    near = difflib.get_close_matches(name, sorted(known), n=3)
    remedy = f"did you mean {' or '.join(near)}?" if near else "declare it, or include the header that does"
    return UnknownNameError(f"unknown {what} '{name}'", ctx.span(node), remedy)


def string(ctx: Context, node: c_ast.Constant, type_: Type) -> String:
    """A literal, in a spelling that is the same for the same bytes."""
    if not node.value.startswith('"'):
        ctx.refuse(f"the string {node.value}", node, "use a plain string")
    return String(texts.quoted(texts.octets(node.value)), type_, span=ctx.span(node))


def _constant(ctx: Context, node: c_ast.Constant) -> Expr:
    span = ctx.span(node)
    match node.type:
        case "string":
            return string(ctx, node, STRING)
        case "char":
            return character_literal(node.value, span)
        case "bool":
            return Const(node.value == "true", BOOL, node.value, span=span)
        case "nullptr_t":
            return Const(0, Pointer(VOID), "0", span=span)
    if "double" in node.type or "float" in node.type:
        return floating_literal(node.value, span)
    return integer_literal(node.value, span)


def _known(ctx: Context, node: Known) -> Expr:
    text = str(node.value).lower() if isinstance(node.value, bool) else str(node.value)
    return Const(
        node.value, node.type, text if node.type == BOOL or isinstance(node.type, Int) else None, span=ctx.span(node)
    )


def _given(ctx: Context, node: Given) -> Expr:
    return value(ctx, node.expr)


def _constructed(ctx: Context, node: Constructed) -> Expr:
    span = ctx.span(node)
    memory = ctx.hold(value(ctx, node.memory), "made", span)
    count = ctx.hold(convert.convert(value(ctx, node.count), LONG), "count", span) if node.count is not None else None
    for number, init in enumerate(node.inits):
        place = convert.element_of(memory, Const(number, INT, span=span), span) if number or count else None
        _make(ctx, place or convert.dereference(memory, span), init, span)
    if count is not None and node.rest is not None:
        at = ctx.fresh("at", LONG, span)
        here = Var(at, span=span)
        with ctx.collect() as inner, endings.full_expression(ctx, span):
            _make(ctx, convert.element_of(memory, here, span), node.rest, span)
        start, one = (Const(n, LONG, span=span) for n in (len(node.inits), 1))
        step = Update("+", here, one, span=span)
        test = Binary("<", here, count, BOOL, span=span)
        ctx.emit(For((Declare(at, start, span=span),), test, (step,), tuple(inner), span=span))
    return memory


def _make(ctx: Context, place: Expr, init: c_ast.Node, span: Span) -> None:
    from hetad.frontend.lower.declarations import initialiser

    assert isinstance(place, Var | Index | Member)
    ctx.emit(Assign(place, initialiser(ctx, init, place.type), span=span))


def _copied(ctx: Context, node: Copied) -> Expr:
    return value(ctx, node.expr)


# --- places --------------------------------------------------------------------------------------


def _array_ref(ctx: Context, node: c_ast.ArrayRef) -> Expr:
    base = expression(ctx, node.name)
    return convert.element_of(base, value(ctx, node.subscript), ctx.span(node))


def _struct_ref(ctx: Context, node: c_ast.StructRef) -> Expr:
    span, name = ctx.span(node), node.field.name
    if isinstance(node.name, c_ast.ID) and node.name.name in _THREAD and ctx.local(node.name.name) is None:
        if name not in ("x", "y", "z"):
            raise SyntaxProblem(f"{node.name.name} has no member '{name}'", ctx.span(node.field))
        return ThreadIndex(node.name.name, name, UINT, span=span)
    base = expression(ctx, node.name)
    if node.type == "->":
        base = convert.dereference(convert.decay(base), base.span)
    if not isinstance(base.type, Struct):
        raise SyntaxProblem(f"'{base.type}' has no members", ctx.span(node.field))
    type_ = base.type.field_type(name)
    if type_ is None:
        remedy = f"it has {convert.members(base.type)}"
        raise SyntaxProblem(f"'{base.type}' has no member '{name}'", ctx.span(node.field), remedy)
    return Member(base, name, type_, span=span)


# --- operators -----------------------------------------------------------------------------------


def _unary(ctx: Context, node: c_ast.UnaryOp) -> Expr:
    span = ctx.span(node)
    match node.op:
        case "sizeof":
            return _sizeof(ctx, node)
        case "&":
            return address(ctx, node.expr, span)
        case "*":
            return convert.dereference(convert.undecayed(value(ctx, node.expr)), span)
        case "++" | "--" | "p++" | "p--":
            return effects.increment(ctx, node, used=True)
        case "-" | "+" | "!" | "~":
            return convert.unary(node.op, value(ctx, node.expr), span)
    return ctx.refuse(f"the operator '{node.op}'", node)


def _sizeof(ctx: Context, node: c_ast.UnaryOp) -> Expr:
    span = ctx.span(node)
    if isinstance(node.expr, c_ast.Typename):
        type_ = declared(ctx, node.expr).type
    elif isinstance(node.expr, c_ast.Constant) and node.expr.type == "string":
        type_ = Array(CHAR, len(texts.octets(string(ctx, node.expr, STRING).text)) + 1)
    elif ctx.out is None:
        type_ = expression(ctx, node.expr).type
    else:
        with ctx.peek():  # the operand is not evaluated
            operand = expression(ctx, node.expr)
        if isinstance(operand, Var) and operand.symbol in ctx.sizes:
            return ctx.sizes[operand.symbol]
        type_ = operand.type
    size = complete_size(ctx, type_, node)
    named = isinstance(type_, Int | Float | Pointer | Struct) and not is_half(scalar_base(type_))
    text = f"sizeof({declarator(type_, '').strip()})" if named else str(size)
    return Const(size, SIZE_T, text, span=span)


def address(ctx: Context, node: c_ast.Node, span: Span) -> Expr:
    """`&place`; of an element, pointer arithmetic."""
    place = expression(ctx, node)
    if isinstance(place, Var) and place.symbol in ctx.sizes:
        ctx.refuse("the address of an array of variable length", node, "use its name, which is the same address")
    if isinstance(place, Var) and place.symbol in ctx.of_library:
        ctx.refuse(f"the address of '{ctx.of_library[place.symbol]}'", node, "assign to it by its name")
    return address_of(place, span)


def address_of(target: Expr, span: Span) -> Expr:
    """The address of a place."""
    const = convert.is_const(target)
    if isinstance(target, Index):
        base = convert.decay(target.base)
        if isinstance(target.index, Const) and target.index.value == 0:
            return base
        return Binary("+", base, target.index, base.type, span=span)
    if not isinstance(target, Var | Member):
        raise SyntaxProblem("this has no address", span)
    return AddressOf(target, Pointer(target.type, const=const), span=span)


def _binary(ctx: Context, node: c_ast.BinaryOp) -> Expr:
    if node.op in ("&&", "||"):
        return effects.short_circuit(ctx, node)
    left = value(ctx, node.left)
    if ctx.out is None:
        return convert.binary(node.op, left, value(ctx, node.right), ctx.span(node))
    made = len(ctx.temporaries)
    with ctx.collect() as effects_:
        right = value(ctx, node.right)
    if len(ctx.temporaries) > made and not isinstance(left, Const):  # what is made there may change what is read here
        left = ctx.hold(convert.decay(left), "left", left.span)
    for stmt in effects_:
        ctx.emit(stmt)
    return convert.binary(node.op, left, right, ctx.span(node))


def _cast(ctx: Context, node: c_ast.Cast) -> Expr:
    type_ = declared(ctx, node.to_type).type
    operand = value(ctx, node.expr)
    if type_ == VOID:
        return operand
    return convert.explicit(operand, type_, ctx.span(node))


def _ternary(ctx: Context, node: c_ast.TernaryOp) -> Expr:
    return effects.conditional(ctx, node)


def _comma(ctx: Context, node: c_ast.ExprList) -> Expr:
    for each in node.exprs[:-1]:
        effects.discard(ctx, each)
    return expression(ctx, node.exprs[-1])


def _assignment(ctx: Context, node: c_ast.Assignment) -> Expr:
    return effects.assignment(ctx, node, used=True)


def _call(ctx: Context, node: c_ast.FuncCall) -> Expr:
    if getattr(node.name, "name", None) == "offsetof":  # which the parser knows, for it takes a type
        from hetad.frontend.lower.offsets import offsetof

        return offsetof(ctx, node)
    result = calls.call(ctx, node, used=True)
    if result is None:
        raise SyntaxProblem("this call returns nothing", ctx.span(node))
    return result


def _compound_literal(ctx: Context, node: c_ast.CompoundLiteral) -> Expr:
    from hetad.frontend.lower.declarations import completed, initialiser

    type_ = completed(ctx, declared(ctx, node.type).type, node, "local")
    found = initialiser(ctx, node.init, type_)
    if not isinstance(type_, Array):
        return found
    if ctx.out is None:
        ctx.refuse("an array without a name at file scope", node, "give it a name")
    return ctx.hold(found, "list", ctx.span(node))  # an object, to whose first element it decays


def value_as(ctx: Context, node: c_ast.Node, type_: Type) -> Expr:
    """The value of an expression where one of this type is wanted."""
    return convert.convert(value(ctx, node), type_, ctx.span(node))


_HANDLERS: dict[type, Callable[[Context, Any], Expr]] = {
    c_ast.ID: _identifier,
    c_ast.Constant: _constant,
    Known: _known,
    Copied: _copied,
    Constructed: _constructed,
    Given: _given,
    Named: endings.named,
    Temporary: endings.temporary,
    c_ast.ArrayRef: _array_ref,
    c_ast.StructRef: _struct_ref,
    c_ast.UnaryOp: _unary,
    c_ast.BinaryOp: _binary,
    c_ast.Cast: _cast,
    c_ast.TernaryOp: _ternary,
    c_ast.ExprList: _comma,
    c_ast.Assignment: _assignment,
    c_ast.FuncCall: _call,
    c_ast.CompoundLiteral: _compound_literal,
}
_DESCRIPTIONS: dict[type, str] = {
    c_ast.Compound: "a statement inside an expression",
    c_ast.InitList: "a brace initialiser in an expression",
    c_ast.GenericSelection: "_Generic",
}


def contains_call(expr: Expr) -> bool:
    """Whether a function of the program is called in it."""
    from hetad.ir.visit import walk_expr

    return any(isinstance(e, CallExpr) for e in walk_expr(expr))
