"""Calls in which threads of a block or of a warp wait for each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeGuard

from hetad.device.warp_synchronous import stored_in_step
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.places import root_symbol
from hetad.ir.types import is_volatile
from hetad.ir.visit import declared, map_body, map_exprs, walk_stmts
from hetad.rules import callees, operations
from hetad.rules.callee import Means


def waits(statement: ir.Stmt) -> bool:
    """Whether a thread that runs the statement waits for others."""
    return any(map(callees.meets, walk_stmts((statement,))))


def stores_volatile(s: ir.Stmt) -> TypeGuard[ir.Assign | ir.Update]:
    """Whether the statement stores what other threads of a warp may read at once."""
    if not isinstance(s, ir.Assign | ir.Update) or not is_volatile(s.target.type):
        return False
    root = root_symbol(s.target)
    return root is None or root.storage == "shared"


def in_step(kernel: ir.Function) -> ir.Function:
    """The kernel, in which the threads that come to a store of volatile data make it together, as the lanes of a warp
    do on the device: programs from before `__syncwarp` rely on it."""
    names = Names({x.name for x in (*kernel.params, *declared(kernel.body))})

    def together(s: ir.Stmt) -> ir.Stmt | ir.Body:
        return stored_in_step(s, "__activemask", names) if stores_volatile(s) else s

    body = map_body(together, kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def at_once(kernel: ir.Function) -> ir.Function:
    """The kernel, with what is summed over blocks where cells recur added at once: threads run one after another."""

    def added(s: ir.Stmt) -> ir.Stmt | ir.Body | None:
        if not operations.does(s, *operations.HOT):
            return s
        meaning = callees.find(s.function).pullback
        return replace(s, function=meaning.function) if isinstance(meaning, Means) else None

    body, sweep = map_body(added, kernel.body), kernel.sweep
    if sweep is not None:
        alone = map_body(added, sweep.alone) if sweep.alone is not None else None
        sweep = replace(sweep, body=map_body(added, sweep.body), alone=alone)
    return kernel if body is kernel.body and sweep is kernel.sweep else replace(kernel, body=body, sweep=sweep)


def in_one_order(kernel: ir.Function) -> ir.Function:
    """The kernel, whose threads come to cells in the order of their loops: one after another, none waits."""

    def turn(e: ir.Expr) -> ir.Expr:
        return e.args[0] if operations.gives(e, operations.spread) else e

    body = map_exprs(turn, kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def uses_block(body: Iterable[ir.Stmt]) -> bool:
    """Whether threads meet: they wait for each other, or declare memory that they share."""
    for s in walk_stmts(body):
        if stores_volatile(s):
            return True
        if callees.meets(s):
            return True
        if isinstance(s, ir.Declare) and s.symbol.storage == "shared":
            return True
    return False
