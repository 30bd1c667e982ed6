"""Traversal and rewriting of the IR.

Rewriting is immutable: a rewriter returns the old node when nothing below it changed, so that `is` tells
whether anything happened and spans survive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import chain
from operator import attrgetter, is_, is_not
from typing import Any, TypeVar, cast, get_args

from hetad.diagnostics import Span
from hetad.ir.facts import Fact, lasting
from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Assign,
    Binary,
    Block,
    Body,
    Call,
    CallExpr,
    Case,
    Cast,
    Declare,
    DoWhile,
    Expr,
    For,
    If,
    Index,
    Intrinsic,
    Launch,
    Member,
    Opaque,
    Pop,
    Push,
    Return,
    Select,
    Stmt,
    Switch,
    Symbol,
    Unary,
    Update,
    Var,
    While,
)

# The fields of each node that hold expressions, in the order of evaluation.
_EXPR_CHILDREN: dict[type, tuple[str, ...]] = {
    Index: ("base", "index"),
    Member: ("base",),
    AddressOf: ("place",),
    Unary: ("operand",),
    Binary: ("left", "right"),
    Select: ("cond", "then", "orelse"),
    Cast: ("operand",),
    Intrinsic: ("args",),
    CallExpr: ("args",),
    Aggregate: ("elements",),
}
_STMT_EXPRS: dict[type, tuple[str, ...]] = {
    Declare: ("init",),
    Assign: ("target", "value"),
    Update: ("target", "value"),
    Call: ("args", "result"),
    Launch: ("grid", "block", "shared", "stream", "args"),
    If: ("cond",),
    For: ("cond",),
    While: ("cond",),
    DoWhile: ("cond",),
    Switch: ("subject",),
    Case: ("values",),
    Return: ("value",),
    Opaque: ("args",),
    Push: ("place", "bytes", "cells", "overwritten"),
    Pop: ("place", "bytes"),
}
_STMT_BODIES: dict[type, tuple[str, ...]] = {
    Block: ("body",),
    If: ("then", "orelse"),
    For: ("init", "step", "body"),
    While: ("body",),
    DoWhile: ("body",),
    Case: ("body",),
}

F = TypeVar("F")
N = TypeVar("N", bound="Expr | Stmt | Case")
S = TypeVar("S", bound="Stmt | Case")
ExprRewriter = Callable[[Expr], Expr]
StmtRewriter = Callable[[Stmt], "Stmt | Body | None"]
Reader = Callable[[Any], tuple[Any, ...]]

_EXPRESSIONS = frozenset(get_args(Expr))
_STATEMENTS = frozenset(get_args(Stmt))
_FIELDS = {node: tuple(f.name for f in fields(node)) for node in (*get_args(Expr), *get_args(Stmt), Case)}

_LISTS = frozenset({"args", "elements", "values", "cells", "overwritten"})  # fields that hold several expressions
_PERHAPS = frozenset({(Declare, "init"), (Call, "result"), (Launch, "shared"), (Launch, "stream"), (For, "cond"),
                      (Return, "value"), (Push, "bytes"), (Pop, "bytes")})  # or None  # fmt: skip


def _reader(node: type, names: tuple[str, ...]) -> Reader:
    """What the fields of a node of this type hold, one after the other: as quick as may be, since all passes ask."""
    if any(name in _LISTS or (node, name) in _PERHAPS for name in names):
        if len(names) > 1:
            return lambda n: tuple(_fields(n, names))
        if names[0] in _LISTS:
            return attrgetter(names[0])
        return lambda n: () if (value := getattr(n, names[0])) is None else (value,)
    if len(names) > 1:
        return attrgetter(*names)
    field = attrgetter(names[0])
    return lambda n: (field(n),)


def _reader_of_all(names: tuple[str, ...]) -> Reader:
    """What the fields are, each as it is."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda n: (getattr(n, names[0]),)) if names else _none


def _fields(node: object, names: Iterable[str]) -> Iterator[Any]:
    for name in names:
        value = getattr(node, name)
        if isinstance(value, tuple):
            yield from value
        elif value is not None:
            yield value


def _none(_: Any) -> tuple[Any, ...]:
    return ()


_OPERANDS: dict[type, Reader] = {node: _reader(node, names) for node, names in _EXPR_CHILDREN.items()}
_OWN: dict[type, Reader] = {node: _reader(node, names) for node, names in _STMT_EXPRS.items()}
_OWN[Call] = lambda n: n.args if n.result is None else (*n.args, n.result)
_BODIES: dict[type, Reader] = {node: _reader(node, names) for node, names in _STMT_BODIES.items()}
_BODIES[Switch] = lambda n: tuple(case.body for case in n.cases)
_COMPOUND = frozenset(_BODIES)
_POSITIONAL: dict[type, Reader] = {node: _reader_of_all(names[:-1]) for node, names in _FIELDS.items()}  # but the span


def _rebuild(node: N, names: tuple[str, ...], fn: Callable[[Any], Any], span: Span | None = None) -> N:
    """`span`: another one for the node itself."""
    changes: dict[str, Any] = {} if span is None else {"span": span}
    for name in names:
        old = getattr(node, name)
        if isinstance(old, tuple):
            new: Any = tuple(map(fn, old))
            changed = any(map(is_not, old, new))
        elif old is None:
            continue
        else:
            new = fn(old)
            changed = new is not old
        if changed:
            changes[name] = new
    return _with(node, changes) if changes else node


def _with(node: N, changes: dict[str, Any]) -> N:
    """`dataclasses.replace`, but quick."""
    kind: type[Any] = type(node)
    new: N = kind(*_POSITIONAL[kind](node), span=node.span)
    for name, value in changes.items():
        setattr(new, name, value)  # nobody else has seen it
    return new


# --- expressions ---------------------------------------------------------------------------------


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct operands of an expression."""
    return _OPERANDS.get(type(expr), _none)(expr)


def map_children(fn: ExprRewriter, expr: Expr) -> Expr:
    """`expr` with `fn` applied to each direct operand."""
    names = _EXPR_CHILDREN.get(type(expr))
    return expr if names is None else _rebuild(expr, names, fn)


def map_expr(fn: ExprRewriter, expr: Expr) -> Expr:
    """`expr` with `fn` applied to every node, operands first."""
    return _for_every_node(fn)(expr)


def _for_every_node(fn: ExprRewriter) -> ExprRewriter:
    def rewritten(e: Expr) -> Expr:
        names = _EXPR_CHILDREN.get(type(e))
        return fn(e if names is None else _rebuild(e, names, rewritten))

    return rewritten


def walk_expr(expr: Expr) -> list[Expr]:
    """Every node of an expression, an operation before its operands; in linear time, however deep."""
    return _nodes([expr])


def _nodes(waiting: list[Expr]) -> list[Expr]:
    """Every node of several expressions, which come last first."""
    found: list[Expr] = []
    while waiting:
        node = waiting.pop()
        found.append(node)
        operands = _OPERANDS.get(type(node))
        if operands is not None:
            waiting += operands(node)[::-1]
    return found


# --- statements ----------------------------------------------------------------------------------


def own_exprs(stmt: Stmt | Case) -> tuple[Expr, ...]:
    """The expressions of the statement itself (targets included), not those of statements nested in it."""
    return _OWN.get(type(stmt), _none)(stmt)


def is_compound(stmt: Stmt | Case) -> bool:
    """Whether statements are nested in it."""
    return type(stmt) in _COMPOUND


def bodies(stmt: Stmt | Case) -> tuple[Body, ...]:
    """The bodies nested directly in a statement; those of a switch are the bodies of its cases."""
    return _BODIES.get(type(stmt), _none)(stmt)


def walk_stmts(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Every statement of a body, however deep, in the order of the source; in linear time."""
    around = [iter(body)]
    while around:
        for stmt in around[-1]:
            yield stmt
            nested = _BODIES.get(type(stmt))
            if nested is not None and any(inner := nested(stmt)):
                around.append(chain.from_iterable(inner))
                break
        else:
            around.pop()


def _find_own_nodes(stmt: Stmt) -> tuple[Expr, ...]:
    roots = own_exprs(stmt)
    if isinstance(stmt, Switch):
        roots += tuple(value for case in stmt.cases for value in case.values)
    return tuple(_nodes(list(roots[::-1])))


# Every expression node of a statement itself, those of nested statements excluded; of a switch the values of its cases
# too.  All passes ask.
own_nodes: Fact[Stmt, tuple[Expr, ...]] = lasting(_find_own_nodes)


def walk_exprs(stmt: Stmt | Iterable[Stmt]) -> Iterator[Expr]:
    """Every expression node below a statement or body, nested statements included."""
    body = (stmt,) if type(stmt) in _STATEMENTS else stmt
    return chain.from_iterable(map(own_nodes, walk_stmts(cast("Iterable[Stmt]", body))))


def collected(own: Callable[[Stmt], Iterable[F]]) -> Fact[Stmt, tuple[F, ...]]:
    """What a statement has of its own and what the statements in it have, each once, in order; lasting."""

    def find(s: Stmt) -> tuple[F, ...]:
        if type(s) not in _COMPOUND:
            return tuple(dict.fromkeys(own(s)))
        inner = (found(nested) for body in bodies(s) for nested in body)
        return tuple(dict.fromkeys(chain(own(s), *inner)))

    found = lasting(find)
    return found


def map_own_exprs(fn: ExprRewriter, stmt: S) -> S:
    """`stmt` with `fn` applied to each of its own expressions as a whole; nested statements stay."""
    names = _STMT_EXPRS.get(type(stmt))
    return stmt if names is None else _rebuild(stmt, names, fn)


def map_bodies(fn: Callable[[Body], Body], stmt: S) -> S:
    """`stmt` with `fn` applied to each body nested directly in it."""
    names = _STMT_BODIES.get(type(stmt))
    if names is None:
        return cast(S, _map_cases(fn, stmt)) if isinstance(stmt, Switch) else stmt
    changes = {}
    for name in names:
        old = getattr(stmt, name)
        new = fn(old)
        if new is not old:
            changes[name] = new
    return _with(stmt, changes) if changes else stmt


def _map_cases(fn: Callable[[Body], Body], stmt: Switch) -> Switch:
    cases = tuple(map_bodies(fn, case) for case in stmt.cases)
    changed = any(a is not b for a, b in zip(stmt.cases, cases, strict=True))
    return replace(stmt, cases=cases) if changed else stmt


def same_or(old: tuple[F, ...], new: tuple[F, ...]) -> tuple[F, ...]:
    """The old body where it has just the same statements: what is known of these need not be found again."""
    return old if len(old) == len(new) and all(map(is_, old, new)) else new


def with_bodies(stmt: S, **new: Body) -> S:
    """The statement with other bodies; itself if they are its own."""
    changed = any(getattr(stmt, name) is not body for name, body in new.items())
    return _with(stmt, new) if changed else stmt


def map_body(fn: StmtRewriter, body: Body) -> Body:
    """`body` with `fn` applied to every statement, nested ones first.

    `fn` returns a statement, several, or None to drop it.
    """
    if not body:
        return body

    def rewritten(nested: Body) -> Body:
        return map_body(fn, nested)

    result: list[Stmt] = []
    changed = False
    for stmt in body:
        new = fn(map_bodies(rewritten, stmt) if type(stmt) in _COMPOUND else stmt)
        if new is stmt:
            result.append(stmt)
            continue
        changed = True
        if isinstance(new, tuple):
            result.extend(new)
        elif new is not None:
            result.append(new)
    return tuple(result) if changed else body


def map_exprs(fn: ExprRewriter, body: Body) -> Body:
    """`body` with `fn` applied to every expression node in it, operands first."""
    rewritten = _for_every_node(fn)
    return map_body(lambda stmt: _map_all_own_exprs(rewritten, stmt), body)


def _map_all_own_exprs(fn: ExprRewriter, stmt: Stmt) -> Stmt:
    """The same as `map_own_exprs`, with the values of the cases of a switch."""
    if isinstance(stmt, Switch):
        cases = tuple(map_own_exprs(fn, case) for case in stmt.cases)
        if any(map(is_not, stmt.cases, cases)):
            stmt = replace(stmt, cases=cases)
    return map_own_exprs(fn, stmt)


def map_spans(fn: Callable[[Span], Span], body: Body) -> Body:
    """`body` with `fn` applied to the span of every statement and expression."""

    def expr(e: Expr) -> Expr:
        return _rebuild(e, _EXPR_CHILDREN.get(type(e), ()), expr, fn(e.span))

    def case(c: Case) -> Case:
        return _rebuild(c, _STMT_EXPRS[Case], expr)

    def stmt(s: Stmt) -> Stmt:
        if isinstance(s, Switch):
            s = replace(s, cases=tuple(map(case, s.cases)))
        return _rebuild(s, _STMT_EXPRS.get(type(s), ()), expr, fn(s.span))

    return map_body(stmt, body)


# --- symbols -------------------------------------------------------------------------------------


def substitute(replacements: Mapping[Symbol, Symbol | Expr], body: Body) -> Body:
    """`body` with variables replaced, declarations included where the replacement is a symbol."""
    if not replacements:
        return body

    replaced = replacements.keys()

    def expr(e: Expr) -> Expr:
        if type(e) is Var:
            new = replacements.get(e.symbol)
            return e if new is None else Var(new, span=e.span) if isinstance(new, Symbol) else new
        names = _EXPR_CHILDREN.get(type(e))
        return e if names is None else _rebuild(e, names, expr)

    def reversed_header(loop: For, primal: For) -> For:
        """The loop that `loop` reverses, whose header may take the place of the reversed one."""
        header = replace(primal, body=(), primal=None)
        if replaced.isdisjoint(variables((header,))):
            return loop
        (own,) = substitute(replacements, (header,))
        assert isinstance(own, For)
        return replace(loop, primal=replace(primal, init=own.init, cond=own.cond, step=own.step))

    def statement(stmt: Stmt) -> Stmt:
        if not replaced.isdisjoint(own_variables(stmt)):
            stmt = _map_all_own_exprs(expr, stmt)
        if isinstance(stmt, Declare):
            new = replacements.get(stmt.symbol)
            if isinstance(new, Symbol):
                return cast(Stmt, _with(stmt, {"symbol": new}))
        elif isinstance(stmt, For):
            if stmt.primal is not None:
                stmt = reversed_header(stmt, stmt.primal)
            if not replaced.isdisjoint(stmt.sums):
                renamed = (replacements.get(s, s) for s in stmt.sums)
                return replace(stmt, sums=tuple(s for s in renamed if isinstance(s, Symbol)))
        elif isinstance(stmt, Opaque) and not replaced.isdisjoint(stmt.declares):
            renamed = (replacements.get(s, s) for s in stmt.declares)
            return replace(stmt, declares=tuple(s for s in renamed if isinstance(s, Symbol)))
        return stmt

    return map_body(statement, body)


def _find_own_variables(stmt: Stmt) -> tuple[Symbol, ...]:
    return tuple([e.symbol for e in own_nodes(stmt) if type(e) is Var])


own_variables: Fact[Stmt, tuple[Symbol, ...]] = lasting(_find_own_variables)  # that the statement itself mentions


def variables(node: Expr | Iterable[Stmt]) -> Iterator[Symbol]:
    """The symbols that an expression or a body mentions, with repetitions, in order."""
    if type(node) in _EXPRESSIONS:
        return (e.symbol for e in walk_expr(cast(Expr, node)) if type(e) is Var)
    return chain.from_iterable(map(own_variables, walk_stmts(cast("Iterable[Stmt]", node))))


def _find_mentions(expr: Expr) -> frozenset[Symbol]:
    return frozenset(variables(expr))


mentions: Fact[Expr, frozenset[Symbol]] = lasting(_find_mentions)  # for expressions that are asked of again and again


def declared(body: Iterable[Stmt]) -> Iterator[Symbol]:
    """The symbols that a body declares, however deep."""
    for s in walk_stmts(body):
        if isinstance(s, Declare):
            yield s.symbol
        elif isinstance(s, Opaque):
            yield from s.declares
