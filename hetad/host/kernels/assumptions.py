"""What is taken for granted of the launches of a kernel, and looked at in front of each."""

from __future__ import annotations

from collections.abc import Mapping

from hetad.analysis.affine import Polynomial
from hetad.device.accumulation.conditions import assumed_of_launches, text
from hetad.host.kernels.versions import holds
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.build import integer
from hetad.ir.types import CHAR, Pointer
from hetad.rules import operations


class Assumptions:
    """That numbers are not negative which a kernel compares with unsigned ones: proofs take them for extents."""

    def __init__(self, kernels: Mapping[str, ir.Function]) -> None:
        self._kernels = kernels
        self._assumed: dict[str, tuple[Polynomial, ...]] = {}

    def looked_at(self, s: ir.Launch, extents: Mapping[ir.Symbol, ir.Expr]) -> list[ir.Stmt]:
        """Statements that end the program where the launch is not as assumed; `extents`: of grids and blocks."""
        kernel = self._kernels[s.kernel]
        if s.kernel not in self._assumed:
            self._assumed[s.kernel] = assumed_of_launches(kernel)
        found = ((value, holds((value,), kernel.params, s, extents)) for value in self._assumed[s.kernel])
        return [_required(value, condition, s) for value, condition in found if condition is not True]


def _required(value: Polynomial, condition: ir.Expr | bool, s: ir.Launch) -> ir.Stmt:
    at = next((a.span for m in value.terms for a in m), s.span)
    said = text((value,), at)
    message = f"{at}: an unsigned number is compared with one that is negative: in this launch {said} does not hold"
    test = integer(0, s.span) if isinstance(condition, bool) else condition
    return operations.require(test, ir.String(texts.quoted(message), Pointer(CHAR), span=s.span), span=s.span)
