"""The call graph as a stand-alone SVG, without any other program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from hetad.draw.graph import Edge, Graph, Node
from hetad.draw.layout import Layout, layout
from hetad.draw.palette import FAINT, INK, PALETTE

_CHARACTER = 8.5  # width of a monospaced character at 14 px, on the generous side
_SMALL = 6.7  # the same at 11 px
_HEIGHT = 44
_ROW = 68
_GAP = 90  # between columns, room for the arrows
_MARGIN = 24
_LEGEND = 40

_KINDS = {
    "host": "host function",
    "kernel": "kernel (__global__)",
    "device": "device function",
    "unsupported": "not supported",
}

Point = tuple[float, float]


@dataclass(frozen=True)
class _Canvas:
    """Turns columns and rows into pixels."""

    placed: Layout
    starts: tuple[float, ...]  # left edge of each column
    widths: tuple[float, ...]
    has_backward: bool

    def left(self, column: int) -> float:
        return self.starts[column]

    def right(self, column: int) -> float:
        return self.starts[column] + self.widths[column]

    def middle(self, row: float) -> float:
        top = _MARGIN + (_ROW / 2 if self.has_backward else 0)
        return top + row * _ROW + _HEIGHT / 2


def svg(graph: Graph, title: str) -> str:
    """A picture with callers left of callees; thick arrows are launches, tooltips name the lines."""
    placed = layout(graph)
    canvas = _canvas(graph, placed)
    width = (canvas.right(len(canvas.starts) - 1) if canvas.starts else 0) + _MARGIN
    width = max(width, _legend_width(graph) + 2 * _MARGIN)
    rows = max(placed.row.values(), default=0)
    rows = max([rows, *(row for points in placed.waypoints.values() for _, row in points)])
    height = canvas.middle(rows) + _HEIGHT / 2 + _LEGEND + _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
        f"<title>{escape(title)}</title>",
        *_definitions(),
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    titles = {node.name: node.title for node in graph.nodes}
    lines += [_arrow(i, edge, canvas, edge.caption(titles)) for i, edge in enumerate(graph.edges)]
    lines += [_box(node, canvas) for node in graph.nodes]
    lines += _legend(graph, height - _MARGIN)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _canvas(graph: Graph, placed: Layout) -> _Canvas:
    widths: dict[int, float] = {}
    for node in graph.nodes:
        needed = max(len(node.title) * _CHARACTER, len(node.caption) * _SMALL) + 28
        column = placed.column[node.name]
        widths[column] = max(widths.get(column, 0.0), needed)
    starts, x = [], float(_MARGIN)
    for column in sorted(widths):
        starts.append(x)
        x += widths[column] + _GAP
    return _Canvas(placed, tuple(starts), tuple(widths[c] for c in sorted(widths)), bool(placed.backward))


def _definitions() -> Iterator[str]:
    yield "<defs>"
    for name, colour in (("call", FAINT), ("launch", PALETTE["kernel"].stroke)):
        yield (
            f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{colour}"/></marker>'
        )
    yield "</defs>"


def _box(node: Node, canvas: _Canvas) -> str:
    column = canvas.placed.column[node.name]
    x, width = canvas.left(column), canvas.widths[column]
    y = canvas.middle(canvas.placed.row[node.name]) - _HEIGHT / 2
    colours = PALETTE[node.kind]
    dashes = ' stroke-dasharray="5 4"' if node.kind == "unsupported" else ""
    middle = x + width / 2
    return (
        f"<g><title>{escape(node.title)}: {escape(node.caption)}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_HEIGHT}" rx="{_radius(node)}" '
        f'fill="{colours.fill}" stroke="{colours.stroke}" stroke-width="1.5"{dashes}/>'
        f'<text x="{middle:.1f}" y="{y + 19:.1f}" text-anchor="middle" fill="{INK}">{escape(node.title)}</text>'
        f'<text x="{middle:.1f}" y="{y + 35:.1f}" text-anchor="middle" font-size="11" fill="{FAINT}">'
        f"{escape(node.caption)}</text></g>"
    )


def _radius(node: Node) -> int:
    return {"host": 8, "kernel": 0, "device": _HEIGHT // 2, "unsupported": 0}[node.kind]


# --- arrows ---------------------------------------------------------------------------------------


def _arrow(number: int, edge: Edge, canvas: _Canvas, caption: str) -> str:
    path = _backward_path(edge, canvas) if number in canvas.placed.backward else _forward_path(number, edge, canvas)
    colour = PALETTE["kernel"].stroke if edge.kind == "launch" else FAINT
    width = 3 if edge.kind == "launch" else 1.4
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" marker-end="url(#{edge.kind})">'
        f"<title>{escape(caption)}</title></path>"
    )


def _forward_path(number: int, edge: Edge, canvas: _Canvas) -> str:
    """From the right side of the caller through the waypoints to the left side of the callee."""
    placed = canvas.placed
    start = (canvas.right(placed.column[edge.caller]), canvas.middle(placed.row[edge.caller]))
    path, here = [f"M{start[0]:.1f} {start[1]:.1f}"], start
    for column, row in placed.waypoints[number]:
        y = canvas.middle(row)
        path.append(_curve(here, (canvas.left(column), y)))
        path.append(f"L{canvas.right(column):.1f} {y:.1f}")
        here = (canvas.right(column), y)
    end = (canvas.left(placed.column[edge.callee]) - 1, canvas.middle(placed.row[edge.callee]))
    path.append(_curve(here, end))
    return " ".join(path)


def _curve(start: Point, end: Point) -> str:
    """A cubic that leaves and arrives horizontally."""
    middle = (start[0] + end[0]) / 2
    return f"C{middle:.1f} {start[1]:.1f} {middle:.1f} {end[1]:.1f} {end[0]:.1f} {end[1]:.1f}"


def _backward_path(edge: Edge, canvas: _Canvas) -> str:
    """Recursion: out of the caller's top, over the boxes, into the callee's top."""
    placed = canvas.placed
    start, end = placed.column[edge.caller], placed.column[edge.callee]
    top = canvas.middle(placed.row[edge.caller]) - _HEIGHT / 2
    goal = canvas.middle(placed.row[edge.callee]) - _HEIGHT / 2 - 1
    x0 = canvas.left(start) + canvas.widths[start] * (0.7 if edge.caller == edge.callee else 0.5)
    x1 = canvas.left(end) + canvas.widths[end] * (0.3 if edge.caller == edge.callee else 0.5)
    over = min(top, goal) - _ROW * 0.45
    return f"M{x0:.1f} {top:.1f} C{x0:.1f} {over:.1f} {x1:.1f} {over:.1f} {x1:.1f} {goal:.1f}"


# --- legend ---------------------------------------------------------------------------------------


def _legend_entries(graph: Graph) -> list[tuple[str, str]]:
    entries = [(kind, text) for kind, text in _KINDS.items() if any(node.kind == kind for node in graph.nodes)]
    entries += [(kind, kind) for kind in ("call", "launch") if any(edge.kind == kind for edge in graph.edges)]
    return entries


def _legend_width(graph: Graph) -> float:
    return sum(44 + len(text) * _SMALL for _, text in _legend_entries(graph))


def _legend(graph: Graph, y: float) -> Iterator[str]:
    x = float(_MARGIN)
    for kind, text in _legend_entries(graph):
        if kind in PALETTE:
            colours = PALETTE[kind]
            yield (
                f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="16" height="10" rx="2" fill="{colours.fill}" '
                f'stroke="{colours.stroke}"/>'
            )
        else:
            colour, width = (PALETTE["kernel"].stroke, 3) if kind == "launch" else (FAINT, 1.4)
            yield (
                f'<path d="M{x:.1f} {y - 4:.1f} h20" stroke="{colour}" stroke-width="{width}" '
                f'marker-end="url(#{kind})"/>'
            )
        yield f'<text x="{x + 26:.1f}" y="{y:.1f}" font-size="11" fill="{FAINT}">{escape(text)}</text>'
        x += 44 + len(text) * _SMALL
