"""Products of derivatives on arrays that XLA has: operands x are those of the arguments that are arrays.

`wrt` are the arguments, by number, along which tangents go and of which a gradient is returned.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.functional import Call
from hetad.products import Product

if TYPE_CHECKING:
    from hetad.compiled import Backend
    from hetad.functional import Functional, Maker
    from hetad.jax.ffi import Work

Numbers = tuple[Any, ...]
Spec = tuple[tuple[int, ...], np.dtype[Any]]  # of an array


@dataclass(frozen=True, eq=False)
class Subject:
    """A function, known to calls by its key."""

    functional: Functional
    key: str

    @functools.cached_property
    def arrays(self) -> tuple[int, ...]:
        """The arguments that are arrays of JAX, by number; all others are integers."""
        return tuple(i for i, a in enumerate(self.functional.arguments) if a.kind in ("array", "floating"))

    @functools.cached_property
    def active(self) -> tuple[int, ...]:
        """The arguments that are differentiable."""
        return tuple(i for i in self.arrays if self.functional.arguments[i].active)

    def values(self, arrays: Sequence[Any], numbers: Numbers) -> list[Any]:
        """All arguments in order."""
        given, integers = iter(arrays), iter(numbers)
        return [next(given if i in self.arrays else integers) for i in range(len(self.functional.arguments))]

    def names(self, wrt: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.functional.arguments[i].name for i in wrt)


BEND = Product("bend", ("tangents", "tangents"), "outputs", None)  # d/dε J(x + εu) v


def parts(product: Product, subject: Subject, wrt: Sequence[int], operands: Sequence[Any]) -> list[Sequence[Any]]:
    """x, then each group."""
    return product.parts(operands, len(subject.arrays), len(wrt), len(subject.functional.outputs))


def results(
    product: Product, subject: Subject, numbers: Numbers, wrt: Sequence[int], operands: Sequence[Any]
) -> list[Spec]:
    """The shapes and dtypes of the results, of operands that need have no more than that."""
    x, functional = operands[: len(subject.arrays)], subject.functional
    if product.gives == "outputs":
        shapes = functional.shapes(subject.values(x, numbers))
        return [(shape, o.dtype) for shape, o in zip(shapes, functional.outputs, strict=True)]
    return [(tuple(x[subject.arrays.index(i)].shape), functional.arguments[i].dtype) for i in wrt]


def work(product: Product, subject: Subject, numbers: Numbers, wrt: Sequence[int]) -> Work:
    """What a call does."""
    functional, compute, names = subject.functional, product.compute, subject.names(wrt)
    assert compute is not None
    wanted = names if product.gives == "gradients" else functional.of or ()

    def run(inputs: Sequence[Any], outputs: Sequence[Any], make: Maker, backend: Backend) -> None:
        x, *groups = parts(product, subject, wrt, inputs)
        given = dict(zip(product.groups, groups, strict=True))
        along = dict(zip(names, given.get("tangents", ()), strict=False))
        into = dict(zip(wanted, outputs, strict=False))
        call = Call(subject.values(x, numbers), make, backend, names, along, given.get("seeds", ()), into)
        for target, found in zip(outputs, compute(functional, call), strict=True):
            if found is not target:
                target[...] = found

    return run
