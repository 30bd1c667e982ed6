"""What memory holds where a walk through a program comes: whole numbers and pointers, by the byte at which they lie.

Beside variables, memory is what allocations give, what has an address taken, arrays, and what the entry's parameters
point to.  A cell of it is known by its object, the byte where it begins, and its size; with None for the byte, all
cells of that size hold a number between the ends of that one.  As C has it, a store changes no number of another size,
and no pointer unless it stores one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hetad.analysis.follower import Follower, Threads, forget_place, set_in
from hetad.analysis.known import Address, Cell, Known, Value, size_if_known
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.stores import Kinds, changes, clobber, is_memory, kinds, overlaps
from hetad.analysis.webs import place_of, pointed_at
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import integer, is_zero
from hetad.ir.identity import Identity
from hetad.ir.places import is_dynamic, root_symbol
from hetad.ir.types import (
    DIM3,
    UINT,
    Array,
    Int,
    Pointer,
    Struct,
    Type,
    Void,
    innermost,
    is_volatile,
    offset_of,
)  # fmt: skip
from hetad.ir.visit import declared, walk_stmts
from hetad.rules import callees

LENGTH = ("[]",)  # of a cell: how many bytes an allocation has; below zero where it is freed or nobody knows
_OWN = ("local", "param")
_STEPS = 4_000
_FEW = 64  # elements of an array that are looked at one by one
_MOST = 8  # addresses of which a pointer may hold one


@dataclass(slots=True)
class Objects:
    """What there is beside what the entry's parameters point to.

    lengths: of variables, in bytes; None where nobody knows.
    made: by the statements that allocate, and the turns of loops, each the last one that it has made.
    on_host: what no kernel can write to.
    either: stands for one of some addresses each, of which nobody knows which.
    stores: of parameters, their own memory.
    cells: numbers read where all that is known is between which they lie, or that they are one of some.
    later: what stands for the numbers of an array, and of it from a byte on.
    copied: what has been copied to an object from others.
    wanted: the parameters of which it would help to know which numbers they hold.
    """

    null: ir.Symbol
    params: tuple[ir.Symbol, ...]
    lengths: dict[ir.Symbol, int | None] = field(default_factory=dict)
    made: dict[tuple[Identity[ir.Stmt], tuple[int, ...]], ir.Symbol] = field(default_factory=dict)
    on_host: set[ir.Symbol] = field(default_factory=set)
    either: dict[ir.Symbol, frozenset[Address]] = field(default_factory=dict)
    stores: dict[ir.Symbol, ir.Symbol] = field(default_factory=dict)
    cells: dict[tuple[ir.Symbol, Linear, tuple[Linear, ...]], Linear] = field(default_factory=dict)
    later: dict[tuple[Linear, int], Linear] = field(default_factory=dict)
    wanted: set[ir.Symbol] = field(default_factory=set)
    copied: dict[ir.Symbol, set[ir.Symbol]] = field(default_factory=dict)
    changes: dict[str, Kinds] = field(default_factory=dict)  # by kernel
    thorough: bool = False  # whether loops of kernels are followed turn by turn, too
    quiet: int = 0  # where the walk only finds out what is known
    turn: tuple[int, ...] = ()  # of the loops whose turns are followed one by one
    steps: int = 0  # statements that have been looked at

    @property
    def most_steps(self) -> int:
        """After so many statements less is asked."""
        return _STEPS * (5 if self.thorough else 1)

    def each(self, address: Address) -> Iterator[Address]:
        """The addresses that this may be."""
        if address.parameter not in self.either:
            yield address
        for one in self.either.get(address.parameter, ()):
            yield Address(one.parameter, one.offset + address.offset)

    def one_of(self, addresses: Iterable[Address]) -> Address | None:
        """The address that is one of these; None for too many."""
        found = frozenset(one for a in addresses for one in self.each(a))
        if len(found) == 1:
            return next(iter(found))
        if len(found) > _MOST:
            return None
        for symbol, known in self.either.items():
            if known == found:
                return Address(symbol, Linear(0))
        symbol = ir.Symbol(f"either_{len(self.either)}", self.null.type, self.null.span)
        self.either[symbol] = found
        return Address(symbol, Linear(0))

    def own(self, variable: ir.Symbol) -> ir.Symbol:
        """The object that a variable is; what a parameter points to is another."""
        if variable.storage == "param":
            if variable not in self.stores:
                self.stores[variable] = ir.Symbol(variable.name, variable.type, variable.span)
            variable = self.stores[variable]
        if variable not in self.lengths:
            self.lengths[variable] = size_if_known(variable.type)
        return variable


class Holding(Follower):
    """`memory`: shared with what follows the kernels; `private`: of a kernel, what each thread has for itself."""

    def __init__(
        self, program: ir.Program, function: ir.Function, ranges: Ranges, memory: Objects,
        null: frozenset[ir.Symbol], threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, function, ranges, null | {memory.null}, threads)
        self.memory = memory
        own = {memory.own(x) for x in (*function.params, *declared(function.body)) if x.storage in _OWN}
        self.private = frozenset(own) if threads is not None else None
        if threads is None:
            memory.on_host |= own

    def follow_call(self, known: Known) -> None:
        """The entry: also what parameters hold to which there are pointers."""
        sizes = {p: size_if_known(p.type) for p in self.function.params if p in self.pointed}
        for p, size in sizes.items():
            if (p, ()) in known:
                known[self.memory.own(p), (0, size)] = known[p, ()]
            elif isinstance(p.type, Pointer):
                known[self.memory.own(p), (0, size)] = Address(p, Linear(0))
        super().follow_call(known)

    # -- where things lie

    def _variable(self, place: ir.Expr) -> Cell | None:
        """A variable that only its name reaches, or a field of one."""
        at = place_of(place)
        return at if at is not None and self._is_plain(at[0]) else None

    def _is_plain(self, variable: ir.Symbol) -> bool:
        return variable not in self.pointed and variable.storage in _OWN and not _has_arrays(variable.type)

    def place(self, place: ir.Expr, known: Known) -> Address | None:
        match place:
            case ir.Var(symbol=symbol) if is_dynamic(symbol):
                return Address(symbol, Linear(0)) if symbol in self.memory.lengths else None
            case ir.Var(symbol=symbol):
                return Address(self.memory.own(symbol), Linear(0))
            case ir.Member(base=base, name=name) if isinstance(base.type, Struct) and not overlaps(base.type):
                there = self.place(base, known)
                by = Linear(offset_of(base.type, name))
                return Address(there.parameter, there.offset + by) if there is not None else None
        return super().place(place, known)

    def address(self, e: ir.Expr, known: Known) -> Address | None:
        if isinstance(e.type, Array) and isinstance(e, ir.Var | ir.Member):
            return self.place(e, known)
        if isinstance(e.type, Pointer) and is_zero(bare(e)):
            return Address(self.memory.null, Linear(0))
        if isinstance(e, ir.Select):
            parts = [self.address(part, known) for part in (e.then, e.orelse)]
            return self.memory.one_of(p for p in parts if p is not None) if None not in parts else None
        return super().address(e, known)

    # -- what lies there

    def held(self, place: ir.Place, known: Known) -> Value | None:
        at = self._variable(place)
        if at is not None:
            return known.get(at)
        address = self.place(place, known)
        if address is None or is_volatile(place.type) or not isinstance(place.type, Int | Pointer):
            return None
        size = size_if_known(place.type)
        found = self._one_of_few(address, size, known)
        if found is None and isinstance(place.type, Int):
            found = self._some_cell(address, known.get((address.parameter, (None, size))), place.type)
        fits = isinstance(found, Address if isinstance(place.type, Pointer) else Linear)
        return found if fits else None

    def _one_of_few(self, address: Address, size: int | None, known: Known) -> Value | None:
        """What lies at one of some places, all of which are known."""
        low, high = self.ranges.ends(address.offset)
        step = math.gcd(*address.offset.terms.values()) or 1
        if (high - low) // step >= _FEW:
            return None
        cells = [(address.parameter, (at, size)) for at in range(low, high + 1, step)]
        there = [known[cell] for cell in cells if cell in known]
        pointers = [held for held in there if isinstance(held, Address)]
        if len(there) < len(cells) or len(pointers) not in (0, len(there)):
            return None
        if pointers:
            return self.memory.one_of(pointers)
        numbers = [held for held in there if isinstance(held, Linear)]
        if len(numbers) == 1:
            return numbers[0]
        key = address.parameter, address.offset, tuple(numbers)
        if key not in self.memory.cells:
            ends = [self.ranges.ends(held) for held in numbers]
            self.memory.cells[key] = self.ranges.add(min(low for low, _ in ends), max(high for _, high in ends))
        return self.memory.cells[key]

    def _some_cell(self, address: Address, between: Value | None, type_: Int) -> Linear | None:
        """The number at an address, which is the same as long as nothing has been stored."""
        if not isinstance(between, Linear):
            for array in self.memory.copied.get(address.parameter, {address.parameter}):
                if array in self.memory.params and not type_.boolean:
                    self.memory.wanted.add(array)
            return None
        key = address.parameter, address.offset, (between,)
        if key not in self.memory.cells:
            self.memory.cells[key] = self.ranges.add(*self.ranges.ends(between))
        return self.memory.cells[key]

    def _parts(self, e: ir.Expr | None, known: Known) -> Iterator[tuple[tuple[str, ...], int, Type, Value]]:
        """What is known of a value that is stored: the fields to it, the byte, its type."""
        if e is None or (isinstance(e.type, Array) and (e.type.length or _FEW + 1) > _FEW):
            return
        if isinstance(e.type, Array):
            for at, element in _elements(e if isinstance(e, ir.Aggregate) else _listed(e), 0):
                yield from (((), at + offset, t, v) for _, offset, t, v in self._parts(element, known))
            return
        if not isinstance(e.type, Struct):
            found = self.value(e, known)
            if found is not None:
                yield (), 0, e.type, found
            return
        if e.type == DIM3:
            extents = self._extents(e, known)
            for i, axis in enumerate("xyz" if extents is not None else ""):
                yield (axis,), 4 * i, UINT, Linear(extents[i] if extents is not None else 0)
            return
        if overlaps(e.type) or not isinstance(e, ir.Aggregate | ir.Var | ir.Member | ir.Index):
            return
        for i, f in enumerate(e.type.fields):
            part: ir.Expr | None = ir.Member(e, f.name, f.type, span=e.span)
            if isinstance(e, ir.Aggregate):
                part = e.elements[i] if i < len(e.elements) else None
            before = offset_of(e.type, f.name)
            for path, offset, type_, value in self._parts(part, known):
                yield (f.name, *path), before + offset, type_, value

    # -- stores

    def _set(self, target: ir.Place, value: ir.Expr | None, known: Known) -> None:
        at = self._variable(target)
        if at is None:
            self._store(self.place(target, known), target.type, list(self._parts(value, known)), known)
        elif isinstance(target.type, Struct) and target.type != DIM3:
            parts = list(self._parts(value, known))
            forget_place(known, at)
            known.update({(at[0], (*at[1], *path)): held for path, _, _, held in parts})
        else:
            super()._set(target, value, known)

    def _store(
        self, address: Address | None, type_: Type, parts: Iterable[tuple[tuple[str, ...], int, Type, Value]],
        known: Known,
    ) -> None:  # fmt: skip
        if address is None:
            clobber(known, kinds(type_))
            return
        for one in self.memory.each(address):
            self._overwrite(one, size_if_known(type_), kinds(type_), known)
        own = self.private is None or address.parameter in self.private
        if own and not address.offset.terms and address.parameter not in self.memory.either:
            for _, offset, part, held in parts:
                known[address.parameter, (address.offset.constant + offset, size_if_known(part))] = held

    def _overwrite(self, address: Address, size: int | None, changed: Kinds, known: Known) -> None:
        """Nothing is known any more of so many bytes; arrays that are passed may lie in one another."""
        if address.parameter in self.memory.params:
            clobber(known, changed, self.memory.params)
            return
        if size is None or address.offset.terms:
            clobber(known, changed, (address.parameter,))
            return
        first, last = address.offset.constant, address.offset.constant + size
        for cell in [c for c in known if c[0] is address.parameter and is_memory(c)]:
            begin, length = cell[1]
            assert isinstance(length, int)
            met = begin is None or (isinstance(begin, int) and begin < last and begin + length > first)
            if met and (begin is not None or changed is None or length in changed):
                del known[cell]

    def _copy(self, to: Address, source: Address | None, size: Linear, known: Known) -> None:
        """So many bytes, with what is known of them."""
        for one in self.memory.each(source) if source is not None else ():
            from_ = self.memory.copied.get(one.parameter, {one.parameter})
            self.memory.copied.setdefault(to.parameter, set()).update(from_)
        moved: dict[Cell, Value] = {}
        whole = not size.terms and not to.offset.terms and source is not None and not source.offset.terms
        if whole and source is not None and source.parameter not in self.memory.either:
            first = source.offset.constant
            for cell in [c for c in known if c[0] is source.parameter and is_memory(c)]:
                begin, length = cell[1]
                if isinstance(begin, int) and isinstance(length, int):
                    if first <= begin and begin + length <= first + size.constant:
                        moved[to.parameter, (begin - first + to.offset.constant, length)] = known[cell]
                elif to.offset.constant == 0 and size.constant >= (self._length(to.parameter, known) or 1 << 62):
                    moved[to.parameter, cell[1]] = self._from(known[cell], first)
        for one in self.memory.each(to):
            self._overwrite(one, None if size.terms else size.constant, None, known)
        if self.private is None and to.parameter not in self.memory.either:
            known.update(moved)

    def _from(self, between: Value, first: int) -> Value:
        """What stands for the numbers of an array from a byte on."""
        if first == 0 or not isinstance(between, Linear):
            return between
        if (between, first) not in self.memory.later:
            self.memory.later[between, first] = self.ranges.add(*self.ranges.ends(between))
        return self.memory.later[between, first]

    def _length(self, symbol: ir.Symbol, known: Known) -> int | None:
        """Of an object, in bytes; None where nobody knows."""
        if symbol in self.memory.lengths:
            return self.memory.lengths[symbol]
        found = known.get((symbol, LENGTH))
        return found.constant if isinstance(found, Linear) and found.constant >= 0 else None

    def _forget(self, known: Known, body: Iterable[ir.Stmt]) -> None:
        """Nothing is known any more of what a body may set."""
        body = tuple(body)
        for cell in set_in(body):
            forget_place(known, cell)
            if not self._is_plain(cell[0]):
                clobber(known, None, (self.memory.own(cell[0]),))
        clobber(known, changes(body))
        if any(isinstance(s, ir.Call) and callees.kind(s.function) == "memory" for s in walk_stmts(body)):
            for cell in [c for c in known if c[1] == LENGTH]:
                known[cell] = Linear(-1)

    def _passed(
        self, kernel: ir.Function, s: ir.Launch, known: Known, pointed: Iterable[ir.Symbol]
    ) -> Known:  # fmt: skip
        inside: Known = {cell: held for cell, held in known.items() if is_memory(cell) or cell[1] == LENGTH}
        for param, arg in zip(kernel.params, s.args, strict=True):
            for path, offset, type_, held in self._parts(arg, known):
                if param in pointed or _has_arrays(param.type):
                    inside[self.memory.own(param), (offset, size_if_known(type_))] = held
                else:
                    inside[param, path] = held
        return inside

    def _kernel_changes(self, kernel: ir.Function) -> Kinds:
        if kernel.name not in self.memory.changes:
            self.memory.changes[kernel.name] = changes(kernel.body)
        return self.memory.changes[kernel.name]

    # -- what two ways to one place leave

    def _met(
        self, one: Known, other: Known, between: Callable[[Linear, Linear], Linear] | None = None
    ) -> Known:  # fmt: skip
        """What is known where it is one or the other; `between`: what is one of two numbers."""
        met: Known = {}
        for cell, held in one.items():
            also = other.get(cell)
            if cell[1] == LENGTH and isinstance(held, Linear):
                met[cell] = Linear(min(held.constant, also.constant)) if isinstance(also, Linear) else held
            elif held == also:
                met[cell] = held
            elif isinstance(held, Address) and isinstance(also, Address):
                found = self.memory.one_of((held, also))
                if found is not None:
                    met[cell] = found
            elif between is not None and isinstance(held, Linear) and isinstance(also, Linear):
                met[cell] = between(held, also)
        met.update({cell: held for cell, held in other.items() if cell[1] == LENGTH and cell not in one})
        return met


def _has_arrays(type_: Type) -> bool:
    """Whether parts of a value are found by numbers."""
    return isinstance(type_, Array) or (isinstance(type_, Struct) and any(_has_arrays(f.type) for f in type_.fields))


def null_symbol(function: ir.Function) -> ir.Symbol:
    """What stands for the memory behind a null pointer."""
    return ir.Symbol("null", Pointer(Void()), function.span)


def constants(program: ir.Program) -> Iterator[tuple[ir.Symbol, dict[int, int], int]]:
    """Tables of whole numbers at file scope that nothing sets: the numbers by the byte where they lie, and the size."""
    bodies = [f.body for f in program.functions.values()]
    set_elsewhere: set[ir.Symbol | None] = set().union(*(pointed_at(body, lambda _: True) for body in bodies))
    set_elsewhere |= {
        root_symbol(bare(a)) for b in bodies for s in walk_stmts(b) if isinstance(s, ir.Call) for a in s.args
    }
    for g in program.globals:
        if g.symbol.const and g.symbol not in set_elsewhere and isinstance(g.symbol.type, Array) and g.init is not None:
            held, size = innermost(g.symbol.type), size_if_known(innermost(g.symbol.type))
            if isinstance(held, Int) and size is not None:
                found = {at: integer_value(e) for at, e in _elements(g.init, 0)}
                numbers = {at: n for at, n in found.items() if n is not None}
                if len(numbers) == len(found):
                    yield g.symbol, numbers, size


def _listed(array: ir.Expr) -> ir.Aggregate:
    """The elements of an array."""
    assert isinstance(array.type, Array)
    held, numbers = array.type.of, range(array.type.length or 0)
    elements = tuple(ir.Index(array, integer(i, array.span), held, span=array.span) for i in numbers)
    return ir.Aggregate(elements, array.type, span=array.span)


def _elements(e: ir.Expr, at: int) -> Iterator[tuple[int, ir.Expr]]:
    """Those that are listed, by the byte where they lie."""
    if not isinstance(e, ir.Aggregate) or not isinstance(e.type, Array):
        yield at, e
        return
    step = size_if_known(e.type.of) or 0
    for i, part in enumerate(e.elements):
        yield from _elements(part, at + i * step)
