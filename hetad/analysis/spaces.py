"""The memory space of every pointer: host or device.

A pointer's space follows from its use: launch arguments are device pointers, what host code reads or writes is
host memory, copies say it by their kind.  A pointer used as both is refused.  What nobody follows is not used: a struct
that is copied to the device may hold pointers to the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hetad.analysis.effects import KernelEffects, kernel_effects, numbered
from hetad.analysis.memory_calls import operands
from hetad.analysis.pointer_expressions import pointer_parts, pointers_within
from hetad.analysis.pointers import Location, PointsTo, Root, points_to
from hetad.diagnostics import Span, UnsupportedError, report
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.identity import IdentityMap
from hetad.ir.places import cells_of, members
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import own_exprs, walk_stmts
from hetad.memops import nccl
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE

Space = Literal["host", "device", "managed"]
_REMEDY = "copy it with cudaMemcpy, or allocate it with cudaMallocManaged"
_KINDS: dict[int | None, tuple[Space, Space]] = {
    0: ("host", "host"),
    1: ("device", "host"),
    2: ("host", "device"),
    3: ("device", "device"),
}


@dataclass(frozen=True, slots=True)
class Use:
    """A pointer that a statement takes for one into `space`.

    Not `followed`: it is passed on, and nothing is read or written through it.  `checked`: it may be tested when the
    statement runs.
    """

    statement: ir.Stmt
    pointer: ir.Expr
    space: Space
    span: Span
    why: str
    followed: bool = True
    checked: bool = True
    remedy: str = _REMEDY


class Spaces:
    """Spaces of the memory that one inlined host function reaches.

    A pointer that may lead to the one space or to the other is no error if one of them is right; such uses are
    `doubtful`, by their statements.
    """

    def __init__(
        self, function: ir.Function, pointers: PointsTo, kernels: Mapping[str, KernelEffects] | None = None
    ) -> None:
        self.pointers = pointers
        self.kernels = kernels or {}
        self.doubtful = IdentityMap[ir.Stmt, list[Use]]()
        self._of: dict[Location, tuple[Space, Span]] = {}
        for s in walk_stmts(function.body):
            self._allocation(s)
        uses = [use for s in walk_stmts(function.body) for use in self._uses(s)]
        for alone in (True, False):  # where there is but one memory, its space is sure
            for use in uses:
                if use.followed and (len(self._reached(use)) == 1) == alone:
                    self._decide(use)
        for use in uses:
            for root in () if use.followed else self._reached(use):
                self._of.setdefault(root, (use.space, use.span))

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
        found = {self.of(t) for t in self.pointers.targets(bare(pointer))} - {None}
        return next(iter(found)) if len(found) == 1 else None

    def _allocation(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Call) and s.function in TABLE and s in self.pointers.heap_roots:
            row = TABLE[s.function]
            if row.action in ("allocate", "symbol"):
                self._of.setdefault(self.pointers.heap_roots[s], (row.space, s.span))

    def _uses(self, s: ir.Stmt) -> Iterator[Use]:
        match s:
            case ir.Launch(kernel=kernel, args=args):
                summary = self.kernels.get(kernel)
                for i, arg in enumerate(args):
                    own = pointer_parts(arg)
                    for number, part in numbered(arg):
                        followed = summary is None or summary.follows(i, number)
                        yield Use(s, part, "device", arg.span, "passed to a kernel", followed, part in own)
            case ir.Call(function=name) if name in TABLE:
                yield from self._operation(s, TABLE[name])
        for expr in own_exprs(s):
            for e in _followed(expr):
                yield Use(s, e.base, "host", e.span, "read or written by host code", checked=False)

    def _operation(self, s: ir.Call, row: MemoryOperation) -> Iterator[Use]:
        given = operands(s)
        if row.action == "copy":
            dst, src, kind = given["dst"], given["src"], given.get("kind")
            known = _KINDS.get(literal(kind)) if kind is not None else (row.space, row.space)
            if known:
                remedy = _REMEDY if kind is None else "say the kind that fits both sides, or cudaMemcpyDefault"
                yield Use(s, dst, known[0], s.span, "the destination of this copy", remedy=remedy)
                yield Use(s, src, known[1], s.span, "the source of this copy", remedy=remedy)
            if known and known[0] == "device":
                for part in pointers_within(bare(src)):
                    yield Use(s, part, "device", s.span, "copied to the device", followed=False)
        elif row.header == nccl.HEADER:
            for i in sorted(row.positions("src", "dst", "updated")):
                yield Use(s, s.args[i], "device", s.span, f"given to '{s.function}'")
        elif row.action == "fill":
            yield Use(s, given["dst"], row.space, s.span, "filled here")
        elif row.action in ("text", "inert"):
            for i in sorted(row.positions("dst", "src", "text", "updated")):
                yield Use(s, s.args[i], "host", s.span, f"given to '{s.function}'", checked=False)

    def _reached(self, use: Use) -> list[Root]:
        found = self.pointers.targets(bare(use.pointer))
        return [x for x in found if isinstance(x, Root) and not x.table]

    def _decide(self, use: Use) -> None:
        for location in self.pointers.targets(bare(use.pointer)):
            if use.space == "device" and isinstance(location, ir.Symbol):
                raise UnsupportedError(
                    f"'{location.name}' is host memory, but is {use.why} as device memory",
                    use.span,
                    "copy it to the device first",
                )
        reached = self._reached(use)
        known = [self._of.setdefault(root, (use.space, use.span))[0] for root in reached]
        wrong = [root for root, space in zip(reached, known, strict=True) if space not in (use.space, "managed")]
        if wrong and (len(wrong) == len(reached) or not use.checked):
            space, span = self._of[wrong[0]]
            what = f"'{wrong[0].name}' is {space} memory (line {span.line}), but is {use.why} as {use.space} memory"
            report(UnsupportedError(what, use.span, use.remedy))
        elif wrong:
            self.doubtful.setdefault(use.statement, []).append(use)


def parameter_spaces(program: ir.Program, function: str) -> dict[str, Literal["host", "device", "either"]]:
    """Where each pointer parameter of an inlined function points."""
    f = program.functions[function]
    pointers = points_to(f)
    if f.kind == "kernel":
        return {p.name: "device" for p in f.params if isinstance(p.type, Pointer | Array)}
    kernels = {k.name: kernel_effects(k) for k in program.functions.values() if k.kind == "kernel"}
    spaces = Spaces(f, pointers, kernels)
    found: dict[str, Literal["host", "device", "either"]] = {}
    for p, root in pointers.parameter_roots.items():
        found[p.name] = spaces.of_parameter(root) or "either"
    return found


def _followed(expr: ir.Expr) -> Iterator[ir.Index]:
    """The cells behind pointers that an expression reads, or names; not those it takes the address of."""
    for place in cells_of(expr):
        cell, _ = members(place)
        if isinstance(cell, ir.Index) and isinstance(cell.base.type, Pointer):
            yield cell
