"""Why a gradient and the differences disagree: the function has no derivative here, or which components are wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.checks.line import Line
from hetad.directions import STEPS, one_sided, ridders, to_vector

if TYPE_CHECKING:
    from hetad.directions import Vector

_SHOWN = 4  # wrong components
_COMPARISONS = 48  # that are made to find them


@dataclass(frozen=True)
class Component:
    """One number of a parameter in which gradient and differences disagree; `place` as in C: `x[3]`, `p.mass`."""

    place: str
    found: float
    expected: float

    def __str__(self) -> str:
        return f"{self.place}: gradient {self.found:.6g}, differences {self.expected:.6g}"


@dataclass(frozen=True)
class Kink:
    """Slopes to both sides that differ beyond their errors."""

    left: float
    right: float
    error: float

    def spans(self, slope: float) -> bool:
        """Whether a slope lies between those of both sides, as that of a function of several pieces may."""
        low, high = sorted((self.left, self.right))
        margin = 4 * self.error + 1e-6 * (abs(low) + abs(high))
        return low - margin <= slope <= high + margin

    def __str__(self) -> str:
        return (
            f"the function is not smooth here: its slope is {self.left:.6g} on one side, {self.right:.6g} on the other"
        )


def kink(line: Line, bits: int, rtol: float) -> Kink | None:
    """Whether a function has two slopes at 0, or a jump."""
    left, right = (one_sided(line, STEPS[bits], lambda h: line.noise(h, bits), side) for side in (-1.0, 1.0))
    error = left[1] + right[1]
    differ = abs(left[0] - right[0])
    if not math.isfinite(differ) or differ <= 8 * error + 10 * rtol * max(abs(left[0]), abs(right[0])):
        return None
    return Kink(left[0], right[0], error)


def wrong_components(
    line_along: Callable[[Vector], Line], gradient: Any, direction: Vector, bits: int, tolerance: float, name: str
) -> list[Component]:
    """Those components in which a gradient is wrong, by halving the direction in which it is; some, if there are many.

    `line_along` gives the program along a direction; what is within `tolerance`, an absolute one, is not wrong.
    """
    numbers = to_vector(gradient)
    waiting = [np.arange(direction.size)]
    found: list[Component] = []
    for _ in range(_COMPARISONS):
        if not waiting or len(found) == _SHOWN:
            break
        part = waiting.pop()
        along = np.zeros(direction.size)
        along[part] = direction[part]
        line = line_along(along)
        slope, error = ridders(line, STEPS[bits], lambda h, line=line: line.noise(h, bits), 0.0)  # type: ignore[misc]
        if not abs(slope - float(numbers[part] @ direction[part])) > tolerance + 4 * error:
            continue
        if part.size > 1:
            waiting += [part[part.size // 2 :], part[: part.size // 2]]
        else:
            i = int(part[0])
            found.append(Component(place(name, gradient, i), float(numbers[i]), slope / float(direction[i])))
    return found


def place(name: str, like: Any, number: int) -> str:
    """How C names the number of an argument that has this place in `to_vector`."""
    if isinstance(like, Mapping):
        for field, part in like.items():
            size = to_vector(part).size
            if number < size:
                return place(f"{name}.{field}", part, number)
            number -= size
    if not isinstance(like, np.ndarray):
        return name
    if like.dtype.names is None:
        return f"{name}{_index(np.unravel_index(number, like.shape))}"
    for field in like.dtype.names:
        size = to_vector(like[field]).size
        if number < size:
            index = np.unravel_index(number // (size // like.size), like.shape)
            return place(f"{name}{_index(index)}.{field}", like[index][field], number % (size // like.size))
        number -= size
    return name


def _index(index: Sequence[Any]) -> str:
    return f"[{', '.join(str(int(i)) for i in index)}]" if index else ""
