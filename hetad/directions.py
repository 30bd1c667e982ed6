"""Arguments as vectors, and the slope of a function along a direction.

Source: C. J. F. Ridders, Accurate computation of F'(x) and F'(x)F''(x), Advances in Engineering Software 4 (1982).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hetad.ir.types import Float, Struct, Type, scalar_base
from hetad.ir.visit import declared

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hetad.ir import nodes as ir

    Vector = npt.NDArray[np.float64]


STEPS = {
    16: tuple(2.0 * 4.0**-k for k in range(1, 4)),
    32: tuple(4.0**-k for k in range(1, 6)),
    64: tuple(4.0**-k for k in range(2, 11)),
}
_STEP_FACTOR = 4.0


def ridders(
    f: Callable[[float], float], steps: Sequence[float], noise: Callable[[float], float], goal: float
) -> tuple[float, float]:
    """f'(0) by central differences extrapolated to step 0, and an estimate of its error.

    Goes down the whole ladder of steps unless the error falls below `goal`, so that a kink near the point spoils the
    coarse steps only.  `noise(step)` is what rounding in f does to a difference.
    """
    best = (math.nan, math.inf)
    above: list[float] = []
    for step in steps:
        row = [(f(step) - f(-step)) / (2 * step)]
        if not math.isfinite(row[0]):
            above = []
            continue
        weight = 1.0
        for coarser in above:
            weight *= _STEP_FACTOR**2
            row.append((weight * row[-1] - coarser) / (weight - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - coarser)) + noise(step)
            if error < best[1]:
                best = (row[-1], error)
        if best[1] <= goal:
            break
        above = row
    return best


def one_sided(
    f: Callable[[float], float], steps: Sequence[float], noise: Callable[[float], float], side: float
) -> tuple[float, float]:
    """The slope of f at 0 towards one `side`, 1 or -1, by differences extrapolated to step 0, and an estimate of its
    error."""
    start, best = f(0.0), (math.nan, math.inf)
    above: list[float] = []
    for step in steps:
        row = [side * (f(side * step) - start) / step]
        if not math.isfinite(row[0]):
            above = []
            continue
        weight = 1.0
        for coarser in above:
            weight *= _STEP_FACTOR
            row.append((weight * row[-1] - coarser) / (weight - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - coarser)) + 2 * noise(step)
            if error < best[1]:
                best = (row[-1], error)
        above = row
    return best


def typical_step(point: Vector) -> Vector:
    """How far each value may move: its own size, a tenth of the typical size at least."""
    import numpy as np

    typical = float(np.sqrt(np.mean(point**2))) if point.size else 0.0
    return np.maximum(np.abs(point), 0.1 * typical if typical > 0 else 1.0)


def on_host(value: Any) -> Any:
    """A number as a float, an array as one of NumPy."""
    import numpy as np

    if hasattr(value, "get") and not isinstance(value, Mapping):
        return value.get()
    return float(value) if isinstance(value, int | np.floating) else value


def to_vector(value: Any) -> Vector:
    """The floating numbers in an argument, in order: of a scalar, an array, an array of structs, or a mapping."""
    import numpy as np

    if isinstance(value, Mapping):
        parts = [to_vector(part) for part in value.values()]
    elif isinstance(value, np.ndarray) and value.dtype.names is not None:
        parts = [to_vector(value[name]) for name in value.dtype.names]
    elif isinstance(value, np.ndarray | np.generic):
        parts = [value.astype(np.float64).ravel()] if value.dtype.kind == "f" else []
    else:
        parts = [np.array([value], np.float64)] if isinstance(value, float) else []
    return np.concatenate(parts) if parts else np.zeros(0)


def from_vector(like: Any, vector: Vector) -> Any:
    """A value like `like` whose floating numbers are those of `vector`, in the order of `to_vector`."""
    import numpy as np

    if isinstance(like, Mapping):
        return {name: from_vector(part, vector[at : at + size]) for name, part, at, size in _laid_out(like.items())}
    if isinstance(like, np.ndarray) and like.dtype.names is not None:
        records = like.copy()
        for name, part, at, size in _laid_out((name, like[name]) for name in like.dtype.names):
            records[name] = from_vector(part, vector[at : at + size])
        return records
    if isinstance(like, np.ndarray):
        return vector.astype(like.dtype).reshape(like.shape) if like.dtype.kind == "f" else like.copy()
    return float(vector[0]) if isinstance(like, float) else like


def _laid_out(parts: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any, int, int]]:
    """Each part with its place in the vector: (name, part, start, size)."""
    start = 0
    for name, part in parts:
        size = to_vector(part).size
        yield name, part, start, size
        start += size


def float_bits(type_: Type) -> list[int]:
    base = scalar_base(type_)
    if isinstance(base, Struct):
        return [bits for f in base.fields for bits in float_bits(f.type)]
    return [base.bits] if isinstance(base, Float) else []


def inner_bits(program: ir.Program) -> int:
    """The precision of the coarsest floating variable of a program."""
    symbols = (x for f in program.functions.values() for x in (*f.params, *declared(f.body)))
    return min((bits for x in symbols for bits in float_bits(x.type)), default=64)
