"""C++ references: a name for a place where the place stays the same, else a pointer."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from pycparser import c_ast

from hetad.diagnostics import SyntaxProblem, UnsupportedError
from hetad.frontend.lower import convert, expressions
from hetad.frontend.lower.c_nodes import Copied, declared_name, innermost
from hetad.frontend.lower.context import Context, Qualified, Reference
from hetad.ir.arithmetic import bare
from hetad.ir.nodes import (
    AddressOf,
    Assign,
    Binary,
    Body,
    Call,
    CallExpr,
    Cast,
    Const,
    Declare,
    Expr,
    Index,
    Intrinsic,
    Member,
    Select,
    Stmt,
    String,
    Symbol,
    Update,
    Var,
)
from hetad.ir.places import is_fixed, root_symbol, written
from hetad.ir.types import CHAR, Array, Float, Int, Pointer, Struct, Type, Void, element
from hetad.ir.visit import bodies, children, map_bodies, map_exprs, substitute, variables, walk_exprs, walk_stmts


def local(ctx: Context, node: c_ast.Decl, qualified: Qualified) -> None:
    """`T &r = place;`, and `const T &r = value;`, which lives as long as the reference."""
    pointer = qualified.type
    assert isinstance(pointer, Pointer)
    name, span = declared_name(node), ctx.span(innermost(node))
    if node.init is None:
        raise SyntaxProblem(f"the reference '{name}' refers to nothing", span)
    init = expressions.expression(ctx, node.init) if not isinstance(node.init, c_ast.InitList) else None
    if init is not None and refers(ctx, init, pointer) and not isinstance(node.init, Copied):
        if is_fixed(init):
            ctx.define(name, Reference(init))
            return
        symbol = Symbol(name, pointer, span)
        ctx.references.add(symbol)
        ctx.define(name, Reference(pointee(symbol)))
        ctx.emit(Declare(symbol, convert.convert(expressions.address_of(init, span), pointer, span), span=span))
        return
    chosen = [place for place in _choices(init) if refers(ctx, place, pointer)] if init is not None else []
    if not pointer.const and chosen:
        ctx.refuse("a reference to what an expression chooses", node.init, _CHOOSE)
    if not pointer.const:
        given = init.type if init is not None else "a list"
        raise SyntaxProblem(f"a reference to '{pointer.to}' cannot refer to '{given}'", span)
    if init is None:
        from hetad.frontend.lower.declarations import initialiser

        init = initialiser(ctx, node.init, pointer.to)
    symbol = Symbol(name, pointer.to, span, const=not expressions.contains_call(init))
    ctx.define(name, symbol)
    if chosen:
        ctx.chosen[symbol] = tuple(e for place in chosen for e in _copied_from(ctx, place))
    ctx.emit(Declare(symbol, convert.convert(init, pointer.to, span), span=span))


_CHOOSE = "leave the & out, or take a pointer: T *r = c ? &a : &b"


def _copied_from(ctx: Context, place: Expr) -> tuple[Expr, ...]:
    """The place itself, or what it is such a copy of."""
    return ctx.chosen.get(place.symbol, (place,)) if isinstance(place, Var) else (place,)


def _choices(value: Expr) -> list[Expr]:
    """What `c ? a : b` may denote; nothing for what chooses nothing."""
    if not isinstance(value, Select):
        return []
    return [e for arm in (value.then, value.orelse) for e in (_choices(arm) or [arm])]


def pointee(symbol: Symbol) -> Expr:
    """The place that the pointer behind a reference points to."""
    return convert.dereference(Var(symbol, span=symbol.span), symbol.span)


def refers(ctx: Context, place: Expr, pointer: Pointer) -> bool:
    """Whether a reference of this type can refer to what the expression denotes, rather than to a copy."""
    if not isinstance(place, Var | Index | Member) or convert.unqualified(place.type) != convert.unqualified(
        pointer.to
    ):
        return False
    own = not isinstance(place, Var) or place.symbol not in ctx.of_library
    return pointer.const or (own and not convert.is_const(place))


def argument(ctx: Context, node: c_ast.Node, pointer: Pointer) -> Expr:
    """The address that is passed for a reference parameter."""
    span = ctx.span(node)
    if not isinstance(node, c_ast.CompoundLiteral):
        given = expressions.expression(ctx, node)
        if refers(ctx, given, pointer) and not isinstance(node, Copied):
            return convert.convert(expressions.address_of(given, span), pointer, span)
        if not pointer.const and not isinstance(node, Copied):  # `T &&` may refer to a value
            raise SyntaxProblem(
                f"a reference to '{pointer.to}' cannot refer to this '{given.type}'",
                span,
                "pass a variable of that type",
            )
        if isinstance(pointer.to, Array) and isinstance(text := bare(given), String):
            held = ctx.hold(replace(text, type=replace(pointer.to, of=CHAR)), "text", span)
        else:
            held = ctx.hold(convert.convert(given, pointer.to, span), "argument", span)
    else:
        if not pointer.const:
            raise SyntaxProblem(f"a reference to '{pointer.to}' cannot refer to a list", span, "pass a variable")
        held = ctx.hold(expressions.value_as(ctx, node, pointer.to), "argument", span)
    return convert.convert(expressions.address_of(held, span), pointer, span)


# --- parameters ----------------------------------------------------------------------------------


def by_value(types: list[Qualified], number: int, careful: bool) -> bool:
    """Whether `const T &` may as well be `T`: nothing that the function can write may be the argument's memory.

    `careful`: other threads, or variables at file scope, may change it too.
    """
    pointer = types[number].type
    assert isinstance(pointer, Pointer)
    if careful or not pointer.const or not isinstance(pointer.to, Int | Float):
        return False
    return not any(_writes(q.type, pointer.to) for i, q in enumerate(types) if i != number)


def _writes(type_: Type, value: Int | Float) -> bool:
    """Whether a value of type `value` may be written through something of this type."""
    match type_:
        case Pointer(to=to, const=const):
            inner = to
            while isinstance(inner, Array):
                inner = inner.of
            if isinstance(inner, Pointer):
                return True
            behind = isinstance(inner, Struct) and any(_writes(f.type, value) for f in inner.fields)
            return behind or (not const and _may_hold(inner, value))
        case Struct(fields=fields):
            return any(_writes(f.type, value) for f in fields)
        case Array(of=of):
            return _writes(of, value)
    return False


def _may_hold(type_: Type, value: Int | Float) -> bool:
    match type_:
        case Void():
            return True
        case Struct(fields=fields):
            return any(_may_hold(f.type, value) or _writes(f.type, value) for f in fields)
        case Array(of=of):
            return _may_hold(of, value)
        case Int(bits=8):
            return True
        case Int():
            return isinstance(value, Int) and type_.bits == value.bits
        case Float():
            return type_ == value
    return True


# --- references that need no pointer -------------------------------------------------------------


def resolved(body: Body, bound: set[Symbol]) -> Body:
    """The body with the pointers of local references replaced by their places, where nothing in the scope of the
    reference changes what the place depends on: `float &u = grid[i]` is `grid[i]` as long as `i` stays."""
    if not bound:
        return body
    exposed = {
        root for e in walk_exprs(body) if isinstance(e, AddressOf) and (root := root_symbol(e.place)) is not None
    }
    return _resolved(body, bound, exposed)


def check_choices(body: Body, chosen: Mapping[Symbol, tuple[Expr, ...]]) -> None:
    """Refuses `const T &r = c ? a : b`, which is a copy here, where `r` is used after `a` or `b` has changed."""
    if not chosen:
        return
    exposed = {root_symbol(e.place) for e in walk_exprs(body) if isinstance(e, AddressOf)}
    for statements in (body, *(inner for s in walk_stmts(body) for inner in bodies(s))):
        for number, stmt in enumerate(statements):
            if isinstance(stmt, Declare) and stmt.symbol in chosen:
                if _is_outdated(stmt.symbol, chosen[stmt.symbol], statements[number + 1 :], exposed):
                    what = "a reference to what an expression chooses, and what changes later,"
                    raise UnsupportedError(f"hetad does not support {what}", stmt.span, _CHOOSE)


def _is_outdated(copy: Symbol, places: tuple[Expr, ...], rest: Body, exposed: Container[Symbol | None]) -> bool:
    for number, stmt in enumerate(rest):
        if any(_changes(place, (stmt,), exposed) for place in places):
            after = rest[number:] if bodies(stmt) else rest[number + 1 :]  # a plain statement reads before it writes
            return any(isinstance(e, Var) and e.symbol is copy for e in walk_exprs(after))
    return False


def _changes(place: Expr, rest: Body, exposed: Container[Symbol | None]) -> bool:
    root = root_symbol(place)
    if root is not None and root in written(rest):
        return True
    return (root is None or root in exposed) and _written_behind(place.type, rest)


def _resolved(body: Body, bound: set[Symbol], exposed: set[Symbol]) -> Body:
    out: list[Stmt] = []
    for number, stmt in enumerate(body):
        if isinstance(stmt, Declare) and stmt.symbol in bound and stmt.init is not None:
            rest = body[number + 1 :]
            if _is_unchanged(stmt.init, rest, exposed):
                replaced = map_exprs(_simplified, substitute({stmt.symbol: stmt.init}, rest))
                return (*out, *_resolved(replaced, bound, exposed))
        out.append(map_bodies(lambda inner: _resolved(inner, bound, exposed), stmt))
    return tuple(out)


def _is_unchanged(place: Expr, rest: Body, exposed: set[Symbol]) -> bool:
    if _reads_memory(place):
        return False
    read = set(variables(place))
    return not read & written(rest) and not any(_written_behind(s.type, rest) for s in read & exposed)


def _reads_memory(expr: Expr) -> bool:
    """Whether the value depends on more than variables."""
    match expr:
        case CallExpr() | Intrinsic() | Index():
            return True
        case AddressOf(place=place):
            return _address_reads_memory(place)
    return any(_reads_memory(child) for child in children(expr))


def _address_reads_memory(place: Expr) -> bool:
    match place:
        case Index(base=base, index=index):
            inner = _address_reads_memory(base) if isinstance(base.type, Array) else _reads_memory(base)
            return inner or _reads_memory(index)
        case Member(base=base):
            return _address_reads_memory(base)
    return _reads_memory(place)


def _written_behind(type_: Type, rest: Body) -> bool:
    """Whether something of this type may be written through a pointer."""
    if not isinstance(type_, Int | Float):
        return True
    for stmt in walk_stmts(rest):
        if (
            isinstance(stmt, Assign | Update)
            and root_symbol(stmt.target) is None
            and _may_hold(stmt.target.type, type_)
        ):
            return True
        if isinstance(stmt, Call) and any(_writes(a.type, type_) for a in stmt.args):
            return True
    calls = (e for e in walk_exprs(rest) if isinstance(e, CallExpr | Intrinsic))
    return any(_writes(a.type, type_) for call in calls for a in call.args)


def _simplified(e: Expr) -> Expr:
    if isinstance(e, Index) and isinstance(e.index, Const) and e.index.value == 0:
        base = e.base
        while isinstance(base, Cast) and base.implicit and isinstance(base.type, Pointer):
            base = base.operand
        if isinstance(base, AddressOf | Binary) and element(base.type) == e.type:
            return convert.dereference(base, e.span)
    return e
