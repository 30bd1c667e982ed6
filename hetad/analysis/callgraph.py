"""The call graph of a program: host functions, the kernels they launch, the device functions those call."""

from __future__ import annotations

import heapq
from graphlib import TopologicalSorter
from typing import Literal

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.visit import own_nodes, walk_stmts

EdgeKind = Literal["call", "launch"]


def bottom_up(program: ir.Program, entry: str) -> tuple[str, ...]:
    """The functions that `entry` reaches, callees before callers; the fence lets no recursion through."""
    called: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in called:
            sites = [site for s in walk_stmts(program.functions[name].body) for site in call_sites(s)]
            called[name] = [callee for callee, _, _ in sites if callee in program.functions]
            waiting += called[name]
    callers = {name: [c for c, callees in called.items() if name in callees] for name in called}
    sorter = TopologicalSorter(callers)
    sorter.prepare()
    position = {name: i for i, name in enumerate(program.functions)}
    ready: list[tuple[int, str]] = []
    order: list[str] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heapq.heappush(ready, (position[name], name))
        _, first = heapq.heappop(ready)
        order.append(first)
        sorter.done(first)
    return tuple(reversed(order))


def call_sites(s: ir.Stmt) -> list[tuple[str, EdgeKind, Span]]:
    """What a statement itself calls or launches, and where."""
    found: list[tuple[str, EdgeKind, Span]] = []
    if isinstance(s, ir.Call):
        found.append((s.function, "call", s.span))
    elif isinstance(s, ir.Launch):
        found.append((s.kernel, "launch", s.span))
    found += [(e.function, "call", e.span) for e in own_nodes(s) if isinstance(e, ir.CallExpr)]
    return found
