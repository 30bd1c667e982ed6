"""Checks of accesses that every iteration of a loop makes, once before the loop: where an index grows evenly from
iteration to iteration, it stays within its memory if the first and the last do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hetad.analysis.loop_bounds import pure
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.places import exposed, written
from hetad.ir.types import Int, Pointer, Type
from hetad.ir.visit import children, declared, own_exprs, variables, walk_expr, walk_stmts
from hetad.rules import callees
from hetad.targets.accesses import pointed


@dataclass(frozen=True, slots=True)
class Count:
    """A loop that counts `variable` from `first` by `step` as long as it is below `end`, or reaches it if `closed`."""

    variable: ir.Symbol
    first: ir.Expr
    end: ir.Expr
    closed: bool
    step: ir.Expr


def of_each_iteration(loop: ir.For, function: ir.Function) -> tuple[Count, list[ir.Index]] | None:
    """What a loop counts, and the elements behind variables that each iteration reads or writes, at indices that grow
    evenly; None where that is not known, or some iterations may not come to their end."""
    varying = {*written(loop.body), *declared(loop.body), *exposed(function.body)}
    count = _count(loop)
    if count is None or count.variable in varying or not _runs_through(loop.body) or not _stays(count, loop, varying):
        return None
    found = [(e, e.base.symbol) for e in _always(loop.body) if isinstance(e, ir.Index) and isinstance(e.base, ir.Var)]
    even = [e for e, base in found if base not in varying and _degree(e.index, count.variable, varying) is not None]
    return count, even


def _count(loop: ir.For) -> Count | None:
    if len(loop.init) != 1 or len(loop.step) != 1 or not isinstance(loop.cond, ir.Binary):
        return None
    (start,), (step,), cond = loop.init, loop.step, loop.cond
    if not isinstance(start, ir.Declare) or start.init is None or not isinstance(step, ir.Update) or step.op != "+":
        return None
    k, left, target = start.symbol, bare(cond.left), step.target
    counts = isinstance(left, ir.Var) and left.symbol is k and isinstance(target, ir.Var) and target.symbol is k
    if not counts or cond.op not in ("<", "<=") or not _widens(k.type, cond.left.type):
        return None
    if cond.left.type != cond.right.type or any(isinstance(e, ir.CallExpr) for e in walk_expr(start.init)):
        return None
    return Count(k, start.init, cond.right, cond.op == "<=", step.value)


def _widens(source: Type, target: Type) -> bool:
    """Whether whole numbers of one type keep their order as those of another, or become very large."""
    if not isinstance(source, Int) or not isinstance(target, Int):
        return False
    return source.bits >= 32 and source.bits <= target.bits and not target.boolean


def _runs_through(body: ir.Body) -> bool:
    """Whether each iteration comes to its end."""
    for s in walk_stmts(body):
        if isinstance(s, ir.Return | ir.Break | ir.Continue | ir.Switch | ir.Launch | ir.Opaque):
            return False
        if isinstance(s, ir.Call) and callees.kind(s.function) not in ("atomic", "mathematics"):
            return False
    return True


def _stays(count: Count, loop: ir.For, varying: Collection[ir.Symbol]) -> bool:
    """Whether the end and the step are the same in all iterations."""
    mentioned = {*variables(count.end), *variables(count.step)}
    if count.variable in mentioned or not mentioned.isdisjoint(varying) or not pure(count.step):
        return False
    harmless = ir.Var | ir.Const | ir.ThreadIndex | ir.Unary | ir.Binary | ir.Cast | ir.Index | ir.Member
    if not all(isinstance(e, harmless) for e in walk_expr(count.end)):
        return False
    stored = {place.type for s in walk_stmts(loop.body) for place in _stored(s)}
    return not any(isinstance(e, ir.Index | ir.Member) and e.type in stored for e in walk_expr(count.end))


def _stored(s: ir.Stmt) -> Iterator[ir.Expr]:
    if isinstance(s, ir.Assign | ir.Update):
        yield s.target
    if isinstance(s, ir.Call):
        yield from (pointed(a) for a in s.args if isinstance(a.type, Pointer))


def _always(body: ir.Body) -> Iterator[ir.Expr]:
    """What each run of a body evaluates, and the places that it sets."""
    for s in body:
        if isinstance(s, ir.Block):
            yield from _always(s.body)
        elif isinstance(s, ir.Declare | ir.Assign | ir.Update | ir.Call | ir.If):
            for e in own_exprs(s):
                yield from _evaluated(e)


def _evaluated(e: ir.Expr) -> Iterator[ir.Expr]:
    yield e
    match e:
        case ir.Select(cond=cond):
            yield from _evaluated(cond)
        case ir.Binary(op="&&" | "||", left=left):
            yield from _evaluated(left)
        case _:
            for child in children(e):
                yield from _evaluated(child)


def _degree(e: ir.Expr, k: ir.Symbol, varying: Collection[ir.Symbol]) -> int | None:
    """Of an index as a polynomial in the loop's variable: 0 or 1; None where it is none of these."""
    if k not in (mentioned := set(variables(e))):
        return 0 if pure(e) and mentioned.isdisjoint(varying) else None
    match e:
        case ir.Var():
            return 1
        case ir.Cast(operand=operand):
            return _degree(operand, k, varying) if _widens(operand.type, e.type) else None
        case ir.Binary(op="+" | "-" | "*" as op, left=left, right=right, type=Int() as type_):
            a, b = _degree(left, k, varying), _degree(right, k, varying)
            # Sums of 64 bits may wrap, as addresses do; products would leave and come back.
            if a is None or b is None or not (type_.signed or (type_.bits == 64 and op != "*")):
                return None
            found = a + b if op == "*" else max(a, b)
            return found if found < 2 else None
    return None
