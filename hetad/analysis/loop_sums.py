"""Loops that only sum, which may be told so (`#pragma omp simd reduction`): else a sum has one order, which no vector
code keeps.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.analysis.loop_bounds import Counting, progression, pure
from hetad.ir import nodes as ir
from hetad.ir.places import written
from hetad.ir.types import Array, Float, Int, Pointer
from hetad.ir.visit import declared, own_exprs, own_variables, variables, walk_exprs, walk_stmts
from hetad.rules import operations


def summed(loop: ir.For) -> tuple[ir.Symbol, ...]:
    """The variables to which the iterations of a loop add, where they do nothing else that outlives an iteration, but
    add to a cell each."""
    if not loop.sums or not _is_canonical(loop):
        return ()
    others = [s for s in walk_stmts(loop.body) if not _is_simple(s)]
    if not _add_to_own_cells(others, loop):
        return ()
    outer = written(loop.body) - set(declared(loop.body))
    reads = [x for s in walk_stmts(loop.body) for e in _read(s) for x in variables(e)]
    if not outer or not outer <= set(loop.sums) or not outer.isdisjoint(reads):
        return ()
    return tuple(x for x in loop.sums if x in outer and isinstance(x.type, Float))


def _add_to_own_cells(additions: list[ir.Stmt], loop: ir.For) -> bool:
    """Whether each iteration adds to a cell of its own, in arrays that the loop does not mention otherwise."""
    (start,) = loop.init
    assert isinstance(start, ir.Declare)
    counting = Counting(start.symbol, {}, {*written(loop.body), *declared(loop.body)})
    mentioned = [x for s in walk_stmts(loop.body) for x in own_variables(s)]
    for s in additions:
        cell = _added(s)
        if cell is None or not isinstance(cell.base, ir.Var):
            return False
        array, step = cell.base.symbol, progression(cell.index, counting)
        apart = isinstance(array.type, Pointer) and array.type.restrict and mentioned.count(array) == 1
        if not apart or step is None or abs(step.slope) != 1:
            return False
    return True


def _added(s: ir.Stmt) -> ir.Index | None:
    """The cell of an array that a statement adds to."""
    match s:
        case ir.Update(op="+" | "-", target=ir.Index() as cell):
            return cell
        case ir.Call(function="atomicAdd", args=(ir.AddressOf(place=ir.Index() as cell), _), result=None):
            return cell
    return None


def _is_simple(s: ir.Stmt) -> bool:
    match s:
        case ir.Declare(symbol=x):
            return x.storage == "local" and not isinstance(x.type, Array)
        case ir.Assign(target=ir.Var()):
            return True
        case ir.Update(op="+" | "-", target=ir.Var()):
            return True
        case ir.If() | ir.Block() | ir.Comment():
            return not any(isinstance(e, ir.CallExpr) for e in walk_exprs((s,)))
    return False


def _read(s: ir.Stmt) -> Iterator[ir.Expr]:
    for e in own_exprs(s):
        if not (isinstance(s, ir.Update) and e is s.target):
            yield e


def _is_canonical(loop: ir.For) -> bool:
    """Whether the loop counts as OpenMP wants it to: `i < end`, with an end that stays."""
    if len(loop.init) != 1 or len(loop.step) != 1:
        return False
    (start,), (step,), cond = loop.init, loop.step, loop.cond
    if not isinstance(start, ir.Declare) or not isinstance(start.symbol.type, Int) or start.init is None:
        return False
    i = start.symbol
    if not isinstance(step, ir.Update) or step.op not in "+-" or step.target != ir.Var(i, span=loop.span):
        return False
    if not isinstance(cond, ir.Binary) or cond.op not in ("<", "<=", ">", ">=") or not isinstance(cond.left, ir.Var):
        return False
    if cond.left.symbol is not i or cond.right.type != i.type or not isinstance(step.value, ir.Const):
        return False
    changed = {i, *written(loop.body)}
    return _stays(cond.right) and i not in written(loop.body) and changed.isdisjoint(variables(cond.right))


def _stays(end: ir.Expr) -> bool:
    """Whether an expression has the same value as long as its variables have."""
    if isinstance(end, ir.Cast):
        return _stays(end.operand)
    if operations.gives(end, operations.lowered):
        return all(map(_stays, end.args))
    return pure(end)
