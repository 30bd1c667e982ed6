"""Accesses to memory by number, as they stand in the source: what watches them tells of one by its number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hetad.emit.declarators import declaration
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import integer
from hetad.ir.names import reached
from hetad.ir.places import reached_by
from hetad.ir.printer import expr_text
from hetad.ir.texts import quoted
from hetad.ir.types import Array, Pointer, Void, element
from hetad.ir.visit import walk_exprs, walk_stmts
from hetad.rules import operations
from hetad.targets.places import Places

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


def may_leave(e: ir.Expr) -> bool:
    """Whether an access may leave its memory: not where each index is a number that lies within an array."""
    if not isinstance(e, ir.Index) or isinstance(e.type, Array):
        return False
    while isinstance(e, ir.Index) and isinstance(e.base.type, Array):
        length, index = e.base.type.length, bare(e.index)
        if length is None or not isinstance(index, ir.Const) or not 0 <= index.value < length:
            return True
        e = e.base
    return not isinstance(e, ir.Var)


def has_some_at(places: Places, function: ir.Function, functions: Mapping[str, ir.Function]) -> bool:
    """Whether a function, or one of those that it calls, has accesses at some places that may leave their memory."""
    within = [functions[name] for name in reached(functions, [function.name])]
    bodies = [*(f.body for f in within), *(f.sweep.body for f in within if f.sweep is not None)]
    return any(may_leave(e) and places.has(e.span) for body in bodies for e in _accesses(body))


def _accesses(body: ir.Body) -> Iterator[ir.Expr]:
    """What may be one: also what is behind the pointers that functions are handed."""
    handed = [a for s in walk_stmts(body) if isinstance(s, ir.Call) for a in s.args]
    for e in walk_exprs(body):
        yield e
        handed += e.args if isinstance(e, ir.Intrinsic) else ()
    yield from (pointed(a) for a in handed if isinstance(a.type, Pointer) and not isinstance(a.type.to, Void))
