"""The call graph of a program: host functions, the kernels they launch, the device functions those call."""

from __future__ import annotations

import heapq
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Literal

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import own_nodes, walk_stmts

if TYPE_CHECKING:
    import networkx as nx

EdgeKind = Literal["call", "launch"]


def call_graph(program: ir.Program) -> nx.DiGraph[str]:
    """Nodes are function names with attribute `kind`; edges have `kind` (call or launch) and `spans` of the sites."""
    import networkx as nx  # slow to load, and not needed where no cycle has to be explained

    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, function in program.functions.items():
        graph.add_node(name, kind=function.kind, span=function.span)
    for name, function in program.functions.items():
        for s in walk_stmts(function.body):
            for callee, kind, span in call_sites(s):
                if callee not in program.functions:
                    continue
                if not graph.has_edge(name, callee):
                    graph.add_edge(name, callee, kind=kind, spans=[])
                graph.edges[name, callee]["spans"].append(span)
    return graph


def bottom_up(program: ir.Program, entry: str) -> tuple[str, ...]:
    """The functions that `entry` reaches, callees before callers.

    Raises UnsupportedError, at the call that closes a cycle, for recursion.
    """
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
    try:
        sorter.prepare()
    except CycleError:
        raise _recursion(program, entry) from None
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


def _recursion(program: ir.Program, entry: str) -> UnsupportedError:
    import networkx as nx

    graph = call_graph(program)
    cycle = nx.find_cycle(graph.subgraph(nx.descendants(graph, entry) | {entry}), entry)
    caller, callee = cycle[-1][0], cycle[-1][1]
    return UnsupportedError(
        f"'{callee}' calls itself" if caller == callee else f"'{callee}' calls itself through '{caller}'",
        graph.edges[caller, callee]["spans"][0],
        "write the recursion as a loop: hetad does not reverse recursion",
    )


def call_sites(s: ir.Stmt) -> list[tuple[str, EdgeKind, Span]]:
    """What a statement itself calls or launches, and where."""
    found: list[tuple[str, EdgeKind, Span]] = []
    if isinstance(s, ir.Call):
        found.append((s.function, "call", s.span))
    elif isinstance(s, ir.Launch):
        found.append((s.kernel, "launch", s.span))
    found += [(e.function, "call", e.span) for e in own_nodes(s) if isinstance(e, ir.CallExpr)]
    return found
