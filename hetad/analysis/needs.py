"""How long the arrays of a call have to be, given its integers: what the program surely reads or writes of them.

The inlined program is followed (`follower.py`) with whole numbers where they are known, linear in the threads and the
iterations around.  What happens under a condition that nothing is known of, as one on data, is no proof, and neither is
what comes after it where the program may have ended there.  Numbers that C would wrap are not known.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from hetad.analysis.follower import Follower, Threads, forget, set_in
from hetad.analysis.known import Address, Conditions, Known, product, size_if_known
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.memory_calls import does, operands
from hetad.analysis.pointer_expressions import pointee
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.places import members
from hetad.ir.visit import own_exprs, walk_stmts
from hetad.memops.table import TABLE
from hetad.rules import callees


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
    found = Needs()
    with suppress(_End):  # the entry itself may have ended
        _Sure(program, program.functions[entry], found, null).follow_call(known)
    return found


class _End(Exception):
    """Nothing that comes after is sure."""


class _Sure(Follower):
    """Follows what surely happens."""

    def __init__(
        self, program: ir.Program, function: ir.Function, found: Needs, null: frozenset[ir.Symbol],
        threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, function, found.ranges, null, threads)
        self.needs = found
        self.looped = False

    # -- statements

    def _branches(self, s: ir.If, known: Known, given: Conditions) -> Conditions:
        self._read(s.cond, known, given)
        holds, fails = self.tested(s.cond, known)
        for body, conditions in ((s.then, holds), (s.orelse, fails)):
            if conditions is None:
                self._may_end(body)
            elif not self.never(conditions):
                self.follow(body, known if not conditions else dict(known), (*given, *conditions))
        if not (holds == () or fails == ()):
            forget(known, (*s.then, *s.orelse))
        return ()

    def _loop(self, s: ir.For, known: Known, given: Conditions) -> None:
        self.follow(s.init, known, given)
        if any(cell in known for cell in set_in(s.body)):
            self._first(s.cond, s.body, known, given)
        start = {cell: known.get(cell) for cell in set_in(s.step)}
        forget(known, (*s.step, *s.body))
        inner = dict(known)
        conditions = self._iterations(s, start, inner)
        if conditions is None:
            self._may_end(s.body)
        elif not self.never(conditions):
            self.follow(s.body, inner, (*given, *conditions))

    def _while(self, s: ir.While | ir.DoWhile, known: Known, given: Conditions) -> None:
        self._first(s.cond, s.body, known, given)
        forget(known, s.body)
        self._may_end(s.body)

    def _first(self, cond: ir.Expr | None, body: ir.Body, known: Known, given: Conditions) -> None:
        """The first iteration of a loop of the host that changes what is known, as one that swaps pointers."""
        holds = self.tested(cond, known)[0] if cond is not None else None
        if self.inside or self.looped or holds is None or self.never(holds):
            return
        self.looped = True
        self.follow(body, dict(known), (*given, *holds))
        self.looped = False

    def _may_end(self, body: ir.Body) -> None:
        if any((isinstance(s, ir.Call) and _ends(s)) or isinstance(s, ir.Return) for s in walk_stmts(body)):
            raise _End

    def _other(self, s: ir.Stmt, known: Known, given: Conditions) -> None:
        for own in own_exprs(s):
            self._read(own, known, given)
        forget(known, (s,))

    # -- calls and launches

    def _call(self, s: ir.Call, known: Known, given: Conditions) -> None:
        for arg in s.args:
            self._read(arg, known, given)
        if callees.kind(s.function) == "atomic":
            place = pointee(s.args[0])
            if place is not None:
                self._touch(place, known, given)
        if s.function in TABLE:
            self._operation(s, known, given)
        forget(known, (s,))
        if _ends(s):
            raise _End

    def _operation(self, s: ir.Call, known: Known, given: Conditions) -> None:
        """Copies and fills: so many bytes, or rows of them."""
        args = operands(s)
        if not does(s, "copy", "fill") or "bytes" not in args:
            return
        size = self.number(args["bytes"], known)
        for role, pitch_role in (("dst", "to_pitch"), ("src", "from_pitch")):
            address = self.address(args[role], known) if role in args else None
            if address is None or size is None:
                continue
            conditions: Conditions = (size - Linear(1),)
            total = size
            if "height" in args:
                height, pitch = self.number(args["height"], known), self.number(args[pitch_role], known)
                before = product(height - Linear(1), pitch) if height is not None and pitch is not None else None
                if before is None or height is None:
                    continue
                total = before + size
                conditions = (*conditions, height - Linear(1))
            if not self.never(conditions):
                self._need(address, total, (*given, *conditions), s.span, s.function)

    def _launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        with suppress(_End):  # of a thread
            super()._launch(s, known, given)

    def _unknown_launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        pass

    def _kernel(self, kernel: ir.Function, s: ir.Launch, known: Known, threads: Threads) -> _Sure:
        return _Sure(self.program, kernel, self.needs, self.null, threads)

    # -- what is read and written

    def _touch(self, place: ir.Expr, known: Known, given: Conditions) -> None:
        place, _ = members(place)  # arrays have whole structs
        address = self.place(place, known) if isinstance(place, ir.Index) else None
        size = size_if_known(place.type)
        if address is not None and size is not None:
            self._need(address, Linear(size), given, place.span, "")

    def _need(self, address: Address, size: Linear, given: Conditions, span: Span, operation: str) -> None:
        why = operation or (f"kernel {self.inside}" if self.inside else "host code")
        need = Need(address.offset + size, given, span, why)
        self.needs.found.setdefault(address.parameter, []).append(need)


def _ends(s: ir.Call) -> bool:
    return callees.find(s.function).stops
