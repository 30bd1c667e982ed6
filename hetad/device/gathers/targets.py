"""The loops over what a gather adds to: dealt out among the threads of a launch, or one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hetad.analysis.affine import UNIT
from hetad.analysis.coordinates import block_dim, grid_dim
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.device.gathers.coarsening import March, Target
from hetad.device.gathers.team import Team
from hetad.device.tape.storage import thread_position
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, var
from hetad.ir.types import BOOL, SIZE_T, UINT, Int


def by_axes(targets: Sequence[Target], axes: Sequence[str], team: Team | None) -> bool:
    """Whether each subscript has its own axis of threads."""
    own = [t.axis for t in targets]
    return team is None and None not in own and sorted(a for a in own if a) == sorted(axes)


class Targets:
    """`axes`: along which the primal's threads differ; `team`, `march`: how threads share targets, or have several."""

    def __init__(
        self,
        targets: Sequence[Target],
        axes: Sequence[str],
        arithmetic: Arithmetic,
        names: Names,
        team: Team | None,
        march: March | None,
    ) -> None:
        self.targets, self.axes, self.arithmetic, self.names = targets, tuple(axes), arithmetic, names
        self.team, self.march, self.span = team, march, arithmetic.span

    def dealt_out(self, body: ir.Body, inside: ir.Body) -> ir.Body:
        """Among the threads of the launch; `inside`: where all sources add, if a thread marches through several."""
        if not by_axes(self.targets, self.axes, self.team):
            return self.numbered(body)
        if self.march is not None:
            body = self.march.steps(body, inside, self.end(self.targets[-1]))
        for t in self.targets:
            assert t.axis is not None
            own = (_position(t.axis, self.span), thread_count(t.axis, self.span))
            first, count = (convert(e, self.arithmetic.type) for e in own)
            if self.march is not None and t is self.targets[-1]:
                t, first, count = self.march.of(t, first, count)
            body = (self._loop(t, first, count, body),)
        return body

    def one_after_another(self, body: ir.Body) -> ir.Body:
        """All targets, without threads: neighbouring ones together where a loop over one alone reads no neighbours."""
        for t in self.targets:
            lanes = self.team is None and t is self.targets[0]
            loop = self._loop(t, self.arithmetic.number(0), self.arithmetic.number(1), body)
            body = (replace(loop, lanes=lanes),)
        return body

    def _threads(self) -> tuple[ir.Symbol, ir.Symbol, list[ir.Stmt]]:
        """The number of this thread in the launch, and how many there are."""
        if self.axes != ("x",):
            return thread_position(self.names, self.span)
        thread = self.names.symbol("thread", SIZE_T, self.span, const=True)
        threads = self.names.symbol("threads", SIZE_T, self.span, const=True)
        values = (_position("x", self.span, SIZE_T), thread_count("x", self.span, SIZE_T))
        return (
            thread,
            threads,
            [ir.Declare(x, value, span=self.span) for x, value in zip((thread, threads), values, strict=True)],
        )

    def first(self, t: Target) -> ir.Expr:
        a = self.arithmetic
        return a.least([a.expression(p) for p in t.bounds[0]], ">")

    def end(self, t: Target) -> ir.Expr:
        a = self.arithmetic
        return a.least([a.expression(p + UNIT) for p in t.bounds[1]])

    def _loop(self, t: Target, position: ir.Expr, count: ir.Expr, body: ir.Body) -> ir.For:
        a = self.arithmetic
        first = self.first(t)
        start = position if isinstance(first, ir.Const) and first.value == 0 else a.binary("+", first, position)
        if isinstance(position, ir.Const):
            start = first
        variable = ir.Var(t.symbol, span=self.span)
        step = ir.Update("+", variable, count, span=self.span)
        condition = a.compare("<", variable, self.end(t))
        return ir.For((ir.Declare(t.symbol, start, span=self.span),), condition, (step,), body, span=self.span)

    def length(self, t: Target) -> ir.Expr:
        a = self.arithmetic
        first, end = self.first(t), self.end(t)
        length = end if isinstance(first, ir.Const) and first.value == 0 else a.binary("-", end, first)
        empty = a.compare("<", length, ir.Const(0, a.type, span=self.span))
        return ir.Select(empty, ir.Const(0, a.type, span=self.span), length, a.type, span=self.span)

    def sizes(self) -> list[ir.Declare]:
        """How many targets there are along each subscript."""
        type_ = self.arithmetic.type
        counts = [self.names.symbol(f"{t.symbol.name}_count", type_, self.span, const=True) for t in self.targets]
        return [ir.Declare(x, self.length(t), span=self.span) for x, t in zip(counts, self.targets, strict=True)]

    def numbered(self, body: ir.Body, sizes: list[ir.Declare] | None = None) -> ir.Body:
        """The targets numbered through, the innermost subscript fastest; `sizes`, if they are declared already."""
        thread, threads, opening = self._threads()
        a = self.arithmetic
        if self.team is not None:
            thread, threads, more = self.team.share(thread, threads, self.names, self.span)
            opening = [*opening, *more]
        if len(self.targets) == 1:
            (t,) = self.targets
            position, count = (convert(ir.Var(x, span=self.span), a.type) for x in (thread, threads))
            return (*opening, self._loop(t, position, count, body))
        if sizes is None:
            sizes = self.sizes()
            opening = [*opening, *sizes]
        counts = [s.symbol for s in sizes]
        total: ir.Expr = _wide(counts[0])
        for size in counts[1:]:
            total = ir.Binary("*", total, _wide(size), SIZE_T, span=self.span)
        number = self.names.symbol("target", SIZE_T, self.span)
        left: ir.Expr = ir.Var(number, span=self.span)
        decoded: list[ir.Stmt] = []
        for t, size in zip(self.targets, counts, strict=True):
            last = size is counts[-1]
            digit = left if last else ir.Binary("%", left, _wide(size), SIZE_T, span=self.span)
            left = ir.Binary("/", left, _wide(size), SIZE_T, span=self.span)
            first = self.first(t)
            value = convert(digit, a.type)
            if not (isinstance(first, ir.Const) and first.value == 0):
                value = a.binary("+", first, value)
            decoded.append(ir.Declare(t.symbol, value, span=self.span))
        variable = ir.Var(number, span=self.span)
        step = ir.Update("+", variable, ir.Var(threads, span=self.span), span=self.span)
        start = ir.Declare(number, ir.Var(thread, span=self.span), span=self.span)
        condition = ir.Binary("<", variable, total, BOOL, span=self.span)
        return (*opening, ir.For((start,), condition, (step,), (*decoded, *body), span=self.span))


def _position(axis: str, span: Span, type_: Int = UINT) -> ir.Expr:
    """`blockIdx.x * blockDim.x + threadIdx.x`"""
    block, thread = (ir.ThreadIndex(name, axis, UINT, span=span) for name in ("blockIdx", "threadIdx"))
    offset = ir.Binary("*", convert(block, type_), convert(block_dim(axis, span), type_), type_, span=span)
    return ir.Binary("+", offset, convert(thread, type_), type_, span=span)


def thread_count(axis: str, span: Span, type_: Int = UINT) -> ir.Expr:
    grid, block = (convert(e, type_) for e in (grid_dim(axis, span), block_dim(axis, span)))
    return ir.Binary("*", grid, block, type_, span=span)


def _wide(symbol: ir.Symbol) -> ir.Expr:
    return convert(var(symbol), SIZE_T)
