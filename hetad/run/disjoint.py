"""Whether arrays of a call share memory that the function writes: parameters are taken to be distinct."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Extent = tuple[int, int, bool, str]  # first byte, the byte behind the last, whether it is written, of which parameter


def first_overlap(extents: Sequence[Extent]) -> tuple[Extent, Extent] | None:
    """Two that share memory, one of them written; in the order in which they are given."""
    end = end_of_written = 0  # of all that begin before
    for first, behind, written, _ in sorted(extents):
        if first < (end if written else end_of_written) and first < behind:
            return next(both for both in combinations(extents, 2) if _overlap(*both))
        if behind > end:  # noqa: PLR1730 - max takes longer than all the rest
            end = behind
        if written and behind > end_of_written:
            end_of_written = behind
    return None


def _overlap(a: Extent, b: Extent) -> bool:
    return max(a[0], b[0]) < min(a[1], b[1]) and (a[2] or b[2])
