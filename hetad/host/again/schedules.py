"""Time loops that ask a schedule of checkpoints what to do, in a derivative that is differentiated again: each as it
runs where nothing is limited.

    hetad_open_loop(12, trips);                     at = 0; until = trips;
    hetad_next(&action, &at, &until);               for (; at < until; ++at) { step }
    while (action != HETAD_FINISHED) {      ->      hetad_push(&until, 8);
        ... for (; at < until; ++at) { step }
        hetad_next(&action, &at, &until);
    }

In the reverse sweep the number of steps is popped, and the steps are reversed one by one.
"""

from __future__ import annotations

from hetad.analysis.pointer_expressions import out_place
from hetad.ir import nodes as ir
from hetad.ir.build import address_of, convert, integer
from hetad.ir.types import SIZE_T, size_of
from hetad.ir.visit import map_bodies
from hetad.rules import operations


def without_schedules(body: ir.Body) -> ir.Body:
    """The statements, with plain loops in the place of those that have a schedule."""
    found: list[ir.Stmt] = []
    opened: ir.Call | None = None
    asked: ir.Call | None = None
    for s in body:
        s = map_bodies(without_schedules, s)
        if operations.does(s, operations.open_loop, operations.reopen_loop):
            opened = s
        elif opened is not None and operations.does(s, operations.next_action):
            asked = s
        elif opened is not None and asked is not None and isinstance(s, ir.While):
            found += _plain(opened, asked, s)
            opened = asked = None
        else:
            found.append(s)
    unchanged = len(found) == len(body) and all(x is s for x, s in zip(found, body, strict=True))
    return body if unchanged or opened is not None else tuple(found)


def _plain(opened: ir.Call, asked: ir.Call, loop: ir.While) -> ir.Body:
    span = opened.span
    at, until = (out_place(arg) for arg in asked.args[1:])
    assert at is not None and until is not None
    steps = [s for s in loop.body if isinstance(s, ir.For | ir.While)][-1]
    none = integer(0, span, SIZE_T)
    size = integer(size_of(SIZE_T), span, SIZE_T)
    if operations.does(opened, operations.open_loop):
        start = ir.Assign(at, none, span=span), ir.Assign(until, convert(opened.args[1], SIZE_T), span=span)
        return (*start, steps, operations.push(address_of(until), size, span=span))
    taken = operations.pop(address_of(at), size, span=span)
    return taken, ir.Assign(until, none, span=span), steps
