"""Derivatives that free, whichever way they go, all that they have allocated: their text keeps no list of it.

    hetad_begin();                                          double *adj_x;
    double *adj_x;                                          hetad_device_zeros((void **)&adj_x, n * sizeof(double));
    hetad_device_zeros((void **)&adj_x, n * 8);       ->    ...
    ...                                                     hetad_device_free(adj_x);
    hetad_release(adj_x);
    hetad_end();

In text that stands alone a failure ends the program.  Where hetad runs a derivative it ends the call, and what is left
has to be found: there the list stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hetad.analysis.pointer_expressions import out_place
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.places import exposed, written
from hetad.ir.visit import walk_stmts
from hetad.rules import operations

_ON_HOST = (operations.host_malloc, operations.host_zeros)
_MEMORY = (*operations.ALLOCATIONS, operations.release)


def with_plain_frees(program: ir.Program, entry: str) -> ir.Program:
    """Unchanged where something may be left at the end, as far as the program shows; what the run-time support keeps
    for its functions, `support.is_kept_until_the_end` knows."""
    function = program.functions[entry]
    called = (f for name, f in program.functions.items() if name != entry)
    if any(operations.does(s, *_MEMORY) for f in called for s in walk_stmts(f.body)):
        return program
    body = tuple(s for s in function.body if not operations.does(s, operations.begin, operations.end))
    spaces = _freed_in_time(body)
    if spaces is None:
        return program
    freeing = tuple(_free(s, spaces) if operations.does(s, operations.release) else s for s in body)
    return replace(program, functions={**program.functions, entry: replace(function, body=freeing)})


def _freed_in_time(body: ir.Body) -> dict[ir.Symbol | None, bool] | None:
    """The variables that are given memory once, and freed once behind it, and whether that is on the device; None where
    something else may be left."""
    on_device: dict[ir.Symbol | None, bool] = {}
    released: set[ir.Symbol | None] = set()
    rest: list[ir.Stmt] = []
    for s in body:
        if operations.does(s, *operations.ALLOCATIONS):
            symbol = _given(s)
            if symbol is None or symbol in on_device:
                return None
            on_device[symbol] = not operations.does(s, *_ON_HOST)
        elif operations.does(s, operations.release):
            symbol = _variable(s.args[0])
            if symbol not in on_device or symbol in released:
                return None
            released.add(symbol)
        elif not isinstance(s, ir.Declare) or s.init is not None:
            rest.append(s)
    inside = list(walk_stmts(rest))
    returns = sum(isinstance(s, ir.Return) for s in inside) - (bool(body) and isinstance(body[-1], ir.Return))
    changed = written(tuple(rest)) | exposed(tuple(rest))
    inner = any(operations.does(s, *_MEMORY) for s in inside)
    return None if returns or inner or released != set(on_device) or not changed.isdisjoint(on_device) else on_device


def _given(s: ir.Call) -> ir.Symbol | None:
    """The variable that is given memory."""
    place = s.result if operations.does(s, *_ON_HOST) else out_place(s.args[0])
    return place.symbol if isinstance(place, ir.Var) else None


def _variable(pointer: ir.Expr) -> ir.Symbol | None:
    pointer = bare(pointer)
    return pointer.symbol if isinstance(pointer, ir.Var) else None


def _free(s: ir.Call, on_device: Mapping[ir.Symbol | None, bool]) -> ir.Call:
    free = operations.device_free if on_device[_variable(s.args[0])] else operations.host_free
    return free(*s.args, span=s.span)
