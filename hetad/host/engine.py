"""The reverse engine on the host: launches, memory operations, and adjoints of scalars passed to kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hetad.adjoint.control import tape
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.expressions import active_leaves
from hetad.adjoint.names import Names, convert
from hetad.analysis.effects import OUTPUT_ONLY, Effects
from hetad.analysis.pointers import Location
from hetad.analysis.spaces import Spaces
from hetad.device.pullback import Pullback
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.memory import MemoryAdjoints
from hetad.ir import nodes as ir
from hetad.ir.types import DIM3, INT, SIZE_T, UINT, VOID, Float, Pointer, Struct, size_of
from hetad.ir.visit import walk_stmts
from hetad.memops.table import TABLE

PullbackMaker = Callable[[str, frozenset[int], tuple[tuple[str, ...], ...]], Pullback]


@dataclass(frozen=True, slots=True)
class Cells:
    """The device block of adjoint scalars: one cell for each host scalar that kernels receive."""

    blocks: Mapping[int, ir.Symbol]  # by bits: the pointer to the block
    index: Mapping[ir.Symbol, int]

    def pointer(self, symbol: ir.Symbol, span: Span) -> ir.Expr:
        assert isinstance(symbol.type, Float)
        block = self.blocks[symbol.type.bits]
        base: ir.Expr = ir.Var(block, span=span)
        k = self.index[symbol]
        return base if k == 0 else ir.Binary("+", base, ir.Const(k, INT, span=span), block.type, span=span)

    def size(self, bits: int) -> int:
        return sum(1 for s in self.index if isinstance(s.type, Float) and s.type.bits == bits)


class HostEngine(Engine):
    def __init__(
        self,
        names: Names,
        effects: Effects,
        active: Iterable[Location],
        sources: Mapping[str, str],
        kernels: Mapping[str, ir.Function],
        spaces: Spaces,
        make_pullback: PullbackMaker,
    ) -> None:
        super().__init__(names, effects, active, sources)
        self.kernels = kernels
        self.make_pullback = make_pullback
        self.memory = MemoryAdjoints(self, spaces)
        self.cells = Cells({}, {})

    def prepare_cells(self, body: ir.Body) -> None:
        """Gives a cell to each active scalar variable that a launch passes by value."""
        index: dict[ir.Symbol, int] = {}
        counts: dict[int, int] = {}
        blocks: dict[int, ir.Symbol] = {}
        for s in walk_stmts(body):
            if not isinstance(s, ir.Launch):
                continue
            for arg in s.args:
                if isinstance(arg, ir.Var) and isinstance(arg.type, Float) and arg.symbol in self.active and arg.symbol not in index:
                    bits = arg.type.bits
                    index[arg.symbol] = counts.get(bits, 0)
                    counts[bits] = index[arg.symbol] + 1
                    if bits not in blocks:
                        name = "adj_scalars" if bits == 64 else "adj_scalars_f"
                        blocks[bits] = self.names.symbol(name, Pointer(arg.type), s.span)
        self.cells = Cells(blocks, index)

    def changes(self, body: ir.Body) -> dict[Location, None]:
        return self.effects.written(body)

    def loop(self, s: ir.For | ir.While) -> Parts:
        return tape(self, s)

    def accumulate(self, place: ir.Place, value: ir.Expr, span: Span) -> list[ir.Stmt]:
        own = self.shadow_place(place)
        if isinstance(value, ir.Unary) and value.op == "-":
            return [ir.Update("-", own, value.operand, span=span)]
        return [ir.Update("+", own, value, span=span)]

    def adjoint(
        self, s: ir.Assign | ir.Update, *, first: bool = False, result: ir.Expr | None = None
    ) -> list[ir.Stmt]:
        flush = self.flush(s.target.symbol, s.span) if isinstance(s.target, ir.Var) else []
        return [*flush, *super().adjoint(s, first=first, result=result)]

    def flush(self, symbol: ir.Symbol, span: Span) -> list[ir.Stmt]:
        """Adds what the pullbacks accumulated on the device to the scalar's adjoint on the host."""
        if symbol not in self.cells.index:
            return []
        own = ir.AddressOf(ir.Var(self.shadow(symbol), span=span), Pointer(symbol.type), span=span)
        return [ir.Call(f"hetad_read_scalar_{symbol.type}", (own, self.cells.pointer(symbol, span)), span=span)]

    # -- calls

    def call(self, s: ir.Call) -> Parts:
        save, restore = self.save(s.result, s.span) if s.result is not None else ([], [])
        if s.function in OUTPUT_ONLY:
            return [*save, s], restore
        if s.function not in TABLE:
            raise UnsupportedError(f"'{s.function}' cannot be reversed", s.span, "see the table of supported calls")
        forward, reverse = self.memory.operation(s, TABLE[s.function])
        return [*save, *forward], [*restore, *reverse]

    # -- launches

    def launch(self, s: ir.Launch) -> Parts:
        kernel = self.kernels[s.kernel]
        saved: dict[Location, ir.Expr] = {}
        for i in sorted(self.effects.kernels[s.kernel].writes):
            for target in self.pointers.targets(s.args[i]):
                saved.setdefault(target, s.args[i])
        pushes: list[ir.Stmt] = []
        pops: list[ir.Stmt] = []
        for target, arg in dict((id(a), (t, a)) for t, a in saved.items()).values():
            slot = self.names.symbol(f"{target.name}_kept", arg.type, s.span)
            pushes.append(ir.Push(slot, arg, "allocation", span=s.span))
            pops.insert(0, ir.Pop(slot, arg, "allocation", span=s.span))
        active = frozenset(i for i, arg in enumerate(s.args) if self._is_active_argument(arg))
        if not active:
            return [*pushes, s], pops
        made = self.make_pullback(s.kernel, active, self._merged(kernel, s.args))
        args = (
            *(s.args[i] for i in made.primal),
            *(self._adjoint_argument(s.args[i], s.span) for i in made.adjoint),
        )
        open_tapes, tapes, close_tapes = self._tapes(s, made)
        back = ir.Launch(made.function.name, s.grid, s.block, s.shared, s.stream, (*args, *tapes), span=s.span)
        return [*pushes, s], [*pops, *open_tapes, back, *close_tapes]

    def _tapes(self, s: ir.Launch, made: Pullback) -> tuple[list[ir.Stmt], list[ir.Expr], list[ir.Stmt]]:
        """The counting launch and the allocation of the tapes a pullback needs, and their release."""
        if made.counter is None:
            return [], [], []
        span = s.span
        depth = self.names.symbol("depth", Pointer(UINT), span)
        opening: list[ir.Stmt] = [ir.Declare(depth, None, span=span), _zeros(depth, 4 * len(made.tapes), span)]
        counted = (*(s.args[i] for i in made.counted), ir.Var(depth, span=span))
        opening.append(ir.Launch(made.counter.name, s.grid, s.block, s.shared, s.stream, counted, span=span))
        tapes: list[ir.Expr] = []
        closing: list[ir.Stmt] = [ir.Call("hetad_release", (ir.Var(depth, span=span),), span=span)]
        for k, type_ in enumerate(made.tapes):
            tape_symbol = self.names.symbol("tape", Pointer(type_), span)
            cell: ir.Expr = ir.Var(depth, span=span)
            if k:
                cell = ir.Binary("+", cell, ir.Const(k, INT, span=span), depth.type, span=span)
            out = ir.AddressOf(ir.Var(tape_symbol, span=span), Pointer(tape_symbol.type), span=span)
            size = ir.Const(size_of(type_), SIZE_T, span=span)
            args = (ir.Cast(out, Pointer(Pointer(VOID)), span=span), cell, _dim3(s.grid), _dim3(s.block), size)
            opening += [ir.Declare(tape_symbol, None, span=span), ir.Call("hetad_tape_allocate", args, span=span)]
            closing.insert(0, ir.Call("hetad_release", (ir.Var(tape_symbol, span=span),), span=span))
            tapes.append(ir.Var(tape_symbol, span=span))
        return opening, tapes, closing

    def _is_active_argument(self, arg: ir.Expr) -> bool:
        if isinstance(arg.type, Pointer):
            return self.is_active_pointer(arg)
        if isinstance(arg, ir.Var) and isinstance(arg.type, Float):
            return arg.symbol in self.active
        if active_leaves(self, arg) or (isinstance(arg.type, Struct) and self.is_active(arg)):
            raise UnsupportedError(
                f"active data of type '{arg.type}' is passed to a kernel by value", arg.span, "pass a pointer to it"
            )
        return False

    def _adjoint_argument(self, arg: ir.Expr, span: Span) -> ir.Expr:
        if isinstance(arg, ir.Var) and isinstance(arg.type, Float):
            return self.cells.pointer(arg.symbol, span)
        return self.shadow_pointer(arg)

    def _merged(self, kernel: ir.Function, args: tuple[ir.Expr, ...]) -> tuple[tuple[str, ...], ...]:
        """Groups of the kernel's pointer parameters whose arguments may reach the same memory."""
        groups: list[tuple[set[Location], list[str]]] = []
        for param, arg in zip(kernel.params, args, strict=True):
            if not isinstance(param.type, Pointer):
                continue
            targets, members = set(self.pointers.targets(arg)), [param.name]
            apart = []
            for other, names in groups:
                if other & targets:
                    targets, members = targets | other, names + members
                else:
                    apart.append((other, names))
            groups = [*apart, (targets, members)]
        return tuple(tuple(members) for _, members in groups if len(members) > 1)


def _zeros(pointer: ir.Symbol, size: int, span: Span) -> ir.Stmt:
    out = ir.AddressOf(ir.Var(pointer, span=span), Pointer(pointer.type), span=span)
    cast = ir.Cast(out, Pointer(Pointer(VOID)), span=span)
    return ir.Call("hetad_device_zeros", (cast, ir.Const(size, SIZE_T, span=span)), span=span)


def _dim3(extent: ir.Expr) -> ir.Expr:
    if extent.type == DIM3:
        return extent
    one = ir.Const(1, UINT, span=extent.span)
    return ir.Aggregate((convert(extent, UINT), one, one), DIM3, span=extent.span)
