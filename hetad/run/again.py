"""Calls that are like the one before, but for the numbers in arrays: what had to be found out then is known.

To check the arguments of a small function takes longer than to run it.  Where whole numbers, and the kinds and shapes
of arrays, are those of the last call, in arrays of NumPy's that C takes as they are, all that is left to find out is
where they lie.  Whatever is not quite so is left to the way that all calls can go (`run/call.py`), errors too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.run.arrays import FloatingParameter, IntegerParameter

if TYPE_CHECKING:
    from hetad.run.call import Adjoint, Input
    from hetad.run.launch import LaunchConfiguration
    from hetad.run.memory import Buffer

_address, _at = ctypes.addressof, ctypes.c_char.from_buffer
_Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Again:
    """How to place what is like the arguments of an earlier call, whose cells hold what is the same."""

    launch: LaunchConfiguration | None
    same: Sequence[tuple[int, Any]]  # by position, whole numbers, and None for no array
    floating: Sequence[tuple[int, Any, FloatingParameter | None]]  # with cells, and what looks at the value, if need be
    positions: Sequence[int]  # of the arrays
    arrays: Sequence[tuple[Any, Any, Any]]  # their cells, dtypes and shapes
    adjoints: Sequence[
        tuple[Any, Buffer | None, str | None, Any, Any]
    ]  # cells, numbers', names of seeds, shapes, dtypes

    @staticmethod
    def like(
        values: Sequence[Any], buffers: Sequence[Buffer | None], inputs: Sequence[Input], adjoints: Sequence[Adjoint],
        launch: LaunchConfiguration | None,
    ) -> Again | None:  # fmt: skip
        """None where it takes more to place them."""
        same: list[tuple[int, Any]] = []
        floating: list[tuple[int, Any, FloatingParameter | None]] = []
        positions: list[int] = []
        arrays: list[tuple[Any, Any, Any]] = []
        for i, (value, buffer, target) in enumerate(zip(values, buffers, inputs, strict=True)):
            made = target.converter
            if buffer is not None:
                if buffer.array is not value or not value.flags.writeable or not value.size:
                    return None  # converted, copied, or without an address
                positions.append(i)
                arrays.append((target.cell, value.dtype, value.shape))
            elif isinstance(made, FloatingParameter):
                floating.append((i, target.cell, made if made.type.bits < 64 else None))
            elif value is None or (type(value) is int and isinstance(made, IntegerParameter)):
                same.append((i, value))
            else:
                return None
        fresh: list[tuple[Any, Buffer | None, str | None, Any, Any]] = []
        for a in adjoints:
            argument = buffers[a.position]
            if a.kept is None and (argument is None or argument.array.dtype != a.array.dtype):
                return None
            shape = (1,) if argument is None else argument.array.shape
            fresh.append((a.cell, a.kept, a.name if a.seeded else None, shape, a.array.dtype))
        return Again(launch, same, floating, positions, arrays, fresh)

    def place(self, values: Sequence[Any], adjoints: Sequence[Any] = ()) -> bool:
        """Whether the values are like those of the earlier call, and no arrays share memory: the cells are set then.
        `adjoints`: arrays of the caller's for all of them."""
        for i, value in self.same:
            if type(values[i]) is not type(value) or values[i] != value:
                return False
        ends = []
        given, expected = [values[i] for i in self.positions], self.arrays
        if adjoints:
            given, expected = [*given, *adjoints], [*expected, *((c, d, s) for c, _, _, s, d in self.adjoints)]
        for array, (cell, dtype, shape) in zip(given, expected, strict=True):
            if type(array) is not _Array or array.dtype is not dtype or array.shape != shape:
                return False
            flags = array.flags
            if not (flags.c_contiguous and flags.writeable):
                return False
            cell.value = start = _address(_at(array))  # type: ignore[arg-type]
            ends.append((start, start + array.nbytes))
        if len(ends) > 1:
            ends.sort()
            behind = 0
            for start, end in ends:
                if start < behind:
                    return False
                behind = end
        for i, cell, converter in self.floating:
            value = values[i]
            if type(value) is not float:
                return False
            cell.value = value if converter is None else converter.convert(value)
        return True

    def fresh(self, seeds: Mapping[str, Any]) -> list[Any] | None:
        """New arrays for the adjoints, seeds copied, and their cells set; None where seeds are not as C takes them."""
        made: list[Any] = []
        for cell, kept, seeded, shape, dtype in self.adjoints:
            if kept is not None:
                kept.array.fill(0)
                cell.value = kept.address
                made.append(kept.array)
                continue
            if seeded is None:
                array = np.zeros(shape, dtype)
            else:
                seed = seeds.get(seeded)
                if type(seed) is not _Array or seed.dtype is not dtype or seed.shape != shape:
                    return None
                if not seed.flags.c_contiguous:
                    return None
                array = seed.copy()
            cell.value = _address(_at(array))  # type: ignore[arg-type]
            made.append(array)
        return made
