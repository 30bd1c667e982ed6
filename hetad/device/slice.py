"""What must be computed again to know one value of a kernel: the statements before it on which it depends."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.analysis.accesses import Access, Definition, Guard, Loop
from hetad.device.accumulation.increments import increment, takes
from hetad.ir import nodes as ir
from hetad.ir.places import changed_in, changes, through_pointer
from hetad.ir.types import Int
from hetad.ir.visit import declared, variables, walk_stmts
from hetad.rules import callees


@dataclass(frozen=True, slots=True)
class Slice:
    """`steps`: the loops, guards and statements that are needed, in order.  `indices`: integer variables that are known
    as polynomials over coordinates, so that their definitions are not needed."""

    steps: tuple[Loop | Guard | Definition, ...]
    indices: frozenset[ir.Symbol]


def slice_of(access: Access, value: ir.Expr, clean: frozenset[ir.Symbol]) -> Slice | None:
    """The slice of a value at an access; None if a part of it must not be computed twice, or not in another order.

    `clean`: the integer variables whose values at the access are polynomials over coordinates and uniform expressions.
    """
    needed = set(variables(value))
    for step in access.steps:
        match step:
            case Guard(condition=condition):
                needed.update(variables(condition))
            case Loop(header=header) if header is not None:
                needed.update(x for e in (header.start, header.bound, header.step) for x in variables(e))
            case Loop():
                return None
    kept: list[Loop | Guard | Definition] = []
    for step in reversed(access.steps):
        if not isinstance(step, Definition):
            kept.append(step)
            continue
        s = step.statement
        given = set(changed_in((s,))) & (needed - clean)
        if not given:
            continue
        if not _repeatable(s):
            return None
        kept.append(step)
        needed.update(variables((s,)))
    kept.reverse()
    found = Slice(tuple(kept), frozenset(needed & clean))
    return found if _in_any_order(access, needed) and _own(found) else None


def _own(found: Slice) -> bool:
    """Whether the slice sets no variable but those that it declares."""
    body = tuple(step.statement for step in found.steps if isinstance(step, Definition))
    return set(changed_in(body)) <= set(declared(body))


def _repeatable(s: ir.Stmt) -> bool:
    """Whether the statement only sets variables of its thread, and is cheap: no loop."""
    for inner in walk_stmts((s,)):
        match inner:
            case ir.Declare(symbol=symbol):
                if symbol.storage == "shared":
                    return False
            case ir.Assign(target=target) | ir.Update(target=target):
                if through_pointer(target):
                    return False
            case ir.Call(function=name, result=result):
                if callees.kind(name) == "atomic" or increment(inner) is not None or result is None:
                    return False
            case ir.If() | ir.Block() | ir.Comment():
                pass
            case _:
                return False
        if inner is not s and any(True for _ in takes(inner)):
            return False
    return True


def _in_any_order(access: Access, needed: set[ir.Symbol]) -> bool:
    """Whether the iterations of the loops around the access depend on nothing but their indices."""
    for loop in access.loops:
        inside = set(declared(loop.statement.body))
        changed = set(changed_in(loop.statement.body)) - inside
        if loop.header is not None:
            changed.discard(loop.header.index)
        if not changed.isdisjoint(needed):
            return False
    # An index that is set twice has a value at the access, and another one where the statements before it use it.
    # A parameter is set before the first statement; a loop's index, by the loop.
    counts: dict[ir.Symbol, int] = {x: 1 for x in needed if x.storage == "param"}
    for step in access.steps:
        if isinstance(step, Loop) and step.header is not None and not step.header.declares:
            counts[step.header.index] = counts.get(step.header.index, 0) + 1
        if isinstance(step, Definition):
            for x in changes((step.statement,)):
                counts[x] = counts.get(x, 0) + 1
    return all(n == 1 or x not in needed or not isinstance(x.type, Int) for x, n in counts.items())
