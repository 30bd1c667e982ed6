"""The memory space of every pointer: host or device.

A pointer's space follows from its use: launch arguments are device pointers, what host code reads or writes is
host memory, copies say it by their kind.  A pointer used as both is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from hetad.analysis.pointers import Location, PointsTo, Root, pointer_parts, pointers_within
from hetad.diagnostics import Span, UnsupportedError, report
from hetad.ir import nodes as ir
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import children, own_exprs, walk_stmts
from hetad.memops.table import TABLE

Space = Literal["host", "device", "managed"]
_KINDS: dict[int, tuple[Space, Space]] = {
    0: ("host", "host"),
    1: ("device", "host"),
    2: ("host", "device"),
    3: ("device", "device"),
}


class Spaces:
    """Spaces of the memory that one inlined host function reaches."""

    def __init__(self, function: ir.Function, pointers: PointsTo) -> None:
        self.pointers = pointers
        self._of: dict[Location, tuple[Space, Span]] = {}
        for s in walk_stmts(function.body):
            self._allocation(s)
        for s in walk_stmts(function.body):
            self._statement(s)

    def of(self, location: Location) -> Space | None:
        if isinstance(location, ir.Symbol):
            return "host"
        found = self._of.get(location)
        return found[0] if found else None

    def of_parameter(self, root: Location) -> Literal["host", "device"] | None:
        """The same for memory that the function did not allocate, which one side uses alone."""
        space = self.of(root)
        assert space != "managed"
        return space

    def behind(self, pointer: ir.Expr) -> Space | None:
        """Where a pointer expression points, as far as known."""
        found = {self.of(t) for t in self.pointers.targets(_bare(pointer))} - {None}
        return next(iter(found)) if len(found) == 1 else None

    def _allocation(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Call) and s.function in TABLE and id(s) in self.pointers.heap_roots:
            row = TABLE[s.function]
            if row.action in ("allocate", "symbol"):
                self._set(self.pointers.heap_roots[id(s)], row.space, s.span, "allocated")

    def _statement(self, s: ir.Stmt) -> None:
        match s:
            case ir.Launch(args=args):
                for arg in args:
                    for part in (*pointer_parts(arg), *pointers_within(arg)):
                        self._mark(part, "device", arg.span, "passed to a kernel")
            case ir.Call(function=name, args=args) if name in TABLE:
                row = TABLE[name]
                dst, src, kind = row.position("dst"), row.position("src"), row.position("kind")
                if row.action == "copy" and dst is not None and src is not None:
                    known = _KINDS.get(_value(args[kind])) if kind is not None else (row.space, row.space)
                    if known:
                        self._mark(args[dst], known[0], s.span, "the destination of this copy")
                        self._mark(args[src], known[1], s.span, "the source of this copy")
                    if known and known[0] == "device":
                        for part in pointers_within(_bare(args[src])):
                            self._mark(part, "device", s.span, "copied to the device")
                elif row.action == "fill" and dst is not None:
                    self._mark(args[dst], row.space, s.span, "filled here")
                elif row.action in ("text", "inert"):
                    for i in sorted(row.positions("dst", "src", "text", "updated")):
                        self._mark(args[i], "host", s.span, f"given to '{name}'")
        for own in own_exprs(s):
            for e in _followed(own):
                self._mark(e.base, "host", e.span, "read or written by host code")

    def _mark(self, pointer: ir.Expr, space: Space, span: Span, why: str) -> None:
        for location in self.pointers.targets(_bare(pointer)):
            if isinstance(location, Root) and not location.table:
                self._set(location, space, span, why)
            elif space == "device" and isinstance(location, ir.Symbol):
                raise UnsupportedError(
                    f"'{location.name}' is host memory, but is {why} as device memory",
                    span,
                    "copy it to the device first",
                )

    def _set(self, root: Root, space: Space, span: Span, why: str) -> None:
        known = self._of.setdefault(root, (space, span))
        if known[0] not in (space, "managed"):
            what = f"'{root.name}' is {known[0]} memory (line {known[1].line}), but is {why} as {space} memory"
            report(UnsupportedError(what, span, "copy it with cudaMemcpy, or allocate it with cudaMallocManaged"))


def parameter_spaces(program: ir.Program, function: str) -> dict[str, Literal["host", "device", "either"]]:
    """Where each pointer parameter of an inlined function points."""
    f = program.functions[function]
    pointers = PointsTo(f)
    if f.kind == "kernel":
        return {p.name: "device" for p in f.params if isinstance(p.type, Pointer | Array)}
    spaces = Spaces(f, pointers)
    found: dict[str, Literal["host", "device", "either"]] = {}
    for p, root in pointers.parameter_roots.items():
        found[p.name] = spaces.of_parameter(root) or "either"
    return found


def _followed(expr: ir.Expr) -> Iterator[ir.Index]:
    """The cells behind pointers that an expression reads, or names; not those it takes the address of."""
    match expr:
        case ir.AddressOf(place=place):
            yield from _on_the_way(place)
        case ir.Index() | ir.Member() if isinstance(expr.type, Array):
            yield from _on_the_way(expr)
        case _:
            if isinstance(expr, ir.Index) and isinstance(expr.base.type, Pointer):
                yield expr
            for child in children(expr):
                yield from _followed(child)


def _on_the_way(place: ir.Expr) -> Iterator[ir.Index]:
    match place:
        case ir.Index(base=base, index=index):
            yield from _followed(index)
            yield from _followed(base) if isinstance(base.type, Pointer) else _on_the_way(base)
        case ir.Member(base=base):
            yield from _on_the_way(base)


def _bare(pointer: ir.Expr) -> ir.Expr:
    while isinstance(pointer, ir.Cast):
        pointer = pointer.operand
    return pointer


def _value(kind: ir.Expr) -> int:
    while isinstance(kind, ir.Cast):
        kind = kind.operand
    return int(kind.value) if isinstance(kind, ir.Const) else -1
