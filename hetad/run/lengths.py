"""Whether the arrays of a call are as long as the program surely needs them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hetad.deep import deep
from hetad.ir.types import DIM3, Int, Pointer
from hetad.run.held import Held, by_parameter, held, limited
from hetad.run.kept import kept
from hetad.targets.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hetad.analysis.known import Known
    from hetad.analysis.needs import Needs
    from hetad.analysis.within import Reach
    from hetad.diagnostics import Span
    from hetad.ir import nodes as ir
    from hetad.run.memory import Buffer
    from hetad.run.signature import Signature

T = TypeVar("T")

_REMEMBERED = 64  # calls with different integers
_TOLD = 8  # calls of which other processes are told
_VERY = 16  # calls that are looked at with the very numbers that their arrays hold


@dataclass(frozen=True, slots=True)
class Proof:
    """`places`: of the accesses of a call that are not proven to stay within their memory, None where all are;
    `wanted`: the positions of the arrays of which it would help to know which numbers they hold; `numbers`: what is
    known of these."""

    places: Places | None = None
    wanted: tuple[int, ...] = ()
    numbers: Held = ()


class Lengths:
    """`program` is inlined and normalised.  What calls with the same integers need is found once; that a call has it,
    other processes are told under `parts`."""

    def __init__(
        self, program: ir.Program, entry: str, signature: Signature, parts: tuple[str, ...] | None = None
    ) -> None:
        self._parts = parts
        self._found: dict[Any, Any] = {}
        self._told = self._very = 0
        self._program = program
        self._entry = entry
        self._signature = signature
        self._params = program.functions[entry].params
        self._reach: dict[Any, tuple[Reach | None, dict[Any, Proof]]] = {}
        self._needs: dict[Any, tuple[Needs, set[Any]]] = {}

    @property
    def count(self) -> int:
        """Of parameters."""
        return len(self._params)

    def proof(self, values: Sequence[Any], buffers: Sequence[Buffer | None], numbers: Held = ()) -> Proof:
        """Which accesses of a call are proven to lie within these buffers and what the program has itself, where arrays
        hold such numbers."""
        integers, given = self._integers(values), self._given(buffers)
        return self._once("within", integers, given, numbers, find=lambda: self._beyond(integers, given, numbers))

    def proof_by_numbers(self, values: Sequence[Any], buffers: Sequence[Buffer | None]) -> Proof:
        """The same where arrays say where others are read, by what they hold in this call."""
        found = self.proof(values, buffers)
        known: tuple[int, ...] = ()
        while found.places is not None and (wanted := tuple(sorted({*known, *found.wanted}))) != known:
            known = wanted
            found = self._where_they_hold(values, buffers, held(self._params, buffers, wanted))
        return found

    def _where_they_hold(self, values: Sequence[Any], buffers: Sequence[Buffer | None], numbers: Held) -> Proof:
        """By numbers between limits, as other calls have them, or else by these very numbers."""
        counts = (len(b.array.reshape(-1)) for b in buffers if b is not None and hasattr(b.array, "reshape"))
        found = self.proof(values, buffers, limited(numbers, {*counts, *_whole(self._integers(values))}))
        call = "within", self._integers(values), self._given(buffers), numbers
        if found.places is None or (call not in self._found and self._very >= _VERY):
            return found
        self._very += call not in self._found
        return self.proof(values, buffers, numbers)

    def _beyond(self, integers: tuple[Any, ...], given: tuple[int, ...], numbers: Held) -> Proof:
        found = self._reached(integers, given, numbers, False)
        if found.places is None or set(found.wanted) - {i for i, _ in numbers}:
            return found
        return self._reached(integers, given, numbers, True)

    def _reached(self, integers: tuple[Any, ...], given: tuple[int, ...], numbers: Held, thorough: bool) -> Proof:
        key = integers, tuple(n < 0 for n in given), numbers, thorough
        if key not in self._reach:
            if len(self._reach) >= _REMEMBERED:
                self._reach.clear()
            self._reach[key] = self._follow(*key), {}
        found, known = self._reach[key]
        if found is None:
            return Proof(Places())
        if given not in known:
            pointers = [p for p in self._params if isinstance(p.type, Pointer)]
            ends = zip(pointers, given, strict=True)
            beyond = found.unproven.union(*(found.beyond(p, max(nbytes, 0)) for p, nbytes in ends))
            wanted = tuple(i for i, p in enumerate(self._params) if p in found.wanted)
            known[given] = Proof(_places(frozenset(beyond)) if beyond else None, wanted, numbers)
        return known[given]

    def _once(self, *what: Any, find: Callable[[], T]) -> T:
        """What is found of a call, from other processes where one has found it."""
        if what not in self._found:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            tells = self._parts is not None and self._told < _TOLD
            self._told += tells
            self._found[what] = kept((*(self._parts or ()), *map(repr, what)), find) if tells else find()
        found: T = self._found[what]
        return found

    @deep
    def _follow(
        self, integers: tuple[Any, ...], null: tuple[bool, ...], numbers: Held, thorough: bool
    ) -> Reach | None:  # fmt: skip
        from hetad.analysis.within import reach

        known = self._known(integers, null)
        return reach(self._program, self._entry, *known, by_parameter(self._params, numbers), thorough)

    def check(self, values: Sequence[Any], buffers: Sequence[Buffer | None]) -> None:
        """`values`: of the parameters, extents of grids and blocks as bytes; `buffers`: of those that are pointers.

        Raises:
            ArgumentError: an array is too short, or None, where the program reads or writes it.
        """
        integers, given = self._integers(values), self._given(buffers)
        self._once("long enough", integers, given, find=lambda: self._has_all(integers, given))

    def _has_all(self, integers: tuple[Any, ...], given: tuple[int, ...]) -> bool:
        null = tuple(n < 0 for n in given)
        found, passed = self._needs.get((integers, null)) or self._find(integers, null)
        if given in passed:
            return True
        pointers = [p for p in self._params if isinstance(p.type, Pointer)]
        for p, nbytes in zip(pointers, given, strict=True):
            self._require(found, p, nbytes)
        passed.add(given)
        return True

    def _integers(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """What says how far a call reaches."""
        return tuple(
            v if isinstance(p.type, Int) or p.type == DIM3 else None for p, v in zip(self._params, values, strict=True)
        )

    def _given(self, buffers: Sequence[Buffer | None]) -> tuple[int, ...]:
        """By pointer: how many bytes there are; -1 for None."""
        given = zip(self._params, buffers, strict=True)
        return tuple(b.nbytes if b is not None else -1 for p, b in given if isinstance(p.type, Pointer))

    def _known(self, integers: tuple[Any, ...], null: tuple[bool, ...]) -> tuple[Known, frozenset[Any]]:
        """What is known at the entry, and which pointers are null."""
        from hetad.analysis.linear import Linear

        known: Known = {}
        for p, value in zip(self._params, integers, strict=True):
            if p.type == DIM3 and value is not None:
                extents = struct.unpack("3I", value)
                known.update({(p, (axis,)): Linear(n) for axis, n in zip("xyz", extents, strict=True)})
            elif value is not None:
                known[p, ()] = Linear(int(value))
        pointers = [p for p in self._params if isinstance(p.type, Pointer)]
        return known, frozenset(p for p, is_null in zip(pointers, null, strict=True) if is_null)

    @deep
    def _find(self, integers: tuple[Any, ...], null: tuple[bool, ...]) -> tuple[Needs, set[Any]]:
        from hetad.analysis.needs import needs

        if len(self._needs) >= _REMEMBERED:
            self._needs.clear()
        made: tuple[Needs, set[Any]] = needs(self._program, self._entry, *self._known(integers, null)), set()
        self._needs[integers, null] = made
        return made

    def _require(self, found: Needs, parameter: ir.Symbol, nbytes: int) -> None:
        from hetad.analysis.known import size_if_known

        exceeding = found.exceeding(parameter, max(nbytes, 0))
        if exceeding is None:
            return
        bytes_, need = exceeding
        assert isinstance(parameter.type, Pointer)
        size = size_if_known(parameter.type.to) or 1
        unit = "element" if size_if_known(parameter.type.to) else "byte"
        count = -(-bytes_ // size)
        got = "None" if nbytes < 0 else str(nbytes // size)
        problem = f"expected at least {count} {unit}{'s' * (count != 1)}, got {got}"
        remedy = "pass an array of that length, or the size that the array has"
        raise self._signature.refuse(f"{problem}: {need.why} reaches that far ({need.span})", remedy, parameter.name)


def _whole(values: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(v for v in values if isinstance(v, int))


def _places(unproven: frozenset[Span]) -> Places:
    """In files of hetad's own, all: derivatives of libraries have accesses that their routines do not have."""
    from hetad.frontend.shipped import is_shipped

    return Places(unproven, frozenset(s.file for s in unproven if is_shipped(s.file)))
