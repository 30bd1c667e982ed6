"""Stages of the pipeline as text: what `--emit` prints."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from hetad import compiled, pipeline, targets
from hetad.adjoint.options import Options
from hetad.cli.options import STAGES
from hetad.diagnostics import ArgumentError, SourceError
from hetad.ir.printer import program_text
from hetad.passes.manager import watched
from hetad.passes.watching import Snapshots
from hetad.run.selection import select_batch

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.frontend import Unit
    from hetad.host.derivation import Request
    from hetad.host.derivative import Derivative
    from hetad.run.selection import Selection

PASSES, AFTER = "passes", "after:"


def check_stage(name: str) -> None:
    """Raises ArgumentError if there is no such stage."""
    wanted = [*STAGES, PASSES, *(AFTER + p.name for p in pipeline.every_pass())]
    if name in wanted:
        return
    near = difflib.get_close_matches(name, wanted, n=3)
    others = f"did you mean {' or '.join(near)}?" if near else f"one of {', '.join(STAGES)}, {PASSES}, {AFTER}PASS"
    raise ArgumentError(f"there is no stage '{name}': {others}")


def requested(
    function: Function, wrt: Selection, of: Selection | None, limits: Any, making: Any, mode: str = "gradient",
    batched: Selection | None = None,
) -> Request:  # fmt: skip
    """What the pipeline is asked for, if it fits the function."""
    options: dict[str, Any] = {"options": Options.of(**making), "memory_limit": compiled.limits(**limits)}
    options |= {"directions": 1} if mode == "tangent" else {}
    if batched is not None:
        _, differ = select_batch(function.definition, function.compiled.signature, 1, batched)
        options |= {"batch": differ, "at_once": True}
    return function.compiled.request(function.compiled.choice(wrt, of, options))


def stage_text(unit: Unit, request: Request, name: str) -> str:
    """One stage of differentiation as text."""
    if name == PASSES:
        return "\n".join(f"{p.name:28} {p.summary}" for p in pipeline.every_pass())
    if name == "ir":
        return program_text(pipeline.reach(unit, request.function))
    if name == "normalized":
        return program_text(pipeline.normalized(pipeline.reach(unit, request.function)))
    if name.startswith(AFTER):
        return _after(unit, request, name.removeprefix(AFTER))
    derivative = pipeline.differentiate(unit, request)
    return pipeline.source(derivative) if name == "cuda" else explained(derivative, name)


def _after(unit: Unit, request: Request, name: str) -> str:
    """The programs that a pass leaves; of a differentiation that is refused later on, too."""
    snapshots = Snapshots(name)
    try:
        with watched(snapshots):
            derivative = pipeline.differentiate(unit, request)
            if name in (p.name for p in pipeline.CPU):
                targets.cpu_source(derivative.program, derivative.entry)
    except SourceError:
        if not snapshots.found:
            raise
    return snapshots.text()


def explained(derivative: Derivative, name: str) -> str:
    """What was decided about activity, saves, time loops or shared adjoints."""
    found = derivative.explanation
    if name == "activity":
        return "\n".join(f"{function}: {', '.join(names) or 'nothing'}" for function, names in found.active.items())
    if name == "needed":
        lines = [f"{s.span}: {s.what}: {s.how} ({s.bytes})" for s in (*found.saved, *found.refilled)]
        return "\n".join(dict.fromkeys(lines)) or "nothing is saved"
    if name == "loops":
        return "\n".join(f"{loop.span}: {loop}" for loop in found.loops) or "there are no time loops"
    lines = [f"{a.span}: {a.function}: {a.what}: {a.how}" for a in found.accumulated]
    return "\n".join(dict.fromkeys(lines)) or "no shared adjoints"
