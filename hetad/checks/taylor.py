"""The Taylor test: what a gradient leaves of a step's change falls with the square of the step.

    |f(x + h v) - f(x)| = O(h)        |f(x + h v) - f(x) - h <gradient, v>| = O(h²)

A gradient that is wrong leaves a remainder of order h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.checks.along import terms_along
from hetad.checks.line import EPSILON, Line
from hetad.checks.subjects import generic_seeds
from hetad.diagnostics import BackendError
from hetad.directions import to_vector, typical_step

if TYPE_CHECKING:
    from hetad.checks.subjects import Subject

_STEPS = {32: tuple(2.0**-k for k in range(1, 10)), 64: tuple(2.0**-k for k in range(2, 20))}
_LEAST_ORDER = 1.75
_ABOVE = 16.0  # times the rounding of the value: what is less tells nothing
_FITTED = 4  # steps, the least that tell


@dataclass(frozen=True)
class TaylorTest:
    """`changes`: |f(x + h v) - f(x)| for each of `steps`; `remainders`: what the gradient leaves of them; `rounding`:
    how much of them may be rounding."""

    function: str
    steps: tuple[float, ...]
    changes: tuple[float, ...]
    remainders: tuple[float, ...]
    rounding: float

    @property
    def order(self) -> float:
        """With which power of the step the remainder falls, at the least steps that tell; infinite where it is rounding
        alone, as for a linear function."""
        told = [(h, r) for h, r in zip(self.steps, self.remainders, strict=True) if r > self.rounding]
        if not all(map(math.isfinite, self.remainders)):
            return math.nan
        if len(told) < 2:
            return math.inf
        h, r = np.log(np.array(told[-_FITTED:]).T)
        return float(np.polyfit(h, r, 1)[0])

    @property
    def passed(self) -> bool:
        return self.order >= _LEAST_ORDER

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        head = f"Taylor test of {self.function}: {'passed' if self.passed else 'FAILED'}, order {self.order:.2f}"
        rows = zip(self.steps, self.changes, self.remainders, strict=True)
        return "\n".join(
            [head, "      step     change  remainder", *(f"{h:10.2e} {c:10.2e} {r:10.2e}" for h, c, r in rows)]
        )

    def plot(self, axes: Any = None) -> Any:
        """Draws changes and remainders over the step into `axes` of matplotlib, or new ones, which it returns.

        Raises:
            BackendError: matplotlib is not installed.
        """
        if axes is None:
            axes = _axes()
        h = np.array(self.steps)
        axes.loglog(h, self.changes, "o-", label="change of the function")
        axes.loglog(h, self.remainders, "s-", label=f"less the gradient's part: order {self.order:.2f}")
        for power, values in ((1, self.changes), (2, self.remainders)):
            if values[0] > 0:
                axes.loglog(h, values[0] * (h / h[0]) ** power, ":", color="0.6", label=f"order {power}")
        if self.rounding > 0:
            axes.axhline(self.rounding, color="0.8", label="rounding")
        axes.set(xlabel="step", ylabel="size", title=f"Taylor test of {self.function}")
        axes.legend()
        return axes


def taylor(subject: Subject, arguments: Sequence[Any], random_seed: int = 0) -> TaylorTest:
    """Along one random direction of all of `wrt`, with random seeds."""
    rng = np.random.default_rng(random_seed)
    seeds = generic_seeds(subject, arguments)
    directions = {name: _direction(rng, arguments[subject.position(name)]) for name in subject.wrt}
    line = Line(subject, arguments, seeds, directions)
    slope = _slope(subject, arguments, seeds, directions)
    bits = min(subject.bits, subject.inner_bits)
    start = line(0.0)
    ends = [(h, line(h)) for h in _STEPS[bits]]
    changes = tuple(abs(end - start) for _, end in ends)
    remainders = tuple(abs(end - start - h * slope) for h, end in ends)
    return TaylorTest(subject.function, _STEPS[bits], changes, remainders, _ABOVE * EPSILON[bits] * line.size)


def _slope(
    subject: Subject, arguments: Sequence[Any], seeds: dict[str, Any] | None, directions: Mapping[str, Any]
) -> float:
    if subject.forward:
        return float(terms_along(subject, arguments, seeds, directions).sum())
    gradient = subject.gradient(list(arguments), seeds)
    return sum(float(to_vector(gradient[name]) @ v) for name, v in directions.items())


def _direction(rng: np.random.Generator, argument: Any) -> Any:
    point = to_vector(argument)
    return rng.choice([-1.0, 1.0], point.size) * typical_step(point)


def _axes() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BackendError("matplotlib draws the plot, and is not installed\n  help: pip install matplotlib") from error
    return Figure(figsize=(6, 4), layout="constrained").add_subplot()


def save(test: TaylorTest, path: Any) -> None:
    """Writes the plot; the ending of the file's name tells the format."""
    test.plot().figure.savefig(path)
