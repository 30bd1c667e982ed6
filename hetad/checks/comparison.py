"""Checks a gradient against finite differences of the program itself.

The oracle knows nothing of hetad's derivative: it runs the *primal*, in the program's own precision, at points moved
along random directions v of one parameter at a time, and compares

    <seed, (F(x + h v) - F(x - h v)) / 2h>     with     <gradient, v>.

The step h runs down a ladder and the differences are extrapolated to h = 0 (Ridders' method): a value and an
estimate of its error.  That estimate is part of the tolerance, and a check whose estimate is too coarse to tell a right
gradient from a wrong one is reported as unsure, never as passed.

Beyond that, the gradient must be linear in the seeds, and a call must leave its arguments as they were.

Where the program calls MPI, every rank moves along a direction of its own, and both products are sums over all ranks:
a rank's gradient says how the sum of all ranks' objectives depends on what that rank was given.

Source: C. J. F. Ridders, Accurate computation of F'(x) and F'(x)F''(x), Advances in Engineering Software 4 (1982).
"""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from hetad.checks.line import Line
from hetad.checks.subjects import (
    Subject,
    from_problem,
    function_of,
    function_of_problem,
    generic_seeds,
    loaded,
    of_function,
    ones,
)
from hetad.checks.suspects import Component, kink, wrong_components
from hetad.diagnostics import BackendError, RaceError
from hetad.directions import STEPS, from_vector, inner_bits, ridders, to_vector, typical_step
from hetad.run import mpi

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hetad.problem import Problem

    Vector = npt.NDArray[np.float64]

__all__ = [
    "Accuracy", "Report", "Row", "Subject", "Verdict", "check", "dot_product", "from_problem", "from_vector",
    "function_of", "generic_seeds", "inner_bits", "loaded", "of_function", "ones", "same", "same_gradient",
    "to_vector", "watch",
]  # fmt: skip

Verdict = Literal["passed", "failed", "unsure"]

_RTOL = {16: 3e-2, 32: 2e-4, 64: 1e-6}
_SEED_RTOL = {16: 1e-2, 32: 1e-4, 64: 1e-10}
Rows = Callable[[Subject, Sequence[Any], "Accuracy", "np.random.Generator"], Iterator["Row"]]
_COARSEST = {16: 0.4, 32: 0.05, 64: 0.05}  # an uncertainty above this share of the value tells nothing


@dataclass(frozen=True)
class Accuracy:
    """How closely a gradient is compared, and how often.

    `rtol`: relative tolerance, by default 1e-6, or 2e-4 where a float takes part; `atol`: absolute tolerance;
    `samples`: random directions per parameter; `random_seed`: of the directions and of the seeds.
    """

    rtol: float | None = None
    atol: float = 0.0
    samples: int = 3
    random_seed: int = 0

    def relative(self, bits: int) -> float:
        """The relative tolerance among numbers of so many bits."""
        return _RTOL[bits] if self.rtol is None else self.rtol


@dataclass(frozen=True)
class Row:
    """One comparison.  `error` is relative; `expected` and `found` are absent where whole arrays are compared."""

    check: str
    verdict: Verdict
    error: float
    tolerance: float
    expected: float | None = None
    found: float | None = None
    note: str = ""
    parameter: str = ""
    components: tuple[Component, ...] = ()  # some of those that are wrong


@dataclass(frozen=True)
class Report:
    """The outcome on one backend."""

    function: str
    backend: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return all(row.verdict == "passed" for row in self.rows)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = [f"{self.function} on {self.backend}: {'passed' if self.passed else 'FAILED'}"]
        for row in self.rows:
            numbers = "" if row.found is None else f"  gradient {row.found:.9g}, differences {row.expected:.9g}"
            lines.append(
                f"  {row.verdict:7} {row.check}: relative error {row.error:.2e} "
                f"(tolerance {row.tolerance:.1e}){numbers}"
            )
            lines += [f"          {row.note}"] if row.note else []
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def watch(problem: Problem) -> None:
    """Runs what a problem file is about once under the race detector.

    Raises:
        RaceError: it found one.
    """
    function = function_of_problem(problem)
    function.watched(problem.arguments(function.parameters), problem.launch, 0)


def same_gradient(name: str, one: Any, other: Any, bits: int | None = None) -> Row:
    """Two gradients that may differ by rounding only, in a program whose numbers have `bits` bits (by default those of
    the gradient)."""
    import numpy as np

    a, b = to_vector(one), to_vector(other)
    single = isinstance(one, np.ndarray) and one.dtype == np.float32
    tolerance = _SEED_RTOL[bits or (32 if single else 64)]
    scale = max(float(np.linalg.norm(a)), float(np.linalg.norm(b)))
    error = float(np.linalg.norm(a - b)) / scale if scale > 0 else 0.0
    return Row(name, "passed" if error <= tolerance else "failed", error, tolerance)


def check(
    subject: Subject,
    arguments: Sequence[Any],
    accuracy: Accuracy = Accuracy(),
    *,
    on_step: Callable[[int, int], None] | None = None,
    racecheck: bool = True,
    rows: Rows | None = None,
) -> Report:
    """Compares the gradient with finite differences along random directions of each parameter in `wrt`.

    Args:
        subject: the program, its gradient and the names involved.
        arguments: the point, one argument per parameter; not changed.
        accuracy: tolerances, and how many directions.
        on_step: called with (comparisons done, comparisons in all).
        racecheck: whether the program and its derivative run once under the race detector first, unless their
            launches are large.
        rows: what is compared, if it is no gradient.

    Raises:
        RaceError: the detector found a race: neither the program nor its gradient has one value.
    """
    import numpy as np

    notes = _race_notes(subject, arguments) if racecheck else ()
    for what, why in (("tangent", subject.without_tangent), ("gradient", subject.without_gradient)):
        notes += (f"note: no {what} to compare with: {why}",) if why else ()

    found: list[Row] = []
    total = len(subject.wrt) * accuracy.samples + 3
    rng = np.random.default_rng([accuracy.random_seed, mpi.number()] if mpi.number() else accuracy.random_seed)
    for row in (rows or _rows)(subject, arguments, accuracy, rng):
        found.append(row)
        if on_step is not None:
            on_step(len(found), total)
    notes += (*_without_influence(subject, found), *_of_other_calls(subject, found))
    return Report(subject.function, subject.backend, tuple(found), notes)


def _of_other_calls(subject: Subject, rows: Sequence[Row]) -> Iterator[str]:
    """What may be behind differences that are no derivatives."""
    if subject.kept and any(row.verdict != "passed" for row in rows):
        what = f"{subject.function} keeps {', '.join(subject.kept)} from call to call"
        yield f"note: {what}, and differences are those of calls; derivatives begin each call with the first values"


def _without_influence(subject: Subject, rows: Sequence[Row]) -> Iterator[str]:
    """Warnings of gradients that are zero, which agree with whatever does not move."""
    outputs = "the return value" if subject.of is None else ", ".join(subject.of)
    for name in subject.wrt:
        along = [row for row in rows if row.parameter == name]
        if name in subject.inactive:
            yield f"warning: {name} has no influence: no derivative of {outputs} leads to it"
        elif along and all(row.found == row.expected == 0 for row in along):
            yield f"warning: {name} has no influence here: gradient and differences are zero; try other inputs"


def _race_notes(subject: Subject, arguments: Sequence[Any]) -> tuple[str, ...]:
    """Runs the program and its derivative under the race detector; why it could not, if so."""
    from hetad.run.races import RaceLimitError

    if subject.watched is None:
        return ()
    try:
        subject.watched(copy.deepcopy(list(arguments)))
        if subject.watched_gradient is not None:
            with _in_the_derivative():
                subject.watched_gradient(copy.deepcopy(list(arguments)), generic_seeds(subject, arguments))
    except RaceLimitError as problem:
        return (f"note: races were not looked for: {problem.told}; smaller inputs would do, or hetad run --racecheck",)
    except BackendError as problem:
        return (f"note: races were not looked for: {problem.told.splitlines()[0]}",)
    return ()


@contextlib.contextmanager
def _in_the_derivative() -> Iterator[None]:
    """The program has no race: one in its derivative is not its author's."""
    try:
        yield
    except RaceError as problem:
        problem.message = f"in hetad's own derivative, {problem.message}"
        problem.remedy = "the program itself has no such race: please report this, and try optimize=False meanwhile"
        raise


def _rows(subject: Subject, arguments: Sequence[Any], accuracy: Accuracy, rng: np.random.Generator) -> Iterator[Row]:
    kept = copy.deepcopy(list(arguments))
    seeds = random_seeds(subject, arguments, rng)
    gradient = subject.gradient(list(arguments), copy.deepcopy(seeds))
    yield unchanged(subject, kept, arguments)
    tolerances = accuracy.relative(subject.bits), max(accuracy.atol, subject.atol)
    for name in subject.wrt:
        for sample in range(accuracy.samples):
            along = f"{name}, direction {sample + 1}" if accuracy.samples > 1 else name
            row = _along_direction(subject, arguments, seeds, name, gradient[name], tolerances, rng)
            yield replace(row, check=along, parameter=name)
    if subject.tangent is not None:
        yield dot_product(subject, arguments, seeds, gradient, rng)
    if seeds is not None:
        yield _linear_in_seeds(subject, arguments, seeds, gradient, rng)


# --- the three kinds of comparison ----------------------------------------------------------------


def _along_direction(
    subject: Subject,
    arguments: Sequence[Any],
    seeds: Mapping[str, Any] | None,
    name: str,
    gradient: Any,
    tolerances: tuple[float, float],
    rng: np.random.Generator,
) -> Row:
    """<seed, dF/dx v> by differences of the primal, against <gradient, v>; where they disagree, why."""
    import numpy as np

    rtol, atol = tolerances
    point = to_vector(arguments[subject.position(name)])
    direction = rng.choice([-1.0, 1.0], point.size) * typical_step(point)
    line, terms = Line(subject, arguments, seeds, {name: direction}), to_vector(gradient) * direction
    row = compared(subject, line, terms, name, tolerances)
    if row.verdict != "failed" or not math.isfinite(row.error):
        return row

    def line_along(direction: Vector) -> Line:
        return Line(subject, arguments, seeds, {name: direction})

    bits, tolerance = min(subject.bits, subject.inner_bits), rtol * float(np.linalg.norm(terms)) + atol
    # On several ranks each would look along directions of its own, which no other moves along with it.
    wrong = tuple(wrong_components(line_along, gradient, direction, bits, tolerance, name)) if not mpi.rank() else ()
    if (bent := bending(line, row, bits, rtol)) is not None:
        where = f"; it bends along {', '.join(c.place for c in wrong)}" if wrong else ""
        return replace(bent, note=f"{bent.note}{where}")
    note = f"wrong at {'; '.join(map(str, wrong))}" if wrong else row.note
    if not to_vector(gradient).any():
        note = f"the gradient is zero everywhere, the differences are not; {note}"
    return replace(row, components=wrong, note=note)


def bending(line: Line, row: Row, bits: int, rtol: float, what: str = "gradient") -> Row | None:
    """What is to be said of a derivative that differs from differences where the function is not smooth."""
    if row.found is None or (two := kink(line, bits, rtol)) is None:
        return None
    within = two.spans(row.found)
    between = f"the {what} lies between" if within else f"the {what} lies beyond both"
    return replace(row, verdict="unsure" if within else "failed", note=f"{two}; {between}")


def compared(subject: Subject, line: Line, terms: Vector, name: str, tolerances: tuple[float, float]) -> Row:
    """Differences along a line, against the sum of `terms`.

    Where floats on the way between doubles may be what spoils them, they are taken once more, with a float's steps.
    """
    row = _compared(line, terms, name, subject.bits, *tolerances)
    if row.verdict != "passed" and subject.inner_bits < subject.bits:
        row = _compared(line, terms, name, subject.inner_bits, *tolerances)
    return row


def _compared(line: Line, terms: Vector, name: str, bits: int, rtol: float, atol: float) -> Row:
    import numpy as np

    found, size = mpi.total(float(terms.sum())), mpi.total_norm(float(np.linalg.norm(terms)))
    expected, uncertainty = ridders(line, STEPS[bits], lambda h: line.noise(h, bits), 1e-2 * rtol * size)
    scale = max(abs(found), abs(expected), size)
    if size == 0.0 and abs(expected) <= 4 * uncertainty <= rtol * line.size:
        return Row(name, "passed", 0.0, rtol, expected, found)  # rounding alone, small beside the outputs
    coarsest = _COARSEST[bits] * scale
    return _judge(name, (expected, uncertainty, coarsest), found, scale, rtol, atol)


def _judge(
    along: str, differences: tuple[float, float, float], found: float, scale: float, rtol: float, atol: float
) -> Row:
    """`differences`: what they give, how uncertain that is, and from where on that tells nothing."""
    expected, uncertainty, coarsest = differences
    if not (math.isfinite(expected) and math.isfinite(found)):
        both = "the gradient is not finite" if math.isfinite(expected) else "the primal is not finite near this point"
        return Row(along, "failed", math.inf, rtol, expected, found, both)
    if found == 0.0 and expected == 0.0:
        return Row(along, "passed", 0.0, rtol, expected, found)
    error = abs(found - expected)
    allowed = rtol * scale + 4 * uncertainty + atol
    verdict: Verdict = "passed" if error <= allowed else "failed"
    note = ""
    if verdict == "passed" and uncertainty > coarsest and error > atol:
        verdict, note = "unsure", "rounding in the primal drowns the difference; use other inputs or double precision"
    return Row(along, verdict, error / scale, allowed / scale, expected, found, note)


def dot_product(
    subject: Subject,
    arguments: Sequence[Any],
    seeds: Mapping[str, Any] | None,
    gradient: Mapping[str, Any],
    rng: np.random.Generator,
) -> Row:
    """<w, J v> = <Jᵀ w, v>: two derivatives of different making, equal to rounding."""
    import numpy as np

    assert subject.tangent is not None
    like = {name: arguments[subject.position(name)] for name in subject.wrt}
    along = {name: from_vector(x, rng.standard_normal(to_vector(x).size)) for name, x in like.items()}
    found = subject.tangent(list(arguments), copy.deepcopy(along))
    weights = seeds or {"return": 1.0}
    forward = np.concatenate([to_vector(weights[name]) * to_vector(found[name]) for name in weights])
    backward = np.concatenate([to_vector(gradient[name]) * to_vector(along[name]) for name in subject.wrt])
    left, right = mpi.total(float(forward.sum())), mpi.total(float(backward.sum()))
    tolerance = 10 * _SEED_RTOL[min(subject.bits, subject.inner_bits)]
    if not (math.isfinite(left) and math.isfinite(right)):
        return Row("dot product", "failed", math.inf, tolerance, left, right, "one of the two is not finite")
    scale = max(mpi.total(float(np.abs(forward).sum())), mpi.total(float(np.abs(backward).sum())))
    error = abs(left - right) / scale if scale > 0 else 0.0
    return Row("dot product", "passed" if error <= tolerance else "failed", error, tolerance, left, right)


def _linear_in_seeds(
    subject: Subject,
    arguments: Sequence[Any],
    seeds: Mapping[str, Any],
    gradient: Mapping[str, Any],
    rng: np.random.Generator,
) -> Row:
    """gradient(2 a - b) = 2 gradient(a) - gradient(b); an adjoint that forgets to clear something violates it."""
    other = random_seeds(subject, arguments, rng) or {}
    second = subject.gradient(list(arguments), other)
    third = subject.gradient(list(arguments), mixed(seeds, other))
    return linear(subject, "linear in the seeds", gradient, second, third)


def mixed(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """2 a - b."""
    return {k: from_vector(a[k], 2 * to_vector(a[k]) - to_vector(b[k])) for k in a}


def linear(
    subject: Subject, check: str, first: Mapping[str, Any], second: Mapping[str, Any], third: Mapping[str, Any]
) -> Row:
    """Whether the third is twice the first less the second."""
    import numpy as np

    error = 0.0
    for name in first:
        a, b, c = (to_vector(g[name]) for g in (first, second, third))
        scale = float(np.linalg.norm(2 * a) + np.linalg.norm(b))
        if not np.isfinite(c).all():
            error = math.inf
        elif scale > 0 or c.any():
            error = max(error, float(np.linalg.norm(2 * a - b - c)) / (scale or 1.0))
    tolerance = _SEED_RTOL[min(subject.bits, subject.inner_bits)]
    return Row(check, "passed" if error <= tolerance else "failed", error, tolerance)


def unchanged(subject: Subject, kept: Sequence[Any], arguments: Sequence[Any]) -> Row:
    """A gradient call leaves its arguments as they were, to the bit."""
    changed = [p.name for p, a, b in zip(subject.parameters, kept, arguments, strict=True) if not same(a, b)]
    note = f"the call changed {', '.join(changed)}" if changed else ""
    return Row("arguments unchanged", "failed" if changed else "passed", float(bool(changed)), 0.0, note=note)


def same(a: Any, b: Any) -> bool:
    """Whether two arguments are equal: every number to the bit, whatever lies in the padding of structs."""
    import numpy as np

    if isinstance(a, np.ndarray) and a.dtype.names is not None:
        return all(same(a[name], b[name]) for name in a.dtype.names)
    if isinstance(a, np.ndarray):
        return bool(a.tobytes() == b.tobytes())
    return bool(a == b)


def random_seeds(subject: Subject, arguments: Sequence[Any], rng: np.random.Generator) -> dict[str, Any] | None:
    if subject.of is None:
        return None
    seeds = {}
    for name in subject.of:
        like = arguments[subject.position(name)]
        seeds[name] = from_vector(like, rng.standard_normal(to_vector(like).size))
    return seeds
