"""The call graph of a program: host functions, the kernels they launch, the device functions those call."""

from __future__ import annotations

from typing import Literal

import networkx as nx

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts

EdgeKind = Literal["call", "launch"]


def call_graph(program: ir.Program) -> nx.DiGraph[str]:
    """Nodes are function names with attribute `kind`; edges have `kind` (call or launch) and `spans` of the sites."""
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
    graph = call_graph(program)
    reached = graph.subgraph(nx.descendants(graph, entry) | {entry})
    if not nx.is_directed_acyclic_graph(reached):
        cycle = nx.find_cycle(reached, entry)
        caller, callee = cycle[-1][0], cycle[-1][1]
        raise UnsupportedError(
            f"'{callee}' calls itself" if caller == callee else f"'{callee}' calls itself through '{caller}'",
            graph.edges[caller, callee]["spans"][0],
            "write the recursion as a loop: hetad does not reverse recursion",
        )
    order = list(program.functions)
    return tuple(reversed(list(nx.lexicographical_topological_sort(reached, key=order.index))))


def call_sites(s: ir.Stmt) -> list[tuple[str, EdgeKind, Span]]:
    """What a statement itself calls or launches, and where."""
    found: list[tuple[str, EdgeKind, Span]] = []
    if isinstance(s, ir.Call):
        found.append((s.function, "call", s.span))
    elif isinstance(s, ir.Launch):
        found.append((s.kernel, "launch", s.span))
    for own in own_exprs(s):
        found += [(e.function, "call", e.span) for e in walk_expr(own) if isinstance(e, ir.CallExpr)]
    return found
