"""What a problem file asks to check, whichever derivative it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hetad.checks import along, products, subjects
from hetad.checks.subjects import RACE_LIMIT, Subject, loaded, tangent_of
from hetad.directions import inner_bits

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.problem import Mode, Problem


def subject_of(problem: Problem, mode: Mode, backend: str | None, **options: Any) -> tuple[Subject, list[Any]]:
    """The subject, and the point.  `options` are passed on to what makes the derivative."""
    return _SUBJECTS[mode](problem, backend, **options)


def _jacobian(problem: Problem, backend: str | None, **options: Any) -> tuple[Subject, list[Any]]:
    function, arguments, options = loaded(problem, "jacobian", options)
    return jacobian(function, problem.wrt, problem.of, backend, problem.launch, **options), arguments


def jacobian(
    function: Function, wrt: Sequence[str], of: Sequence[str] | None, backend: str | None,
    launch: Mapping[str, Any], **options: Any,
) -> Subject:  # fmt: skip
    """The subject for `hetad.jacobian` of a function of a loaded program: its product with seeds is a gradient."""
    import numpy as np

    import hetad

    made = hetad.jacobian(function, wrt=wrt, of=of, backend=backend, **options)
    running: dict[str, Any] = {name: options.get(name) for name in ("cpu_threads", "checked")}
    tangent, why = tangent_of(function, wrt, of, backend, launch, running, options.get("optimize", True))

    def gradient(arguments: list[Any], seeds: dict[str, Any] | None) -> dict[str, Any]:
        found = made(*arguments, **launch)
        if of is None or seeds is None:
            return dict(found)
        return {n: sum(np.tensordot(seeds[y], found[y][n], np.ndim(seeds[y])) for y in of) for n in wrt}

    coarsest = inner_bits(function.compiled.unit.reach(function.name))
    return Subject(
        function=f"Jacobian of {function.name}",
        backend=made.backend,
        parameters=function.parameters,
        wrt=wrt,
        of=of,
        primal=lambda arguments: function(*arguments, backend=backend, **running, **launch),
        gradient=gradient,
        inner_bits=coarsest,
        tangent=tangent,
        without_tangent=why,
        watched=lambda arguments: function.watched(arguments, launch, RACE_LIMIT),
    )


_SUBJECTS: Mapping[str, Callable[..., tuple[Subject, list[Any]]]] = {
    "gradient": subjects.from_problem,
    "tangent": along.from_problem,
    "hvp": products.from_problem,
    "jacobian": _jacobian,
    "hessian": partial(products.from_problem, whole=True),
}
