"""Which accesses of a call stay within their memory: a proof of each, given the call's integers and the lengths of its
arrays.

The inlined program is followed (`holding.py`) through everything that may run: a condition of which nothing is known
holds and fails, and a loop is followed until no further iteration changes what is known.  An access is proven if it
lies, wherever the conditions that are known hold, in an array of a known length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hetad.analysis.bounded import at_most
from hetad.analysis.follower import Threads
from hetad.analysis.holding import LENGTH, Objects, constants, null_symbol
from hetad.analysis.known import Address, Cell, Conditions, Known, size_if_known
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.may_run import MayRun, Unproven
from hetad.analysis.memory_calls import allocated, bytes_of, operands, size_of_call
from hetad.analysis.pointer_expressions import pointee
from hetad.analysis.stores import changes, clobber, is_memory
from hetad.analysis.webs import targets
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.identity import Identity
from hetad.ir.places import is_dynamic, members
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import walk_stmts
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE
from hetad.rules import callees

_MOST_BLOCKS = (1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1
_MOST_THREADS = 1024, 1024, 64
_ON_HOST = ("malloc", "calloc", "aligned_alloc")  # gives memory that no kernel reaches
_STORES = ("store", "updated")
_PRECISE = ("allocate", "symbol", "free", "copy", "fill", "inert")  # operations that are followed


class Numbers(Protocol):
    """The whole numbers in an array that is passed: each of so many bytes, the least and the greatest, and all of them
    where they are few."""

    @property
    def size(self) -> int: ...
    @property
    def least(self) -> int: ...
    @property
    def greatest(self) -> int: ...
    @property
    def few(self) -> tuple[int, ...]: ...


@dataclass(slots=True)
class Reach:
    """How far the accesses to each parameter go, in bytes, where the conditions hold; `unproven`: the places of those
    of which nothing is known, whatever the lengths of parameters; `wanted`: the parameters of which it would help to
    know which numbers they hold."""

    ranges: Ranges = field(default_factory=Ranges)
    ends: dict[ir.Symbol, list[tuple[Linear, Conditions, Span]]] = field(default_factory=dict)
    unproven: set[Span] = field(default_factory=set)
    wanted: set[ir.Symbol] = field(default_factory=set)

    def beyond(self, parameter: ir.Symbol, nbytes: int) -> Iterator[Span]:
        """The places of accesses to a parameter that are not proven to end within so many bytes."""
        for end, given, span in self.ends.get(parameter, ()):
            if not at_most(self.ranges, end, nbytes, given):
                yield span


def reach(
    program: ir.Program, entry: str, known: Known, null: frozenset[ir.Symbol],
    numbers: Mapping[ir.Symbol, Numbers] | None = None, thorough: bool = False,
) -> Reach | None:  # fmt: skip
    """What a call may reach, if that is known; arguments as for `needs`, and what arrays hold.  `thorough`: as much as
    can be found out, which takes longer."""
    found, function = Reach(), program.functions[entry]
    known = {**known, **dict(_given(program, numbers or {}, found.ranges))}
    params = tuple(p for p in function.params if isinstance(p.type, Pointer))
    memory = Objects(null_symbol(function), params, thorough=thorough)
    try:
        _Prover(program, function, found, memory, null).follow_call(known)
    except Unproven:
        return None
    found.wanted = memory.wanted
    return found


def _given(
    program: ir.Program, numbers: Mapping[ir.Symbol, Numbers], ranges: Ranges
) -> Iterator[tuple[Cell, Linear]]:  # fmt: skip
    """What arrays that are passed, and tables that nothing sets, hold."""
    for p, held in numbers.items():
        yield (p, (None, held.size)), ranges.add(held.least, held.greatest)
        yield from (((p, (i * held.size, held.size)), Linear(n)) for i, n in enumerate(held.few))
    for table, listed, size in constants(program):
        yield from (((table, (at, size)), Linear(n)) for at, n in listed.items())
        rest = [] if len(listed) * size == size_if_known(table.type) else [0]
        yield (table, (None, size)), ranges.add(min([*listed.values(), *rest]), max([*listed.values(), *rest]))


class _Prover(MayRun):
    def __init__(
        self, program: ir.Program, function: ir.Function, found: Reach, memory: Objects, null: frozenset[ir.Symbol],
        threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, function, found.ranges, memory, null, threads)
        self.found = found

    # -- calls and launches

    def _call(self, s: ir.Call, known: Known, given: Conditions) -> None:
        for arg in s.args:
            self._read(arg, known, given)
        if s.result is not None:
            self._write(s.result, known, given)
        kind, row = callees.kind(s.function), TABLE.get(s.function)
        if s.function in self.program.functions:
            raise Unproven
        if row is not None:
            self._of_memory(s, row, known, given)
        elif kind in ("atomic", "mathematics"):
            for pointer in (a for a in s.args if isinstance(a.type, Pointer | Array)):
                place = pointee(pointer)
                if place is None:
                    self._fails(pointer.span)
                else:
                    self._write(place, known, given)
        stored = [pointee(a) for role, a in zip(row.roles if row else (), s.args, strict=False) if role in _STORES]
        for target in (*targets(s), *stored):
            if target is not None:
                self._set(target, None, known)
        if row is None or row.action not in _PRECISE:
            clobber(known, changes((s,)))
        self._allocates(s, row, known)

    def _of_memory(self, s: ir.Call, row: MemoryOperation, known: Known, given: Conditions) -> None:
        if row.action in ("copy", "fill"):
            self._moves(s, known, given)
        elif row.action == "free" or "pointer" in row.roles:
            self._frees(operands(s)["pointer"], known)

    def _moves(self, s: ir.Call, known: Known, given: Conditions) -> None:
        """A copy or a fill."""
        moved = bytes_of(s)
        if moved is None:
            self._fails(s.span)
            clobber(known, None)
            return
        size = self.number(moved.size, known)
        to = self.address(moved.dst, known)
        source = self.address(moved.src, known) if moved.src is not None else None
        for address in (to, *((source,) if moved.src is not None else ())):
            if address is not None and size is not None:
                self._within(address, size, known, given, s.span)
            else:
                self._fails(s.span)
        if to is None or size is None:
            clobber(known, None)
        else:
            self._copy(to, source, size, known)
            self._copy_variable(to, bare(moved.src) if moved.src is not None else None, size, known)

    def _copy_variable(self, to: Address, source: ir.Expr | None, size: Linear, known: Known) -> None:
        """Of a variable that only its name reaches, and this copy."""
        if isinstance(source, ir.AddressOf) and self._variable(source.place) is not None and not size.terms:
            parts = list(self._parts(source.place, known))
            whole = [part for part in parts if part[1] + (size_if_known(part[2]) or 0) <= size.constant]
            self._store(to, source.place.type, whole, known)

    def _frees(self, pointer: ir.Expr, known: Known) -> None:
        address = self.address(pointer, known)
        for gone in self.memory.each(address) if address is not None else ():
            if gone.parameter in self.memory.params:
                raise Unproven
            known[gone.parameter, LENGTH] = Linear(-1)
        for cell in [c for c in known if address is None and c[1] == LENGTH]:
            known[cell] = Linear(-1)

    def _allocates(self, s: ir.Call, row: MemoryOperation | None, known: Known) -> None:
        """The pointer to a new allocation is known, and how large it is."""
        place = allocated(s)
        if row is None or row.action not in ("allocate", "symbol") or place is None:
            return
        given = operands(s)
        if row.action == "symbol":
            found = self.address(given["symbol"], known)
        else:
            found = Address(self._made(s, place, known), Linear(0))
            plain = "height" not in given and ("bytes" in given or "count" in given)
            size = self.number(size_of_call(s), known) if plain else None
            least = self.ranges.ends(size)[0] if size is not None else -1
            known[found.parameter, LENGTH] = Linear(max(least, -1) if size is None else max(least, 0))
        if found is not None:
            self._store_pointer(place, found, known)

    def _made(self, s: ir.Call, place: ir.Place, known: Known) -> ir.Symbol:
        """The allocation; of the one that the statement has made before nothing is known any more."""
        key = Identity[ir.Stmt](s), self.memory.turn
        made = self.memory.made.setdefault(key, ir.Symbol(f"made_{len(self.memory.made)}", place.type, s.span))
        if s.function in _ON_HOST:
            self.memory.on_host.add(made)
        for cell, held in list(known.items()):
            leads = isinstance(held, Address) and any(a.parameter is made for a in self.memory.each(held))
            if leads or cell[0] is made:
                del known[cell]
        return made

    def _store_pointer(self, place: ir.Place, address: Address, known: Known) -> None:
        at = self._variable(place)
        if at is not None:
            known[at] = address
        else:
            self._store(self.place(place, known), place.type, [((), 0, place.type, address)], known)

    def _launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        kernel = self.program.functions.get(s.kernel)
        if kernel is None:
            raise Unproven
        reached = {cell[0] for cell in known if is_memory(cell)} - self.memory.on_host
        clobber(known, self._kernel_changes(kernel), reached)
        if not self.memory.quiet:
            super()._launch(s, known, given)

    def _unknown_launch(self, s: ir.Launch, known: Known, given: Conditions) -> None:
        kernel = self.program.functions[s.kernel]
        grid, block = self._extents(s.grid, known), self._extents(s.block, known)
        threads = Threads(
            self.ranges, grid or _MOST_BLOCKS, block or _MOST_THREADS, (grid is not None, block is not None)
        )
        self._run_by(threads, kernel, s, known, given)

    def _kernel(self, kernel: ir.Function, s: ir.Launch, known: Known, threads: Threads) -> _Prover:
        inside = _Prover(self.program, kernel, self.found, self.memory, self.null, threads)
        inside.facts, inside.named = self.facts, self.named
        shared = self.number(s.shared, known) if s.shared is not None else Linear(0)
        for d in walk_stmts(kernel.body):
            if isinstance(d, ir.Declare) and is_dynamic(d.symbol):
                known_length = shared is not None and not shared.terms
                self.memory.lengths[d.symbol] = shared.constant if known_length and shared is not None else None
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
                            self._fails(arg.span)
                        else:
                            self._touch(place, known, given)
            case _:
                super()._read(e, known, given)

    def _touch(self, place: ir.Expr, known: Known, given: Conditions) -> None:
        place, _ = members(place)
        if self.memory.quiet or not isinstance(place, ir.Index):  # a variable, or a value that is stored nowhere
            return
        size = size_if_known(place.type)
        address = self.place(place, known)
        if address is None or size is None:
            self._fails(place.span)
            return
        array: ir.Expr = place
        while isinstance(array, ir.Index) and isinstance(array.base.type, Array):
            array = array.base
        if isinstance(array, ir.Member):  # has an end of its own
            start, length = self.place(array, known), size_if_known(array.type)
            inside = address.offset - start.offset if start is not None else None
            if inside is None or length is None or not self._is_within(inside, Linear(size), length, given):
                self._fails(place.span)
        self._within(address, Linear(size), known, given, place.span)

    def _within(self, address: Address, size: Linear, known: Known, given: Conditions, span: Span) -> None:
        if self.memory.quiet:
            return
        for each in self.memory.each(address):
            end = each.offset + size
            if each.parameter in self.memory.params:
                if not self._at_most(each.offset.scaled(-1), 0, given):
                    self._fails(span)
                self.found.ends.setdefault(each.parameter, []).append((end, self._with_facts(end, given), span))
            elif not self._is_within(each.offset, size, self._length(each.parameter, known), given):
                self._fails(span)

    def _is_within(self, offset: Linear, size: Linear, length: int | None, given: Conditions) -> bool:
        if length is None or not self._at_most(offset.scaled(-1), 0, given):
            return False
        return self._at_most(offset + size, length, given)

    def _fails(self, span: Span) -> None:
        if not self.memory.quiet:
            self.found.unproven.add(span)
