"""The call graph as one of networkx, for whoever asks more of it than a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from hetad.draw.graph import Graph


def network_of(graph: Graph) -> nx.DiGraph[str]:
    """Nodes are names, with `kind` and `line`; edges have the kinds of calls that there are, each with its `lines`."""
    network: nx.DiGraph[str] = nx.DiGraph()
    for node in graph.nodes:
        network.add_node(node.name, kind=node.kind, line=node.line)
    for edge in graph.edges:
        network.add_edge(edge.caller, edge.callee, **{edge.kind: edge.lines})
    return network
