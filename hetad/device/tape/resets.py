"""Statements by which a block gives every cell of a shared variable a new value.

What an atomic addition found in shared memory cannot be restored: backwards, the memory has lost its value.  That is no
loss where the program had given it all a new value before, at the top of a loop say: undoing that restores what was
there earlier, whatever lies there now.  Such a statement is

* a store of thread 0, and maybe others, to a scalar, to all elements of an array one by one, or in a loop over them,
* a loop of all threads over the elements, a block's width apart: `for (b = threadIdx.x; b < BINS; b += blockDim.x)`,

reached by all threads of the block alike, with values that do not depend on what it overwrites.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.loops import counted, plain
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import COMPARISONS, bare, computed
from hetad.ir.identity import IdentityMap
from hetad.ir.types import Array
from hetad.ir.visit import variables, walk_expr, walk_stmts


def resets(body: ir.Body, effects: Effects, uniform: Divergence) -> IdentityMap[ir.Stmt, tuple[ir.Symbol, ...]]:
    """By statement: the shared variables that it gives new values as a whole."""
    return _Search(body, effects, uniform).found


class _Search:
    def __init__(self, body: ir.Body, effects: Effects, uniform: Divergence) -> None:
        self.effects = effects
        self.uniform = uniform
        self.values = _single_values(body, effects)
        self.found = IdentityMap[ir.Stmt, tuple[ir.Symbol, ...]]()
        self._block(body)

    def _block(self, body: ir.Body) -> None:
        """A body that all threads of the block run, or none."""
        for s in body:
            symbols = tuple(x for x in self._set_by(s) if not self._reads(s, x))
            if symbols:
                self.found[s] = symbols
                continue
            match s:
                case ir.If(cond=cond) if self.uniform.uniform(cond):
                    self._block(s.then)
                    self._block(s.orelse)
                case ir.For() | ir.While() if self.uniform.uniform_loop(s):
                    self._block(s.body)
                case ir.Block():
                    self._block(s.body)

    def _reads(self, s: ir.Stmt, symbol: ir.Symbol) -> bool:
        return any(symbol in self.effects.reads(inner) for inner in walk_stmts((s,)))

    def _set_by(self, s: ir.Stmt) -> Iterator[ir.Symbol]:
        match s:
            case ir.If(cond=cond, then=then, orelse=()) if self._at_thread_zero(cond):
                yield from self._set_by_thread(then)
            case ir.For():
                yield from self._set_by_stride(s)
            case _:
                yield from self._set_by_thread((s,))

    def _set_by_thread(self, body: ir.Body) -> Iterator[ir.Symbol]:
        """What a thread that runs the body gives new values, all of it."""
        elements: dict[ir.Symbol, set[int]] = {}
        for s in body:
            match s:
                case ir.Assign(target=ir.Var(symbol=scalar)) if scalar.storage == "shared":
                    yield scalar
                case ir.Assign(target=ir.Index(base=base, index=index)) if (
                    symbol := _shared(base)
                ) is not None and isinstance(number := plain(index), ir.Const):
                    known = elements.setdefault(symbol, set())
                    known.add(int(number.value))
                    if known >= set(range(_length(symbol))):
                        yield symbol
                case ir.For():
                    yield from self._set_in_loop(s, starts_at_zero=True)

    def _set_by_stride(self, s: ir.For) -> Iterator[ir.Symbol]:
        yield from self._set_in_loop(s, starts_at_zero=False)

    def _set_in_loop(self, s: ir.For, starts_at_zero: bool) -> Iterator[ir.Symbol]:
        changed = self.effects.written(s.body)
        header = counted(s, lambda e: self.effects.stable(e, changed), lambda x: x in changed)
        if header is None or header.down or header.inclusive or not isinstance(plain(header.bound), ir.Const):
            return
        start, step, bound = self._known(header.start), plain(header.step), plain(header.bound)
        assert isinstance(bound, ir.Const)
        one_thread = isinstance(start, ir.Const) and start.value == 0 and isinstance(step, ir.Const) and step.value == 1
        all_threads = (
            isinstance(start, ir.ThreadIndex)
            and isinstance(step := self._known(step), ir.ThreadIndex)
            and (start.name, step.name, start.axis) == ("threadIdx", "blockDim", step.axis)
        )
        if not (one_thread or (all_threads and not starts_at_zero)):
            return
        for inner in s.body:
            match inner:
                case ir.Assign(target=ir.Index(base=base, index=index)) if (symbol := _shared(base)) is not None:
                    index = plain(index)
                    if isinstance(index, ir.Var) and index.symbol is header.index and bound.value >= _length(symbol):
                        yield symbol

    def _known(self, expr: ir.Expr) -> ir.Expr:
        """What a variable with one value holds, without conversions between integers."""
        while True:
            match expr:
                case ir.Cast(operand=inner) if not isinstance(inner.type, Array):
                    expr = inner
                case ir.Var(symbol=symbol) if symbol in self.values:
                    expr = self.values[symbol]
                case _:
                    return expr

    def _at_thread_zero(self, cond: ir.Expr) -> bool:
        """Whether the condition certainly holds in thread (0, 0, 0)."""
        match cond:
            case ir.Binary(op="&&", left=left, right=right):
                return self._at_thread_zero(left) and self._at_thread_zero(right)
            case ir.Cast(operand=inner):
                return self._at_thread_zero(inner)
            case ir.Unary(op="!", operand=inner):
                return self._value(inner) == 0
            case ir.Binary(op=op) if op in COMPARISONS:
                return bool(self._value(cond))
        return False

    def _value(self, expr: ir.Expr) -> int | None:
        """The value of an integer expression in thread (0, 0, 0), where it is known."""
        expr = self._known(expr)
        match expr:
            case ir.Const(value=value):
                return int(value) if float(value).is_integer() else None
            case ir.ThreadIndex(name="threadIdx"):
                return 0
            case ir.ThreadIndex(name="warpSize"):
                return 32
            case ir.Binary(op=op, left=left, right=right):
                a, b = self._value(left), self._value(right)
                if op in ("*", "&") and 0 in (a, b):
                    return 0
                if op in ("%", "/", ">>") and a == 0:
                    return 0
                if a is not None and b is not None and (op in COMPARISONS or op in ("+", "-")):
                    return computed(op, a, b)
        return None


def _single_values(body: ir.Body, effects: Effects) -> dict[ir.Symbol, ir.Expr]:
    """The local variables that have one value, and that value."""
    found, pointed = effects.constants(body), effects.pointers.pointed()
    return {x: value for x, value in found.items() if x not in pointed and _is_fixed(value, found)}


def _is_fixed(value: ir.Expr, found: dict[ir.Symbol, ir.Expr]) -> bool:
    """Whether the value is made of thread indices, constants and other such variables alone."""
    made_of = (ir.Const, ir.ThreadIndex, ir.Var, ir.Cast, ir.Unary, ir.Binary)
    alone = all(isinstance(e, made_of) for e in walk_expr(value))
    return alone and all(x in found or x.storage == "param" for x in variables(value))


def _shared(base: ir.Expr) -> ir.Symbol | None:
    """The shared array of numbers, of known length, that a subscript is applied to."""
    base = bare(base)
    if isinstance(base, ir.Var) and base.symbol.storage == "shared" and isinstance(base.symbol.type, Array):
        type_ = base.symbol.type
        return base.symbol if type_.length is not None and not isinstance(type_.of, Array) else None
    return None


def _length(symbol: ir.Symbol) -> int:
    assert isinstance(symbol.type, Array) and symbol.type.length is not None
    return symbol.type.length
