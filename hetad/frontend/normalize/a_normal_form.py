"""Expressions as the normalised form wants them: calls, floating intrinsics and floating choices get statements.

What is evaluated only sometimes (`a && f(x)`, the arms of `c ? a : b`, a loop's condition) stays so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hetad.diagnostics import Span
from hetad.frontend.lower import convert
from hetad.ir.build import Names, as_bool
from hetad.ir.jumps import caught
from hetad.ir.nodes import (
    Assign,
    Binary,
    Body,
    Break,
    Call,
    CallExpr,
    Const,
    Declare,
    DoWhile,
    Expr,
    For,
    If,
    Intrinsic,
    Launch,
    Return,
    Select,
    Stmt,
    Switch,
    Symbol,
    Update,
    Var,
    While,
)
from hetad.ir.simplify import opposite
from hetad.ir.types import BOOL, Float, Pointer, Type, holds_floating
from hetad.ir.visit import map_bodies, map_children, map_own_exprs, substitute, walk_expr


def hoist(body: Body, names: Names) -> Body:
    """The body with every expression in normalised form; loops may come to need a Break."""
    hoister = _Hoister(names)
    result = hoister.body(body)
    return substitute(hoister.mutable, result) if hoister.mutable else result


def _is_choice(expr: Expr) -> bool:
    """A Select that carries floating data by value."""
    return isinstance(expr, Select) and not isinstance(expr.type, Pointer) and holds_floating(expr.type)


def _is_elementary(expr: Expr) -> bool:
    return isinstance(expr, Intrinsic) and isinstance(expr.type, Float)


def _moves(expr: Expr) -> bool:
    """Whether anything in the expression must become a statement."""
    return any(isinstance(e, CallExpr) or _is_elementary(e) or _is_choice(e) for e in walk_expr(expr))


class _Hoister:
    def __init__(self, names: Names) -> None:
        self._names = names
        self._out: list[Stmt] = []
        self.mutable: dict[Symbol, Symbol] = {}  # const variables that get their value by a statement

    # --- statements ----------------------------------------------------------------------------

    def body(self, body: Iterable[Stmt]) -> Body:
        saved, self._out = self._out, []
        for stmt in body:
            self._statement(stmt)
        result, self._out = tuple(self._out), saved
        return result

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case Declare(symbol=symbol, init=init) if init is not None:
                self._declare(stmt, symbol, init)
            case Assign(target=Var() as target, value=value):
                self._assign(stmt, target, value)
            case Update(op=op) if op not in ("+", "-"):
                self._statement(self._spelled_out(stmt))
            case While(cond=cond, body=body, span=span):
                self._while(stmt, cond, body, span)
            case DoWhile():
                self._do_while(stmt)
            case For():
                self._for(stmt)
            case Launch(args=args):
                done = map_own_exprs(self._value, stmt)
                args = tuple(self._plain_argument(a) for a in done.args)
                self._out.append(replace(done, args=args))
            case If() | Switch():
                done_choice = map_own_exprs(self._value, stmt)
                self._out.append(map_bodies(self.body, done_choice))
            case Return(value=value) if value is not None:
                self._out.append(replace(stmt, value=self._value(value)))
            case _:
                self._out.append(map_bodies(self.body, map_own_exprs(self._value, stmt)))

    def _spelled_out(self, stmt: Update) -> Assign:
        """`a *= b` as `a = a * b`."""
        target = stmt.target
        whole = convert.binary(stmt.op, target, stmt.value, stmt.span)
        return Assign(target, convert.convert(whole, target.type, stmt.span), span=stmt.span)

    def _declare(self, stmt: Declare, symbol: Symbol, init: Expr) -> None:
        if not _moves(init):
            self._out.append(stmt)
        elif _is_elementary(init):
            self._out.append(replace(stmt, init=map_children(self._value, init)))
        elif isinstance(init, CallExpr):
            self._call(self._late(symbol), init)
        elif isinstance(init, Select) and (_is_choice(init) or self._arms_move(init)):
            late = self._late(symbol)
            self._out.append(Declare(late, None, span=stmt.span))
            self._choose(Var(late, span=init.span), init)
        else:
            self._out.append(replace(stmt, init=self._value(init)))

    def _late(self, symbol: Symbol) -> Symbol:
        """The variable without its const."""
        if symbol.const:
            self.mutable[symbol] = replace(symbol, const=False)
            return self.mutable[symbol]
        return symbol

    def _assign(self, stmt: Assign, target: Var, value: Expr) -> None:
        if _is_elementary(value):
            self._out.append(replace(stmt, value=map_children(self._value, value)))
        elif isinstance(value, Select) and (_is_choice(value) or self._arms_move(value)):
            self._choose(target, value)
        else:
            self._out.append(replace(stmt, value=self._value(value)))

    # --- loops ---------------------------------------------------------------------------------

    def _condition(self, cond: Expr, span: Span) -> tuple[Expr, Body]:
        """A loop's condition, and the statements at the start of each turn when it needs some."""
        if not _moves(cond):
            return cond, ()
        saved, self._out = self._out, []
        test = self._value(cond)
        self._out.append(If(opposite(test), (Break(span=span),), (), span=span))
        before, self._out = tuple(self._out), saved
        return Const(True, BOOL, "true", span=span), before

    def _while(self, stmt: While, cond: Expr, body: Body, span: Span) -> None:
        test, before = self._condition(cond, span)
        self._out.append(replace(stmt, cond=test, body=before + self.body(body)))

    def _do_while(self, stmt: DoWhile) -> None:
        """The condition goes into a variable, which the structuring pass would need anyhow."""
        if not _moves(stmt.cond):
            self._out.append(replace(stmt, body=self.body(stmt.body)))
            return
        again = Symbol(self._names.fresh("again"), BOOL, stmt.span)
        read = Var(again, span=stmt.span)
        once = DoWhile(stmt.body, Const(False, BOOL, "false", span=stmt.span), span=stmt.span)
        self._out.append(Declare(again, Const(True, BOOL, "true", span=stmt.span), span=stmt.span))
        # `break` must leave the outer loop: it is turned into `again = false` and a break of the inner one
        inner = _break_to(once.body, Assign(read, Const(False, BOOL, "false", span=stmt.span), span=stmt.span))
        test = self.body((Assign(read, as_bool(stmt.cond), span=stmt.span),))
        body = (*self.body((replace(once, body=inner),)), If(read, test, (), span=stmt.span))
        self._out.append(While(read, body, span=stmt.span))

    def _for(self, stmt: For) -> None:
        init, step = self.body(stmt.init), self.body(stmt.step)
        cond, before = self._condition(stmt.cond, stmt.span) if stmt.cond is not None else (None, ())
        body = self.body(stmt.body)
        if not all(isinstance(s, Declare | Assign | Update) for s in init) or len(init) != len(stmt.init):
            self._out.extend(init)
            init = ()
        if before:
            cond = None
        if all(isinstance(s, Assign | Update) for s in step):
            self._out.append(replace(stmt, init=init, cond=cond, step=step, body=before + body))
            return
        self._out.extend(init)
        leave = () if cond is None else (If(opposite(cond), (Break(span=stmt.span),), (), span=stmt.span),)
        once = DoWhile(body, Const(False, BOOL, "false", span=stmt.span), span=stmt.span)
        stop = Symbol(self._names.fresh("stop"), BOOL, stmt.span)
        read = Var(stop, span=stmt.span)
        set_ = Assign(read, Const(True, BOOL, "true", span=stmt.span), span=stmt.span)
        once = replace(once, body=_break_to(body, set_))
        turn = (*before, *leave, once, If(opposite(read), step, (), span=stmt.span))
        self._out.append(Declare(stop, Const(False, BOOL, "false", span=stmt.span), span=stmt.span))
        self._out.append(While(opposite(read), turn, span=stmt.span))

    # --- expressions ---------------------------------------------------------------------------

    def _value(self, expr: Expr) -> Expr:
        """The expression with what must move moved before the statement being built."""
        if not _moves(expr):
            return expr
        match expr:
            case Binary(op="&&" | "||") if _moves(expr.right):
                return self._short_circuit(expr)
            case Select() if _is_choice(expr) or self._arms_move(expr):
                symbol = self._fresh("chosen", expr.type, expr.span)
                self._out.append(Declare(symbol, None, span=expr.span))
                self._choose(Var(symbol, span=expr.span), expr)
                return Var(symbol, span=expr.span)
        done = map_children(self._value, expr)
        if isinstance(done, CallExpr):
            symbol = self._fresh(done.function, done.type, done.span)
            self._call(symbol, done, ready=True)
            return Var(symbol, span=done.span)
        if isinstance(done, Intrinsic) and _is_elementary(done):
            return self._hold(done, _readable(done))
        return done

    def _arms_move(self, expr: Select) -> bool:
        return _moves(expr.then) or _moves(expr.orelse)

    def _call(self, symbol: Symbol, call: CallExpr, ready: bool = False) -> None:
        args = call.args if ready else tuple(self._value(a) for a in call.args)
        self._out.append(Declare(symbol, None, span=call.span))
        self._out.append(Call(call.function, args, Var(symbol, span=call.span), span=call.span))

    def _choose(self, target: Var, expr: Select) -> None:
        cond = self._value(expr.cond)
        then = self.body((Assign(target, expr.then, span=expr.then.span),))
        orelse = self.body((Assign(target, expr.orelse, span=expr.orelse.span),))
        self._out.append(If(cond, then, orelse, span=expr.span))

    def _short_circuit(self, expr: Binary) -> Expr:
        symbol = self._fresh("condition", BOOL, expr.span)
        read = Var(symbol, span=expr.span)
        self._out.append(Declare(symbol, as_bool(self._value(expr.left)), span=expr.span))
        right = self.body((Assign(read, as_bool(expr.right), span=expr.right.span),))
        test: Expr = read if expr.op == "&&" else opposite(read)
        self._out.append(If(test, right, (), span=expr.span))
        return read

    def _plain_argument(self, arg: Expr) -> Expr:
        """A launch's by-value floating argument as a variable or a literal."""
        if isinstance(arg.type, Float) and not isinstance(arg, Var | Const):
            return self._hold(arg, "argument")
        return arg

    def _hold(self, value: Expr, name: str) -> Var:
        symbol = self._fresh(name, value.type, value.span)
        self._out.append(Declare(symbol, value, span=value.span))
        return Var(symbol, span=value.span)

    def _fresh(self, name: str, type_: Type, span: Span) -> Symbol:
        return Symbol(self._names.numbered(name), type_, span)


def _readable(expr: Intrinsic) -> str:
    """`exp` for `expf` and `__expf`."""
    name = expr.name.strip("_")
    return name[:-1] if name.endswith("f") and name not in ("erf", "erfcf"[:-1]) else name


def _break_to(body: Body, before: Stmt) -> Body:
    """The body with `before` ahead of each Break that leaves it."""
    result: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, Break):
            result.append(before)
        if Break not in caught(stmt):
            stmt = map_bodies(lambda inner: _break_to(inner, before), stmt)
        result.append(stmt)
    return tuple(result)
