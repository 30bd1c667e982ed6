"""Traversal and rewriting of the IR.

Rewriting is immutable: a rewriter returns the old node when nothing below it changed, so that `is` tells
whether anything happened and spans survive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from operator import is_, is_not
from typing import TypeVar, cast

from hetad.diagnostics import Span
from hetad.ir.facts import Fact, lasting
from hetad.ir.fields import (
    BODIES,
    COMPOUND,
    EXPR_CHILDREN,
    EXPRESSIONS,
    OPERANDS,
    OWN,
    STATEMENTS,
    STMT_BODIES,
    STMT_EXPRS,
    changed,
    none,
    rebuilt,
)
from hetad.ir.nodes import (
    Body,
    Case,
    Declare,
    DoWhile,
    Expr,
    For,
    Opaque,
    Stmt,
    Switch,
    Symbol,
    Var,
    While,
)

F = TypeVar("F")
S = TypeVar("S", bound="Stmt | Case")
Loop = For | While | DoWhile
ExprRewriter = Callable[[Expr], Expr]
StmtRewriter = Callable[[Stmt], "Stmt | Body | None"]


# --- expressions ---------------------------------------------------------------------------------


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct operands of an expression."""
    return OPERANDS.get(type(expr), none)(expr)


def map_children(fn: ExprRewriter, expr: Expr) -> Expr:
    """`expr` with `fn` applied to each direct operand."""
    names = EXPR_CHILDREN.get(type(expr))
    return expr if names is None else rebuilt(expr, names, fn)


def map_expr(fn: ExprRewriter, expr: Expr) -> Expr:
    """`expr` with `fn` applied to every node, operands first."""
    return _for_every_node(fn)(expr)


def _for_every_node(fn: ExprRewriter) -> ExprRewriter:
    def rewritten(e: Expr) -> Expr:
        names = EXPR_CHILDREN.get(type(e))
        return fn(e if names is None else rebuilt(e, names, rewritten))

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
        operands = OPERANDS.get(type(node))
        if operands is not None:
            waiting += operands(node)[::-1]
    return found


# --- statements ----------------------------------------------------------------------------------


def own_exprs(stmt: Stmt | Case) -> tuple[Expr, ...]:
    """The expressions of the statement itself (targets included), not those of statements nested in it."""
    return OWN.get(type(stmt), none)(stmt)


def is_compound(stmt: Stmt | Case) -> bool:
    """Whether statements are nested in it."""
    return type(stmt) in COMPOUND


def bodies(stmt: Stmt | Case) -> tuple[Body, ...]:
    """The bodies nested directly in a statement; those of a switch are the bodies of its cases."""
    return BODIES.get(type(stmt), none)(stmt)


def walk_stmts(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """Every statement of a body, however deep, in the order of the source; in linear time."""
    around = [iter(body)]
    while around:
        for stmt in around[-1]:
            yield stmt
            nested = BODIES.get(type(stmt))
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
    body = (stmt,) if type(stmt) in STATEMENTS else stmt
    return chain.from_iterable(map(own_nodes, walk_stmts(cast("Iterable[Stmt]", body))))


def walk_in_loops(body: Iterable[Stmt]) -> Iterator[tuple[Stmt, tuple[Loop, ...]]]:
    """Every statement of a body, however deep, in the order of the source, with the loops around it."""
    waiting: list[tuple[Iterator[Stmt], tuple[Loop, ...]]] = [(iter(body), ())]
    while waiting:
        rest, around = waiting[-1]
        for s in rest:
            yield s, around
            inner = (*around, s) if isinstance(s, For | While | DoWhile) else around
            nested = [(iter(part), inner) for part in bodies(s) if part]
            if isinstance(s, For) and s.init:
                nested[0] = (iter(s.init), around)
            if nested:
                waiting += reversed(nested)
                break
        else:
            waiting.pop()


def collected(own: Callable[[Stmt], Iterable[F]]) -> Fact[Stmt, tuple[F, ...]]:
    """What a statement has of its own and what the statements in it have, each once, in order; lasting."""

    def find(s: Stmt) -> tuple[F, ...]:
        if type(s) not in COMPOUND:
            return tuple(dict.fromkeys(own(s)))
        inner = (found(nested) for body in bodies(s) for nested in body)
        return tuple(dict.fromkeys(chain(own(s), *inner)))

    found = lasting(find)
    return found


def map_own_exprs(fn: ExprRewriter, stmt: S) -> S:
    """`stmt` with `fn` applied to each of its own expressions as a whole; nested statements stay."""
    names = STMT_EXPRS.get(type(stmt))
    return stmt if names is None else rebuilt(stmt, names, fn)


def map_bodies(fn: Callable[[Body], Body], stmt: S) -> S:
    """`stmt` with `fn` applied to each body nested directly in it."""
    names = STMT_BODIES.get(type(stmt))
    if names is None:
        return cast(S, _map_cases(fn, stmt)) if isinstance(stmt, Switch) else stmt
    changes = {}
    for name in names:
        old = getattr(stmt, name)
        new = fn(old)
        if new is not old:
            changes[name] = new
    return changed(stmt, changes) if changes else stmt


def _map_cases(fn: Callable[[Body], Body], stmt: Switch) -> Switch:
    cases = tuple(map_bodies(fn, case) for case in stmt.cases)
    differs = any(a is not b for a, b in zip(stmt.cases, cases, strict=True))
    return replace(stmt, cases=cases) if differs else stmt


def repeated(rewrite: Callable[[F], F], program: F) -> F:
    """Rewritten again and again, until that changes nothing."""
    while (new := rewrite(program)) is not program:
        program = new
    return program


def same_or(old: tuple[F, ...], new: tuple[F, ...]) -> tuple[F, ...]:
    """The old body where it has just the same statements: what is known of these need not be found again."""
    return old if len(old) == len(new) and all(map(is_, old, new)) else new


def with_bodies(stmt: S, **new: Body) -> S:
    """The statement with other bodies; itself if they are its own."""
    differs = any(getattr(stmt, name) is not body for name, body in new.items())
    return changed(stmt, new) if differs else stmt


def map_body(fn: StmtRewriter, body: Body) -> Body:
    """`body` with `fn` applied to every statement, nested ones first.

    `fn` returns a statement, several, or None to drop it.
    """
    if not body:
        return body

    def rewritten(nested: Body) -> Body:
        return map_body(fn, nested)

    result: list[Stmt] = []
    differs = False
    for stmt in body:
        new = fn(map_bodies(rewritten, stmt) if type(stmt) in COMPOUND else stmt)
        if new is stmt:
            result.append(stmt)
            continue
        differs = True
        if isinstance(new, tuple):
            result.extend(new)
        elif new is not None:
            result.append(new)
    return tuple(result) if differs else body


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
        return rebuilt(e, EXPR_CHILDREN.get(type(e), ()), expr, fn(e.span))

    def case(c: Case) -> Case:
        return rebuilt(c, STMT_EXPRS[Case], expr)

    def stmt(s: Stmt) -> Stmt:
        if isinstance(s, Switch):
            s = replace(s, cases=tuple(map(case, s.cases)))
        return rebuilt(s, STMT_EXPRS.get(type(s), ()), expr, fn(s.span))

    return map_body(stmt, body)


# --- symbols -------------------------------------------------------------------------------------


def substituted(replacements: Mapping[Symbol, Symbol | Expr], expr: Expr) -> Expr:
    """An expression with variables replaced."""
    return _for_variables(replacements)(expr)


def _for_variables(replacements: Mapping[Symbol, Symbol | Expr]) -> ExprRewriter:
    def rewritten(e: Expr) -> Expr:
        if type(e) is Var:
            new = replacements.get(e.symbol)
            return e if new is None else Var(new, span=e.span) if isinstance(new, Symbol) else new
        names = EXPR_CHILDREN.get(type(e))
        return e if names is None else rebuilt(e, names, rewritten)

    return rewritten


def substitute(replacements: Mapping[Symbol, Symbol | Expr], body: Body) -> Body:
    """`body` with variables replaced, declarations included where the replacement is a symbol."""
    if not replacements:
        return body
    replaced = replacements.keys()
    expr, renamed = _for_variables(replacements), _for_names(replacements)

    def statement(stmt: Stmt) -> Stmt:
        return renamed(stmt if replaced.isdisjoint(own_variables(stmt)) else _map_all_own_exprs(expr, stmt))

    return map_body(statement, body)


def copied(
    body: Body, place: Callable[[Span], Span], replacements: Mapping[Symbol, Symbol | Expr], fn: ExprRewriter
) -> Body:
    """`map_exprs(fn, substitute(replacements, map_spans(place, body)))`, in one walk: as a body stands elsewhere."""
    rewritten, renamed = _for_every_node(fn), _for_names(replacements)
    given = {x: new if isinstance(new, Symbol) else rewritten(new) for x, new in replacements.items()}

    def expr(e: Expr) -> Expr:
        new = given.get(e.symbol) if type(e) is Var else None
        if new is None:
            return fn(rebuilt(e, EXPR_CHILDREN.get(type(e), ()), expr, place(e.span)))
        return fn(Var(new, span=place(e.span))) if isinstance(new, Symbol) else new

    def statement(s: Stmt) -> Stmt:
        if isinstance(s, Switch):
            s = replace(s, cases=tuple(rebuilt(c, STMT_EXPRS[Case], expr) for c in s.cases))
        return renamed(rebuilt(s, STMT_EXPRS.get(type(s), ()), expr, place(s.span)))

    return map_body(statement, body)


def _for_names(replacements: Mapping[Symbol, Symbol | Expr]) -> Callable[[Stmt], Stmt]:
    """For what a statement names beside its expressions: what it declares, and what is known of a loop."""
    replaced = replacements.keys()

    def reversed_header(loop: For, primal: For) -> For:
        """The loop that `loop` reverses, whose header may take the place of the reversed one."""
        header = replace(primal, body=(), primal=None)
        if replaced.isdisjoint(variables((header,))):
            return loop
        (own,) = substitute(replacements, (header,))
        assert isinstance(own, For)
        return replace(loop, primal=replace(primal, init=own.init, cond=own.cond, step=own.step))

    def renamed(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Declare):
            new = replacements.get(stmt.symbol)
            if isinstance(new, Symbol):
                return cast(Stmt, changed(stmt, {"symbol": new}))
        elif isinstance(stmt, For):
            if stmt.primal is not None:
                stmt = reversed_header(stmt, stmt.primal)
            if not replaced.isdisjoint(stmt.sums):
                sums = (replacements.get(s, s) for s in stmt.sums)
                return replace(stmt, sums=tuple(s for s in sums if isinstance(s, Symbol)))
        elif isinstance(stmt, Opaque) and not replaced.isdisjoint(stmt.declares):
            declares = (replacements.get(s, s) for s in stmt.declares)
            return replace(stmt, declares=tuple(s for s in declares if isinstance(s, Symbol)))
        return stmt

    return renamed


def _find_own_variables(stmt: Stmt) -> tuple[Symbol, ...]:
    return tuple([e.symbol for e in own_nodes(stmt) if type(e) is Var])


own_variables: Fact[Stmt, tuple[Symbol, ...]] = lasting(_find_own_variables)  # that the statement itself mentions


def variables(node: Expr | Iterable[Stmt]) -> Iterator[Symbol]:
    """The symbols that an expression or a body mentions, with repetitions, in order."""
    if type(node) in EXPRESSIONS:
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
