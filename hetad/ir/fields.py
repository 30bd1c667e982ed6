"""The fields of nodes that hold expressions and statements, and nodes with some fields changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from operator import attrgetter, is_not
from typing import Any, TypeVar, get_args

from hetad.diagnostics import Span
from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Assign,
    Binary,
    Block,
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
    Unary,
    Update,
    While,
)

# The fields of each node that hold expressions, in the order of evaluation.
EXPR_CHILDREN: dict[type, tuple[str, ...]] = {
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
STMT_EXPRS: dict[type, tuple[str, ...]] = {
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
STMT_BODIES: dict[type, tuple[str, ...]] = {
    Block: ("body",),
    If: ("then", "orelse"),
    For: ("init", "step", "body"),
    While: ("body",),
    DoWhile: ("body",),
    Case: ("body",),
}

N = TypeVar("N", bound="Expr | Stmt | Case")
Reader = Callable[[Any], tuple[Any, ...]]

EXPRESSIONS = frozenset(get_args(Expr))
STATEMENTS = frozenset(get_args(Stmt))
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
    return (lambda n: (getattr(n, names[0]),)) if names else none


def _fields(node: object, names: Iterable[str]) -> Iterator[Any]:
    for name in names:
        value = getattr(node, name)
        if isinstance(value, tuple):
            yield from value
        elif value is not None:
            yield value


def none(_: Any) -> tuple[Any, ...]:
    return ()


OPERANDS: dict[type, Reader] = {node: _reader(node, names) for node, names in EXPR_CHILDREN.items()}
OWN: dict[type, Reader] = {node: _reader(node, names) for node, names in STMT_EXPRS.items()}
OWN[Call] = lambda n: n.args if n.result is None else (*n.args, n.result)
BODIES: dict[type, Reader] = {node: _reader(node, names) for node, names in STMT_BODIES.items()}
BODIES[Switch] = lambda n: tuple(case.body for case in n.cases)
COMPOUND = frozenset(BODIES)
_POSITIONAL: dict[type, Reader] = {node: _reader_of_all(names[:-1]) for node, names in _FIELDS.items()}  # but the span


def rebuilt(node: N, names: tuple[str, ...], fn: Callable[[Any], Any], span: Span | None = None) -> N:
    """`span`: another one for the node itself."""
    changes: dict[str, Any] = {} if span is None else {"span": span}
    for name in names:
        old = getattr(node, name)
        if isinstance(old, tuple):
            new: Any = tuple(map(fn, old))
            differs = any(map(is_not, old, new))
        elif old is None:
            continue
        else:
            new = fn(old)
            differs = new is not old
        if differs:
            changes[name] = new
    return changed(node, changes) if changes else node


def changed(node: N, changes: dict[str, Any]) -> N:
    """`dataclasses.replace`, but quick."""
    kind: type[Any] = type(node)
    new: N = kind(*_POSITIONAL[kind](node), span=node.span)
    for name, value in changes.items():
        setattr(new, name, value)  # nobody else has seen it
    return new
