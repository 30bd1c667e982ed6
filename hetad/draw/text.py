"""The call graph in the languages of other drawing tools."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hetad.draw.graph import Graph, Node
from hetad.draw.palette import PALETTE

_MERMAID_SHAPE = {
    "host": ("([", "])"), "kernel": ("[[", "]]"), "device": ("(", ")"), "unsupported": ("[/", "/]"),
}  # fmt: skip
_DOT_SHAPE = {"host": "box", "kernel": "component", "device": "ellipse", "unsupported": "parallelogram"}


def mermaid(graph: Graph) -> str:
    """A Mermaid flowchart; thick arrows are launches."""
    return "\n".join(_mermaid_lines(graph)) + "\n"


def _mermaid_lines(graph: Graph) -> Iterator[str]:
    # Identifiers carry a prefix: `end`, `graph` and `class` are words of Mermaid.
    yield "flowchart LR"
    for node in graph.nodes:
        left, right = _MERMAID_SHAPE[node.kind]
        yield f'    f_{node.name}{left}"{escape(node.title)}<br/><small>{node.caption}</small>"{right}'
    for edge in graph.edges:
        arrow = "==>|launch|" if edge.kind == "launch" else "-->"
        yield f"    f_{edge.caller} {arrow} f_{edge.callee}"
    for kind, colours in PALETTE.items():
        members = [f"f_{node.name}" for node in graph.nodes if node.kind == kind]
        if members:
            yield f"    classDef {kind} fill:{colours.fill},stroke:{colours.stroke},color:#1f2328"
            yield f"    class {','.join(members)} {kind}"


def dot(graph: Graph) -> str:
    """Graphviz's language; bold arrows are launches."""
    return "\n".join(_dot_lines(graph)) + "\n"


def _dot_lines(graph: Graph) -> Iterator[str]:
    yield "digraph program {"
    yield "    rankdir=LR;"
    yield '    node [style=filled, fontname="monospace"];'
    for node in graph.nodes:
        yield f"    {_quoted(node.name)} [{_dot_attributes(node)}];"
    for edge in graph.edges:
        style = f' [style=bold, color="{PALETTE["kernel"].stroke}", label="launch"]' if edge.kind == "launch" else ""
        yield f"    {_quoted(edge.caller)} -> {_quoted(edge.callee)}{style};"
    yield "}"


def _dot_attributes(node: Node) -> str:
    colours = PALETTE[node.kind]
    label = f"{node.title}\\n{node.caption}"
    return f'label="{label}", shape={_DOT_SHAPE[node.kind]}, fillcolor="{colours.fill}", color="{colours.stroke}"'


def _quoted(name: str) -> str:
    return f'"{name}"'
