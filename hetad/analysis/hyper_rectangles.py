"""Intervals of cells as boxes of subscripts: whole rows, or the part of each row that an interior has.

With the cells of an array of `pitch` cells a row, an interval from `first` to `last` is all rows between these, or,
where subscripts stay within an interior, of each row what begins at first's place in it.  What lies between one such
part and the next is a *gap*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hetad.analysis.affine import UNIT, Polynomial
from hetad.analysis.scales import ONE, Scale, scale


@dataclass(frozen=True, slots=True)
class Gap:
    """Of each `pitch` elements, counted from the first of an interval, those behind the first `run` ones."""

    run: Polynomial
    pitch: Polynomial


@dataclass(frozen=True, slots=True)
class Box:
    """The subscripts at ascending strides: each from a first to before another.  It consists of all cells of the
    interval but those in `gaps`, where none of `conditions` is negative."""

    ends: tuple[tuple[Polynomial, Polynomial], ...]
    gaps: tuple[Gap, ...] = ()
    conditions: tuple[Polynomial, ...] = ()


def whole_rows(strides: Sequence[Scale], first: Polynomial, last: Polynomial) -> Box | None:
    """All cells of the interval."""
    rows = [(Polynomial({}), extent) for extent in _extents(strides)]
    start, behind = _over(first, strides[-1]), _over(last + UNIT, strides[-1])
    return Box((*rows, (start, behind))) if start is not None and behind is not None else None


def interior(strides: Sequence[Scale], first: Polynomial, last: Polynomial) -> Box | None:
    """The cells whose subscripts all lie between those of the first and the last one."""
    lowest, highest = _subscripts(strides, first), _subscripts(strides, last)
    if lowest is None or highest is None or strides[0] != ONE:
        return None
    ends = [(low, high + UNIT) for low, high in zip(lowest, highest, strict=True)]
    gaps: list[Gap] = []
    conditions: list[Polynomial] = []
    for (low, behind), extent, stride, pitch in zip(ends, _extents(strides), strides, strides[1:], strict=False):
        if low.terms or (extent - behind).terms:
            gaps.append(Gap((behind - low) * stride.polynomial(), pitch.polynomial()))
            conditions += [low, extent - behind, behind - low - UNIT]
    return Box(tuple(ends), tuple(gaps), tuple(conditions))


def _extents(strides: Sequence[Scale]) -> list[Polynomial]:
    found = [high.over(low) for low, high in pairwise(strides)]
    assert all(x is not None for x in found)
    return [x.polynomial() for x in found if x is not None]


def _subscripts(strides: Sequence[Scale], cell: Polynomial) -> list[Polynomial] | None:
    """Those of a cell; negative numbers count from the end of a row."""
    found: list[Polynomial] = []
    for stride in reversed(strides):
        multiples = Polynomial({t: c for t, c in cell.terms.items() if scale(abs(c), t).over(stride) is not None})
        quotient = _over(multiples, stride)
        assert quotient is not None
        found.insert(0, quotient)
        cell = cell - multiples
    if cell.terms:
        return None
    for k, extent in enumerate(_extents(strides)):
        if (found[k].constant or 0) < 0:
            found[k], found[k + 1] = found[k] + extent, found[k + 1] - UNIT
    return found


def _over(value: Polynomial, by: Scale) -> Polynomial | None:
    """The quotient, where each term can be divided."""
    out = Polynomial({})
    for monomial, coefficient in value.terms.items():
        quotient = scale(abs(coefficient), monomial).over(by)
        if quotient is None:
            return None
        out = out + quotient.polynomial().scaled(1 if coefficient > 0 else -1)
    return out
