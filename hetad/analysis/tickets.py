"""Kernels in which the block that comes last does more: it draws the last of as many tickets as there are blocks.

```c
if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    unsigned ticket = atomicInc(&drawn, gridDim.x);
    last = ticket == gridDim.x - 1;
}
__syncthreads();
if (last) {                                     // all that the others have written is to be seen here
    ...
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hetad.analysis.pointer_expressions import pointee
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import is_var
from hetad.ir.places import constants, exposed, root_symbol, written
from hetad.ir.simplify import conjuncts
from hetad.ir.types import Array, Int
from hetad.ir.visit import declared, substitute, substituted, variables, walk_expr, walk_exprs, walk_stmts
from hetad.rules import callees

Locals = Mapping[ir.Symbol, ir.Expr]
_BITS = 32  # of a ticket


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a kernel consists of in which one thread of each block draws a ticket.

    Attributes:
        before: what all blocks do, without the ticket.
        around: the conditions, the same for all threads, under which tickets are drawn.
        first: that a thread is the one that draws, of a block along x.
        counter: how many tickets have been drawn.
        limit: of `atomicInc`, the number behind which the counter starts again; None for `atomicAdd`.
        end: what the last block does.
        fixed: variables that have one value in each thread of any block, by those.
    """

    before: ir.Body
    around: tuple[ir.Expr, ...]
    first: ir.Expr
    counter: ir.Place
    limit: ir.Expr | None
    end: ir.Body
    fixed: Locals


def ticket_of(kernel: ir.Function) -> Ticket | None:
    """The ticket that each block of a launch along x draws, if what is done with it is known."""
    draws = [s for s in walk_stmts(kernel.body) if isinstance(s, ir.Call) and s.function in ("atomicInc", "atomicAdd")]
    if not any(isinstance(s.result, ir.Var) for s in draws):
        return None
    found = _found(kernel.body, (), _fixed(kernel))
    return found if found is not None and _is_sound(kernel, found) else None


# --- the parts -------------------------------------------------------------------------------------


def _found(body: ir.Body, above: ir.Body, fixed: Locals) -> Ticket | None:
    """`above`: what comes before `body`."""
    last = body[-1] if body else None
    if not isinstance(last, ir.If) or last.orelse:
        return None
    if _is_for_all(last.cond, fixed):
        inner = _found(last.then, (*above, *body[:-1]), fixed)
        if inner is None:
            return None
        kept = (replace(last, then=inner.before),) if _does_something(inner.before) else ()
        return replace(inner, before=(*body[:-1], *kept), around=(last.cond, *inner.around))
    told = _told(last)
    barriers = [i for i, s in enumerate(body) if callees.is_block_barrier(s)]
    if told is None or barriers[-1:] != [len(body) - 2]:
        return None
    flag, end = told
    at = next((i for i, s in enumerate(body) if isinstance(s, ir.If) and flag in written(s.then)), None)
    draw = body[at] if at is not None else None
    if not isinstance(draw, ir.If) or draw.orelse or at != len(body) - 3:
        return None
    first = _resolved(draw.cond, fixed)
    drawn = _drawn(draw.then, flag, fixed)
    if drawn is None or not _is_first_thread(first):
        return None
    counter, limit, rest = drawn
    head = tuple(s for s in body[:at] if not (isinstance(s, ir.Declare) and s.symbol is flag))
    before = (*head, *((replace(draw, then=rest),) if _does_something(rest) else ()))
    if flag in set(variables(before)) or not _is_complete((*above, *before), first, fixed):
        return None
    return Ticket(before, (), first, counter, limit, end, fixed)


def _told(last: ir.If) -> tuple[ir.Symbol, ir.Body] | None:
    """The shared variable that tells whether a block is the last one, and what that does."""
    conditions = [bare(c) for c in conjuncts(last.cond)]
    flag = next((c.symbol for c in conditions if isinstance(c, ir.Var) and c.symbol.storage == "shared"), None)
    if flag is None:
        return None
    more = [c for c in conjuncts(last.cond) if not is_var(bare(c), flag)]
    end = last.then
    for cond in reversed(more):
        end = (ir.If(cond, end, (), span=last.span),)
    return (flag, end) if flag not in set(variables(end)) else None


def _drawn(
    body: ir.Body, flag: ir.Symbol, fixed: Locals
) -> tuple[ir.Place, ir.Expr | None, ir.Body] | None:  # fmt: skip
    """The counter and its limit, where `flag` tells whether a ticket is the last one; and what else is done."""
    *rest, told = body
    at = next((i for i, s in enumerate(rest) if isinstance(s, ir.Call) and s.function.startswith("atomic")), None)
    draw = rest[at] if at is not None else None
    if not isinstance(draw, ir.Call) or not isinstance(draw.result, ir.Var) or not isinstance(told, ir.Assign):
        return None
    ticket = draw.result.symbol
    behind = rest[(at or 0) + 1 :]
    own = dict(fixed)
    for s in behind:
        if not isinstance(s, ir.Declare) or s.init is None:
            return None
        own[s.symbol] = s.init
    value, limit = bare(_resolved(told.value, own)), None
    counter = pointee(draw.args[0])
    if not isinstance(told.target, ir.Var) or told.target.symbol is not flag or counter is None:
        return None
    if not (isinstance(value, ir.Binary) and value.op == "==" and _compares(value, ticket)):
        return None
    if draw.function == "atomicInc":
        limit = _resolved(draw.args[1], fixed)
        if not (_is_blocks(limit) or _is_blocks_less_one(limit)):
            return None
    elif draw.function != "atomicAdd" or integer_value(draw.args[1]) != 1:
        return None
    kept = tuple(s for s in rest[: at or 0] if not (isinstance(s, ir.Declare) and s.symbol is ticket))
    return counter, limit, kept


def _compares(value: ir.Binary, ticket: ir.Symbol) -> bool:
    """`ticket == gridDim.x - 1`, or the other way round."""
    sides = (_whole(value.left), _whole(value.right))
    return any(isinstance(a, ir.Var) and a.symbol is ticket and _is_blocks_less_one(b) for a, b in (sides, sides[::-1]))


def _whole(e: ir.Expr) -> ir.Expr:
    """What is converted to numbers that are no shorter."""
    while isinstance(e, ir.Cast) and isinstance(e.type, Int) and e.type.bits >= _BITS:
        e = e.operand
    return e


def _is_blocks(e: ir.Expr) -> bool:
    e = _whole(e)
    return isinstance(e, ir.ThreadIndex) and (e.name, e.axis) == ("gridDim", "x")


def _is_blocks_less_one(e: ir.Expr) -> bool:
    e = _whole(e)
    return isinstance(e, ir.Binary) and e.op == "-" and _is_blocks(e.left) and integer_value(e.right) == 1


def _is_first_thread(cond: ir.Expr) -> bool:
    """`threadIdx.x == 0`, and maybe the same along other axes."""
    of_x = any(isinstance(e, ir.ThreadIndex) and e.axis == "x" for e in walk_expr(cond))
    return of_x and all(
        isinstance(c, ir.Binary)
        and c.op == "=="
        and integer_value(c.right) == 0
        and isinstance(i := bare(c.left), ir.ThreadIndex)
        and i.name == "threadIdx"
        for c in conjuncts(cond)
    )


def _does_something(body: ir.Body) -> bool:
    return any(not isinstance(s, ir.Declare | ir.Comment) for s in body)


# --- what holds of them ----------------------------------------------------------------------------


def _is_complete(before: ir.Body, first: ir.Expr, fixed: Locals) -> bool:
    """Whether all that a block has written is written when its first thread draws: behind the last barrier nobody else
    writes to memory that blocks share."""
    barriers = [i for i, s in enumerate(before) if callees.is_block_barrier(s)]
    behind = before[barriers[-1] + 1 if barriers else 0 :]
    for s in behind:
        by_first = isinstance(s, ir.If) and not s.orelse and _resolved(s.cond, fixed) == first
        if not by_first and any(_writes_memory(inner) for inner in walk_stmts((s,))):
            return False
    return True


def _writes_memory(s: ir.Stmt) -> bool:
    """That other blocks see."""
    if isinstance(s, ir.Call):
        return not callees.calls(s, "fence", "barrier", "mathematics")
    if not isinstance(s, ir.Assign | ir.Update):
        return False
    root = root_symbol(s.target)
    return root is None or root.storage in ("global", "constant")


def _is_sound(kernel: ir.Function, t: Ticket) -> bool:
    """Whether the last block finds all that it uses in memory, and only it does something with the counter."""
    named = set(variables(t.counter))
    if any(isinstance(e, ir.ThreadIndex) for e in walk_expr(t.counter)):
        return False
    if not all(x.storage in ("param", "global") for x in named) or named & set(variables(t.before)):
        return False
    if not isinstance(t.counter.type, Int) or t.counter.type.bits != _BITS or _stores_integers(t.before):
        return False
    used = (set(variables(t.end)) - set(declared(t.end))).union(*map(variables, (*t.around, t.first)))
    inner = {x for x in used if x not in t.fixed and x.storage == "local"}
    changed = written(kernel.body)
    if inner or any(p in changed for p in kernel.params if p in used):
        return False
    resolved = substitute(dict(t.fixed), t.end)
    of_block = any(isinstance(e, ir.ThreadIndex) and e.name == "blockIdx" for e in walk_exprs(resolved))
    return not of_block and not any(isinstance(s, ir.Return) for s in walk_stmts(kernel.body))


def _stores_integers(body: ir.Body) -> bool:
    """Which might be the counter, under another name."""
    stores = (s for s in walk_stmts(body) if isinstance(s, ir.Assign | ir.Update))
    calls = any(callees.calls(s, "atomic") and isinstance(s.args[-1].type, Int) for s in walk_stmts(body))
    return calls or any(_writes_memory(s) and isinstance(s.target.type, Int) for s in stores)


def _fixed(kernel: ir.Function) -> Locals:
    """Variables that are set where they are declared, from parameters and positions alone."""
    changed = written(kernel.body) | exposed(kernel.body)
    found: dict[ir.Symbol, ir.Expr] = {}
    for x, init in constants(kernel.body).items():
        known = all(y in found or _stays(y, changed) for y in variables(init))
        if x.storage == "local" and known and _of_numbers(init):
            found[x] = substituted(found, init)
    return found


def _stays(x: ir.Symbol, changed: set[ir.Symbol]) -> bool:
    """Whether a name means the same wherever it stands."""
    return x not in changed and (x.storage == "param" or isinstance(x.type, Array))


def _of_numbers(e: ir.Expr) -> bool:
    """Whether an expression has nothing to do with memory, nor calls anything."""
    plain = ir.Const | ir.Var | ir.ThreadIndex | ir.Unary | ir.Binary | ir.Cast | ir.Select
    return all(isinstance(inner, plain) for inner in walk_expr(e))


def _resolved(e: ir.Expr, fixed: Locals) -> ir.Expr:
    return substituted(fixed, e)


def _is_for_all(cond: ir.Expr, fixed: Locals) -> bool:
    """Whether a condition is the same for all threads of a launch: of parameters, and the numbers of blocks and
    threads."""
    cond = _resolved(cond, fixed)
    of_launch = ("gridDim", "blockDim")
    positions = all(e.name in of_launch for e in walk_expr(cond) if isinstance(e, ir.ThreadIndex))
    return positions and _of_numbers(cond) and all(x.storage == "param" for x in variables(cond))
