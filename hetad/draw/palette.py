"""The colours of a call graph, the same in every format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Colours:
    fill: str
    stroke: str


PALETTE = {
    "host": Colours("#ddeeff", "#2f6fb5"),
    "kernel": Colours("#dff3d8", "#3f8f2b"),
    "device": Colours("#fff1cc", "#b5860b"),
    "unsupported": Colours("#f3f3f3", "#8a8a8a"),
}
INK = "#1f2328"
FAINT = "#59636e"
