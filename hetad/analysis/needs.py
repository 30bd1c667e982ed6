"""How long the arrays of a call have to be, given its integers: what the program surely reads or writes of them.

The inlined program is followed from its entry, with whole numbers where they are known, linear in the threads and the
iterations around.  What happens under a condition that nothing is known of, as one on data, is no proof, and neither is
what comes after it where the program may have ended there.  Numbers that C would wrap are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hetad.analysis.known import Address, Cell, Conditions, Known, Value, Values, product, size_if_known
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.pointer_expressions import pointee
from hetad.analysis.webs import place_of, pointed_at, targets
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import DIM3, Array, Int, Pointer, Struct
from hetad.ir.visit import children, own_exprs, walk_stmts
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE
from hetad.rules import callees

MAX_THREADS = 1024
_AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Need:
    """That so many bytes are behind a parameter, wherever the conditions hold."""

    bytes: Linear
    conditions: Conditions
    span: Span
    why: str


@dataclass(slots=True)
class Needs:
    """By parameter.  `at_least` is exact; `bound` is never less, and costs nothing."""

    ranges: Ranges = field(default_factory=Ranges)
    found: dict[ir.Symbol, list[Need]] = field(default_factory=dict)

    def exceeding(self, parameter: ir.Symbol, given: int) -> tuple[int, Need] | None:
        """The most bytes that are needed, where these are more than there are."""
        most: tuple[int, Need] | None = None
        for need in self.found.get(parameter, ()):
            so_far = given if most is None else most[0]
            if self.ranges.ends(need.bytes)[1] <= so_far:
                continue
            exact = self.ranges.greatest(need.bytes, need.conditions)
            if exact is not None and exact > so_far:
                most = exact, need
        return most


def needs(program: ir.Program, entry: str, known: Known, null: frozenset[ir.Symbol]) -> Needs:
    """What the entry needs.  `known`: integers and extents of its parameters; `null`: those that are null."""
    function = program.functions[entry]
    for p in function.params:
        if isinstance(p.type, Pointer):
            known[p, ()] = Address(p, Linear(0))
    follower = Follower(program, function, Needs(), null)
    follower.block(function.body, {c: v for c, v in known.items() if c[0] not in follower.pointed}, ())
    return follower.needs


class _End(Exception):
    """Nothing that comes after is sure."""


class Follower(Values):
    """`inside`: a kernel.  What the variables `pointed` hold is never known."""

    def __init__(
        self, program: ir.Program, function: ir.Function, found: Needs, null: frozenset[ir.Symbol], inside: str = ""
    ) -> None:
        super().__init__(found.ranges, null)
        self.program = program
        self.needs = found
        self.inside = inside
        self.looped = False
        self.pointed = pointed_at(function.body, lambda _: True)

    # -- statements

    def block(self, body: ir.Body, known: Known, given: Conditions) -> None:
        try:
            for s in body:
                self._statement(s, known, given)
        except _End:
            if given or self.inside:
                raise
            # The entry itself may have ended.

    def _statement(self, s: ir.Stmt, known: Known, given: Conditions) -> None:
        match s:
            case ir.If():
                self._branches(s, known, given)
            case ir.For():
                self._loop(s, known, given)
            case ir.While(cond=cond, body=body):
                self._first(cond, body, known, given)
                _forget(known, body)
                self._may_end(body)
            case ir.Block(body=body):
                for inner in body:
                    self._statement(inner, known, given)
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
                for own in own_exprs(s):
                    self._read(own, known, given)
                _forget(known, (s,))

    def _branches(self, s: ir.If, known: Known, given: Conditions) -> None:
        self._read(s.cond, known, given)
        holds, fails = self.tested(s.cond, known)
        for body, conditions in ((s.then, holds), (s.orelse, fails)):
            if conditions is None:
                self._may_end(body)
            elif not self._never(conditions):
                inner = known if not conditions else dict(known)
                for each in body:
                    self._statement(each, inner, (*given, *conditions))
        if not (holds == () or fails == ()):
            _forget(known, (*s.then, *s.orelse))

    def _loop(self, s: ir.For, known: Known, given: Conditions) -> None:
        for each in s.init:
            self._statement(each, known, given)
        if any(cell in known for cell in set_in(s.body)):
            self._first(s.cond, s.body, known, given)
        start = {cell: known.get(cell) for cell in set_in(s.step)}
        _forget(known, (*s.step, *s.body))
        inner = dict(known)
        conditions = self._iterations(s, start, inner)
        if conditions is None:
            self._may_end(s.body)
            return
        if self._never(conditions):
            return
        for each in s.body:
            self._statement(each, inner, (*given, *conditions))

    def _first(self, cond: ir.Expr | None, body: ir.Body, known: Known, given: Conditions) -> None:
        """The first iteration of a loop of the host that changes what is known, as one that swaps pointers."""
        holds = self.tested(cond, known)[0] if cond is not None else None
        if self.inside or self.looped or holds is None or self._never(holds):
            return
        self.looped = True
        inner = dict(known)
        for each in body:
            self._statement(each, inner, (*given, *holds))
        self.looped = False

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
        if most < 0:
            return (Linear(-1),)
        return holds if self.tested(s.cond, inner)[0] == holds else None

    def _most(self, condition: Linear, k: int) -> int:
        rest = Linear(condition.constant, {r: c for r, c in condition.terms.items() if r != k})
        return self.ranges.ends(rest)[1] // -condition.terms[k]

    def _never(self, conditions: Iterable[Linear]) -> bool:
        return any(self.ranges.ends(c)[1] < 0 for c in conditions)

    def _may_end(self, body: ir.Body) -> None:
        if any((isinstance(s, ir.Call) and _ends(s)) or isinstance(s, ir.Return) for s in walk_stmts(body)):
            raise _End

    # -- calls and launches

    def _call(self, s: ir.Call, known: Known, given: Conditions) -> None:
        for arg in s.args:
            self._read(arg, known, given)
        if callees.kind(s.function) == "atomic":
            place = pointee(s.args[0])
            if place is not None:
                self._touch(place, known, given)
        if s.function in TABLE:
            self._operation(s, TABLE[s.function], known, given)
        _forget(known, (s,))
        if _ends(s):
            raise _End

    def _operation(self, s: ir.Call, row: MemoryOperation, known: Known, given: Conditions) -> None:
        """Copies and fills: so many bytes, or rows of them."""
        at, rows = row.position("bytes"), row.position("height")
        if row.action not in ("copy", "fill") or at is None:
            return
        size = self.number(s.args[at], known)
        for role, pitch_role in (("dst", "to_pitch"), ("src", "from_pitch")):
            end = row.position(role)
            address = self.address(s.args[end], known) if end is not None else None
            if address is None or size is None:
                continue
            conditions: Conditions = (size - Linear(1),)
            total = size
            if rows is not None:
                pitch_at = row.position(pitch_role) or row.position("to_pitch")
                height = self.number(s.args[rows], known)
                pitch = self.number(s.args[pitch_at], known) if pitch_at is not None else None
                before = product(height - Linear(1), pitch) if height is not None and pitch is not None else None
                if before is None or height is None:
                    continue
                total = before + size
                conditions = (*conditions, height - Linear(1))
            if not self._never(conditions):
                self._need(address, total, (*given, *conditions), s.span, s.function)

    def _launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        for own in own_exprs(s):
            self._read(own, known, given)
        grid, block = self._extents(s.grid, known), self._extents(s.block, known)
        if grid is None or block is None or 0 in grid or not 1 <= block[0] * block[1] * block[2] <= MAX_THREADS:
            return
        kernel = self.program.functions[s.kernel]
        inside: Known = {}
        follower = _Threads(self, kernel, grid, block)
        for param, arg in zip(kernel.params, s.args, strict=True):
            if isinstance(param.type, Struct):
                at = place_of(arg)
                for (symbol, path), held in known.items():
                    if at is not None and symbol is at[0] and path[: len(at[1])] == at[1]:
                        inside[param, path[len(at[1]) :]] = held
                continue
            value = self.value(arg, known)
            if value is not None and param not in follower.pointed:
                inside[param, ()] = value
        try:
            follower.block(kernel.body, inside, given)
        except _End:
            return

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
                holds, fails = self.tested(left, known)
                then = holds if op == "&&" else fails
                if then is not None and not self._never(then):
                    self._read(right, known, (*given, *then))
            case ir.Select(cond=cond, then=one, orelse=other):
                self._read(cond, known, given)
                for part, conditions in zip((one, other), self.tested(cond, known), strict=True):
                    if conditions is not None and not self._never(conditions):
                        self._read(part, known, (*given, *conditions))
            case ir.Index() | ir.Member():
                if not isinstance(e.type, Array):
                    self._touch(e, known, given)
                self._on_the_way(e, known, given)
            case _:
                for child in children(e):
                    self._read(child, known, given)

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

    def _touch(self, place: ir.Expr, known: Known, given: Conditions) -> None:
        while isinstance(place, ir.Member):  # arrays have whole structs
            place = place.base
        address = self.place(place, known) if isinstance(place, ir.Index) else None
        size = size_if_known(place.type)
        if address is not None and size is not None:
            self._need(address, Linear(size), given, place.span, "")

    def _need(self, address: Address, size: Linear, given: Conditions, span: Span, operation: str) -> None:
        why = operation or (f"kernel {self.inside}" if self.inside else "host code")
        need = Need(address.offset + size, given, span, why)
        self.needs.found.setdefault(address.parameter, []).append(need)

    # -- variables

    def _set(self, target: ir.Place, value: ir.Expr | None, known: Known) -> None:
        at = place_of(target)
        if at is None or at[0] in self.pointed:
            return
        if target.type == DIM3 and value is not None:
            extents = self._extents(value, known)
            _forget_place(known, at)
            if extents is not None:
                known.update({(at[0], (*at[1], axis)): Linear(n) for axis, n in zip(_AXES, extents, strict=True)})
            return
        found = self.value(value, known) if value is not None else None
        _forget_place(known, at)
        if found is not None:
            known[at] = found


class _Threads(Follower):
    """The threads of a launch, which run one after the other as far as this goes."""

    def __init__(self, host: Follower, kernel: ir.Function, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        super().__init__(host.program, kernel, host.needs, host.null, kernel.name)
        self.extents = {"gridDim": grid, "blockDim": block}
        self.indices: dict[tuple[str, str], Linear] = {}

    def thread(self, e: ir.ThreadIndex) -> Linear | None:
        if e.axis not in _AXES:
            return Linear(32)
        if e.name in self.extents:
            return Linear(self.extents[e.name][_AXES.index(e.axis)])
        key = e.name, e.axis
        if key not in self.indices:
            extent = self.extents["gridDim" if e.name == "blockIdx" else "blockDim"][_AXES.index(e.axis)]
            self.indices[key] = self.ranges.add(0, extent - 1)
        return self.indices[key]


def _ends(s: ir.Call) -> bool:
    return callees.find(s.function).stops


def set_in(body: Iterable[ir.Stmt]) -> set[Cell]:
    """The variables, or their fields, that a body sets."""
    found: set[Cell] = set()
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            found.add((s.symbol, ()))
        at = (place_of(place) for place in targets(s))
        found.update(cell for cell in at if cell is not None)
    return found


def _forget(known: Known, body: Iterable[ir.Stmt]) -> None:
    for cell in set_in(body):
        _forget_place(known, cell)


def _forget_place(known: Known, at: Cell) -> None:
    for cell in [c for c in known if c[0] is at[0] and c[1][: len(at[1])] == at[1]]:
        del known[cell]
