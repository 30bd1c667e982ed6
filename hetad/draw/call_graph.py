"""The call graph of a program: `hetad.call_graph`, and what `hetad graph` draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hetad.diagnostics import SourceError
from hetad.draw import text
from hetad.draw.graph import Graph, graph_of
from hetad.frontend.shipped import is_shipped

if TYPE_CHECKING:
    import networkx as nx

    from hetad.api import Program
    from hetad.frontend.unit import Unit
    from hetad.ir.nodes import Function


@dataclass(frozen=True)
class CallGraph:
    """A call graph; Jupyter shows it as a picture."""

    graph: Graph
    title: str

    @cached_property
    def svg(self) -> str:
        """A picture that stands alone."""
        from hetad.draw.svg import svg

        return svg(self.graph, self.title)

    @property
    def network(self) -> nx.DiGraph[str]:
        """A graph of networkx: nodes with `kind` and `line`, edges with the lines by `call` and `launch`."""
        from hetad.draw.network import network_of

        return network_of(self.graph)

    @property
    def mermaid(self) -> str:
        return text.mermaid(self.graph)

    @property
    def dot(self) -> str:
        """For Graphviz."""
        return text.dot(self.graph)

    def _repr_html_(self) -> str:
        return self.svg


def call_graph(program: Program, function: str | None = None) -> CallGraph:
    """Who calls and who launches whom in a program.

    Args:
        program: a loaded program.
        function: draw what this one reaches; None for all functions, as far as they can be read.

    Raises:
        UnknownNameError: there is no such function.
        UnsupportedError: it cannot be read.
    """
    unit = program.unit
    about = unit.name if function is None else f"{function} in {unit.name}"
    return CallGraph(of_unit(unit, function), f"Call graph of {about}")


def of_unit(unit: Unit, function: str | None) -> Graph:
    """Of one function, which must be readable; or of all, as far as they are.  What is hetad's own is left out."""
    if function is not None:
        return graph_of(unit.reach(unit.instance(function)).functions.values(), (), unit.display, is_shipped)
    functions: list[Function] = []
    unsupported: list[str] = []
    for name in unit.functions:
        try:
            functions += unit.reach(name).functions.values()
        except SourceError:
            unsupported.append(name)
    return graph_of(functions, unsupported, unit.display, is_shipped)
