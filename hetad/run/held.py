"""Which whole numbers the arrays of a call hold: places in other arrays, as often as not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hetad.ir.types import Int, Pointer

if TYPE_CHECKING:
    import numpy as np

    from hetad.ir import nodes as ir
    from hetad.run.memory import Buffer

_FEW = 16


@dataclass(frozen=True, slots=True)
class Numbers:
    """Those in an array: each of so many bytes, the least and the greatest, and all of them where they are few."""

    size: int
    least: int
    greatest: int
    few: tuple[int, ...] = ()

    def within(self, limits: Iterable[int]) -> Numbers:
        """Between zero, or what is less, and the next limit, which calls with other numbers have in common."""
        greatest = min((limit - 1 for limit in limits if limit > self.greatest), default=self.greatest)
        return Numbers(self.size, min(self.least, 0), greatest)


Held = tuple[tuple[int, Numbers], ...]  # by the position of the parameter


def held(params: Sequence[ir.Symbol], buffers: Sequence[Buffer | None], positions: Iterable[int]) -> Held:
    """What some arrays of a call hold, those that are there."""
    return tuple(_held(params, buffers, positions))


def _held(
    params: Sequence[ir.Symbol], buffers: Sequence[Buffer | None], positions: Iterable[int]
) -> Iterator[tuple[int, Numbers]]:  # fmt: skip
    import numpy as np  # which a start without a call does without

    for i in positions:
        type_, buffer = params[i].type, buffers[i]
        held = type_.to if isinstance(type_, Pointer) else None
        array = buffer.array if buffer is not None else None
        if not isinstance(held, Int) or not isinstance(array, np.ndarray) or array.size == 0:
            continue
        dtype = np.dtype(f"{'i' if held.signed else 'u'}{held.bits // 8}")
        if array.dtype.kind in "iu" and array.dtype.itemsize == dtype.itemsize:
            numbers = array.reshape(-1).view(dtype)
            whole = buffer is not None and array.nbytes == buffer.nbytes and array.size <= _FEW
            few = tuple(numbers.tolist()) if whole else ()
            yield i, Numbers(dtype.itemsize, int(numbers.min()), int(numbers.max()), few)


def limited(numbers: Held, limits: Iterable[int]) -> Held:
    """The same for calls that differ in numbers which lie within the same limits."""
    ends = sorted(limits)
    return tuple((i, one.within(ends)) for i, one in numbers)


def covers(limits: Held, buffers: Sequence[Buffer | None]) -> bool:
    """Whether what arrays of a call hold lies within limits, found for another call with arrays of the same types."""
    for i, one in limits:
        buffer = buffers[i]
        numbers = buffer.array if buffer is not None else None
        if numbers is None or numbers.size == 0 or not _lie_between(numbers, one.least, one.greatest):
            return False
        if one.few and one.few != tuple(numbers.ravel().tolist()):
            return False
    return True


def _lie_between(numbers: np.ndarray[Any, Any], least: int, greatest: int) -> bool:
    if least == 0 and numbers.dtype.kind == "i":  # below zero they are large without a sign
        return bool(numbers.view(f"u{numbers.itemsize}").max() <= greatest)
    return bool(numbers.max() <= greatest and (numbers.dtype.kind == "u" or numbers.min() >= least))


def by_parameter(params: Sequence[ir.Symbol], numbers: Held) -> Mapping[ir.Symbol, Numbers]:
    return {params[i]: one for i, one in numbers}
