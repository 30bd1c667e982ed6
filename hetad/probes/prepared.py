"""A function of a program as points are put into it: a host function, with every call inlined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hetad.adjoint.inline import inline_calls
from hetad.deep import deep
from hetad.diagnostics import SourceError
from hetad.frontend.closure import reach
from hetad.frontend.normalize import NORMAL_FORM
from hetad.host.kernels.launcher import CONFIGURATION, launch_kernel
from hetad.host.pointer_modes import with_pointer_modes
from hetad.ir import nodes as ir
from hetad.ir.build import integer, zero
from hetad.ir.types import DIM3, SIZE_T, UINT, holds_numbers
from hetad.ir.visit import declared, substitute
from hetad.passes.manager import run
from hetad.passes.task import Task, with_function

if TYPE_CHECKING:
    from hetad.frontend.unit import Unit
    from hetad.rules.user import Rules


@dataclass(frozen=True, slots=True)
class Launched:
    """How a kernel is launched, where the function is one."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_mem: int


@deep
def prepared(unit: Unit, function: str, rules: Rules, launched: Launched | None) -> Task:
    """The function in normal form; of a kernel, a host function that launches it as `launched`.

    Raises:
        SourceError: something is not supported.
    """
    reached = reach(unit, function)
    task = replace(reached, ruled=frozenset(rules))
    try:
        done: Task = run((launch_kernel, *NORMAL_FORM, inline_calls, with_pointer_modes), task)
    except SourceError as error:
        raise error.attach(task.sources) from None
    host = done.function if launched is None else _configured(done.function, launched)
    return with_function(done, _variable(host))


def _variable(function: ir.Function) -> ir.Function:
    """With variables in the place of numbers that never change: they may be moved at a point."""
    fixed = [s for s in (*function.params, *declared(function.body)) if s.const and holds_numbers(s.type)]
    if not fixed:
        return function
    bindings: dict[ir.Symbol, ir.Symbol | ir.Expr] = {s: replace(s, const=False) for s in dict.fromkeys(fixed)}
    params = tuple(bindings.get(p, p) for p in function.params)
    return replace(function, params=params, body=substitute(bindings, function.body))  # type: ignore[arg-type]


def _configured(function: ir.Function, launched: Launched) -> ir.Function:
    """Without the parameters for the launch configuration: it is known."""
    span, count = function.span, len(CONFIGURATION)
    values = (
        ir.Aggregate(tuple(integer(n, span, UINT) for n in launched.grid), DIM3, span=span),
        ir.Aggregate(tuple(integer(n, span, UINT) for n in launched.block), DIM3, span=span),
        integer(launched.shared_mem, span, SIZE_T),
    )
    known = [*values, zero(function.params[count - 1].type, span)]
    own = [replace(p, storage="local") for p in function.params[:count]]
    opening = tuple(ir.Declare(x, value, span=span) for x, value in zip(own, known, strict=True))
    bindings = dict(zip(function.params, own, strict=False))
    return replace(function, params=function.params[count:], body=(*opening, *substitute(bindings, function.body)))
