"""The program along a direction: a number as a function of the step, which differences are of."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.directions import from_vector, to_vector
from hetad.run import mpi

if TYPE_CHECKING:
    from hetad.checks.subjects import Subject
    from hetad.directions import Vector

EPSILON = {16: 2.0**-11, 32: 2.0**-23, 64: 2.0**-52}


class Line:
    """step -> <seeds, outputs at x + step * direction>, summed over the ranks of a program that calls MPI.
    `directions`: for each parameter that moves a vector of its numbers."""

    def __init__(
        self, subject: Subject, arguments: Sequence[Any], seeds: Mapping[str, Any] | None,
        directions: Mapping[str, Vector],
    ) -> None:  # fmt: skip
        self._subject, self._arguments, self._seeds = subject, list(arguments), seeds
        at = {name: subject.position(name) for name in directions}
        self._moving = [(at[n], to_vector(arguments[at[n]]), direction) for n, direction in directions.items()]
        self.size = 0.0  # of the largest outputs met, which rounding is relative to

    def __call__(self, step: float) -> float:
        moved = copy.deepcopy(self._arguments)
        for position, point, direction in self._moving:
            moved[position] = from_vector(self._arguments[position], point + step * direction)
        products = self._weighted(moved, self._subject.primal(moved))
        self.size = max(self.size, mpi.total_norm(float(np.linalg.norm(products))))
        return mpi.total(float(products.sum()))

    def noise(self, step: float, bits: int) -> float:
        """What rounding among numbers of so many bits does to a difference."""
        return 2 * EPSILON[bits] * self.size / step

    def _weighted(self, arguments: Sequence[Any], returned: Any) -> Vector:
        """The products seed * output, all outputs in one vector."""
        of, seeds = self._subject.of, self._seeds
        if of is None or seeds is None:
            return np.array([float(returned)])
        return np.concatenate([to_vector(seeds[k]) * to_vector(arguments[self._subject.position(k)]) for k in of])
