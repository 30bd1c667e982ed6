"""What a picture of the call graph shows: functions, and who calls or launches whom."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hetad.analysis.callgraph import EdgeKind, call_sites
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts

NodeKind = Literal["host", "kernel", "device", "unsupported"]


@dataclass(frozen=True)
class Node:
    """`shown`: the name as a user writes it, where that is another."""

    name: str
    kind: NodeKind
    line: int | None = None
    shown: str = ""

    @property
    def title(self) -> str:
        return self.shown or self.name

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

    def caption(self, titles: Mapping[str, str]) -> str:
        """`titles`: of the nodes by their names."""
        verb = "launches" if self.kind == "launch" else "calls"
        places = ", ".join(map(str, self.lines))
        who, whom = titles[self.caller], titles[self.callee]
        return f"{who} {verb} {whom} (line{'s' if len(self.lines) > 1 else ''} {places})"


@dataclass(frozen=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph_of(
    functions: Iterable[ir.Function], unsupported: Iterable[str] = (), shown: Callable[[str], str] = str,
    is_hidden: Callable[[str], bool] = lambda _: False,
) -> Graph:  # fmt: skip
    """The call graph of some functions of a program; calls of functions that are not among them are left out.

    Args:
        functions: in the order of the source; the first of two with the same name counts.
        unsupported: names of functions that could not be read, drawn without what they call.
        shown: what a user calls a function.
        is_hidden: of which files no function is drawn; what they call counts as called by their callers.
    """
    known: dict[str, ir.Function] = {}
    for function in functions:
        known.setdefault(function.name, function)
    hidden = {f.name for f in known.values() if is_hidden(f.span.file)}
    nodes = [Node(f.name, _kind(f), f.span.line, shown(f.name)) for f in known.values() if f.name not in hidden]
    nodes += [Node(name, "unsupported") for name in unsupported if name not in known]
    names = {node.name for node in nodes}
    direct = {f.name: list(_edges(f, names | hidden)) for f in known.values()}
    edges = [edge for name in direct if name not in hidden for edge in _through(name, direct, hidden)]
    return Graph(tuple(sorted(nodes, key=lambda n: (n.line is None, n.line or 0, n.name))), tuple(edges))


def _through(caller: str, direct: Mapping[str, Sequence[Edge]], hidden: Collection[str]) -> Iterator[Edge]:
    """The edges of a function, with those of hidden ones that it calls in the place of calls of these."""
    found: dict[tuple[str, EdgeKind], dict[int, None]] = {}
    waiting, seen = [(edge, edge.lines) for edge in reversed(direct[caller])], set[tuple[str, tuple[int, ...]]]()
    while waiting:
        edge, lines = waiting.pop()
        if edge.callee not in hidden:
            found.setdefault((edge.callee, edge.kind), {}).update(dict.fromkeys(lines))
        elif (edge.callee, lines) not in seen:
            seen.add((edge.callee, lines))
            waiting += [(inner, lines) for inner in reversed(direct[edge.callee])]
    for (callee, kind), lines_ in found.items():
        yield Edge(caller, callee, kind, tuple(lines_))


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
