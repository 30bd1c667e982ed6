"""Statements: pycparser's to those of the IR."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError, ours, recoverable
from hetad.frontend.lower import convert, declarations, effects, endings, expressions
from hetad.frontend.lower.c_nodes import CONSTEXPR, AtEnd, arguments
from hetad.frontend.lower.constants import known_integer, with_constants
from hetad.frontend.lower.context import Context
from hetad.ir.jumps import leaves_by
from hetad.ir.nodes import (
    Assign,
    Block,
    Body,
    Break,
    Case,
    Const,
    Continue,
    Declare,
    DoWhile,
    Expr,
    For,
    Goto,
    If,
    Label,
    Return,
    Stmt,
    Switch,
    Symbol,
    Update,
    Var,
    While,
)
from hetad.ir.types import BOOL, VOID, Int
from hetad.ir.visit import variables


def statement(ctx: Context, node: c_ast.Node) -> None:
    """Emit what a statement means."""
    handler = _HANDLERS.get(type(node))
    with ours(ctx.place(node)):
        if handler is not None:
            handler(ctx, node)
            return
        with endings.full_expression(ctx, ctx.span(node)):
            effects.discard(ctx, node)


def body(ctx: Context, node: c_ast.Node) -> Body:
    """A statement as a body of its own scope; the braces of a block are not repeated."""
    with ctx.scope(), ctx.collect() as out:
        items = (node.block_items or []) if isinstance(node, c_ast.Compound) else [node]
        sequence(ctx, items)
        endings.end(ctx, ctx.span(items[-1] if items else node))
    return tuple(out)


def sequence(ctx: Context, items: list[c_ast.Node]) -> None:
    for item in items:
        with recoverable() as recovery:
            statement(ctx, item)
        if recovery.failed:
            ctx.lose(_declared_names(item))


def _declared_names(item: c_ast.Node) -> list[str]:
    declarations = item.decls if isinstance(item, c_ast.DeclList) else [item]
    return [d.name for d in declarations if isinstance(d, c_ast.Decl) and d.name]


def _compound(ctx: Context, node: c_ast.Compound) -> None:
    if not node.block_items:
        return
    if all(isinstance(i, c_ast.Pragma) for i in node.block_items[:-1]):  # a pragma and its loop
        with ctx.scope():
            sequence(ctx, node.block_items)
        return
    inner = body(ctx, node)
    if any(isinstance(s, Declare) for s in inner):
        ctx.emit(Block(inner, span=ctx.span(node)))
    else:
        for stmt in inner:
            ctx.emit(stmt)


def _empty(ctx: Context, node: c_ast.EmptyStatement | c_ast.StaticAssert) -> None:
    """`;`"""


def _pragma(ctx: Context, node: c_ast.Pragma) -> None:
    text = node.string if isinstance(node.string, str) else str(node.string.value)
    if text.startswith("unroll"):
        factor = with_constants(ctx, text.removeprefix("unroll").strip())
        ctx.unroll = factor if re.fullmatch(r"[\d()+*/ -]*", factor) else None
    elif text.startswith("nounroll"):
        ctx.unroll = "1"


def _declaration(ctx: Context, node: c_ast.Decl | c_ast.Typedef) -> None:
    with endings.full_expression(ctx, ctx.span(node)):
        declarations.local(ctx, node)


def _refused(what: str, remedy: str) -> Callable[[Context, Any], None]:
    def refuse(ctx: Context, node: c_ast.Node) -> None:
        ctx.refuse(what, node, remedy)

    return refuse


# --- choices -------------------------------------------------------------------------------------


def _condition(ctx: Context, node: c_ast.Node) -> Expr:
    """The value of a condition, a full expression."""
    return endings.completed(ctx, ctx.span(node), lambda: convert.condition(expressions.value(ctx, node)))


def _if(ctx: Context, node: c_ast.If) -> None:
    if isinstance(node.cond, c_ast.FuncCall) and getattr(node.cond.name, "name", None) == CONSTEXPR:
        _if_constexpr(ctx, node, arguments(node.cond)[0])
        return
    with ctx.scope():
        cond = _condition(ctx, node.cond)
        then = body(ctx, node.iftrue)
        orelse = body(ctx, node.iffalse) if node.iffalse is not None else ()
    ctx.emit(If(cond, then, orelse, span=ctx.span(node)))


def _if_constexpr(ctx: Context, node: c_ast.If, condition: c_ast.Node) -> None:
    """Only the branch that is taken means anything."""
    known = known_integer(ctx, convert.condition(expressions.value(ctx, condition)))
    if known is None:
        raise SyntaxProblem("the condition of 'if constexpr' is not a constant", ctx.span(condition))
    taken = node.iftrue if known else node.iffalse
    if taken is not None:
        statement(ctx, taken)


def _switch(ctx: Context, node: c_ast.Switch) -> None:
    subject = endings.completed(ctx, ctx.span(node.cond), lambda: expressions.value(ctx, node.cond))
    if not isinstance(subject.type, Int):
        raise SyntaxProblem(f"a switch needs an integer, not '{subject.type}'", ctx.span(node.cond))
    subject = convert.promoted(subject)
    if not isinstance(node.stmt, c_ast.Compound):
        ctx.refuse("a switch without braces", node, "put its cases in braces")
    with ctx.scope(), ctx.inside("switch"):
        cases = [_case(ctx, group, subject) for group in _grouped(ctx, node.stmt.block_items or [])]
    for symbol in _shared(cases):
        message = f"'{symbol.name}' is declared in one case of a switch and used in another"
        raise UnsupportedError(message, symbol.span, "declare it before the switch")
    ctx.emit(Switch(subject, tuple(cases), span=ctx.span(node)))


def _grouped(ctx: Context, items: list[c_ast.Node]) -> list[list[c_ast.Case | c_ast.Default]]:
    """Runs of labels that share one body."""
    groups: list[list[c_ast.Case | c_ast.Default]] = []
    for item in items:
        if isinstance(item, c_ast.Pragma | c_ast.EmptyStatement):
            continue
        if not isinstance(item, c_ast.Case | c_ast.Default):
            ctx.refuse("a statement before the first case of a switch", item, "move it before the switch")
        if groups and not groups[-1][-1].stmts:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _case(ctx: Context, labels: list[c_ast.Case | c_ast.Default], subject: Expr) -> Case:
    values: list[Expr] = []
    for label in labels:
        if isinstance(label, c_ast.Case):
            constant = convert.convert(expressions.value(ctx, label.expr), subject.type)
            number = known_integer(ctx, constant)
            if number is None:
                raise SyntaxProblem("a case needs a constant", ctx.span(label.expr))
            if not isinstance(constant, Const):
                constant = Const(number, subject.type, str(number), span=constant.span)
            values.append(constant)
    with ctx.collect() as out:
        sequence(ctx, labels[-1].stmts or [])
    default = any(isinstance(label, c_ast.Default) for label in labels)
    return Case(tuple(values), default, tuple(out), span=ctx.span(labels[0]))


def _shared(cases: list[Case]) -> list[Symbol]:
    """The variables that one case declares and another mentions."""
    result = []
    before: set[Symbol] = set()
    for case in cases:
        result += [s for s in variables(case.body) if s in before]
        before.update(s.symbol for s in case.body if isinstance(s, Declare))
    return result


# --- loops ---------------------------------------------------------------------------------------


def _true(span: Span) -> Const:
    return Const(True, BOOL, "true", span=span)


def _leave_unless(cond: Expr, span: Span) -> Stmt:
    return If(convert.unary("!", cond, span), (Break(span=span),), (), span=span)


def _loop_body(ctx: Context, node: c_ast.While | c_ast.DoWhile | c_ast.For) -> Body:
    with ctx.inside("loop"):
        return body(ctx, node.stmt)


def _while(ctx: Context, node: c_ast.While) -> None:
    span = ctx.span(node)
    ctx.unroll = None
    with ctx.collect() as hoisted:
        cond = _condition(ctx, node.cond)
    inner = _loop_body(ctx, node)
    if hoisted:  # evaluated anew before each turn, also after a continue
        inner = (*hoisted, _leave_unless(cond, span), *inner)
        cond = _true(span)
    ctx.emit(While(cond, inner, span=span))


def _do_while(ctx: Context, node: c_ast.DoWhile) -> None:
    span = ctx.span(node)
    ctx.unroll = None
    inner = _loop_body(ctx, node)
    with ctx.collect() as hoisted:
        cond = _condition(ctx, node.cond)
    if not hoisted:
        ctx.emit(DoWhile(inner, cond, span=span))
        return
    hoisted.append(_leave_unless(cond, span))
    _between_turns(ctx, tuple(hoisted), inner, span)


def _between_turns(ctx: Context, between: Body, inner: Body, span: Span) -> None:
    """`while (true)` that runs `between` after each turn of `inner`, also after a continue."""
    if not any(Continue in leaves_by(s) for s in inner):
        ctx.emit(While(_true(span), (*_scoped(inner, span), *between), span=span))
        return
    first = ctx.fresh("first", BOOL, span)
    again = convert.unary("!", Var(first, span=span), span)
    ctx.emit(Declare(first, _true(span), span=span))
    lead = (
        If(again, between, (), span=span),
        Assign(Var(first, span=span), Const(False, BOOL, "false", span=span), span=span),
    )
    ctx.emit(While(_true(span), (*lead, *inner), span=span))


def _scoped(inner: Body, span: Span) -> Body:
    """Statements in a scope of their own when they declare something."""
    return (Block(inner, span=span),) if any(isinstance(s, Declare) for s in inner) else inner


def _for(ctx: Context, node: c_ast.For) -> None:
    span, unroll = ctx.span(node), ctx.unroll
    ctx.unroll = None
    with ctx.scope():
        with ctx.collect() as init:
            if isinstance(node.init, c_ast.DeclList):
                sequence(ctx, node.init.decls)
            elif node.init is not None:
                with endings.full_expression(ctx, span):
                    effects.discard(ctx, node.init)
        with ctx.collect() as before:
            cond = _condition(ctx, node.cond) if node.cond is not None else None
        with ctx.collect() as step:
            if node.next is not None:
                with endings.full_expression(ctx, span):
                    effects.discard(ctx, node.next)
        inner = _loop_body(ctx, node)
        with ctx.collect() as after:
            endings.leave(ctx, len(ctx.endings) - 1, span)
    if before and cond is not None:
        inner, cond = (*before, _leave_unless(cond, span), *inner), None
    if not after and all(isinstance(s, Declare | Assign | Update) for s in init):
        outer: list[Stmt] = []
    else:
        outer, init = init, []
    with ctx.collect() as loop:
        if all(isinstance(s, Assign | Update) for s in step):
            ctx.emit(For(tuple(init), cond, tuple(step), inner, unroll, span=span))
        else:
            test = () if cond is None else (_leave_unless(cond, span),)
            outer, init = [*outer, *init], []
            _between_turns_tested(ctx, tuple(step), test, inner, span)
    if outer:
        ctx.emit(Block((*outer, *loop, *after), span=span))
    else:
        for stmt in loop:
            ctx.emit(stmt)


def _between_turns_tested(ctx: Context, step: Body, test: Body, inner: Body, span: Span) -> None:
    """A for loop whose step is more than assignments."""
    if not any(Continue in leaves_by(s) for s in inner):
        ctx.emit(While(_true(span), (*test, *_scoped(inner, span), *step), span=span))
    else:
        first = ctx.fresh("first", BOOL, span)
        ctx.emit(Declare(first, _true(span), span=span))
        again = convert.unary("!", Var(first, span=span), span)
        clear = Assign(Var(first, span=span), Const(False, BOOL, "false", span=span), span=span)
        ctx.emit(While(_true(span), (If(again, step, (), span=span), clear, *test, *inner), span=span))


# --- jumps ---------------------------------------------------------------------------------------


def _break(ctx: Context, node: c_ast.Break) -> None:
    if not ctx.targets:
        raise SyntaxProblem("a break outside of loops and switches", ctx.span(node))
    endings.leave(ctx, ctx.targets[-1][1], ctx.span(node))
    ctx.emit(Break(span=ctx.span(node)))


def _continue(ctx: Context, node: c_ast.Continue) -> None:
    depths = [depth for what, depth in ctx.targets if what == "loop"]
    if not depths:
        raise SyntaxProblem("a continue outside of loops", ctx.span(node))
    endings.leave(ctx, depths[-1], ctx.span(node))
    ctx.emit(Continue(span=ctx.span(node)))


def _goto(ctx: Context, node: c_ast.Goto) -> None:
    _jump(ctx, node)
    ctx.emit(Goto(node.name, span=ctx.span(node)))


def _label(ctx: Context, node: c_ast.Label) -> None:
    _jump(ctx, node)
    ctx.emit(Label(node.name, span=ctx.span(node)))
    statement(ctx, node.stmt)


def _jump(ctx: Context, node: c_ast.Goto | c_ast.Label) -> None:
    ctx.jumps = True
    if ctx.sizes:
        ctx.refuse("goto in a function with arrays of variable length", node, "allocate them with malloc")
    if any(ctx.endings):
        endings.refuse_goto(ctx, node)


def _return(ctx: Context, node: c_ast.Return) -> None:
    span = ctx.span(node)
    assert ctx.function is not None
    returns = ctx.function.returns
    if node.expr is None:
        if returns != VOID:
            raise SyntaxProblem(f"'{ctx.function.name}' must return a value of type '{returns}'", span)
        endings.leave(ctx, 0, span)
        ctx.emit(Return(None, span=span))
    elif returns == VOID:
        if not isinstance(node.expr, c_ast.FuncCall):
            raise SyntaxProblem(f"'{ctx.function.name}' returns nothing", span)
        with endings.full_expression(ctx, span):
            effects.discard(ctx, node.expr)
        endings.leave(ctx, 0, span)
        ctx.emit(Return(None, span=span))
    else:
        value = node.expr
        given = endings.given(ctx, value)
        result = endings.completed(ctx, span, lambda: expressions.value_as(ctx, value, returns))
        if any(e.symbol is not given or given is None for scope in ctx.endings for e in scope):
            result = ctx.hold(result, "result", span)
            endings.leave(ctx, 0, span, but=given)
        ctx.emit(Return(result, span=span))


_HANDLERS: dict[type, Callable[[Context, Any], None]] = {
    c_ast.Compound: _compound,
    c_ast.EmptyStatement: _empty,
    c_ast.StaticAssert: _empty,
    c_ast.Pragma: _pragma,
    c_ast.Decl: _declaration,
    c_ast.Typedef: _declaration,
    c_ast.If: _if,
    c_ast.Switch: _switch,
    c_ast.While: _while,
    c_ast.DoWhile: _do_while,
    c_ast.For: _for,
    c_ast.Break: _break,
    c_ast.Continue: _continue,
    c_ast.Return: _return,
    AtEnd: endings.at_end,
    c_ast.Goto: _goto,
    c_ast.Label: _label,
    c_ast.Case: _refused("a case inside another statement of its switch", "put the cases directly into the switch"),
    c_ast.Default: _refused("a default inside another statement of its switch", "put it directly into the switch"),
    c_ast.AttributedStatement: _refused("an attribute on a statement", "remove it"),
}
