"""At which statements a stream breaks, and how.

Of a statement whose operands are right, what comes out must be finite, have one slope, and that must be its tangent;
and ⟨adjoint, tangent⟩ must be the same before and behind it.  So a statement that follows from a wrong one is not
blamed for it, and one that works with what was not looked at is not judged.

Differences are central, at steps h and h/2 extrapolated to 0.  A third, far smaller step tells a kink at the point from
one nearby, which is no fault.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetad.debugger.findings import Kind
from hetad.debugger.streams import Flags, Groups, Indices, Stream, Vector

_EPS = {64: 2.0**-52, 32: 2.0**-23, 16: 2.0**-8}
_SLOPE = {64: 1e-4, 32: 1e-2, 16: 0.1}  # relative tolerances
_IDENTITY = {64: 1e-7, 32: 2e-3, 16: 0.05}
_NOISE = 16.0  # roundings that spoil a difference
_BENT = 0.02  # of a slope: by how much the slopes to both sides must differ


@dataclass(frozen=True)
class Verdict:
    """`group`: of the stream; `at`: the value that shows it best."""

    group: int
    kind: Kind
    at: int


@dataclass(frozen=True)
class Slopes:
    """By differences: the slope of each value, and what is wrong with it."""

    value: Vector
    known: Flags
    wrong: Flags
    bent: Flags


def judged(stream: Stream, bits: int) -> list[Verdict]:
    """The verdict on each group that breaks, in order."""
    groups = stream.groups
    if not len(groups):
        return []
    with np.errstate(all="ignore"):
        slopes = slopes_of(stream, bits)
        finite = np.isfinite(stream.values)
        smooth = finite & np.isfinite(stream.tangents)
        right = smooth & slopes.known & ~slopes.wrong & ~slopes.bent
        into, out = _Side(groups.first, groups.middle), _Side(groups.middle, groups.last)
        flat = np.isfinite(stream.adjoints)
        calm = into.all(smooth) & np.array([s.whole for s in stream.statements], bool)[groups.statement]
        computed = np.array([not s.fills for s in stream.statements], bool)[groups.statement]
        ready = calm & into.all(right) & out.all(smooth)
        used = stream.adjoints != 0  # else nothing depends on the value
        bent, wrong = slopes.bent & used, slopes.wrong & used
        breaks: tuple[tuple[Kind, Flags, Flags], ...] = (
            ("value", calm & ~out.all(finite) & computed, ~finite),
            ("adjoint", calm & out.all(finite) & out.all(flat) & ~into.all(flat), ~flat),
            ("tangent", calm & out.all(finite) & ~out.all(smooth), ~smooth),
            ("kink", ready & ~out.all(~bent), bent),
            ("slope", ready & ~out.all(~wrong), wrong),
            ("identity", calm & out.all(smooth & flat) & into.all(flat) & _differ(stream, into, out, bits), finite),
        )
    found: dict[int, Verdict] = {}
    for kind, broken, shown in breaks:
        for group in np.flatnonzero(broken):
            if int(group) not in found:
                found[int(group)] = Verdict(int(group), kind, _worst(groups, int(group), shown))
    return [found[group] for group in sorted(found)]


def slopes_of(stream: Stream, bits: int) -> Slopes:
    """The slopes of all values along the direction in which the arguments moved."""
    (h, *far), (half, *near), (tiny, *close) = stream.moved
    eps = _NOISE * _EPS[bits] * _scale(stream)
    central = [(plus - minus) / (2 * step) for step, (plus, minus) in ((h, far), (half, near), (tiny, close))]
    slope = (4 * central[1] - central[0]) / 3
    error = np.abs(slope - central[1])
    size = np.maximum(np.abs(slope), np.abs(stream.tangents))
    off = np.abs(stream.tangents - slope) > _SLOPE[bits] * size + 4 * error + eps / half
    off &= np.abs(stream.tangents - central[2]) > _SLOPE[bits] * size + eps / tiny
    ahead = [(plus - stream.values) / step for step, (plus, _) in ((h, far), (half, near), (tiny, close))]
    back = [(stream.values - minus) / step for step, (_, minus) in ((h, far), (half, near), (tiny, close))]
    gap = [np.abs(a - b) for a, b in zip(ahead, back, strict=True)]
    steep = np.maximum(np.abs(ahead[2]), np.abs(back[2]))
    noise = 2 * eps / tiny
    bent = (gap[1] > 0.8 * gap[0]) & (gap[2] > 0.8 * gap[0] - noise) & (gap[2] > _BENT * steep + noise)
    ends = np.isfinite(stream.values) & ~np.isfinite(central[2])  # of the domain
    there = stream.compared
    return Slopes(slope, there & np.isfinite(slope), there & off & np.isfinite(slope), there & (bent | ends))


def _scale(stream: Stream) -> Vector:
    """How large the numbers are that a value was made of."""
    groups = stream.groups
    size = np.abs(np.nan_to_num(stream.values, nan=0.0, posinf=0.0, neginf=0.0))
    scale = size.copy()
    within = np.maximum.reduceat(np.append(size, 0.0), np.stack([groups.first, groups.last], 1).ravel())[::2]
    lengths = groups.last - groups.middle
    at = np.repeat(groups.middle, lengths) + _counted(lengths)
    scale[at] = np.maximum(scale[at], np.repeat(np.where(groups.last > groups.first, within, 0.0), lengths))
    return scale


def _counted(lengths: Indices) -> Indices:
    """0, 1, … for each length."""
    ends = np.cumsum(lengths)
    found: Indices = np.arange(int(ends[-1]) if ends.size else 0) - np.repeat(ends - lengths, lengths)
    return found


class _Side:
    """The values before, or behind, each group."""

    def __init__(self, first: Indices, last: Indices) -> None:
        self.first, self.last = first, last

    def all(self, flags: Flags) -> Flags:
        counted = np.concatenate([[0], np.cumsum(~flags)])
        return np.asarray(counted[self.last] == counted[self.first])

    def sum(self, terms: Vector) -> Vector:
        found = np.add.reduceat(np.append(terms, 0.0), np.stack([self.first, self.last], 1).ravel())[::2]
        return np.where(self.last > self.first, found, 0.0)


def _differ(stream: Stream, into: _Side, out: _Side, bits: int) -> Flags:
    """Where ⟨adjoint, tangent⟩ is not the same on both sides."""
    terms = np.where(np.isfinite(stream.adjoints * stream.tangents), stream.adjoints * stream.tangents, 0.0)
    scale = into.sum(np.abs(terms)) + out.sum(np.abs(terms))
    return np.asarray(np.abs(into.sum(terms) - out.sum(terms)) > _IDENTITY[bits] * scale)


def _worst(groups: Groups, group: int, shown: Flags) -> int:
    """The first value of a group that shows what is wrong: what comes out, or else goes in."""
    first, middle, last = (int(x[group]) for x in (groups.first, groups.middle, groups.last))
    for start, end in ((middle, last), (first, middle)):
        found = np.flatnonzero(shown[start:end])
        if found.size:
            return start + int(found[0])
    return middle
