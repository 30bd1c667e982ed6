"""Gradients that must be finite: what is not is an error that names the line where that begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hetad import directions
from hetad.diagnostics import NonFiniteError, Related
from hetad.directions import to_vector
from hetad.run.arrays import on_host

if TYPE_CHECKING:
    from hetad.debugger.findings import Debugged, Finding
    from hetad.results import Result

_KINDS = ("race", "value", "tangent", "adjoint")


def require_finite(gradient: Result, debug: Callable[[], Debugged]) -> None:
    """`debug` looks for the line.

    Raises:
        NonFiniteError: a part of the gradient is not finite.
    """
    bad = []
    for name, value in gradient.items():
        vector = to_vector(directions.on_host(on_host(value)))
        wrong = np.flatnonzero(~np.isfinite(vector))
        if wrong.size:
            bad.append(f"{name}: {wrong.size} of {vector.size}, first {name}[{int(wrong[0])}]")
    if not bad:
        return
    told = debug()
    what = f"the gradient is not finite ({'; '.join(bad)})"
    found = [f for f in told.findings if f.kind in _KINDS]
    if not found:
        why = "on the CPU, with points in the program, nothing stops being finite: the backend makes the difference"
        raise NonFiniteError(f"{what}, and no line is known: {why}")
    first, *others = found
    error = NonFiniteError(
        f"{what}: {_said(first)}", first.span, first.remedy,
        tuple(Related(f.span, _said(f), f.line) for f in others if f.span is not None),
    )  # fmt: skip
    error.source_line = first.line or None
    raise error


def _said(finding: Finding) -> str:
    values = ", ".join(f"{s.what} = {s.value:.6g}" for s in finding.seen if s.role in ("operand", "result"))
    return f"{finding.meaning}, in {finding.where}{f' ({values})' if values else ''}"
