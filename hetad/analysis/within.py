"""Whether a call stays within its memory: a proof, given its integers and the lengths of its arrays.

The inlined program is followed (`follower.py`) through everything that may run: a condition of which nothing is
known holds and fails, and after it nothing is known of what its branches set.  Each access must lie, wherever the
conditions that are known hold, in an array of a known length; what cannot be told is no proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hetad.analysis.follower import Follower, Threads, forget, set_in
from hetad.analysis.known import Address, Conditions, Known, Tested, size_if_known
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.memory_calls import allocated, bytes_of, freed, operands
from hetad.analysis.pointer_expressions import pointee
from hetad.analysis.webs import place_of
from hetad.ir import nodes as ir
from hetad.ir.places import is_dynamic
from hetad.ir.types import Array, Int, Pointer, Void
from hetad.ir.visit import own_exprs, walk_stmts
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE
from hetad.rules import callees

_OWN = ("local", "param")
_HARMLESS = ("barrier", "fence", "vote", "output", "runtime", "shuffle", "reduction")


class Unproven(Exception):
    """Nothing says that the program stays within its memory."""


@dataclass(slots=True)
class Reach:
    """How far the accesses to each parameter go, in bytes, where the conditions hold."""

    ranges: Ranges = field(default_factory=Ranges)
    ends: dict[ir.Symbol, list[tuple[Linear, Conditions]]] = field(default_factory=dict)

    def within(self, parameter: ir.Symbol, nbytes: int) -> bool:
        """Whether all of them end within so many bytes."""
        return all(at_most(self.ranges, end, nbytes, given) for end, given in self.ends.get(parameter, ()))


def reach(program: ir.Program, entry: str, known: Known, null: frozenset[ir.Symbol]) -> Reach | None:
    """What a call may reach, if that is known; arguments as for `needs`."""
    found = Reach()
    try:
        _Prover(program, program.functions[entry], found, null).follow_call(known)
    except Unproven:
        return None
    return found


def at_most(ranges: Ranges, value: Linear, limit: int, given: Conditions) -> bool:
    """Whether a value is no greater than that."""
    if ranges.ends(value)[1] <= limit:
        return True
    greatest = ranges.greatest(value, given)
    return greatest is not None and greatest <= limit


class _Prover(Follower):
    """`lengths`: of arrays that the program has itself, in bytes; None for those that are freed."""

    def __init__(
        self, program: ir.Program, function: ir.Function, found: Reach, null: frozenset[ir.Symbol],
        threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, function, found.ranges, null, threads)
        self.found = found
        self.lengths: dict[ir.Symbol, int | None] = {}
        self.nested = 0
        self.quotients: dict[tuple[int, int, frozenset[tuple[int, int]]], Linear] = {}
        self.facts: list[Linear] = []  # what is never negative of them

    # -- statements

    def _branches(self, s: ir.If, known: Known, given: Conditions) -> Conditions:
        self._read(s.cond, known, given)
        holds, fails = self._holding(s.cond, known), self._failing(s.cond, known)
        for body, more in ((s.then, holds), (s.orelse, fails)):
            if not self.never(more):
                self._inner(body, dict(known), (*given, *more))
        forget(known, (*s.then, *s.orelse))
        return fails if _leaves(s.then) else holds if _leaves(s.orelse) else ()

    def _while(self, s: ir.While | ir.DoWhile, known: Known, given: Conditions) -> None:
        forget(known, s.body)
        self._read(s.cond, known, given)
        self._inner(s.body, dict(known), given)

    def _other(self, s: ir.Stmt, known: Known, given: Conditions) -> None:
        if not isinstance(s, ir.Return | ir.Break | ir.Continue | ir.Comment):
            raise Unproven
        for own in own_exprs(s):
            self._read(own, known, given)

    def _inner(self, body: ir.Body, known: Known, given: Conditions) -> None:
        self.nested += 1
        self.follow(body, known, given)
        self.nested -= 1

    def _loop(self, s: ir.For, known: Known, given: Conditions) -> None:
        self.follow(s.init, known, given)
        start = {cell: known.get(cell) for cell in set_in(s.step)}
        forget(known, (*s.step, *s.body))
        inner = dict(known)
        more = self._iterations(s, start, inner)
        if more is None:
            inner, more = dict(known), ()
            self._read(s.cond, inner, given)
        if not self.never(more):
            self._inner((*s.body, *s.step), inner, (*given, *more))

    def _set(self, target: ir.Place, value: ir.Expr | None, known: Known) -> None:
        at = place_of(target)
        if at is not None and at[0].storage in _OWN:  # other threads, other calls change the rest
            super()._set(target, value, known)

    def number(self, e: ir.Expr, known: Known, wraps: bool = False) -> Linear | None:
        if isinstance(e.type, Int) and e.type.boolean:
            return None
        return super().number(e, known, wraps)

    def _computed(self, op: str, a: Linear, b: Linear) -> Linear | None:
        found = super()._computed(op, a, b)
        low = self.ranges.ends(a)[0]
        if found is not None or op not in ("/", "%") or b.terms or b.constant <= 0 or low < 0:
            return found
        quotient = self._quotient(a, b.constant)
        return quotient if op == "/" else a - quotient.scaled(b.constant)

    def _quotient(self, a: Linear, by: int) -> Linear:
        """A number of its own, with what makes it the quotient."""
        key = by, a.constant, frozenset(a.terms.items())
        if key not in self.quotients:
            low, high = self.ranges.ends(a)
            quotient = self.quotients[key] = self.ranges.add(low // by, high // by)
            rest = a - quotient.scaled(by)
            self.facts += [rest, Linear(by - 1) - rest]
        return self.quotients[key]

    def _at_most(self, value: Linear, limit: int, given: Conditions) -> bool:
        return at_most(self.ranges, value, limit, self._with_facts(value, given))

    def _with_facts(self, value: Linear, given: Conditions) -> Conditions:
        """Beside what is given, what is known of the quotients that it is about."""
        about = {k for x in (value, *given) for k in x.terms}
        return (*given, *(fact for fact in self.facts if about & fact.terms.keys()))

    # -- conditions, as far as they are known

    def outcomes(self, cond: ir.Expr, known: Known) -> Tested:
        return self._holding(cond, known), self._failing(cond, known)

    def _holding(self, e: ir.Expr, known: Known) -> Conditions:
        match e:
            case ir.Unary(op="!", operand=operand):
                return self._failing(operand, known)
            case ir.Cast(operand=operand) if isinstance(e.type, Int) and isinstance(operand.type, Int):
                return self._holding(operand, known)
            case ir.Binary(op="&&", left=left, right=right):
                return (*self._holding(left, known), *self._holding(right, known))
        return self.tested(e, known)[0] or ()

    def _failing(self, e: ir.Expr, known: Known) -> Conditions:
        match e:
            case ir.Unary(op="!", operand=operand):
                return self._holding(operand, known)
            case ir.Cast(operand=operand) if isinstance(e.type, Int) and isinstance(operand.type, Int):
                return self._failing(operand, known)
            case ir.Binary(op="||", left=left, right=right):
                return (*self._failing(left, known), *self._failing(right, known))
        return self.tested(e, known)[1] or ()

    # -- calls and launches

    def _call(self, s: ir.Call, known: Known, given: Conditions) -> None:
        for arg in s.args:
            self._read(arg, known, given)
        if s.result is not None:
            self._write(s.result, known, given)
        kind, row = callees.kind(s.function), TABLE.get(s.function)
        pointers = [a for a in s.args if isinstance(a.type, Pointer | Array)]
        if s.function in self.program.functions:
            raise Unproven
        if row is not None:
            self._of_memory(s, row, known, given)
        elif kind in ("atomic", "mathematics"):
            for pointer in pointers:
                place = pointee(pointer)
                if place is None:
                    raise Unproven
                self._write(place, known, given)
        elif pointers and kind not in _HARMLESS:
            raise Unproven
        forget(known, (s,))
        self._allocates(s, row, known)

    def _of_memory(self, s: ir.Call, row: MemoryOperation, known: Known, given: Conditions) -> None:
        if row.action in ("copy", "fill"):
            moved = bytes_of(s)
            if moved is None:
                raise Unproven
            size = self.number(moved.size, known)
            for end in (moved.dst, *([moved.src] if moved.src is not None else ())):
                address = self.address(end, known)
                if size is None or address is None:
                    raise Unproven
                self._within(address, size, given)
        elif (gone := freed(s)) is not None:
            pointer = self.address(gone, known)
            if self.nested or pointer is None or pointer.parameter not in self.lengths:
                raise Unproven
            self.lengths[pointer.parameter] = None
        elif row.action not in ("allocate", "symbol", "inert", "exit") or {"pointer", "updated"} & set(row.roles):
            raise Unproven

    def _allocates(self, s: ir.Call, row: MemoryOperation | None, known: Known) -> None:
        """The pointer to a new allocation is known where that happens once, and how large it is."""
        if row is None or row.action not in ("allocate", "symbol"):
            return
        place = allocated(s)
        at = place_of(place) if place is not None else None
        if at is None or at[0] in self.pointed or at[0].storage not in _OWN:
            return
        if row.action == "symbol":
            variable = operands(s)["symbol"]
            if isinstance(variable, ir.Var):
                self.lengths[variable.symbol] = size_if_known(variable.type)
                known[at] = Address(variable.symbol, Linear(0))
            return
        given = operands(s)
        size = self.number(given["bytes"], known) if "bytes" in given else None
        if self.nested or size is None or size.terms or "height" in given:
            return
        made = ir.Symbol(f"{at[0].name}_{len(self.lengths)}", at[0].type, s.span, "local")
        self.lengths[made] = max(size.constant, 0)
        known[at] = Address(made, Linear(0))

    def _unknown_launch(self) -> None:
        raise Unproven

    def _kernel(self, kernel: ir.Function, s: ir.Launch, known: Known, threads: Threads) -> _Prover:
        inside = _Prover(self.program, kernel, self.found, self.null, threads)
        inside.lengths, inside.facts, inside.nested = dict(self.lengths), self.facts, 1
        shared = self.number(s.shared, known) if s.shared is not None else Linear(0)
        for d in walk_stmts(kernel.body):
            if isinstance(d, ir.Declare) and is_dynamic(d.symbol) and shared is not None and not shared.terms:
                inside.lengths[d.symbol] = shared.constant
        return inside

    # -- accesses

    def _read(self, e: ir.Expr | None, known: Known, given: Conditions) -> None:
        match e:
            case ir.CallExpr():
                raise Unproven
            case ir.Intrinsic(args=args) if any(isinstance(a.type, Pointer | Array) for a in args):
                for arg in args:
                    self._read(arg, known, given)
                    if isinstance(arg.type, Pointer):
                        place = pointee(arg)
                        if place is None:
                            raise Unproven
                        self._touch(place, known, given)
            case _:
                super()._read(e, known, given)

    def _touch(self, place: ir.Expr, known: Known, given: Conditions) -> None:
        whole = place
        while isinstance(place, ir.Member):
            place = place.base
        if isinstance(place, ir.Var):
            return
        size = size_if_known(place.type)
        address = self.place(place, known) if isinstance(place, ir.Index) else None
        if not isinstance(place, ir.Index) or address is None or size is None or isinstance(place.type, Void):
            if _is_value(whole):
                return
            raise Unproven
        self._within(address, Linear(size), given)

    def _within(self, address: Address, size: Linear, given: Conditions) -> None:
        if not self._at_most(address.offset.scaled(-1), 0, given):
            raise Unproven
        end = address.offset + size
        if address.parameter not in self.lengths:
            self.found.ends.setdefault(address.parameter, []).append((end, self._with_facts(end, given)))
            return
        length = self.lengths[address.parameter]
        if length is None or not self._at_most(end, length, given):
            raise Unproven

    def address(self, e: ir.Expr, known: Known) -> Address | None:
        if isinstance(e, ir.Var) and isinstance(e.type, Array) and not is_dynamic(e.symbol):
            self.lengths.setdefault(e.symbol, size_if_known(e.type))
            return Address(e.symbol, Linear(0))
        if isinstance(e, ir.Var) and e.symbol in self.lengths:  # dynamic shared memory
            return Address(e.symbol, Linear(0))
        return super().address(e, known)

    def place(self, place: ir.Expr, known: Known) -> Address | None:
        if isinstance(place, ir.Var) and isinstance(place.type, Array):
            return self.address(place, known)
        return super().place(place, known)


def _leaves(body: ir.Body) -> bool:
    """Whether nothing behind it runs."""
    return bool(body) and isinstance(body[-1], ir.Return | ir.Break | ir.Continue)


def _is_value(e: ir.Expr) -> bool:
    """Whether a member is of a value that is stored nowhere."""
    while isinstance(e, ir.Member):
        e = e.base
    return not isinstance(e, ir.Index)
