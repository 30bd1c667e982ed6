"""Whether the arrays of a call are as long as the program surely needs them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from hetad.deep import deep
from hetad.ir.types import DIM3, Int, Pointer
from hetad.run.kept import kept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hetad.analysis.known import Known
    from hetad.analysis.needs import Needs
    from hetad.analysis.within import Reach
    from hetad.ir import nodes as ir
    from hetad.run.memory import Buffer
    from hetad.run.signature import Signature

_REMEMBERED = 64  # calls with different integers
_TOLD = 8  # calls of which other processes are told


class Lengths:
    """`program` is inlined and normalised.  What calls with the same integers need is found once; that a call has it,
    other processes are told under `parts`."""

    def __init__(
        self, program: ir.Program, entry: str, signature: Signature, parts: tuple[str, ...] | None = None
    ) -> None:
        self._parts = parts
        self._told = 0
        self._program = program
        self._entry = entry
        self._signature = signature
        self._params = program.functions[entry].params
        self._reach: dict[Any, tuple[Reach | None, dict[Any, bool]]] = {}
        self._needs: dict[Any, tuple[Needs, set[Any]]] = {}

    @property
    def count(self) -> int:
        """Of parameters."""
        return len(self._params)

    def proven(self, values: Sequence[Any], buffers: Sequence[Buffer | None]) -> bool:
        """Whether all accesses of the call lie within these buffers, and what the program has itself."""
        return self._once("within", self._integers(values), self._given(buffers), self._is_within)

    def _is_within(self, integers: tuple[Any, ...], given: tuple[int, ...]) -> bool:
        null = tuple(n < 0 for n in given)
        if (integers, null) not in self._reach:
            if len(self._reach) >= _REMEMBERED:
                self._reach.clear()
            self._reach[integers, null] = self._follow(integers, null), {}
        found, known = self._reach[integers, null]
        if given not in known:
            pointers = [p for p in self._params if isinstance(p.type, Pointer)]
            ends = zip(pointers, given, strict=True)
            known[given] = found is not None and all(found.within(p, max(nbytes, 0)) for p, nbytes in ends)
        return known[given]

    def _once(
        self, what: str, integers: tuple[Any, ...], given: tuple[int, ...],
        find: Callable[[tuple[Any, ...], tuple[int, ...]], bool],
    ) -> bool:  # fmt: skip
        """What is found of a call, from other processes where one has found it."""
        if self._parts is None or self._told >= _TOLD:
            return find(integers, given)
        self._told += 1
        return kept((*self._parts, what, repr(integers), repr(given)), lambda: find(integers, given))

    @deep
    def _follow(self, integers: tuple[Any, ...], null: tuple[bool, ...]) -> Reach | None:
        from hetad.analysis.within import reach

        return reach(self._program, self._entry, *self._known(integers, null))

    def check(self, values: Sequence[Any], buffers: Sequence[Buffer | None]) -> None:
        """`values`: of the parameters, extents of grids and blocks as bytes; `buffers`: of those that are pointers.

        Raises:
            ArgumentError: an array is too short, or None, where the program reads or writes it.
        """
        self._once("long enough", self._integers(values), self._given(buffers), self._has_all)

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
