"""Checks a tangent as `comparison` checks a gradient: against differences of the program, and against the gradient."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hetad.checks import comparison
from hetad.checks.comparison import Accuracy, Row
from hetad.checks.line import Line
from hetad.checks.subjects import RACE_LIMIT, Subject, loaded
from hetad.diagnostics import ArgumentError, UnsupportedError
from hetad.directions import from_vector, inner_bits, to_vector, typical_step

if TYPE_CHECKING:
    import numpy as np

    from hetad.api import Function
    from hetad.directions import Vector
    from hetad.problem import Problem


def from_problem(problem: Problem, backend: str | None, **options: Any) -> tuple[Subject, list[Any]]:
    """What a problem file asks to check, and the point.  `options` are passed on to `hetad.jvp`."""
    function, arguments, options = loaded(problem, "tangent", options)
    return of_function(function, problem.wrt, problem.of, backend, problem.launch, **options), arguments


def of_function(
    function: Function, wrt: Sequence[str], of: Sequence[str] | None, backend: str | None,
    launch: Mapping[str, Any], optimize: Any = True, **running: Any,
) -> Subject:  # fmt: skip
    """The subject for `hetad.jvp` of a function of a loaded program."""
    import hetad

    made = hetad.jvp(function, wrt=wrt, of=of, backend=backend, optimize=optimize, **running)
    without = ""
    try:
        gradient = hetad.gradient(function, wrt=wrt, of=of, backend=backend, optimize=optimize, **running)
    except (UnsupportedError, ArgumentError) as refusal:
        without = str(refusal).splitlines()[0]

    def tangent(arguments: list[Any], tangents: dict[str, Any]) -> Mapping[str, Any]:
        found = made(*arguments, tangents=tangents, **launch)
        return {"return": found} if of is None else dict(found.items())

    return Subject(
        function=f"tangent of {function.name}",
        backend=made.backend,
        parameters=function.parameters,
        wrt=wrt,
        of=of,
        primal=lambda arguments: function(*arguments, backend=backend, **running, **launch),
        gradient=lambda arguments, seeds: dict(gradient(*arguments, seeds=seeds, **launch).items()),
        saved=lambda: made.last_report,
        inner_bits=inner_bits(made.derivative.program),
        tangent=tangent,
        kept=function.compiled.kept,
        forward=True,
        without_gradient=without,
        watched=lambda arguments: function.watched(arguments, launch, RACE_LIMIT),
    )


def rows(subject: Subject, arguments: Sequence[Any], accuracy: Accuracy, rng: np.random.Generator) -> Iterator[Row]:
    """What is compared: see `comparison.check`."""
    kept = copy.deepcopy(list(arguments))
    seeds = comparison.random_seeds(subject, arguments, rng)
    like = {name: arguments[subject.position(name)] for name in subject.wrt}
    for name in subject.wrt:
        for sample in range(accuracy.samples):
            row = _along_direction(subject, arguments, seeds, name, accuracy, rng)
            along = f"{name}, direction {sample + 1}" if accuracy.samples > 1 else name
            yield replace(row, check=along, parameter=name)
    yield comparison.unchanged(subject, kept, arguments)
    if not subject.without_gradient:
        gradient = subject.gradient(list(arguments), copy.deepcopy(seeds))
        yield comparison.dot_product(subject, arguments, seeds, gradient, rng)
    assert subject.tangent is not None
    one, other = ({n: from_vector(x, rng.standard_normal(to_vector(x).size)) for n, x in like.items()} for _ in "ab")
    first, second, third = (subject.tangent(list(arguments), v) for v in (one, other, comparison.mixed(one, other)))
    yield comparison.linear(subject, "linear in the direction", first, second, third)


def _along_direction(
    subject: Subject, arguments: Sequence[Any], seeds: Mapping[str, Any] | None, name: str, accuracy: Accuracy,
    rng: np.random.Generator,
) -> Row:  # fmt: skip
    """<seed, J v> of the tangent, against differences of the program."""
    point = to_vector(arguments[subject.position(name)])
    direction = rng.choice([-1.0, 1.0], point.size) * typical_step(point)
    line, rtol = Line(subject, arguments, seeds, {name: direction}), accuracy.relative(subject.bits)
    terms = terms_along(subject, arguments, seeds, {name: direction})
    row = comparison.compared(subject, line, terms, name, (rtol, max(accuracy.atol, subject.atol)))
    if row.verdict != "failed":
        return row
    return comparison.bending(line, row, min(subject.bits, subject.inner_bits), rtol, "tangent") or row


def terms_along(
    subject: Subject, arguments: Sequence[Any], seeds: Mapping[str, Any] | None, directions: Mapping[str, Vector]
) -> Vector:
    """Seeds times tangents, whose sum is the slope along the directions of those inputs that move."""
    import numpy as np

    assert subject.tangent is not None
    like = {name: arguments[subject.position(name)] for name in subject.wrt}
    still = {n: from_vector(x, directions.get(n, np.zeros(to_vector(x).size))) for n, x in like.items()}
    found, weights = subject.tangent(list(arguments), still), seeds or {"return": 1.0}
    return np.concatenate([to_vector(weights[n]) * to_vector(found[n]) for n in weights])
