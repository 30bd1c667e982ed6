"""A layered layout, callers left of callees (Sugiyama, Tagawa and Toda 1981), enough for call graphs.

1. Arrows that close a cycle are set aside; each function goes one column right of its right-most caller.
2. An arrow across several columns gets a waypoint in each column it crosses.
3. Within the columns, rows are sorted by the mean row of their neighbours, forth and back, while crossings decrease.
4. Rows move towards the mean of their neighbours as far as the gaps allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from hetad.draw.graph import Edge, Graph
from hetad.draw.network import network_of

_SWEEPS = 12
# An item of a column: a function's name, or the waypoint of the arrow number `int`.
Item = str | tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """Columns count from the left, rows (fractions allowed) from the top.

    `waypoints[i]` are the (column, row) that edge `i` of the graph passes between its ends, left to right; `backward`
    holds the edges that run against the columns, self-calls included.
    """

    column: Mapping[str, int]
    row: Mapping[str, float]
    waypoints: Mapping[int, Sequence[tuple[int, float]]]
    backward: frozenset[int]


def layout(graph: Graph) -> Layout:
    """Where each function goes, and which way each arrow takes."""
    network = network_of(graph)
    closing = _closing_cycles(network)
    backward = frozenset(i for i, edge in enumerate(graph.edges) if (edge.caller, edge.callee) in closing)
    forward = {i: edge for i, edge in enumerate(graph.edges) if i not in backward}
    network.remove_edges_from(closing)
    column = _columns(network)
    columns, links = _with_waypoints(graph, forward, column)
    _reduce_crossings(columns, links)
    rows = _rows(columns, links)
    waypoints = {
        i: [(c, rows[i, c]) for c in range(column[edge.caller] + 1, column[edge.callee])] for i, edge in forward.items()
    }
    return Layout(column, {node.name: rows[node.name] for node in graph.nodes}, waypoints, backward)


def _closing_cycles(network: nx.DiGraph[str]) -> frozenset[tuple[str, str]]:
    """Who calls whom where that leads back to a function whose call is still open, in depth-first order."""
    open_: set[str] = set()
    closing: set[tuple[str, str]] = set()
    for caller, callee, step in nx.dfs_labeled_edges(network):
        match step:
            case "forward":
                open_.add(callee)
            case "reverse":
                open_.discard(callee)
            case _ if callee in open_:
                closing.add((caller, callee))
    return frozenset(closing)


def _columns(forward: nx.DiGraph[str]) -> dict[str, int]:
    """Longest path from a function that nobody calls; then such functions move next to what they call."""
    column = {name: number for number, names in enumerate(nx.topological_generations(forward)) for name in names}
    called = {callee for _, callee in forward.edges}
    nearest = {name: min(map(column.__getitem__, forward[name])) for name in forward if forward[name]}
    return column | {name: first - 1 for name, first in nearest.items() if name not in called}


def _with_waypoints(
    graph: Graph, forward: Mapping[int, Edge], column: Mapping[str, int]
) -> tuple[list[list[Item]], list[tuple[Item, Item]]]:
    columns: list[list[Item]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for node in graph.nodes:
        columns[column[node.name]].append(node.name)
    links: list[tuple[Item, Item]] = []
    for i, edge in forward.items():
        previous: Item = edge.caller
        for c in range(column[edge.caller] + 1, column[edge.callee]):
            columns[c].append((i, c))
            links.append((previous, (i, c)))
            previous = (i, c)
        links.append((previous, edge.callee))
    return columns, links


def _neighbours(links: Iterable[tuple[Item, Item]], to_left: bool) -> dict[Item, list[Item]]:
    found: dict[Item, list[Item]] = {}
    for left, right in links:
        here, there = (right, left) if to_left else (left, right)
        found.setdefault(here, []).append(there)
    return found


def _reduce_crossings(columns: list[list[Item]], links: Sequence[tuple[Item, Item]]) -> None:
    """Sorts each column by the mean row of the neighbours in the column before, forth and back; keeps the best."""
    best, fewest = [list(items) for items in columns], _crossings(columns, links)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        to_left = sweep % 2 == 0
        neighbours = _neighbours(links, to_left)
        order = columns if to_left else columns[::-1]
        for items in order[1:]:
            place = _places(columns)
            mean = {x: _mean([place[n] for n in neighbours.get(x, [])], place[x]) for x in items}
            items.sort(key=mean.__getitem__)
        count = _crossings(columns, links)
        if count < fewest:
            best, fewest = [list(items) for items in columns], count
    columns[:] = best


def _places(columns: Sequence[Sequence[Item]]) -> dict[Item, float]:
    return {item: float(i) for items in columns for i, item in enumerate(items)}


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(columns: Sequence[Sequence[Item]], links: Sequence[tuple[Item, Item]]) -> int:
    place = _places(columns)
    column = {item: c for c, items in enumerate(columns) for item in items}
    count = 0
    for k, (a, b) in enumerate(links):
        for c, d in links[k + 1 :]:
            if column[a] == column[c] and (place[a] - place[c]) * (place[b] - place[d]) < 0:
                count += 1
    return count


def _rows(columns: Sequence[Sequence[Item]], links: Sequence[tuple[Item, Item]]) -> dict[Item, float]:
    """Rows that keep the order and a distance of one, pulled towards the mean row of the neighbours."""
    row = _places(columns)
    neighbours = _neighbours(links, to_left=True)
    for item, others in _neighbours(links, to_left=False).items():
        neighbours.setdefault(item, []).extend(others)
    for _ in range(_SWEEPS):
        for items in columns:
            wish = [_mean([row[n] for n in neighbours.get(x, [])], row[x]) for x in items]
            for item, placed in zip(items, _spread(wish), strict=True):
                row[item] = placed
    top = min(row.values(), default=0.0)
    return {item: value - top for item, value in row.items()}


def _spread(wish: Sequence[float]) -> list[float]:
    """The rows nearest to `wish` (least squares) that stay in order, a distance of at least one apart.

    Items that would overlap form a group around the mean of their wishes (pool adjacent violators).
    """
    groups: list[tuple[float, int]] = []  # mean of (wish - index in order), count
    for i, value in enumerate(wish):
        mean, count = value - i, 1
        while groups and groups[-1][0] > mean:
            other, size = groups.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        groups.append((mean, count))
    flat = [mean for mean, count in groups for _ in range(count)]
    return [value + i for i, value in enumerate(flat)]
