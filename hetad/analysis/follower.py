"""A walk through an inlined program, from the entry of a call into the kernels that it launches, with whole numbers
where they are known.

What a walk is for decides what it does where nothing is known: `needs.py` asks what surely happens, `within.py` what
may happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from hetad.analysis.known import Address, Cell, Conditions, Known, Tested, Value, Values
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.webs import place_of, pointed_at, targets
from hetad.ir import nodes as ir
from hetad.ir.types import DIM3, Array, Int, Pointer, Struct, Type
from hetad.ir.visit import children, own_exprs, walk_stmts

MAX_THREADS = 1024
_AXES = ("x", "y", "z")


@dataclass(slots=True)
class Threads:
    """All threads of a launch; `sure`: whether grid and block have these extents, or at most these."""

    ranges: Ranges
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    sure: tuple[bool, bool] = (True, True)
    indices: dict[tuple[str, str], Linear] = field(default_factory=dict)

    def index(self, e: ir.ThreadIndex) -> Linear:
        if e.axis not in _AXES:
            return Linear(32)
        of_grid, is_extent = e.name in ("gridDim", "blockIdx"), e.name in ("gridDim", "blockDim")
        extent = (self.grid if of_grid else self.block)[_AXES.index(e.axis)]
        if is_extent and self.sure[not of_grid]:
            return Linear(extent)
        if (e.name, e.axis) not in self.indices:
            self.indices[e.name, e.axis] = self.ranges.add(1, extent) if is_extent else self.ranges.add(0, extent - 1)
        return self.indices[e.name, e.axis]


class Follower(Values):
    """Follows one function: the entry, or, where there are `threads`, a kernel, whose threads run one after the other
    as far as this goes.  What the variables `pointed` hold is never known."""

    def __init__(
        self, program: ir.Program, function: ir.Function, ranges: Ranges, null: frozenset[ir.Symbol],
        threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(ranges, null)
        self.program = program
        self.function = function
        self.inside = function.name if threads is not None else ""
        self.threads = threads
        self.pointed = pointed_at(function.body, lambda _: True)

    def thread(self, e: ir.ThreadIndex) -> Linear | None:
        return self.threads.index(e) if self.threads is not None else None

    def follow_call(self, known: Known) -> None:
        """The entry.  `known`: integers and extents of its parameters."""
        pointers = (p for p in self.function.params if isinstance(p.type, Pointer))
        found: Known = {**known, **{(p, ()): Address(p, Linear(0)) for p in pointers}}
        self.follow(self.function.body, {c: v for c, v in found.items() if c[0] not in self.pointed}, ())

    # -- what depends on what is asked

    def _branches(self, s: ir.If, known: Known, given: Conditions) -> Conditions:
        """Both branches; what holds behind them, beside."""
        raise NotImplementedError

    def _loop(self, s: ir.For, known: Known, given: Conditions) -> None:
        raise NotImplementedError

    def _while(self, s: ir.While | ir.DoWhile, known: Known, given: Conditions) -> None:
        raise NotImplementedError

    def _call(self, s: ir.Call, known: Known, given: Conditions) -> None:
        raise NotImplementedError

    def _other(self, s: ir.Stmt, known: Known, given: Conditions) -> None:
        """A statement that no walk knows."""
        raise NotImplementedError

    def _unknown_launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        """Nobody knows how many threads there are, or what they run."""
        raise NotImplementedError

    def _kernel(self, kernel: ir.Function, s: ir.Launch, known: Known, threads: Threads) -> Self:
        """What follows the launched kernel."""
        raise NotImplementedError

    def _touch(self, place: ir.Expr, known: Known, given: Conditions) -> None:
        """A place that is read or written."""
        raise NotImplementedError

    def outcomes(self, cond: ir.Expr, known: Known) -> Tested:
        """What is known where a condition holds, and where it fails; None: what follows is not looked at."""
        return self.tested(cond, known)

    # -- statements

    def follow(self, body: ir.Body, known: Known, given: Conditions) -> None:
        """`known` becomes what is known behind the body; `given` holds before it."""
        for s in body:
            given = (*given, *self._statement(s, known, given))

    def _statement(self, s: ir.Stmt, known: Known, given: Conditions) -> Conditions:
        """What holds behind the statement, beside."""
        match s:
            case ir.If():
                return self._branches(s, known, given)
            case ir.For():
                self._loop(s, known, given)
            case ir.While() | ir.DoWhile():
                self._while(s, known, given)
            case ir.Block(body=body):
                self.follow(body, known, given)
            case ir.Launch():
                self._launch(s, known, given)
            case ir.Declare(symbol=symbol, init=init):
                self._read(init, known, given)
                self._set(ir.Var(symbol, span=s.span), init, known)
            case ir.Assign(target=target, value=value):
                self._read(value, known, given)
                self._write(target, known, given)
                self._set(target, value, known)
            case ir.Update(op=op, target=target, value=value):
                self._read(value, known, given)
                self._write(target, known, given)
                whole = ir.Binary(op, target, value, target.type, span=s.span) if op in ("+", "-") else None
                self._set(target, whole, known)
            case ir.Call():
                self._call(s, known, given)
            case _:
                self._other(s, known, given)
        return ()

    def _iterations(self, s: ir.For, start: Mapping[Cell, Value | None], inner: Known) -> Conditions | None:
        """Which iterations there are, of a loop that counts one variable to a bound; `inner` learns its values."""
        if len(s.step) != 1 or s.cond is None or len(start) != 1:
            return None
        (key, first), step = next(iter(start.items())), s.step[0]
        if not isinstance(first, Linear) or not isinstance(step, ir.Update) or step.op not in ("+", "-"):
            return None
        by = self.number(step.value, inner)
        if by is None or by.terms or by.constant == 0 or key in set_in(s.body):
            return None
        slope = by.constant if step.op == "+" else -by.constant
        count = self.ranges.add(0, 0)
        k = next(iter(count.terms))
        inner[key] = first + count.scaled(slope)
        self.ranges.high[k] = 1 << 31
        holds, _ = self.tested(s.cond, inner, wraps=True)
        # What excludes later iterations decides how many there are; each of its conditions must hold from the first on.
        if not holds or any(c.terms.get(k, 0) >= 0 for c in holds):
            return None
        self.ranges.high[k] = max(most := min(self._most(c, k) for c in holds), 0)
        if self.tested(s.cond, inner)[0] != holds or self._wraps(inner[key], slope, step.target.type):
            return None
        return (Linear(-1),) if most < 0 else holds

    def _wraps(self, counter: Value, step: int, type_: Type) -> bool:
        """Whether a counter without a sign may begin anew behind the last iteration."""
        if not isinstance(counter, Linear) or not isinstance(type_, Int) or type_.signed:
            return False
        low, high = self.ranges.ends(counter)
        return low + step < 0 or high + step >= 1 << type_.bits

    def _most(self, condition: Linear, k: int) -> int:
        rest = Linear(condition.constant, {r: c for r, c in condition.terms.items() if r != k})
        return self.ranges.ends(rest)[1] // -condition.terms[k]

    def never(self, conditions: Iterable[Linear]) -> bool:
        return any(self.ranges.ends(c)[1] < 0 for c in conditions)

    # -- launches

    def _launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        for own in own_exprs(s):
            self._read(own, known, given)
        grid, block = self._extents(s.grid, known), self._extents(s.block, known)
        kernel = self.program.functions.get(s.kernel)
        if grid is None or block is None or kernel is None:
            self._unknown_launch(s, known, given)
        elif 0 not in grid and 1 <= block[0] * block[1] * block[2] <= MAX_THREADS:
            self._run_by(Threads(self.ranges, grid, block), kernel, s, known, given)

    def _run_by(
        self, threads: Threads, kernel: ir.Function, s: ir.Launch, known: Known, given: Conditions
    ) -> None:  # fmt: skip
        follower = self._kernel(kernel, s, known, threads)
        follower.follow(kernel.body, self._passed(kernel, s, known, follower.pointed), given)

    def _passed(self, kernel: ir.Function, s: ir.Launch, known: Known, pointed: Iterable[ir.Symbol]) -> Known:
        """What is known of the kernel's parameters."""
        inside: Known = {}
        for param, arg in zip(kernel.params, s.args, strict=True):
            if isinstance(param.type, Struct):
                at = place_of(arg)
                for (symbol, path), held in known.items():
                    if at is not None and symbol is at[0] and path[: len(at[1])] == at[1]:
                        inside[param, path[len(at[1]) :]] = held
                continue
            value = self.value(arg, known)
            if value is not None and param not in pointed:
                inside[param, ()] = value
        return inside

    def _extents(self, e: ir.Expr, known: Known) -> tuple[int, int, int] | None:
        """A grid or a block whose extents are numbers."""
        parts: list[Linear | None] = []
        at = place_of(e)
        if isinstance(e, ir.Aggregate):
            parts = [self.number(x, known) for x in e.elements]
        elif e.type == DIM3 and at is not None:
            found = [known.get((at[0], (*at[1], axis))) for axis in _AXES]
            parts = [x if isinstance(x, Linear) else None for x in found]
        elif isinstance(e.type, Int):
            parts = [self.number(e, known)]
        numbers = [p.constant for p in parts if p is not None and not p.terms]
        if not numbers or len(numbers) < len(parts):
            return None
        x, y, z = (*numbers, 1, 1)[:3]
        return x, y, z

    # -- what is read and written

    def _read(self, e: ir.Expr | None, known: Known, given: Conditions) -> None:
        match e:
            case None:
                return
            case ir.AddressOf(place=place):
                self._on_the_way(place, known, given)
            case ir.Binary(op="&&" | "||" as op, left=left, right=right):
                self._read(left, known, given)
                self._read_if(self.outcomes(left, known)[op == "||"], right, known, given)
            case ir.Select(cond=cond, then=one, orelse=other):
                self._read(cond, known, given)
                for part, conditions in zip((one, other), self.outcomes(cond, known), strict=True):
                    self._read_if(conditions, part, known, given)
            case ir.Index() | ir.Member():
                if not isinstance(e.type, Array):
                    self._touch(e, known, given)
                self._on_the_way(e, known, given)
            case _:
                for child in children(e):
                    self._read(child, known, given)

    def _read_if(self, conditions: Conditions | None, e: ir.Expr, known: Known, given: Conditions) -> None:
        if conditions is not None and not self.never(conditions):
            self._read(e, known, (*given, *conditions))

    def _write(self, target: ir.Place, known: Known, given: Conditions) -> None:
        self._touch(target, known, given)
        self._on_the_way(target, known, given)

    def _on_the_way(self, place: ir.Expr, known: Known, given: Conditions) -> None:
        """What is read to find a place."""
        match place:
            case ir.Index(base=base, index=index):
                self._read(index, known, given)
                if isinstance(base.type, Pointer):
                    self._read(base, known, given)
                else:
                    self._on_the_way(base, known, given)
            case ir.Member(base=base):
                self._on_the_way(base, known, given)

    # -- variables

    def _set(self, target: ir.Place, value: ir.Expr | None, known: Known) -> None:
        at = place_of(target)
        if at is None or at[0] in self.pointed:
            return
        if target.type == DIM3 and value is not None:
            extents = self._extents(value, known)
            forget_place(known, at)
            if extents is not None:
                known.update({(at[0], (*at[1], axis)): Linear(n) for axis, n in zip(_AXES, extents, strict=True)})
            return
        found = self.value(value, known) if value is not None else None
        forget_place(known, at)
        if found is not None:
            known[at] = found


def set_in(body: Iterable[ir.Stmt]) -> set[Cell]:
    """The variables, or their fields, that a body sets."""
    found: set[Cell] = set()
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            found.add((s.symbol, ()))
        at = (place_of(place) for place in targets(s))
        found.update(cell for cell in at if cell is not None)
    return found


def forget(known: Known, body: Iterable[ir.Stmt]) -> None:
    """Nothing is known any more of what the body sets."""
    for cell in set_in(body):
        forget_place(known, cell)


def forget_place(known: Known, at: Cell) -> None:
    for cell in [c for c in known if c[0] is at[0] and c[1][: len(at[1])] == at[1]]:
        del known[cell]
