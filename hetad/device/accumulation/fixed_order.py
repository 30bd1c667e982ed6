"""Sums of fixed order, for gradients whose bits do not depend on the order of threads.

Within a block sums have a fixed order anyway.  Where blocks would add to one number atomically, each stores its sum in
a cell of its own, and a second kernel, of one block, adds these up:

    parts[s * blocks + block] += the sum over the block        number s of the sums, in the pullback
    adj[...] += the sum over all blocks of parts[s * blocks + block]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.device.accumulation.increments import Increment, increment
from hetad.device.tape.storage import block_count, block_position
from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.quote import Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, convert, integer
from hetad.ir.types import SIZE_T, UINT, VOID, Float, Pointer, Type
from hetad.ir.visit import variables, walk_stmts
from hetad.rules import operations


@dataclass(frozen=True, slots=True)
class Parts:
    """The second stage: a kernel that takes a buffer for each of `types`, how many blocks there were, and the adjoints
    of the primal's parameters at `adjoint`.  A buffer has `counts` cells for each block."""

    function: ir.Function
    types: tuple[Type, ...]
    counts: tuple[int, ...]
    adjoint: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """A pullback's body in which each block keeps its sums apart, the buffers for them, and the second stage."""

    body: ir.Body
    buffers: tuple[ir.Symbol, ...]
    parts: Parts


def staged(
    body: ir.Body, name: str, comment: str, adjoints: Mapping[int, ir.Symbol], names: Names, span: Span
) -> Staged | None:
    """None where no sum is made over blocks.  `adjoints`: the parameters by their positions in the primal."""
    if not any(_adds(s) for s in walk_stmts(body)):
        return None
    stage = _Stage(names, span)
    first = (*stage.opening(), *stage.kept_apart(body))
    used = set(variables(stage.second))
    adjoint = tuple(i for i, p in adjoints.items() if p in used)
    buffers = tuple(stage.buffers.values())
    params = (*buffers, stage.total, *(adjoints[i] for i in adjoint))
    function = ir.Function(name, "kernel", params, VOID, tuple(stage.second), span, comment=comment)
    parts = Parts(function, tuple(stage.buffers), tuple(stage.counts[t] for t in stage.buffers), adjoint)
    return Staged(first, buffers, parts)


_CELL = Quote("parts[number * blocks + block]")
_SUM = Quote("""
    real sum = 0;
    for (unsigned int b = threadIdx.x; b < blocks; b += blockDim.x) {
        sum += parts[number * blocks + b];
    }
""")


class _Stage:
    def __init__(self, names: Names, span: Span) -> None:
        self.names, self.span = names, span
        self.buffers: dict[Type, ir.Symbol] = {}
        self.counts: dict[Type, int] = {}
        self.block = names.symbol("block_number", SIZE_T, span, const=True)
        self.blocks = names.symbol("block_count", SIZE_T, span, const=True)
        self.total = names.symbol("blocks", UINT, span, "param")
        self.second: list[ir.Stmt] = []

    def opening(self) -> list[ir.Stmt]:
        values = (block_position(self.span), block_count(self.span))
        pairs = zip((self.block, self.blocks), values, strict=True)
        return [ir.Declare(x, value, span=self.span) for x, value in pairs]

    def kept_apart(self, body: ir.Body) -> ir.Body:
        """The body with the sums in cells of their own; what adds these up goes to the second stage."""
        out: list[ir.Stmt] = []
        for s in body:
            if isinstance(s, ir.For) and any(_adds(x) for x in s.body):
                trips, (index,) = _trips(s), [d.symbol for d in s.init if isinstance(d, ir.Declare)]
                pairs = [self._split(x, trips, ir.Var(index, span=self.span)) for x in s.body]
                out.append(replace(s, body=tuple(a for a, _ in pairs)))
                self.second.append(replace(s, body=tuple(b for _, several in pairs for b in several)))
            elif _adds(s):
                a, several = self._split(s, 1, None)
                out.append(a)
                self.second += several
            else:
                assert not any(_adds(x) for x in walk_stmts((s,))), "sums over blocks stand at the end"
                out.append(s)
        return tuple(out)

    def _split(self, s: ir.Stmt, count: int, k: ir.Expr | None) -> tuple[ir.Stmt, list[ir.Stmt]]:
        """The sum of a block, kept in a cell; and the sum of those."""
        assert isinstance(s, ir.Call) and _adds(s)
        target, value = s.args
        number = self._numbers(value.type, count, k)
        parts = self.buffers[value.type]
        cell = _CELL.value(s.span, parts=parts, number=number, blocks=self.blocks, block=self.block)
        assert isinstance(cell, ir.Index)
        return operations.block_sum(address_of(cell), value, span=s.span), self._added_up(target, number, value)

    def _added_up(self, target: ir.Expr, number: ir.Expr, value: ir.Expr) -> list[ir.Stmt]:
        """`target` receives sum `number` of all blocks, which the threads of one block share among them."""
        text = Scope(self.names, value.span)
        parts = self.buffers[value.type]
        summed = text(_SUM, real=value.type, parts=parts, number=number, blocks=self.total)
        return [*summed, operations.block_sum(target, text["sum"], span=value.span)]

    def _numbers(self, type_: Type, count: int, k: ir.Expr | None) -> ir.Expr:
        """The number of the next sum, of `count` ones that `k` tells apart."""
        if type_ not in self.buffers:
            name = "parts" if not self.buffers else f"parts_{type_}"
            self.buffers[type_], self.counts[type_] = self.names.symbol(name, Pointer(type_), self.span, "param"), 0
        first = integer(self.counts[type_], self.span, SIZE_T)
        self.counts[type_] += count
        return first if k is None else ir.Binary("+", first, convert(k, SIZE_T), SIZE_T, span=self.span)


def refusal_of_atomics(bodies: Sequence[ir.Body]) -> UnsupportedError | None:
    """If floating increments remain whose order the threads decide."""
    found = next((f for body in bodies for f in unordered(body)), None)
    if found is None:
        return None
    return UnsupportedError(
        "with deterministic=True: several threads may add to the adjoint of this in no fixed order, in a kernel "
        "whose threads wait for each other",
        found.place.span,
        "let each thread read cells of its own here; or leave deterministic=True out",
    )


def unordered(body: ir.Body) -> Iterator[Increment]:
    """The floating increments whose order the threads decide."""
    found = (increment(s) for s in walk_stmts(body))
    return (f for f in found if f is not None and isinstance(f.value.type, Float))


def _adds(s: ir.Stmt) -> bool:
    return operations.does(s, operations.block_add)


def _trips(s: ir.For) -> int:
    assert isinstance(s.cond, ir.Binary) and isinstance(s.cond.right, ir.Const)
    return int(s.cond.right.value)
