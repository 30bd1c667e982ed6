"""What the last block of a launch does, as a launch of its own (`analysis/tickets.py`).

    sum<<<blocks, 256>>>(x, out, n);            sum<<<blocks, 256>>>(x, out, n);
                                                sum_last_block<<<1, 256>>>(x, out, n, blocks);

The last block comes when all others are done, as the second launch does, so that the reverse sweep takes back first
what it has done.  It finds the counter as the launch has found it: at zero, or the last ticket is drawn by none, or
there is a race.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from hetad.analysis.coordinates import AXES
from hetad.analysis.tickets import Ticket, ticket_of
from hetad.analysis.within import reach
from hetad.device.accumulation.axes import extent_along
from hetad.frontend.quote import Quote, Scope
from hetad.host.kernels.extents import number_along
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import Names, binary, convert, integer, var
from hetad.ir.places import cells_read, constants
from hetad.ir.types import UINT, VOID, Array, Pointer, innermost, size_of
from hetad.ir.visit import declared, map_body, map_exprs, substitute, variables, walk_exprs, walk_stmts
from hetad.ir.volatile import plain, plain_expression, plain_symbols, volatile_places, without_volatile
from hetad.passes.manager import program_pass
from hetad.passes.task import Task

T = TypeVar("T", bound=Task)

_OPENING = Quote("""
unsigned int drawn = counter;
__syncthreads();
""")
_ADDED = Quote("if (draws) counter = drawn + blocks;")
_COUNTED = Quote("""
if (draws) counter = drawn <= limit ? (drawn + blocks) % (limit + 1) : (blocks - 1) % (limit + 1);
""")
_ENDING = Quote("if (drawn == 0) { end; }")


@program_pass("split-last-blocks")
def split_last_blocks(task: T) -> T:
    """The program in which what the last block of a launch does is another launch, wherever that is known to be the
    same."""
    host = task.function
    launches = [s for s in walk_stmts(host.body) if isinstance(s, ir.Launch)]
    names = Names(task.functions)
    known = constants(host.body)
    made: dict[str, tuple[ir.Function, ir.Function]] = {}
    for name, kernel in task.kernels.items():
        found = ticket_of(kernel)
        of_kernel = [s for s in launches if s.kernel == name]
        if found is not None and of_kernel and all(_suits(kernel, found, s, known) for s in of_kernel):
            some = all(number_along(s.grid, "x", known) or 0 for s in of_kernel)
            last = _last_block(kernel, found, names.fresh(f"{name}_last_block"), some)
            made[name] = _plainly(replace(kernel, body=found.before), last)
    if not made:
        return task

    def both(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Launch) or s.kernel not in made:
            return s
        one = integer(1, s.span, UINT)
        first, last = made[s.kernel]
        args = tuple(
            plain_expression(a) if p.type == plain(p.type) else a for p, a in zip(first.params, s.args, strict=True)
        )
        blocks = extent_along(s.grid, "x")
        return replace(s, args=args), replace(s, kernel=last.name, grid=one, args=(*args, blocks))

    functions = {**task.functions, host.name: replace(host, body=map_body(both, host.body))}
    as_written = dict(task.written)
    for name, (kernel, last) in made.items():
        functions[name], functions[last.name] = kernel, last
        as_written[name], as_written[last.name] = _shorter(task.written.get(name), kernel), last
    return replace(task, functions=functions, written=as_written)


def _shorter(as_written: ir.Function | None, kernel: ir.Function) -> ir.Function:
    """The kernel that is launched first, with the calls that its text has, where that can be."""
    found = ticket_of(as_written) if as_written is not None and as_written.params == kernel.params else None
    return replace(as_written, body=found.before) if as_written is not None and found is not None else kernel


def _plainly(kernel: ir.Function, last: ir.Function) -> tuple[ir.Function, ir.Function]:
    """Both kernels, without the word `volatile` where it says nothing any more: of parameters through which the first
    stores what the last block reads."""
    places = [*volatile_places(kernel.body), *volatile_places(last.body)]
    instead = plain_symbols((*kernel.params, *last.params))
    read = {_through(cell) for s in walk_stmts(kernel.body) for cell in cells_read(s)}
    if not instead or not all(_through(place) in instead.keys() - read for place in places):
        return kernel, last

    def told(f: ir.Function) -> ir.Function:
        params = tuple(instead.get(p, p) for p in f.params)
        return replace(f, params=params, body=without_volatile(f.body, instead))

    return told(kernel), told(last)


def _through(place: ir.Expr) -> ir.Symbol | None:
    """The pointer that a place is reached by."""
    return place.base.symbol if isinstance(place, ir.Index) and isinstance(place.base, ir.Var) else None


# --- the kernel of the last block ------------------------------------------------------------------


def _last_block(kernel: ir.Function, t: Ticket, name: str, some: bool) -> ir.Function:
    """The kernel that does what the last block does, with one more parameter, the number of blocks; `some`: which is
    never 0."""
    names, span = Names({x.name for x in (*kernel.params, *declared(kernel.body))}), t.counter.span
    blocks = names.symbol("blocks", UINT, span, "param")
    text = Scope(names, span, counter=t.counter, draws=t.first, blocks=blocks)
    opening = text(_OPENING)
    counted = text(_ADDED) if t.limit is None else text(_COUNTED, limit=convert(t.limit, UINT))
    body = (*opening, *counted, *text(_ENDING, end=t.end))
    there_are = () if some else (binary(">", var(blocks, span), integer(0, span, UINT)),)
    for cond in reversed((*there_are, *t.around)):
        body = (ir.If(cond, body, (), span=cond.span),)
    needed = set(variables(body)) - set(declared(t.end))
    first: list[ir.Stmt] = []
    for s in reversed([s for s in walk_stmts(kernel.body) if isinstance(s, ir.Declare)]):
        if s.symbol in needed and (s.symbol in t.fixed or s.symbol.storage == "shared"):
            first.insert(0, s)
            needed.update(variables((s,)))
    params = (*kernel.params, blocks)
    comment = f"What the last block of {kernel.name} does."
    return replace(kernel, name=name, params=params, body=_of_one_block((*first, *body), blocks), comment=comment)


def _of_one_block(body: ir.Body, blocks: ir.Symbol) -> ir.Body:
    """The statements of a launch of `blocks` blocks along x, in one block."""

    def told(e: ir.Expr) -> ir.Expr:
        if not isinstance(e, ir.ThreadIndex) or e.name != "gridDim":
            return e
        return var(blocks, e.span) if e.axis == "x" else integer(1, e.span, UINT)

    return map_exprs(told, body)


# --- whether it is the same ------------------------------------------------------------------------


def _suits(kernel: ir.Function, t: Ticket, s: ir.Launch, known: Mapping[ir.Symbol, ir.Expr]) -> bool:
    """Whether a launch has blocks along x alone, whose first thread is the one that draws, and the last block reads
    nothing in shared memory that it has not stored there."""
    many = [number_along(s.grid, axis, known) for axis in AXES]
    block = [number_along(s.block, axis, known) for axis in AXES]
    if many[1:] != [1, 1] or block[1:] != [1, 1] or block[0] is None:
        return False
    end = substitute(dict(t.fixed), t.end)
    return _is_filled(end, t) and _stays_in(kernel, end, block[0])


def _is_filled(end: ir.Body, t: Ticket) -> bool:
    """Whether the first that is done with each shared variable gives it values in all threads."""
    for x in _shared(end):
        s = next(s for s in end if x in set(variables((s,))))
        if not isinstance(x.type, Array) and isinstance(s, ir.If) and s.cond == t.first and s.then and not s.orelse:
            s = next(inner for inner in s.then if x in set(variables((inner,))))
        if not isinstance(s, ir.Assign) or x in set(variables(s.value)):
            return False
        if isinstance(s.target, ir.Var):
            continue
        at = bare(s.target.index) if isinstance(s.target, ir.Index) and _names(s.target.base, x) else None
        if not isinstance(at, ir.ThreadIndex) or (at.name, at.axis) != ("threadIdx", "x"):
            return False
    return True


def _stays_in(kernel: ir.Function, end: ir.Body, threads: int) -> bool:
    """Whether nothing is accessed in a shared array but the cells of so many threads."""
    arrays = [x for x in _shared(end) if isinstance(x.type, Array)]
    cells = {x: ir.Symbol(x.name, Pointer(innermost(x.type)), x.span, "param") for x in arrays}
    accesses = [e for e in walk_exprs(end) if isinstance(e, ir.Index) and any(_names(e.base, x) for x in arrays)]
    if len(accesses) != sum(x in cells for x in variables(end)):
        return False
    params = tuple(replace(p) for p in (*kernel.params, *cells.values()))
    span = kernel.span
    one, block = integer(1, span, UINT), integer(threads, span, UINT)
    launch = ir.Launch(kernel.name, one, block, None, None, tuple(var(p) for p in params), span=span)
    whole = ir.Function("whole", "host", params, VOID, (launch,), span)
    given = (*kernel.params, *cells.values())
    alone = replace(kernel, params=given, body=substitute(dict(cells), end))
    found = reach(ir.Program({"whole": whole, kernel.name: alone}), "whole", {}, frozenset())
    if found is None or found.unproven & {e.span for e in accesses}:
        return False
    passed = zip(params[len(kernel.params) :], cells.values(), strict=True)
    return not any(any(found.beyond(p, threads * size_of(x.type.to))) for p, x in passed if isinstance(x.type, Pointer))


def _shared(body: ir.Body) -> list[ir.Symbol]:
    own = set(declared(body))
    return list(dict.fromkeys(x for x in variables(body) if x.storage == "shared" and x not in own))


def _names(base: ir.Expr, array: ir.Symbol) -> bool:
    base = bare(base)
    return isinstance(base, ir.Var) and base.symbol is array
