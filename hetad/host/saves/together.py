"""Time loops in which ranks meet, and run all steps together, so that one schedule fits all (`mpi_loops.c`)."""

from __future__ import annotations

from collections.abc import Iterator

from hetad.analysis import messages
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.places import written
from hetad.ir.types import REQUEST, innermost
from hetad.ir.visit import declared, variables, walk_stmts
from hetad.memops.communication import HEADER, STARTS
from hetad.memops.table import TABLE

_WORLD = "MPI_COMM_WORLD"


Reason = str


def communicator(function: ir.Function, loop: ir.For | ir.While) -> ir.Expr | Reason | None:
    """That of the ranks that meet in a loop; None if none do; why a step cannot be run again by all of them.

    All ranks come to the loop, which stands under no condition; what a step starts ends in it, for its requests are the
    step's own; and a step makes nothing that outlives it.
    """
    meetings = [s for s in walk_stmts(loop.body) if isinstance(s, ir.Call) and messages.meets(s)]
    if not meetings:
        return None
    if not any(s is loop for s in _always_run(function.body)):
        return f"'{meetings[0].function}' in it waits for other ranks, who may not all come to the loop"
    if any(_receives_unseen(s) for s in walk_stmts(function.body)):
        return "whole numbers are received with requests, so that nobody knows which messages are on their way"
    own = set(declared(loop.body))
    found: dict[ir.Expr, None] = {}
    for s in meetings:
        row = TABLE[s.function]
        if row.header != HEADER or not _can_be_repeated(s.function):
            return f"'{s.function}' in it waits for other ranks, and cannot be done again"
        if row.action == "start" and not any(x in own for x in _requests(s)):
            return f"'{s.function}' in it starts what may end in another step: declare its request in the loop's body"
        at = row.position("communicator")
        found |= {bare(s.args[at]): None} if at is not None else {}
    world = [c for c in found if isinstance(c, ir.Const) and c.text == _WORLD]
    chosen = world[0] if world else next(iter(found)) if len(found) == 1 else None
    changed = written((loop,)) | set(declared((loop,)))
    if chosen is None or not changed.isdisjoint(variables(chosen)):
        return "messages in it go along several communicators, none of them MPI_COMM_WORLD"
    return chosen


def meet(body: ir.Body) -> bool:
    """Whether ranks meet in some loop of a body."""
    return any(messages.meets(inner) for s in walk_stmts(body) if isinstance(s, ir.For) for inner in walk_stmts(s.body))


def _receives_unseen(s: ir.Stmt) -> bool:
    """Whether a receive starts of whose end nothing is noted: of what has no derivative."""
    row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
    return row is not None and row.action == "start" and row.position("dst") is not None and messages.moves(s) is None


def _always_run(body: ir.Body) -> Iterator[ir.Stmt]:
    for s in body:
        yield s
        if isinstance(s, ir.Block):
            yield from _always_run(s.body)


def _requests(s: ir.Call) -> list[ir.Symbol]:
    return [x for x in variables(s.args[-1]) if innermost(x.type) == REQUEST]


def _can_be_repeated(function: str) -> bool:
    """Whether a function leaves no communicator behind, nor a request that is started more than once."""
    row = TABLE[function]
    made = function.endswith("_init") or function in STARTS
    return function in ("MPI_Barrier", "MPI_Probe", "MPI_Iprobe") or (row.action != "inert" and not made)
