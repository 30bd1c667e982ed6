"""What differentiation decided, for people: what is active, what is saved and why, how adjoints are accumulated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.device.accumulation.increments import increment
from hetad.device.generated import Pullback
from hetad.diagnostics import Span
from hetad.host.decisions import Accumulated, Explanation, Saved
from hetad.host.derivation import Derivation
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import is_zero
from hetad.ir.places import reached_by
from hetad.ir.printer import expr_text
from hetad.ir.types import FLOAT, Pointer, element, innermost, size_of
from hetad.ir.visit import bodies, map_expr, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees, operations

_EXTENTS = {
    "value": "value on the tape",
    "range": "copied range",
    "part": "snapshot of the part written",
    "allocation": "snapshot of the whole buffer",
    "reached": "snapshot of the whole buffer, if there is one",
    "column": "snapshots of the buffers that it points to",
}

_ATOMIC = "atomicAdd: threads may meet, or additions would wait"
_LANES = "atomic additions, of neighbouring lanes to neighbouring cells"
_CHAIN = "atomic additions: a lane passes on what it has for cells of the next lane"
_SLOW = "atomic additions: the thread computes longer than they take"
_VECTORS = "atomic additions, as vectors"
_HOT = "summed by the block where cells recur"
_WARP = "summed over lanes, one atomic a warp"
_BLOCK = "uniform: block reduction, one atomic a block"
_FIXED = "uniform: block reduction, in a fixed order"
_TURNS = "in turn: one thread works for all, for a fixed order"
_GATHER = "gather: summed by a thread for each cell"
_TILES = "gather on tiles: a block sums 64 x 64 cells"
_PLAIN = "exclusive: plain +="

_WHY = {
    _ATOMIC: "not proven that each cell has one thread, nor that the cell tells which threads add to it",
    _LANES: "not proven that each cell has one thread; the lanes of a warp add to cells in a row",
    _CHAIN: "not proven that each cell has one thread; neighbouring lanes often add to the same cells",
    _SLOW: "not proven that each cell has one thread; additions are few beside what the thread computes",
    _VECTORS: "not proven that each cell has one thread; a thread adds to cells that lie side by side",
    _HOT: "not proven that each cell has one thread; threads of a block often add to the same cells",
    _WARP: "proven: the lanes of a warp add to one cell",
    _BLOCK: "proven: all threads of a block add to one cell",
    _FIXED: "proven: all threads of a block add to one cell; a fixed order is asked for",
    _TURNS: "not proven that each cell has one thread, and a fixed order is asked for",
    _GATHER: "proven: the cell tells which threads add to it, so one thread takes the terms of all",
    _TILES: "proven: a sum of products over one axis, so a block takes the terms of a tile of cells",
    _PLAIN: "proven: different threads add to different cells",
}

_RENAMED = "kept without a copy, where all of it is overwritten"


@program_pass("explain")
def explained(derivation: Derivation) -> Derivation:
    """What was decided is written down for people, while saves are still statements of their own."""
    found, name = derivation.reversed, derivation.name
    used = found.pullbacks.launched_in(derivation.body)
    checkpoints = found.checkpoints.slots if found.checkpoints is not None else ()
    counts = {slot: cells.count for slot, cells in found.cells_of.items()}
    saves = Saves(name, derivation.body, derivation.setting.pointers, counts, checkpoints)
    explanation = Explanation(
        {name: names_of(found.active), **{p.function.name: p.active for p in used}},
        tuple(saves.found),
        tuple(a for p in used for f in p.functions() for a in accumulations(p, f)),
        tuple(found.checkpoints.loops) if found.checkpoints is not None else (),
        tuple(r.explained(name) for r in found.refills),
    )
    return replace(derivation, saves=saves, explanation=explanation)


def names_of(locations: Iterable[Location]) -> tuple[str, ...]:
    return tuple(sorted({location.name for location in locations}))


class Saves:
    """What a function saves before the tape is lowered: `found`, and `numbers` by slot; not the slots of
    `checkpoints`.  `counts`: of the elements of parts."""

    def __init__(
        self,
        function: str,
        body: ir.Body,
        pointers: PointsTo,
        counts: Mapping[ir.Symbol, ir.Expr | None],
        checkpoints: Collection[ir.Symbol] = (),
    ) -> None:
        self.function, self.pointers, self.counts, self.checkpoints = function, pointers, counts, checkpoints
        self.found: list[Saved] = []
        self.numbers: dict[ir.Symbol, int] = {}
        self._sizes = {s.span: size for s in walk_stmts(body) if (size := _size(s)) is not None}
        self._walk(body, ())

    def _walk(self, body: ir.Body, lines: tuple[int, ...]) -> None:
        for s in body:
            if isinstance(s, ir.Push) and s.slot not in self.numbers and s.slot not in self.checkpoints:
                self.numbers[s.slot] = len(self.found)
                several = "s" * (len(lines) > 1)
                often = f", each time round the loop{several} in line{several} {' and '.join(map(str, lines))}"
                amount = f"{self._bytes(s)}{often if lines else ''}"
                how = _RENAMED if s.overwritten else _EXTENTS[s.extent]
                self.found.append(Saved(self.function, _name(s.place), how, amount, s.span))
            looping = isinstance(s, ir.For | ir.While) and s.span.line not in lines
            for inner in bodies(s):
                self._walk(inner, (*lines, s.span.line) if looping else lines)

    def _bytes(self, s: ir.Push) -> str:
        if s.extent == "value":
            return f"{size_of(s.place.type)} bytes"
        if s.extent == "range" and s.bytes is not None:
            return f"{_text(s.bytes)} bytes"
        count = self.counts.get(s.slot)
        if s.extent == "part" and count is not None:
            size = size_of(innermost(element(s.place.type)))
            if isinstance(count, ir.Const):
                return f"{int(count.value) * size} bytes"
            text = _text(count) if isinstance(bare(count), ir.Var) else f"({_text(count)})"
            return f"{size} * {text} bytes"
        buffers = dict.fromkeys(self._buffer(x) for x in self.pointers.targets(s.place))
        where = " or ".join(buffers) or "the buffer"
        return f"cells {_text(s.cells[0])} to {_text(s.cells[1])} of {where}" if s.cells else where

    def _buffer(self, x: Location) -> str:
        size = self._sizes.get(x.span) if isinstance(x, Root) and x.heap else None
        return f"{_text(size)} bytes" if size is not None else f"all of '{x.name}'"


def _size(s: ir.Stmt) -> ir.Expr | None:
    """The bytes that an allocation asks for."""
    if not operations.does(
        s, operations.device_malloc, operations.host_malloc, operations.device_zeros, operations.host_zeros
    ):
        return None
    return s.args[0 if callees.has(s, "on the host") else 1]


def _text(expr: ir.Expr) -> str:
    """An expression without conversions, as people write it."""
    return expr_text(map_expr(lambda e: e.operand if isinstance(e, ir.Cast) else e, expr))


def accumulations(pullback: Pullback, function: ir.Function) -> Iterator[Accumulated]:
    """How one of a pullback's kernels updates adjoint memory."""
    more = f", where {pullback.where}" if pullback.where else ""
    more += f", without {' and '.join(pullback.without)} in shared memory" if pullback.without else ""
    for found in _accumulations(pullback, function):
        yield replace(found, how=f"{found.how}{more}", why=_WHY[found.how])


def _accumulations(pullback: Pullback, function: ir.Function) -> Iterator[Accumulated]:
    shadows = {p for p in function.params if p.adjoint}
    gather = next((g for g in pullback.gathers if g.function is function), None)
    plain = _updated(pullback.turns, gather is not None)
    if gather is not None and gather.tiled:
        calls = [s for s in walk_stmts(function.body) if isinstance(s, ir.Call) and s.function == "atomicAdd"]
        updates = [s for s in walk_stmts(function.body) if isinstance(s, ir.Update) and reached_by(s.target) in shadows]
        place, span = (updates[0].target, updates[0].span) if updates else (calls[0].args[0], calls[0].span)
        yield _found(function, place, _TILES, span)
        return
    added = set(_added_to(function))
    for s in walk_stmts(function.body):
        match s:
            case ir.Call(function="atomicAdd", args=args):
                yield _found(function, args[0], _ATOMIC, s.span)
            case ir.Call(args=args) if operations.does(s, operations.add_run):
                yield _found(function, args[0], _VECTORS if args[0].type == Pointer(FLOAT) else _LANES, s.span)
            case ir.Call(args=args) if (how := _by_operation(s)) is not None:
                yield _found(function, args[0], how, s.span)
            case ir.Update(target=target) if reached_by(target) in shadows:
                yield _found(function, target, plain, s.span)
            case ir.Assign(target=target, value=value) if reached_by(target) in shadows and not is_zero(value):
                if target not in added:
                    yield _found(function, target, plain, s.span)


def _by_operation(call: ir.Call) -> str | None:
    ways = (
        (operations.add_each, _SLOW), (operations.add_chain, _CHAIN), (operations.hot_add, _HOT),
        (operations.warp_add, _WARP), (operations.block_add, _BLOCK), (operations.block_sum, _FIXED),
    )  # fmt: skip
    return next((how for operation, how in ways if operations.does(call, operation)), None)


def _found(function: ir.Function, place: ir.Expr, how: str, span: Span) -> Accumulated:
    return Accumulated(function.name, _name(place), how, "", span)


def _added_to(function: ir.Function) -> Iterator[ir.Place]:
    yield from (s.target for s in walk_stmts(function.body) if isinstance(s, ir.Update))
    yield from (found.place for s in walk_stmts(function.body) if (found := increment(s)) is not None)


def _updated(turns: bool, gather: bool) -> str:
    return _TURNS if turns else _GATHER if gather else _PLAIN


def _name(place: ir.Expr) -> str:
    root = reached_by(place)
    return root.name if root is not None else "memory"
