"""What can be asked of a function: its value, and products with its derivatives, on arrays that XLA has.

Operands of each are x, the arguments that are arrays, then groups of tangents along `wrt` and seeds of outputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

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


@dataclass(frozen=True)
class Call:
    """One call: its operands as hetad takes them, and where results are written."""

    functional: Functional
    values: Sequence[Any]
    wrt: Sequence[str]
    along: dict[str, Any]
    seeds: Sequence[Any]
    make: Maker
    backend: Backend
    into: dict[str, Any]


def _value(c: Call) -> Sequence[Any]:
    return c.functional.value(c.values, c.make, c.backend, c.into)


def _vjp(c: Call) -> Sequence[Any]:
    return c.functional.pullback(c.values, c.seeds, c.wrt, c.make, c.backend, c.into)


def _jvp(c: Call) -> Sequence[Any]:
    return c.functional.pushforward(c.values, c.along, c.make, c.backend, c.into)


def _hvp(c: Call) -> Sequence[Any]:
    found = c.functional.second(c.values, c.along, c.seeds, c.make, c.backend)
    return [found[name] for name in c.wrt]


@dataclass(frozen=True)
class Product:
    """One of them; `gives` says what the results are like."""

    name: str
    groups: tuple[Literal["tangents", "seeds"], ...]
    gives: Literal["outputs", "gradients"]
    compute: Callable[[Call], Sequence[Any]] | None

    def parts(self, subject: Subject, wrt: Sequence[int], operands: Sequence[Any]) -> list[Sequence[Any]]:
        """x, then each group."""
        sizes = {"tangents": len(wrt), "seeds": len(subject.functional.outputs)}
        found, start = [], 0
        for size in (len(subject.arrays), *(sizes[group] for group in self.groups)):
            found.append(operands[start : start + size])
            start += size
        return found

    def results(self, subject: Subject, numbers: Numbers, wrt: Sequence[int], operands: Sequence[Any]) -> list[Spec]:
        """The shapes and dtypes of the results, of operands that need have no more than that."""
        x, functional = operands[: len(subject.arrays)], subject.functional
        if self.gives == "outputs":
            shapes = functional.shapes(subject.values(x, numbers))
            return [(shape, o.dtype) for shape, o in zip(shapes, functional.outputs, strict=True)]
        return [(tuple(x[subject.arrays.index(i)].shape), functional.arguments[i].dtype) for i in wrt]

    def work(self, subject: Subject, numbers: Numbers, wrt: Sequence[int]) -> Work:
        """What a call does."""
        functional, compute = subject.functional, self.compute
        assert compute is not None

        def run(inputs: Sequence[Any], outputs: Sequence[Any], make: Maker, backend: Backend) -> None:
            x, *groups = self.parts(subject, wrt, inputs)
            given = dict(zip(self.groups, groups, strict=True))
            values = [_as_argument(functional, i, v) for i, v in zip(subject.arrays, x, strict=True)]
            along = {
                name: _as_argument(functional, i, v)
                for name, i, v in zip(subject.names(wrt), wrt, given.get("tangents", ()), strict=False)
            }
            seeds = [s if functional.of is not None else _number(s) for s in given.get("seeds", ())]
            names = subject.names(wrt) if self.gives == "gradients" else functional.of or ()
            into = dict(zip(names, outputs, strict=False))
            call = Call(
                functional, subject.values(values, numbers), subject.names(wrt), along, seeds, make, backend, into
            )
            for target, found in zip(outputs, compute(call), strict=True):
                if found is not target:
                    target[...] = found

        return run


VALUE = Product("value", (), "outputs", _value)
VJP = Product("vjp", ("seeds",), "gradients", _vjp)
JVP = Product("jvp", ("tangents",), "outputs", _jvp)
HVP = Product("hvp", ("tangents", "seeds"), "gradients", _hvp)
BEND = Product("bend", ("tangents", "tangents"), "outputs", None)


def _as_argument(functional: Functional, number: int, array: Any) -> Any:
    return _number(array) if functional.arguments[number].kind == "floating" else array


def _number(array: Any) -> Any:
    """That in an array of rank 0; of one on a GPU, the stream is waited for."""
    return (array.get() if hasattr(array, "get") else array).item()
