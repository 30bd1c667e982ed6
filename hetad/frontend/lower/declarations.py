"""Local declarations and initialisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.lower import calls, expressions, packed, references, variable_length
from hetad.frontend.lower.c_nodes import declared_name, innermost
from hetad.frontend.lower.constants import known_integer
from hetad.frontend.lower.context import Context
from hetad.frontend.lower.types import declared
from hetad.ir import texts
from hetad.ir.nodes import Aggregate, CallExpr, Const, Declare, Expr, Global, Storage, String, Symbol, Var
from hetad.ir.types import CHAR, DIM3, VOID, Array, Bits, Field, Float, Int, Opaque, Pointer, Struct, Type, of_value
from hetad.ir.visit import variables

MOST_ELEMENTS = 1 << 20  # of a list of initial values, up to the last that is given


def local(ctx: Context, node: c_ast.Decl | c_ast.Typedef) -> None:
    """A declaration inside a function."""
    if isinstance(node, c_ast.Typedef):
        ctx.define(node.name, declared(ctx, node.type, node.name))
        return
    if node.name is None:  # a struct or an enumeration alone
        declared(ctx, node.type)
        return
    if isinstance(node.type, c_ast.FuncDecl):
        return  # a prototype; the definition is found by name
    storage, const = _storage(ctx, node)
    if storage is None:
        return
    if storage == "local" and variable_length.declare(ctx, node, ctx.span(innermost(node))):
        return
    qualified = declared(ctx, node.type, f"{node.name}_t")
    if qualified.reference:
        references.local(ctx, node, qualified)
        return
    type_ = completed(ctx, qualified.type, node, storage)
    if storage == "global":
        _static(ctx, node, type_)
        return
    symbol = Symbol(node.name, type_, ctx.span(innermost(node)), storage, qualified.const or const)
    _define(ctx, symbol, node)


def _storage(ctx: Context, node: c_ast.Decl) -> tuple[Storage | None, bool]:
    """Where a local variable lives, and whether its storage class makes it const; None: declared elsewhere."""
    words = set(node.storage or [])
    spaces = {a.name for group in (getattr(node, "attributes", None) or []) for a in group.attributes}
    if "shared" in spaces:
        return "shared", False
    if spaces:
        ctx.refuse(f"__{min(spaces)}__ inside a function", node, "declare the variable at file scope")
    if "extern" in words:
        return None, False
    if "static" in words and "constexpr" not in words and "const" not in _innermost_qualifiers(node):
        if ctx.function is None or ctx.function.kind != "host":
            ctx.refuse("a static variable in device code", node, "make it a parameter, or const if it never changes")
        return "global", False
    return "local", "constexpr" in words


def _static(ctx: Context, node: c_ast.Decl, type_: Type) -> None:
    """A variable that keeps its value from call to call: one at file scope, whose name is known here only."""
    symbol = Symbol(declared_name(node), type_, ctx.span(innermost(node)), "global")
    saved, ctx.out = ctx.out, None
    init = initialiser(ctx, node.init, type_) if node.init is not None else None
    ctx.out = saved
    if init is not None and any(True for _ in variables(init)):
        ctx.refuse("a static variable whose first value is no constant", node, "assign it in an if")
    ctx.define(symbol.name, symbol)
    ctx.outer.keep(Global(symbol, init, False, symbol.span))


def _innermost_qualifiers(node: c_ast.Decl) -> list[str]:
    inner = node.type
    while isinstance(inner, c_ast.ArrayDecl):
        inner = inner.type
    assert isinstance(inner, c_ast.TypeDecl | c_ast.PtrDecl)
    return list(inner.quals or [])


def completed(ctx: Context, type_: Type, node: c_ast.Decl | c_ast.CompoundLiteral, storage: Storage) -> Type:
    """An array whose length its initialiser tells."""
    if isinstance(type_, Array) and type_.length is None:
        if isinstance(node.init, c_ast.InitList):
            return Array(type_.of, _implied_length(ctx, node.init))
        if isinstance(node.init, c_ast.Constant) and node.init.type == "string":
            return Array(type_.of, len(texts.octets(node.init.value)) + 1)
        if storage != "shared":
            raise SyntaxProblem("an array without a length", ctx.span(node))
    if type_ == VOID:
        what = "a literal" if isinstance(node, c_ast.CompoundLiteral) else f"'{node.name}'"
        raise SyntaxProblem(f"{what} cannot have type void", ctx.span(node))
    return _of_one_thread(type_) if storage == "local" else type_


def _of_one_thread(type_: Type) -> Type:
    """The type of a local variable: nothing but its thread changes it, so a number is what it is without volatile."""
    if isinstance(type_, Array):
        return Array(_of_one_thread(type_.of), type_.length)
    return of_value(type_) if isinstance(type_, Float) else type_


def _implied_length(ctx: Context, init: c_ast.InitList) -> int:
    position, longest = 0, 0
    for element in init.exprs:
        if isinstance(element, c_ast.NamedInitializer):
            position = _designated_index(ctx, element)
        position += 1
        longest = max(longest, position)
    return longest


def _define(ctx: Context, symbol: Symbol, node: c_ast.Decl) -> None:
    span = symbol.span
    ctx.define(symbol.name, symbol)  # the name is in scope in its own initialiser
    if node.init is None:
        default = None
        if symbol.type == DIM3:
            default = calls.dim3((), span)
        ctx.emit(Declare(symbol, default, span=span))
        return
    if symbol.storage == "shared":
        raise SyntaxProblem("shared memory cannot be initialised", span)
    if isinstance(node.init, c_ast.FuncCall | c_ast.Cast):
        plain = replace_const(symbol)
        ctx.define(symbol.name, plain)
        with ctx.collect() as out:
            direct = calls.into(ctx, node.init, Var(plain, span=span))
        if direct:
            ctx.emit(Declare(plain, None, span=span))
            for stmt in out:
                ctx.emit(stmt)
            return
        ctx.define(symbol.name, symbol)
    init = initialiser(ctx, node.init, symbol.type)
    symbol = _assignable(symbol, init)
    ctx.define(symbol.name, symbol)
    number = known_integer(ctx, init) if symbol.const and _is_integer(symbol.type) else None
    if number is not None:
        ctx.integers[symbol] = number
    ctx.emit(Declare(symbol, init, span=span))


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, Int) and not type_.volatile


def _assignable(symbol: Symbol, init: Expr) -> Symbol:
    """What a call gives a value to, as a statement, cannot be const."""
    return replace_const(symbol) if isinstance(init, CallExpr) else symbol


def replace_const(symbol: Symbol) -> Symbol:
    return replace(symbol, const=False) if symbol.const else symbol


# --- initialisers --------------------------------------------------------------------------------


def initialiser(ctx: Context, node: c_ast.Node, type_: Type) -> Expr:
    """`= e` or `= {...}` for something of this type."""
    span = ctx.span(node)
    if isinstance(type_, Array) and type_.of == CHAR and isinstance(node, c_ast.Constant) and node.type == "string":
        text = expressions.string(ctx, node, type_)
        return text if ctx.out is None else _characters(text, type_)
    if isinstance(node, c_ast.InitList):
        if type_ == DIM3:
            return calls.dim3(tuple(expressions.value(ctx, e) for e in node.exprs), span)
        if isinstance(type_, Array | Struct):
            return _aggregate(ctx, node, type_)
        if len(node.exprs) == 1:
            return initialiser(ctx, node.exprs[0], type_)
        if not node.exprs:
            return zero(type_, span)
        raise SyntaxProblem(f"too many initialisers for '{type_}'", span)
    if isinstance(type_, Array):
        raise SyntaxProblem("an array needs an initialiser in braces", span)
    return expressions.value_as(ctx, node, type_)


def _characters(text: String, type_: Array) -> Aggregate:
    """A text as the list of its characters, which a local array is given one by one."""
    codes = texts.octets(text.text)[: type_.length]
    characters = (Const(code - 256 * (code > 127), CHAR, texts.character(code), span=text.span) for code in codes)
    return Aggregate(tuple(characters), type_, span=text.span)


def _aggregate(ctx: Context, node: c_ast.InitList, type_: Array | Struct) -> Aggregate:
    feed = _Feed(list(node.exprs))
    result = _fill(ctx, feed, type_, ctx.span(node))
    if feed.rest:
        raise SyntaxProblem(f"too many initialisers for '{type_}'", ctx.span(feed.rest[0]))
    return result


class _Feed:
    """The elements of a braced list, which may fill nested aggregates without braces of their own."""

    def __init__(self, elements: list[c_ast.Node]) -> None:
        self.rest = elements


def _fill(ctx: Context, feed: _Feed, type_: Array | Struct, span: Span) -> Aggregate:
    elements: dict[int, Expr] = {}
    members = packed.slots(type_) if isinstance(type_, Struct) else []
    slots = type_.length if isinstance(type_, Array) else 1 if type_.is_union else len(members)
    assert slots is not None
    position = 0
    while feed.rest and (position < slots or isinstance(feed.rest[0], c_ast.NamedInitializer)):
        element = feed.rest[0]
        if isinstance(element, c_ast.NamedInitializer):
            position = _designated(ctx, element, type_, members)
            feed.rest[0] = element = element.expr
        inner = type_.of if isinstance(type_, Array) else members[position].type
        with ctx.collect() as effects:
            new = _element(ctx, feed, element, inner)
        if effects:  # elements are evaluated in order: keep the ones before from being changed
            for i, earlier in elements.items():
                if not isinstance(earlier, Const):
                    elements[i] = ctx.hold(earlier, "element", earlier.span)
            for stmt in effects:
                ctx.emit(stmt)
        elements[position] = new
        position += 1
    if not elements:
        return Aggregate((), type_, span=span)
    last = max(elements) + 1
    if last > MOST_ELEMENTS:
        ctx.refuse(f"a list of {last} initial values", span, "fill the array in a loop")
    if isinstance(type_, Struct) and type_.bits:
        given = {members[i].name: value for i, value in elements.items()}
        return Aggregate(tuple(packed.initial(given, type_, zero, span)), type_, span=span)
    kinds = [type_.of] * last if isinstance(type_, Array) else [f.type for f in type_.fields]
    filled = tuple(elements[i] if i in elements else zero(kinds[i], span) for i in range(last))
    return Aggregate(filled, type_, span=span)


def _element(ctx: Context, feed: _Feed, element: c_ast.Node, inner: Type) -> Expr:
    if isinstance(inner, Array | Struct) and not isinstance(element, c_ast.InitList | c_ast.Constant):
        if isinstance(inner, Struct):
            with ctx.peek():
                whole = expressions.value(ctx, element).type == inner
            if whole:
                feed.rest.pop(0)
                return initialiser(ctx, element, inner)
        return _fill(ctx, feed, inner, ctx.span(element))
    if isinstance(inner, Array | Struct) and isinstance(element, c_ast.Constant) and element.type != "string":
        return _fill(ctx, feed, inner, ctx.span(element))
    feed.rest.pop(0)
    return initialiser(ctx, element, inner)


def _designated(
    ctx: Context, element: c_ast.NamedInitializer, type_: Array | Struct, members: Sequence[Field | Bits]
) -> int:
    if len(element.name) != 1:
        ctx.refuse("a nested designator", element, "write the initialisers in order")
    if isinstance(type_, Array):
        return _designated_index(ctx, element)
    named = element.name[0]
    if not isinstance(named, c_ast.ID):
        raise SyntaxProblem(f"'{type_}' has members, not elements", ctx.span(named))
    for i, member in enumerate(members):
        if member.name == named.name:
            return i
    raise SyntaxProblem(f"'{type_}' has no member '{named.name}'", ctx.span(named))


def _designated_index(ctx: Context, element: c_ast.NamedInitializer) -> int:
    designator = element.name[0]
    number = known_integer(ctx, expressions.value(ctx, getattr(designator, "expr", designator)))
    if number is None or number < 0:
        raise SyntaxProblem("a designator needs a constant", ctx.span(designator))
    return number


def zero(type_: Type, span: Span) -> Expr:
    """The zero of a type."""
    match type_:
        case Int():
            return Const(0, type_, "0", span=span)
        case Float():
            return Const(0.0, type_, "0.0f" if type_.bits == 32 else "0.0", span=span)
        case Pointer() | Opaque():
            return Const(0, type_, "0", span=span)
        case Array() | Struct():
            return Aggregate((), type_, span=span)
    raise AssertionError(f"no zero of type {type_}")
