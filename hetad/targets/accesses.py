"""Accesses to memory by number, as they stand in the source: what watches them tells of one by its number."""

from __future__ import annotations

from dataclasses import dataclass, field

from hetad.emit.declarators import declaration
from hetad.ir import nodes as ir
from hetad.ir.build import integer
from hetad.ir.places import reached_by
from hetad.ir.printer import expr_text
from hetad.ir.texts import quoted
from hetad.ir.types import element
from hetad.rules import operations

CHANGES = (  # one cell, or a run of them, atomically
    operations.take, operations.swap, operations.block_add, operations.block_sum, operations.warp_add,
    operations.hot_add, *operations.RUNS,
)  # fmt: skip


@dataclass(slots=True)
class NumberedAccesses:
    """The accesses of a program, by number; `writes`: what does not read."""

    places: list[ir.Expr] = field(default_factory=list)
    writes: list[bool] = field(default_factory=list)

    def number(self, place: ir.Expr, writes: bool = False) -> int:
        self.places.append(place)
        self.writes.append(writes)
        return len(self.places) - 1

    def table(self) -> str:
        """C by which Python finds where an access is in the source, of which array it is and how large an element."""
        rows = [self._row(p, w) for p, w in zip(self.places, self.writes, strict=True)]
        head = "const struct hetad_access_site { const char *file, *text, *array; int line, column, length, writes;"
        return "\n".join([f"{head} size_t size; }} hetad_access_sites[] = {{", *rows, "    {0}", "};"])

    def _row(self, place: ir.Expr, writes: bool) -> str:
        span, array = place.span, reached_by(place)
        words = quoted(span.file), quoted(expr_text(place)), quoted(array.name if array is not None else "")
        return (
            f"    {{{', '.join(words)}, {span.line}, {span.column}, {span.length}, {int(writes)}, "
            f"sizeof({declaration(place.type)})}},"
        )


def pointed(pointer: ir.Expr) -> ir.Expr:
    """What a pointer points to, or the first element of an array."""
    if isinstance(pointer, ir.AddressOf):
        return pointer.place
    return ir.Index(pointer, integer(0, pointer.span), element(pointer.type), span=pointer.span)
