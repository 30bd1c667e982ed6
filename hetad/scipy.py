"""Gradients, Hessian products and Jacobians as the optimisers and solvers of SciPy take them: functions of one vector.

import hetad, hetad.scipy

problem = hetad.scipy.objective(hetad.gradient(program["misfit"], wrt="velocity"), velocity, data, n)
found = scipy.optimize.minimize(problem, problem.x0, jac=True, method="L-BFGS-B", bounds=problem.bounds)
problem.unpack(found.x)["velocity"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from scipy.optimize import Bounds
    from scipy.sparse.linalg import LinearOperator
except ImportError as problem:
    raise ImportError("hetad.scipy needs SciPy: pip install scipy") from problem

from hetad.api import gradient
from hetad.diagnostics import ArgumentError
from hetad.directions import from_vector, to_vector
from hetad.gradients import Gradient
from hetad.jacobians import values_and_launch
from hetad.modes import hvp, jvp
from hetad.results import Named
from hetad.run.arrays import on_host
from hetad.run.signature import RETURN, nearest

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.directions import Vector
    from hetad.run.selection import Selection
    from hetad.tangents import HessianProduct

__all__ = ["Objective", "Residuals", "Unknowns", "jacobian", "objective", "residuals"]


def objective(
    g: Gradient, *args: Any, bounds: Mapping[str, Any] | None = None, fixed: Mapping[str, Any] | None = None,
    seeds: Mapping[str, Any] | None = None, hessian: HessianProduct | None = None, **named: Any,
) -> Objective:  # fmt: skip
    """What `scipy.optimize.minimize(…, jac=True)` minimises: a number and its gradient, of one vector of unknowns.

    Args:
        g: the gradient; the unknowns are its `wrt`.
        *args: as for g; those of the unknowns are where the search starts.
        bounds: for each unknown a pair of a lower and an upper bound, each a number, an array, or None.
        fixed: for an unknown an array of its shape, true where it stays as it is.
        seeds: where g has outputs: their weights; the number is the sum of weights times outputs.
        hessian: what `hessp` uses; omitted, `hetad.hvp` of the same function.
        **named: arguments by name; for a kernel also grid=, block= and shared_mem=.

    Raises:
        ArgumentError: an argument, a bound or a mask does not fit.
    """
    if not isinstance(g, Gradient):
        raise ArgumentError(f"expected a gradient, got a {type(g).__name__}; use hetad.gradient(...)")
    values, launch = values_and_launch(g.function, args, named)
    return Objective(g, Unknowns(g.wrt, values, bounds or {}, fixed or {}), values, launch, seeds, hessian)


def residuals(
    function: Function, wrt: Selection, of: Selection, *args: Any, data: Mapping[str, Any] | None = None,
    bounds: Mapping[str, Any] | None = None, fixed: Mapping[str, Any] | None = None, backend: str | None = None,
    **named: Any,
) -> Residuals:  # fmt: skip
    """What `scipy.optimize.least_squares(r, r.x0, jac=r.jac)` makes small: outputs, less data, as one vector.

    Args:
        function: from a loaded program.
        wrt: the unknowns.
        of: the outputs.
        *args: as for the function; those of the unknowns are where the search starts.
        data: for outputs, arrays that are subtracted.
        bounds: as for `objective`.
        fixed: as for `objective`.
        backend: "cuda" or "cpu"; None takes CUDA where it is usable.
        **named: arguments by name; for a kernel also grid=, block= and shared_mem=.
    """
    values, launch = values_and_launch(function, args, named)
    choice = function.compiled.choice(wrt, of, {})
    unknowns = Unknowns(choice.wrt, values, bounds or {}, fixed or {})
    return Residuals(function, unknowns, choice.of or (), values, launch, dict(data or {}), backend)


def jacobian(
    function: Function, wrt: Selection, of: Selection, *args: Any, backend: str | None = None, **named: Any
) -> LinearOperator:
    """The Jacobian at `args` as a linear operator: J v is a tangent, Jᵀ w a gradient; nothing of it is ever stored.

    Its columns are the numbers of `wrt`, its rows those of `of`, in their order.
    """
    at = residuals(function, wrt, of, *args, backend=backend, **named)
    return at.operator(at.x0)


class Unknowns:
    """Several numbers and arrays as one vector, without what is fixed."""

    def __init__(
        self, names: Sequence[str], values: Mapping[str, Any], bounds: Mapping[str, Any], fixed: Mapping[str, Any]
    ) -> None:
        self.names = tuple(names)
        self._start = {name: _number_or_array(name, values[name]) for name in names}
        for what, given in (("bounds", bounds), ("fixed", fixed)):
            for name in given:
                if name not in self.names:
                    raise ArgumentError(f"{what}: {name!r} is no unknown; {nearest(name, self.names)}")
        self._free = {name: ~self._spread(name, fixed.get(name, False), "fixed").astype(bool) for name in names}
        limits = [self._limits(name, bounds.get(name, (None, None))) for name in names]
        low, high = (np.concatenate([pair[k] for pair in limits]) for k in (0, 1))
        self.bounds = Bounds(low, high) if bounds else None
        self.x0: Vector = self.pack(self._start)

    def pack(self, values: Named) -> Vector:
        """The vector of what is free: of values, or of derivatives with respect to them."""
        return np.concatenate([to_vector(on_host(values[n]))[self._free[n]] for n in self.names])

    def unpack(self, vector: Any) -> dict[str, Any]:
        """The unknowns by name; where they are fixed, as at the start."""
        return {name: self._filled(name, part, to_vector(self._start[name])) for name, part in self._parts(vector)}

    def along(self, direction: Any) -> dict[str, Any]:
        """A direction in the space of vectors as tangents: what is fixed does not move."""
        return {
            name: self._filled(name, part, 0 * to_vector(self._start[name])) for name, part in self._parts(direction)
        }

    def _parts(self, vector: Any) -> Iterator[tuple[str, Vector]]:
        flat = np.asarray(vector, np.float64).ravel()
        if flat.shape != self.x0.shape:
            raise ArgumentError(f"expected a vector of {self.x0.size} unknowns, got {flat.size}")
        start = 0
        for name in self.names:
            count = int(self._free[name].sum())
            yield name, flat[start : start + count]
            start += count

    def _filled(self, name: str, part: Vector, rest: Vector) -> Any:
        rest[self._free[name]] = part
        return from_vector(self._start[name], rest)

    def _limits(self, name: str, given: Any) -> tuple[Vector, Vector]:
        try:
            low, high = given
        except (TypeError, ValueError):
            raise ArgumentError(f"bounds: expected a pair for {name!r}, as in (0, None), got {given!r}") from None
        free = self._free[name]
        return (
            self._spread(name, -np.inf if low is None else low, "bounds")[free],
            self._spread(name, np.inf if high is None else high, "bounds")[free],
        )

    def _spread(self, name: str, given: Any, what: str) -> Any:
        """A number for each of an unknown, from one for all or an array of its shape."""
        shape = np.shape(self._start[name])
        array = np.asarray(on_host(given))
        if array.shape not in ((), shape):
            raise ArgumentError(f"{what}: expected the shape {shape} for {name!r}, got {array.shape}")
        return np.broadcast_to(array, shape).ravel()


class Objective:
    """Called with a vector: the number to be made small, and its gradient."""

    def __init__(
        self, g: Gradient, unknowns: Unknowns, values: Mapping[str, Any], launch: Mapping[str, Any],
        seeds: Mapping[str, Any] | None, hessian: HessianProduct | None,
    ) -> None:  # fmt: skip
        self._g, self._values, self._launch = g, dict(values), dict(launch)
        self._seeds, self._hessian = seeds, hessian
        self.unknowns = unknowns
        self.x0, self.bounds = unknowns.x0, unknowns.bounds
        self.pack, self.unpack = unknowns.pack, unknowns.unpack
        if g.of is not None and (seeds is None or set(seeds) != set(g.of)):
            raise ArgumentError(
                f"the outputs {', '.join(g.of)} become one number by weights: pass seeds= with an array for each"
            )

    def __call__(self, vector: Any) -> tuple[float, Vector]:
        values = self._at(vector)
        if self._g.of is None:
            value, found = self._g.value_and_grad(*values.values(), seeds=self._seeds, **self._launch)
            return float(value) * float((self._seeds or {}).get(RETURN, 1.0)), self.pack(found)
        outputs = _outputs(self._g.function, self._g.of, values, self._launch, self._g.backend)
        total = sum(float(to_vector(outputs[n]) @ to_vector(on_host((self._seeds or {})[n]))) for n in self._g.of)
        return total, self.pack(self._g(*values.values(), seeds=self._seeds, **self._launch))

    def hessp(self, vector: Any, direction: Any) -> Vector:
        """The Hessian times a direction, as `minimize(…, hessp=)` asks for it."""
        if self._hessian is None:
            self._hessian = hvp(self._g.function, self._g.wrt, self._g.of, self._g.backend)
        tangents = self.unknowns.along(direction)
        values = self._at(vector).values()
        return self.pack(self._hessian(*values, tangents=tangents, seeds=self._seeds, **self._launch))

    def hess(self, vector: Any) -> LinearOperator:
        """The Hessian as a linear operator, as `minimize(…, hess=, method="trust-constr")` takes it."""
        size, point = self.x0.size, np.array(vector, np.float64)
        return LinearOperator((size, size), lambda v: self.hessp(point, v), lambda v: self.hessp(point, v), dtype=float)

    def _at(self, vector: Any) -> dict[str, Any]:
        return self._values | self.unknowns.unpack(vector)


class Residuals:
    """Called with a vector: the outputs, less the data, as one vector."""

    def __init__(
        self, function: Function, unknowns: Unknowns, of: Sequence[str], values: Mapping[str, Any],
        launch: Mapping[str, Any], data: Mapping[str, Any], backend: str | None,
    ) -> None:  # fmt: skip
        self.function, self.unknowns, self.of = function, unknowns, tuple(of)
        self.x0, self.bounds = unknowns.x0, unknowns.bounds or Bounds()
        self.pack, self.unpack = unknowns.pack, unknowns.unpack
        self._values, self._launch = dict(values), dict(launch)
        self._outputs = {n: on_host(values[n]) for n in of}
        self._forward = jvp(function, unknowns.names, self.of, backend)
        self._reverse = gradient(function, unknowns.names, self.of, backend)
        for name, array in data.items():
            if name not in self._outputs:
                raise ArgumentError(f"data: {name!r} is no output; {nearest(name, self.of)}")
            if np.shape(array) != np.shape(self._outputs[name]):
                raise ArgumentError(f"data: expected the shape {np.shape(self._outputs[name])} for {name!r}")
        self._data = {name: to_vector(on_host(array)) for name, array in data.items()}

    def __call__(self, vector: Any) -> Vector:
        found = _outputs(self.function, self.of, self._at(vector), self._launch, self._forward.backend)
        return np.concatenate([to_vector(found[n]) - self._data.get(n, 0.0) for n in self.of])

    def jac(self, vector: Any) -> Any:
        """The Jacobian at a vector as `least_squares` takes it: a linear operator; of one unknown, a matrix."""
        operator = self.operator(vector)
        return operator @ np.ones((1, 1)) if self.x0.size == 1 else operator

    def operator(self, vector: Any) -> LinearOperator:
        """The Jacobian at a vector, as a linear operator."""
        values = tuple(self._at(vector).values())
        rows = sum(to_vector(a).size for a in self._outputs.values())

        def times(direction: Any) -> Vector:
            found = self._forward(*values, tangents=self.unknowns.along(direction), **self._launch)
            return np.concatenate([to_vector(on_host(found[n])) for n in self.of])

        def transposed(weights: Any) -> Vector:
            seeds, flat, start = {}, np.asarray(weights, np.float64).ravel(), 0
            for name, like in self._outputs.items():
                size = to_vector(like).size
                seeds[name] = from_vector(like, flat[start : start + size])
                start += size
            return self.pack(self._reverse(*values, seeds=seeds, **self._launch))

        return LinearOperator((rows, self.x0.size), times, transposed, dtype=float)

    def _at(self, vector: Any) -> dict[str, Any]:
        return self._values | self.unknowns.unpack(vector)


def _outputs(
    function: Function, of: Sequence[str], values: Mapping[str, Any], launch: Mapping[str, Any], backend: str
) -> dict[str, Any]:
    """What the function writes, of copies of what it writes to."""
    written = function.compiled.written
    every = {n: np.array(on_host(v)) if n in written and v is not None else v for n, v in values.items()}
    function(*every.values(), backend=backend, **launch)
    return {name: every[name] for name in of}


def _number_or_array(name: str, value: Any) -> Any:
    array = on_host(value)
    if isinstance(array, np.ndarray) and array.dtype.kind == "f":
        return array
    try:
        return float(array)
    except (TypeError, ValueError):
        raise ArgumentError(f"the unknown {name!r} must be a number or an array of floating numbers") from None
