"""Positive products of uniform quantities: the strides and extents of index arithmetic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from hetad.analysis.affine import Polynomial
from hetad.ir import nodes as ir
from hetad.ir.printer import expr_text


@dataclass(frozen=True, slots=True)
class Scale:
    """A number times powers of uniform expressions, taken to be positive."""

    factor: int = 1
    atoms: frozenset[tuple[ir.Expr, int]] = frozenset()

    def __mul__(self, other: Scale) -> Scale:
        powers = Counter(dict(self.atoms))
        powers.update(dict(other.atoms))
        return Scale(self.factor * other.factor, frozenset(powers.items()))

    def over(self, other: Scale) -> Scale | None:
        """The quotient, where `other` divides it."""
        powers = Counter(dict(self.atoms))
        powers.subtract(dict(other.atoms))
        if self.factor % other.factor or any(p < 0 for p in powers.values()):
            return None
        return Scale(self.factor // other.factor, frozenset((a, p) for a, p in powers.items() if p))

    @property
    def degree(self) -> int:
        return sum(power for _, power in self.atoms)

    @property
    def text(self) -> str:
        """For an order that does not change from run to run."""
        return " ".join(sorted(f"{expr_text(a)} {power}" for a, power in self.atoms))

    def polynomial(self) -> Polynomial:
        atoms = [a for a, power in self.atoms for _ in range(power)]
        return Polynomial({tuple(sorted(atoms, key=hash)): self.factor})


ONE = Scale()


def scale(factor: int, atoms: tuple[ir.Expr, ...]) -> Scale:
    return Scale(factor, frozenset(Counter(atoms).items()))


def chain(scales: set[Scale]) -> list[Scale] | None:
    """The scales in ascending order, if each divides the next."""
    ordered = sorted(scales, key=lambda s: (s.degree, s.factor))
    if any(high.over(low) is None for low, high in pairwise(ordered)):
        return None
    return ordered
