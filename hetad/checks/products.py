"""Checks a product of a Hessian with a vector, as `gradcheck` checks a gradient.

What is checked is the number <u, g>, where g is hetad's gradient and u a random vector.  Its gradient is the Hessian
times u, so differences of gradients are the oracle; its slope along v is <u, H v>, so the identity that gradcheck asks
of tangents says here that the Hessian is symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hetad.checks.subjects import Subject, loaded
from hetad.directions import from_vector, inner_bits, to_vector
from hetad.results import Named

_ROUNDING = {16: 1e-2, 32: 1e-6, 64: 1e-12}

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.jacobians import Hessian
    from hetad.problem import Problem


def from_problem(
    problem: Problem, backend: str | None, whole: bool = False, **options: Any
) -> tuple[Subject, list[Any]]:
    """What a problem file asks to check, and the point.  `options` are passed on to `hetad.hvp`, or with `whole` to
    `hetad.hessian`."""
    function, arguments, options = loaded(problem, "hvp", options)
    wrt, of = problem.wrt, problem.of
    return of_function(function, arguments, wrt, of, backend, problem.launch, whole, **options), arguments


def of_function(
    function: Function, arguments: Sequence[Any], wrt: tuple[str, ...], of: tuple[str, ...] | None,
    backend: str | None, launch: Mapping[str, Any], whole: bool = False, **options: Any,
) -> Subject:  # fmt: skip
    """The subject for `hetad.hvp` of a function of a loaded program, or with `whole` for `hetad.hessian`; `launch` is
    its grid and block if it is a kernel.  The outputs in `of` are weighted at random."""
    import hetad

    gradient = hetad.gradient(function, wrt=wrt, of=of, backend=backend, **options)
    hessian = hetad.hessian(function, wrt=wrt, of=of, backend=backend, **options)
    made, product = hessian.product, _times(hessian) if whole else hessian.product
    at = {p.name: a for p, a in zip(function.parameters, arguments, strict=True)}
    weights = None if of is None else _random(at, of, 21)
    u = _random(at, wrt, 22)

    def objective(arguments: list[Any]) -> float:
        return _dot(u, gradient(*arguments, seeds=weights, **launch))

    def along_u(arguments: list[Any], seeds: dict[str, Any] | None) -> Mapping[str, Any]:
        factor = (seeds or {}).get("return", 1.0)
        tangents = {n: from_vector(x, factor * to_vector(x)) for n, x in u.items()}
        found = product(*arguments, tangents=tangents, seeds=weights, **launch)
        return {n: found[n] for n in wrt}

    coarsest = inner_bits(made.derivative.program)
    found = gradient(*arguments, seeds=weights, **launch)
    size = sum(float(abs(to_vector(u[n])) @ abs(to_vector(found[n]))) for n in u)

    def slope(arguments: list[Any], tangents: dict[str, Any]) -> Mapping[str, Any]:
        return {"return": _dot(u, product(*arguments, tangents=tangents, seeds=weights, **launch))}

    return Subject(
        function=f"{'Hessian' if whole else 'product of the Hessian'} of {function.name}",
        backend=made.backend,
        parameters=function.parameters,
        wrt=wrt,
        of=None,
        primal=objective,
        gradient=along_u,
        tangent=slope,
        saved=lambda: made.last_report,
        inner_bits=coarsest,
        atol=_ROUNDING[coarsest] * size,  # of a linear function, differences of gradients are rounding alone
    )


def _times(hessian: Hessian) -> Callable[..., Named]:
    """Its products with vectors, as `hetad.hvp` gives them."""
    import numpy as np

    def product(*args: Any, tangents: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        blocks = hessian(*args, **more)
        return {
            name: sum(np.tensordot(block, tangents[n], np.ndim(tangents[n])) for n, block in row.items())
            for name, row in blocks.items()
        }

    return product


def _random(at: Mapping[str, Any], names: Sequence[str], seed: int) -> dict[str, Any]:
    import numpy as np

    rng = np.random.default_rng(seed)
    return {n: from_vector(at[n], rng.standard_normal(to_vector(at[n]).size)) for n in names}


def _dot(u: Mapping[str, Any], found: Named) -> float:
    return sum(float(to_vector(u[n]) @ to_vector(found[n])) for n in u)
