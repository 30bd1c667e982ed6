"""Calls of a GPU, run on the CPU beside it, where every access can be checked."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import HetadError, MemoryAccessError
from hetad.ir.types import COMMUNICATOR, Opaque, Type
from hetad.run.arrays import on_host
from hetad.run.on_cpu import OnCpu

if TYPE_CHECKING:
    from hetad.gradients import Gradient
    from hetad.run.call import LaunchConfiguration


def require_within(
    gradient: Gradient, args: Sequence[Any], seeds: Mapping[str, Any], launch: LaunchConfiguration | None
) -> None:
    """Run the function and its derivative on copies of the arguments; what cannot run on the CPU is not looked at.

    Raises:
        MemoryAccessError: an access of either leaves its memory.
    """
    function = gradient.function
    given = [_on_cpu(p.type, value) for p, value in zip(function.definition.params, args, strict=True)]
    there = None if launch is None else replace(launch, stream=None)
    weights = {name: on_host(seed) for name, seed in seeds.items()}
    checked = OnCpu(checked=True)
    try:
        function.compiled.primal_plan("cpu", checked).primal(copy.deepcopy(given), there)
        function.compiled.gradient_plan(gradient.choice, "cpu", checked).gradient(given, weights, there)
    except MemoryAccessError:
        raise
    except HetadError:
        return


def _on_cpu(type_: Type, value: Any) -> Any:
    """An argument there; streams and handles of libraries are of the GPU."""
    if isinstance(type_, Opaque):
        return value if type_ == COMMUNICATOR else None
    return on_host(value)
