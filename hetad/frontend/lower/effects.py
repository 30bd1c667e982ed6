"""Side effects inside expressions: assignments, increments, and what is evaluated only sometimes.

Each is emitted as a statement where C evaluates it; what remains of the expression reads the result.
"""

from __future__ import annotations

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.lower import calls, convert, endings, expressions
from hetad.frontend.lower.context import Context
from hetad.frontend.lower.packed import is_part
from hetad.ir.nodes import (
    Assign,
    Call,
    Cast,
    Const,
    Declare,
    Expr,
    If,
    Index,
    Member,
    Place,
    Stmt,
    Update,
    Var,
)
from hetad.ir.types import BOOL, INT, Array, Float, Int, Pointer, is_volatile, promote
from hetad.ir.visit import variables
from hetad.memops.library import SETTER
from hetad.memops.table import TABLE


def assignment(ctx: Context, node: c_ast.Assignment, used: bool) -> Expr:
    """`a = b`, `a op= b`; the place assigned to, or a copy of the value, stands for the result."""
    if node.op != "=":
        return _compound(ctx, node.op[:-1], node.lvalue, expressions.value(ctx, node.rvalue), ctx.span(node))
    result = _assigned(ctx, node, used)
    _stored(ctx, result)
    return result


def _stored(ctx: Context, target: Expr) -> None:
    """What was assigned to the value of a variable of the C library becomes that variable's."""
    if isinstance(target, Var) and (name := ctx.of_library.get(target.symbol)) is not None:
        if SETTER.format(name) not in TABLE:
            ctx.refuse(f"assignment to '{name}'", target.span)
        ctx.emit(Call(SETTER.format(name), (target,), None, span=target.span))


def _assigned(ctx: Context, node: c_ast.Assignment, used: bool) -> Expr:
    span = ctx.span(node)
    with ctx.collect() as before:  # C++ evaluates the right side first
        target = expressions.writable(ctx, node.lvalue)
    if isinstance(node.rvalue, c_ast.InitList):
        from hetad.frontend.lower.declarations import initialiser

        new = _then(ctx, initialiser(ctx, node.rvalue, target.type), before)
        ctx.emit(Assign(target, new, span=span))
        return target
    if not before and calls.into(ctx, node.rvalue, target):
        return target
    new = expressions.value_as(ctx, node.rvalue, target.type)
    new = _then(ctx, new, before)
    if used and is_volatile(target.type):
        new = new if convert.is_plain(new) else ctx.hold(new, "value", span)
        ctx.emit(Assign(target, new, span=span))
        return new
    if used and is_part(target):  # which may have fewer bits than the value
        target = _once(ctx, target)
        ctx.emit(Assign(target, new, span=span))
        return target
    if used and not isinstance(target, Var):
        new = new if convert.is_plain(new) else ctx.hold(new, "value", span)
        ctx.emit(Assign(_once(ctx, target), new, span=span))
        return new
    ctx.emit(Assign(target, new, span=span))
    return target


def increment(ctx: Context, node: c_ast.UnaryOp, used: bool) -> Expr:
    """`++a`, `a--` and so on; the value is the old one where the operator follows."""
    span = ctx.span(node)
    one = Const(1, INT, "1", span=span)
    if not used or not node.op.startswith("p"):
        return _compound(ctx, node.op[-1], node.expr, one, span)
    target = _once(ctx, expressions.writable(ctx, node.expr))
    old = ctx.hold(target, f"{target.symbol.name}_old" if isinstance(target, Var) else "old", span)
    _update(ctx, node.op[-1], target, one, span)
    _stored(ctx, target)
    return old


def _compound(ctx: Context, op: str, lvalue: c_ast.Node, operand: Expr, span: Span) -> Expr:
    with ctx.collect() as before:
        target = _once(ctx, expressions.writable(ctx, lvalue))
    _update(ctx, op, target, _then(ctx, operand, before), span)
    _stored(ctx, target)
    return target


def _then(ctx: Context, value: Expr, after: list[Stmt]) -> Expr:
    """Emit `after`, evaluated after `value`, which is kept in a variable where `after` may change it."""
    if after and not isinstance(value, Const) and _changes(after, value):
        value = ctx.hold(value, "value", value.span)
    for stmt in after:
        ctx.emit(stmt)
    return value


def _changes(stmts: list[Stmt], value: Expr) -> bool:
    read = set(variables(value))
    for stmt in stmts:
        if isinstance(stmt, Assign | Update) and isinstance(stmt.target, Var):
            if stmt.target.symbol in read:
                return True
        elif not isinstance(stmt, Declare):
            return True
    return False


def _update(ctx: Context, op: str, target: Place, operand: Expr, span: Span) -> None:
    """`target op= operand`: an Update when the operation happens in the target's type, else spelled out."""
    type_ = target.type
    if is_volatile(type_):
        old = ctx.hold(target, "read", span)
        ctx.emit(Assign(target, convert.convert(convert.binary(op, old, operand, span), type_, span), span=span))
        return
    if isinstance(type_, Pointer) and op in ("+", "-") and isinstance(operand.type, Int):
        ctx.emit(Update(op, target, convert.promoted(operand), span=span))
        return
    whole = convert.binary(op, target, operand, span)
    if not isinstance(type_, Int | Float):
        raise SyntaxProblem(f"no '{op}=' on '{type_}'", span)
    if op in ("<<", ">>"):
        ctx.emit(Update(op, target, convert.promoted(operand), span=span))
    elif whole.type == type_ or _same_bits(op, type_, operand):
        assert isinstance(type_, Int | Float)
        ctx.emit(Update(op, target, convert.arithmetic(operand, type_), span=span))
    else:
        ctx.emit(Assign(target, convert.convert(whole, type_, span), span=span))


def _same_bits(op: str, type_: Int | Float, operand: Expr) -> bool:
    """Whether computing in the target's integer type gives the bits that the wider or unsigned type would."""
    return (
        isinstance(type_, Int)
        and type_ != BOOL
        and isinstance(operand.type, Int)
        and op in ("+", "-", "*", "&", "|", "^")
        and isinstance(promote(type_, operand.type), Int)
    )


def _once(ctx: Context, target: Place) -> Place:
    """The same place with every call in it evaluated into a variable, so that naming it twice is harmless."""
    match target:
        case Index(base=base, index=index):
            if expressions.contains_call(index):
                index = ctx.hold(index, "index", index.span)
            if isinstance(base, Var | Index | Member):
                base = _once(ctx, base)
            elif expressions.contains_call(base):
                base = ctx.hold(base, "base", base.span)
            if base is target.base and index is target.index:
                return target
            return Index(base, index, target.type, span=target.span)
        case Member(base=Index() | Member() as inner):
            base = _once(ctx, inner)
            return target if base is inner else Member(base, target.name, target.type, span=target.span)
    return target


# --- what is evaluated only sometimes ------------------------------------------------------------


def short_circuit(ctx: Context, node: c_ast.BinaryOp) -> Expr:
    """`a && b`: when b has side effects, `t = a; if (t) t = b;`."""
    span = ctx.span(node)
    left = convert.condition(expressions.value(ctx, node.left))
    if ctx.out is None:
        return convert.binary(node.op, left, expressions.value(ctx, node.right), span)
    with ctx.collect() as hoisted:
        right = endings.ended_early(ctx, node.right, lambda: convert.condition(expressions.value(ctx, node.right)))
    if not hoisted:
        return convert.binary(node.op, left, right, span)
    symbol = ctx.fresh("condition", BOOL, span)
    result = Var(symbol, span=span)
    ctx.emit(Declare(symbol, truth(left), span=span))
    hoisted.append(Assign(result, truth(right), span=span))
    test: Expr = result if node.op == "&&" else convert.unary("!", result, span)
    ctx.emit(If(test, tuple(hoisted), (), span=span))
    return result


def truth(expr: Expr) -> Expr:
    """A condition as a bool."""
    if expr.type == BOOL:
        return expr
    return Cast(expr, BOOL, implicit=True, span=expr.span)


def conditional(ctx: Context, node: c_ast.TernaryOp) -> Expr:
    """`c ? a : b`: a Select, or an If with a temporary when an arm has side effects."""
    span = ctx.span(node)
    cond = convert.condition(expressions.value(ctx, node.cond))
    if ctx.out is None:
        then, orelse = expressions.value(ctx, node.iftrue), expressions.value(ctx, node.iffalse)
        return convert.select(cond, then, orelse, span)
    with ctx.collect() as then_out:
        then = endings.ended_early(ctx, node.iftrue, lambda: expressions.value(ctx, node.iftrue))
    with ctx.collect() as else_out:
        orelse = endings.ended_early(ctx, node.iffalse, lambda: expressions.value(ctx, node.iffalse))
    if not then_out and not else_out:
        return convert.select(cond, then, orelse, span)
    then, orelse = convert.unify(then, orelse, span)
    symbol = ctx.fresh("chosen", then.type, span)
    result = Var(symbol, span=span)
    ctx.emit(Declare(symbol, None, span=span))
    then_out.append(Assign(result, then, span=span))
    else_out.append(Assign(result, orelse, span=span))
    ctx.emit(If(cond, tuple(then_out), tuple(else_out), span=span))
    return result


# --- expressions as statements -------------------------------------------------------------------


def discard(ctx: Context, node: c_ast.Node) -> None:
    """An expression evaluated for its effects."""
    match node:
        case c_ast.Assignment():
            assignment(ctx, node, used=False)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            increment(ctx, node, used=False)
        case c_ast.ExprList():
            for each in node.exprs:
                discard(ctx, each)
        case c_ast.FuncCall():
            calls.call(ctx, node, used=False)
        case c_ast.Cast():
            discard(ctx, node.expr)
        case c_ast.TernaryOp():
            _branch(ctx, node.cond, node.iftrue, node.iffalse, node)
        case c_ast.BinaryOp(op="&&"):
            _branch(ctx, node.left, node.right, None, node)
        case c_ast.BinaryOp(op="||"):
            _branch(ctx, node.left, None, node.right, node)
        case _:
            result = expressions.expression(ctx, node)
            if expressions.contains_call(result) and not isinstance(result.type, Array):
                ctx.hold(result, "unused", ctx.span(node))


def _branch(
    ctx: Context, test: c_ast.Node, then: c_ast.Node | None, orelse: c_ast.Node | None, node: c_ast.Node
) -> None:
    cond = convert.condition(expressions.value(ctx, test))
    arms: list[list[Stmt]] = []
    for arm in (then, orelse):
        with ctx.collect() as out:
            if arm is not None:
                with endings.full_expression(ctx, ctx.span(arm)):
                    discard(ctx, arm)
        arms.append(out)
    if not arms[0] and arms[1]:
        cond, arms = convert.unary("!", cond, cond.span), [arms[1], []]
    if arms[0] or expressions.contains_call(cond):
        ctx.emit(If(cond, tuple(arms[0]), tuple(arms[1]), span=ctx.span(node)))
