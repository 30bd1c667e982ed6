"""Runs of a program with points: values at them at seven places along a line, tangents, adjoints."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hetad.adjoint.options import Options
from hetad.diagnostics import ExecutionError, HetadError
from hetad.directions import from_vector, to_vector, typical_step
from hetad.frontend.derived import Rewritten
from hetad.ir.types import element, size_of
from hetad.run.running import Running

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.frontend.unit import Unit
    from hetad.ir import nodes as ir
    from hetad.probes.points import Probed

Vector = npt.NDArray[np.float64]
# of an argument's size, by bits of the coarsest number
STEPS = {64: (1e-4, 5e-5, 1e-7), 32: (1.6e-2, 8e-3, 2e-3), 16: (0.25, 0.125, 0.06)}


@dataclass(frozen=True)
class Asked:
    """A function at a point, with respect to what and of what; `seeds` of None weigh a return value with 1."""

    function: Function
    wrt: tuple[str, ...]
    of: tuple[str, ...] | None
    point: Sequence[Any]
    seeds: Mapping[str, Any] | None
    options: Options
    random_seed: int

    @property
    def parameters(self) -> Sequence[ir.Symbol]:
        return self.function.parameters

    def direction(self) -> dict[str, Any]:
        """A random direction, whose parts are as large as the arguments."""
        rng = np.random.default_rng(self.random_seed)
        found = {}
        for p, value in zip(self.parameters, self.point, strict=True):
            if p.name in self.wrt:
                at = to_vector(value)
                found[p.name] = from_vector(value, typical_step(at) * rng.uniform(0.5, 1.0, at.size) * _signs(rng, at))
        return found

    def moved(self, along: Mapping[str, Any], step: float) -> list[Any]:
        """The point, so far along the direction; arrays are the caller's to write to."""
        point = copy.deepcopy(list(self.point))
        for i, p in enumerate(self.parameters):
            if p.name in along and step:
                at = to_vector(point[i])
                point[i] = from_vector(point[i], at + step * to_vector(along[p.name]))
        return point


def _signs(rng: np.random.Generator, like: Vector) -> Vector:
    return rng.choice([-1.0, 1.0], like.size)


@dataclass(frozen=True)
class Made:
    """Where `Probed` comes from, for a `Program`."""

    probed: Probed
    of: Unit

    def unit(self, more: Mapping[str, str]) -> Unit:
        return Rewritten(self.probed.program, self.probed.entry, self.of)


class Runner:
    """A program with points, ready to be run; its own parameters are given, and asked for, by name."""

    def __init__(self, asked: Asked, probed: Probed) -> None:
        from hetad.api import Program

        self.asked, self.probed = asked, probed
        program = Program(Made(probed, asked.function.compiled.unit), asked.function.rules)
        self.function = program[probed.entry]

    def sizes(self) -> dict[str, int]:
        """How many elements the arrays have whose number is told."""
        asked = {p.name: (p.type, value) for p, value in zip(self.asked.parameters, self.asked.point, strict=True)}
        found = {}
        for name, of in self.probed.elements.items():
            type_, value = asked[of]
            found[name] = 0 if value is None else int(value.nbytes // size_of(element(type_)))
        return found

    def run(self, point: list[Any], own: Mapping[str, Any]) -> None:
        """At a point, whose arrays it overwrites, as it does those in `own`."""
        self.function(*point, *self._own(own), backend="cpu")

    def _own(self, given: Mapping[str, Any]) -> list[Any]:
        return [given[name] for name in self.probed.own]

    def tangents(self, along: Mapping[str, Any], own: Mapping[str, Any], names: Sequence[str]) -> dict[str, Vector]:
        """Those of the arrays of that name; nothing for those to which nothing is written."""
        from hetad.tangents import Tangent

        called = self.probed.own
        of = tuple(called[name] for name in names if called[name] in self.function.compiled.written)
        if not of:
            return {}
        options = {"options": self.asked.options, "rules": self.function.rules, "directions": 1}
        choice = self.function.compiled.choice(self.asked.wrt, of, options)
        tangent = Tangent(self.function, choice, "cpu", Running())
        arguments = [*self.asked.moved({}, 0.0), *self._own(own)]
        result = tangent(*arguments, tangents=copy.deepcopy(dict(along)))
        return {name: to_vector(result[called[name]]) for name in names if called[name] in of}

    def adjoints(self, own: Mapping[str, Any], names: Sequence[str]) -> tuple[dict[str, Vector], dict[str, Any]]:
        """Those of the arrays of that name, and the gradient with respect to what was asked."""
        from hetad.gradients import Gradient

        asked, function, called = self.asked, self.function, self.probed.own
        options = {"options": asked.options, "rules": function.rules, "memory_limit": None}
        choice = function.compiled.choice((*asked.wrt, *(called[name] for name in names)), asked.of, options)
        made = Gradient(function, choice, "cpu", Running())
        arguments = [*asked.moved({}, 0.0), *self._own(own)]
        found = made(*arguments, seeds=copy.deepcopy(asked.seeds) if asked.seeds is not None else None)
        return {name: to_vector(found[called[name]]) for name in names}, {name: found[name] for name in asked.wrt}


def tried(run: Callable[[], None]) -> str:
    """Why a run failed; "" if it did not.  A program may end where its arguments are moved."""
    try:
        run()
    except (ExecutionError, HetadError) as problem:
        return str(problem).splitlines()[0]
    return ""
