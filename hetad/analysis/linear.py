"""Linear expressions in whole numbers that run over ranges, as threads and iterations do, and their greatest values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hetad.analysis import integer_sets


@dataclass(frozen=True, slots=True)
class Linear:
    """`terms` by the number of the range; no term is zero."""

    constant: int
    terms: Mapping[int, int] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms.items())))

    def __add__(self, other: Linear) -> Linear:
        terms = {k: self.terms.get(k, 0) + other.terms.get(k, 0) for k in (*self.terms, *other.terms)}
        return Linear(self.constant + other.constant, {k: c for k, c in terms.items() if c})

    def __sub__(self, other: Linear) -> Linear:
        return self + other.scaled(-1)

    def scaled(self, factor: int) -> Linear:
        return Linear(self.constant * factor, {k: c * factor for k, c in self.terms.items() if c * factor})


@dataclass(slots=True)
class Ranges:
    """Numbers from `low` to `high` each."""

    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)

    def add(self, low: int, high: int) -> Linear:
        self.low.append(low)
        self.high.append(high)
        return Linear(0, {len(self.low) - 1: 1})

    def ends(self, value: Linear) -> tuple[int, int]:
        """Between which a value lies, whatever the ranges have to do with each other."""
        low = high = value.constant
        for k, c in value.terms.items():
            ends = c * self.low[k], c * self.high[k]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def greatest(self, value: Linear, conditions: Sequence[Linear]) -> int | None:
        """The greatest value where no condition is negative; None where they exclude each other, or isl
        does not find out."""
        used = sorted({k for x in (value, *conditions) for k in x.terms})
        number = {k: n for n, k in enumerate(used)}
        limits = [f"{self.low[k]} <= c{n} <= {self.high[k]}" for k, n in number.items()]
        limits += [f"{_text(c, number)} >= 0" for c in conditions]
        return integer_sets.greatest(len(used), _text(value, number), integer_sets.all_of(limits))


def _text(value: Linear, number: Mapping[int, int]) -> str:
    terms = ((c, f"c{number[k]}") for k, c in sorted(value.terms.items()))
    return integer_sets.total([(value.constant, ""), *terms])
