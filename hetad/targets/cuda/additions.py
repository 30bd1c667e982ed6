"""Loops in which all lanes of a warp add to one cell of shared memory: their sum is added once.

    for (int k = 0; k < n; ++k)                      for (int k = 0; k < n; ++k)
        atomicAdd(&sums[k], weight);         →           hetad_warp_add_double(&sums[k], weight);

A GPU adds numbers with a fraction to shared memory by compare-and-swap, in a loop that its compiler writes.  Where
nothing comes before the addition in the body of a loop, and its address is the same for all lanes, ptxas of CUDA 13.0
(-O1 and above, sm_90) makes one loop of the two: while some lanes try again, the index goes on for all, and sums are
added to other cells, or outside of the array.  With a sum over the warp in front there are two loops, and one lane
adds.  This holds for programs as their users wrote them, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from hetad.adjoint.canonicalise.uses import inside
from hetad.analysis.pointer_expressions import out_place
from hetad.device.accumulation.differences import Differences
from hetad.device.accumulation.increments import increment
from hetad.device.accumulation.warps import picks
from hetad.ir import nodes as ir
from hetad.ir.places import chosen_by, reached_by, root_symbol
from hetad.ir.types import DOUBLE, FLOAT, Pointer
from hetad.ir.visit import declared, mentions, same_or, walk_exprs, walk_stmts
from hetad.rules import operations

_LOOPS = (ir.For, ir.While, ir.DoWhile)


def with_sums_in_loops(program: ir.Program) -> ir.Program:
    """The program with these additions as sums over warps."""
    given = _given_shared(program)
    functions = {}
    for name, f in program.functions.items():
        functions[name] = f
        pointers = _may_be_shared(f) | given.get(name, set())
        if f.kind != "host" and (pointers or any(x.storage == "shared" for x in declared(f.body))):
            # A function that another one calls may be called in a loop.
            body = _Additions(f.body, pointers).block(f.body, in_loop=name in given)
            functions[name] = f if body is f.body else replace(f, body=body)
    return replace(program, functions=functions) if functions != program.functions else program


class _Additions:
    def __init__(self, body: ir.Body, pointers: Collection[ir.Symbol]) -> None:
        """`pointers`: those that may lead to shared memory."""
        self._pointers, self._lanes = pointers, Differences(body, of_warp=True)

    def block(self, body: ir.Body, in_loop: bool) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            if isinstance(s, ir.If) and picks(s.cond, self._lanes):
                out.append(s)
            elif in_loop and self._meets_itself(s):
                assert isinstance(s, ir.Call)
                out.append(operations.warp_add(*s.args, span=s.span))
            else:
                out.append(inside(partial(self.block, in_loop=in_loop or isinstance(s, _LOOPS)), s))
        return same_or(body, tuple(out))

    def _meets_itself(self, s: ir.Stmt) -> bool:
        """Whether all lanes add a number to one cell of memory that may be shared."""
        found = increment(s)
        place = out_place(found.statement.args[0]) if found is not None else None
        if place is None or place.type not in (FLOAT, DOUBLE) or any(map(self._lanes.differ_in, chosen_by(place))):
            return False
        root, pointer = root_symbol(place), reached_by(place)
        if root is not None or pointer is None:
            return root is not None and root.storage == "shared"
        return pointer in self._pointers and not self._lanes.differ_in(ir.Var(pointer, span=s.span))


def _may_be_shared(f: ir.Function) -> set[ir.Symbol]:
    """Pointers of a function's own, if it has shared memory."""
    own = declared(f.body)
    return {x for x in own if isinstance(x.type, Pointer)} if any(x.storage == "shared" for x in own) else set()


def _given_shared(program: ir.Program) -> dict[str, set[ir.Symbol]]:
    """The parameters of functions that a call gives shared memory, or what may lead there."""
    given: dict[str, set[ir.Symbol]] = {}
    waiting = [f for f in program.functions.values() if f.kind != "host"]
    while waiting:
        f = waiting.pop()
        known = _may_be_shared(f) | given.get(f.name, set()) | {x for x in declared(f.body) if x.storage == "shared"}
        for name, args in _calls(f.body) if known else ():
            callee = program.functions.get(name)
            if callee is None:
                continue
            pairs = zip(callee.params, args, strict=False)
            found = {p for p, arg in pairs if isinstance(p.type, Pointer) and not known.isdisjoint(mentions(arg))}
            if not found <= given.get(name, set()):
                given.setdefault(name, set()).update(found)
                waiting.append(callee)
    return given


def _calls(body: ir.Body) -> Iterator[tuple[str, tuple[ir.Expr, ...]]]:
    yield from ((s.function, s.args) for s in walk_stmts(body) if isinstance(s, ir.Call))
    yield from ((e.function, e.args) for e in walk_exprs(body) if isinstance(e, ir.CallExpr))
