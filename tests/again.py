"""A gradient as a problem of its own: the program that hetad made, the point, and what depends on what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import hetad
from hetad.api import Function, Program
from hetad.checks import comparison
from hetad.checks.subjects import function_of_problem, of_function
from hetad.directions import from_vector, to_vector
from hetad.gradients import Gradient
from hetad.host.derivative import Parameter
from hetad.ir.types import Pointer
from hetad.problem import Problem
from hetad.run.layout import dtype_of

WAYS: Mapping[str, Callable[[Gradient], Program]] = {
    "program": lambda g: g.program,
    "text": lambda g: hetad.loads(g.source, "emitted.cu"),
}


@dataclass(frozen=True)
class Again:
    """The gradients `of`, with respect to the program's `wrt` and to the seeds, as a function of `arguments`."""

    function: Function
    arguments: list[Any]
    wrt: tuple[str, ...]
    of: tuple[str, ...]

    def check(self, tolerance: float | None, backend: str) -> comparison.Report:
        """Reverse against differences and against tangents."""
        subject = of_function(self.function, self.wrt, self.of, backend, {})
        assert subject.without_tangent == ""
        return comparison.check(subject, self.arguments, comparison.Accuracy(tolerance, samples=1))


def again(problem: Problem, way: str, backend: str = "cpu") -> Again:
    """The gradient that a problem asks for, read in a way."""
    function = function_of_problem(problem)
    of = None if problem.of is None else tuple(problem.of)
    g = hetad.gradient(function, wrt=tuple(problem.wrt), of=of, backend=backend, **problem.memory)
    given = dict(zip((p.name for p in function.parameters), problem.arguments(function.parameters), strict=True))
    rng = np.random.default_rng(5)
    parameters, read = g.derivative.parameters, WAYS[way](g)[g.derivative.entry]
    arguments = [_argument(p, problem, given, rng) for p in parameters]
    names = dict(zip(parameters, (p.name for p in read.parameters), strict=True))
    moved = [names[p] for p in parameters if p.role == "primal" and p.primal in problem.wrt]
    seeds = [names[p] for p in parameters if _is_seed(p, problem)]
    found = [names[p] for p in parameters if p.role == "adjoint" and p.primal in problem.wrt]
    return Again(read, arguments, (*moved, *seeds), tuple(found))


def _is_seed(p: Parameter, problem: Problem) -> bool:
    return p.role == "seed" or (p.role == "adjoint" and p.primal in (problem.of or ()))


def _argument(p: Parameter, problem: Problem, given: Mapping[str, Any], rng: np.random.Generator) -> Any:
    of = given.get(p.primal or "")
    match p.role:
        case "grid" | "block":
            extent = problem.launch[p.role]
            extents = (*((extent,) if isinstance(extent, int) else extent), 1, 1)
            return dict(zip("xyz", extents, strict=False))
        case "shared_mem":
            return problem.launch.get("shared_mem", 0)
        case "stream":
            return None
        case "bytes":
            return 0 if of is None else of.nbytes
        case "primal":
            return of
    if isinstance(of, np.ndarray):
        seeds = rng.normal(size=to_vector(of).size)
        found = from_vector(of, seeds if _is_seed(p, problem) else 0 * seeds)
        return found.astype(np.float32) if of.dtype == np.float16 else found  # adjoints of halves are floats
    if not isinstance(p.symbol.type, Pointer):
        return 1.3
    return np.full(1, 1.3 if _is_seed(p, problem) else 0.0, dtype_of(p.symbol.type.to))
