"""The derivative of each mode at the inputs of a problem file, as `hetad run` shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.problem import Mode, Problem
    from hetad.run.report import Report

Found = list["Part"]
_LABELS = {"hvp": "Hessian times direction", "jacobian": "Jacobian", "hessian": "Hessian"}


@dataclass(frozen=True)
class Part:
    """One array or number: a gradient of x, a tangent of y, a block of a Jacobian."""

    kind: str
    names: tuple[str, ...]
    value: Any

    @property
    def label(self) -> str:
        return f"{_LABELS.get(self.kind, self.kind)} of {' by '.join(self.names)}"

    @property
    def key(self) -> str:
        """Under which it is saved."""
        return "_".join(({"gradient": "grad"}.get(self.kind, self.kind), *self.names))


@dataclass(frozen=True)
class Point:
    """A function, and where its derivative is asked for."""

    function: Function
    arguments: Sequence[Any]
    problem: Problem
    backend: str | None

    @property
    def selection(self) -> dict[str, Any]:
        return {"wrt": self.problem.wrt, "of": self.problem.of, "backend": self.backend}

    def ones(self, names: Sequence[str]) -> dict[str, Any]:
        """Seeds or tangents of 1."""
        import numpy as np

        from hetad.directions import from_vector, to_vector

        at = {p.name: value for p, value in zip(self.function.parameters, self.arguments, strict=True)}
        return {name: from_vector(at[name], np.ones(to_vector(at[name]).size)) for name in names}

    @property
    def seeds(self) -> dict[str, Any] | None:
        return None if self.problem.of is None else self.ones(self.problem.of)


def derivatives(point: Point, mode: Mode, options: Mapping[str, Any]) -> tuple[Found, Report | None]:
    """With seeds of 1 and along directions of 1; and what was saved.  `options`: of what makes the derivative."""
    return _MODES[mode](point, options)


def nested(found: Found) -> dict[str, Any]:
    """For scripts: by kind, then by name."""
    result: dict[str, Any] = {}
    for part in found:
        at = result.setdefault(part.kind, {})
        for name in part.names[:-1]:
            at = at.setdefault(name, {})
        at[part.names[-1]] = part.value.tolist() if hasattr(part.value, "tolist") else part.value
    return result


def _gradient(point: Point, options: Mapping[str, Any]) -> tuple[Found, Report | None]:
    import hetad

    made = hetad.gradient(point.function, **point.selection, **options)
    found = made(*point.arguments, seeds=point.seeds, **point.problem.launch)
    return [Part("gradient", (name,), value) for name, value in found.items()], made.last_report


def _tangent(point: Point, options: Mapping[str, Any]) -> tuple[Found, Report | None]:
    import hetad

    made = hetad.jvp(point.function, **point.selection, **options)
    found = made(*point.arguments, tangents=point.ones(point.problem.wrt), **point.problem.launch)
    named = {"return": found} if point.problem.of is None else found
    return [Part("tangent", (name,), value) for name, value in named.items()], None


def _hvp(point: Point, options: Mapping[str, Any]) -> tuple[Found, Report | None]:
    import hetad

    made = hetad.hvp(point.function, **point.selection, **options)
    along, launch = point.ones(point.problem.wrt), point.problem.launch
    gradient, product = made.grad_and_hvp(*point.arguments, tangents=along, seeds=point.seeds, **launch)
    found = [Part("gradient", (name,), value) for name, value in gradient.items()]
    return found + [Part("hvp", (name,), value) for name, value in product.items()], made.last_report


def _jacobian(point: Point, options: Mapping[str, Any]) -> tuple[Found, Report | None]:
    import hetad

    found = hetad.jacobian(point.function, **point.selection, **options)(*point.arguments, **point.problem.launch)
    blocks = {"return": found} if point.problem.of is None else found
    return _parts("jacobian", blocks), None


def _hessian(point: Point, options: Mapping[str, Any]) -> tuple[Found, Report | None]:
    import hetad

    made = hetad.hessian(point.function, **point.selection, **options)
    found = made(*point.arguments, seeds=point.seeds, **point.problem.launch)
    return _parts("hessian", found), made.product.last_report


def _parts(kind: str, blocks: Mapping[str, Mapping[str, Any]]) -> Found:
    return [Part(kind, (row, name), value) for row, columns in blocks.items() for name, value in columns.items()]


_MODES: Mapping[str, Callable[[Point, Mapping[str, Any]], tuple[Found, Report | None]]] = {
    "gradient": _gradient,
    "tangent": _tangent,
    "hvp": _hvp,
    "jacobian": _jacobian,
    "hessian": _hessian,
}
