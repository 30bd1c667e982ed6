"""What strips are made of: groups of statements that run over a strip together, and loops around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hetad.analysis.loop_bounds import pure
from hetad.ir import nodes as ir
from hetad.ir.simplify import conjunction
from hetad.ir.types import Int
from hetad.ir.visit import variables, walk_exprs, walk_stmts

_CHEAP = 12  # nodes of an expression that is computed again rather than kept


@dataclass(eq=False, slots=True)
class Group:
    """Statements for each lane, which pass the guards."""

    body: list[ir.Stmt]
    guards: tuple[ir.Expr, ...]
    sums: tuple[ir.Symbol, ...] = ()


@dataclass(eq=False, slots=True)
class Nest:
    """A loop, a branch or a block around others: `statement` without its body."""

    statement: ir.For | ir.If | ir.Block
    body: list[Node]


Node = Group | Nest | ir.Declare | ir.Update


def own_expressions(s: ir.Stmt) -> tuple[ir.Expr, ...]:
    match s:
        case ir.Declare(init=init):
            return (init,) if init is not None else ()
        case ir.If(cond=cond):
            return (cond,)
    return ()


def opens_loop(body: ir.Body) -> bool:
    return any(isinstance(s, ir.For) for s in walk_stmts(body))


def is_plain(body: ir.Body) -> bool:
    return not any(isinstance(s, ir.If | ir.For) for s in body)


def cheap(e: ir.Expr) -> bool:
    return pure(e) and sum(1 for _ in walk_exprs((ir.Return(e, span=e.span),))) <= _CHEAP


def computed_again(s: ir.Declare, assigned: set[ir.Symbol]) -> ir.Expr | None:
    """The value of an index that could be computed again: nothing that it follows from changes."""
    x, init = s.symbol, s.init
    fits = init is not None and isinstance(x.type, Int) and init.type == x.type and pure(init)
    return init if fits and init is not None and assigned.isdisjoint((x, *variables(init))) else None


def guarded(conditions: Sequence[ir.Expr], body: ir.Body) -> ir.Body:
    return (ir.If(conjunction(conditions), body, (), span=conditions[0].span),)


def groups_of(nodes: Sequence[Node]) -> Iterator[Group]:
    for node in nodes:
        if isinstance(node, Group):
            yield node
        elif isinstance(node, Nest):
            yield from groups_of(node.body)
