"""What a picture of the call graph shows: functions, and who calls or launches whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from hetad.analysis.callgraph import EdgeKind, call_sites
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts

NodeKind = Literal["host", "kernel", "device", "unsupported"]


@dataclass(frozen=True)
class Node:
    name: str
    kind: NodeKind
    line: int | None = None

    @property
    def caption(self) -> str:
        """The small print under the name."""
        words = {"host": "host", "kernel": "__global__", "device": "__device__", "unsupported": "not supported"}
        return words[self.kind] + (f", line {self.line}" if self.line is not None else "")


@dataclass(frozen=True)
class Edge:
    """`lines` are the lines of the call sites."""

    caller: str
    callee: str
    kind: EdgeKind
    lines: tuple[int, ...]

    @property
    def caption(self) -> str:
        verb = "launches" if self.kind == "launch" else "calls"
        places = ", ".join(map(str, self.lines))
        return f"{self.caller} {verb} {self.callee} (line{'s' if len(self.lines) > 1 else ''} {places})"


@dataclass(frozen=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph_of(functions: Iterable[ir.Function], unsupported: Iterable[str] = ()) -> Graph:
    """The call graph of some functions of a program; calls of functions that are not among them are left out.

    Args:
        functions: in the order of the source; the first of two with the same name counts.
        unsupported: names of functions that could not be read, drawn without what they call.
    """
    known: dict[str, ir.Function] = {}
    for function in functions:
        known.setdefault(function.name, function)
    nodes = [Node(f.name, _kind(f), f.span.line) for f in known.values()]
    nodes += [Node(name, "unsupported") for name in unsupported if name not in known]
    names = {node.name for node in nodes}
    edges = [edge for function in known.values() for edge in _edges(function, names)]
    return Graph(tuple(sorted(nodes, key=lambda n: (n.line is None, n.line or 0, n.name))), tuple(edges))


def _kind(function: ir.Function) -> NodeKind:
    return "device" if function.kind in {"device", "host device"} else function.kind  # type: ignore[return-value]


def _edges(function: ir.Function, names: set[str]) -> Iterator[Edge]:
    sites: dict[tuple[str, EdgeKind], dict[int, None]] = {}
    for stmt in walk_stmts(function.body):
        for callee, kind, span in call_sites(stmt):
            if callee in names:
                sites.setdefault((callee, kind), {})[span.line] = None
    for (callee, kind), lines in sites.items():
        yield Edge(function.name, callee, kind, tuple(lines))
