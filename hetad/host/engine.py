"""The reverse engine on the host: launches, memory operations, and adjoints of scalars passed to kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from hetad.adjoint.control import tape
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.expressions import active_leaves
from hetad.adjoint.names import Names
from hetad.analysis.effects import OUTPUT_ONLY, Effects
from hetad.analysis.pointers import Location
from hetad.analysis.spaces import Spaces
from hetad.device.pullback import Pullback
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.launches import KernelBuffers, aligned
from hetad.host.memory import MemoryAdjoints
from hetad.ir import nodes as ir
from hetad.ir.types import INT, SIZE_T, Float, Pointer, Struct
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
        pushes, pops = self._saved_buffers(s)
        active = frozenset(i for i, arg in enumerate(s.args) if self._is_active_argument(arg))
        if not active:
            return [*pushes, s], pops
        made = self.make_pullback(s.kernel, active, self._merged(self.kernels[s.kernel], s.args))
        adjoints = (
            *(s.args[i] for i in made.primal),
            *(self._adjoint_argument(s.args[i], s.span) for i in made.adjoint),
        )
        forward: list[ir.Stmt] = [s]
        shared = s.shared
        extra: list[ir.Expr] = []
        if made.dynamic and s.shared is not None:
            size = aligned(s.shared)
            extra.append(size)
            shared = ir.Binary("*", ir.Const(2, SIZE_T, span=s.span), size, SIZE_T, span=s.span)
        reverse: list[ir.Stmt] = []
        closing: list[ir.Stmt] = []
        if made.recorder is not None and made.records is not None:
            records = KernelBuffers(self, s, made.records, "record", kept=True)
            forward = [
                *records.opening,
                replace(s, kernel=made.recorder.name, args=(*s.args, *records.arguments)),
            ]
            extra += records.arguments
            closing += records.closing
        if made.tapes is not None:
            tapes = KernelBuffers(self, s, made.tapes, "tape", kept=False)
            reverse += tapes.opening
            extra += tapes.arguments
            closing = [*tapes.closing, *closing]
        back = replace(s, kernel=made.function.name, args=(*adjoints, *extra), shared=shared)
        return [*pushes, *forward], [*pops, *reverse, back, *closing]

    def _saved_buffers(self, s: ir.Launch) -> Parts:
        """Snapshots of the allocations that the kernel may write."""
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
        return pushes, pops

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
