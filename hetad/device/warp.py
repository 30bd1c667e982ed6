"""Warp shuffles and their adjoints.

A shuffle gives each lane the value of another lane.  Its adjoint gives the seed back to the lane it came from: the
lanes that read lane l are found and their seeds summed (`emit/support/shuffles.cu`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hetad.adjoint.expressions import active_leaves, pull
from hetad.ir import nodes as ir
from hetad.ir.build import integer, zero
from hetad.ir.types import Float

if TYPE_CHECKING:
    from hetad.device.engine import KernelEngine
    from hetad.rules.callee import Transposed


def adjoint(engine: KernelEngine, s: ir.Call, transposed: Transposed) -> list[ir.Stmt]:
    """For `r = __shfl_…(mask, v, lane, width)`:  v̄ += the sum of r̄ over the lanes that read this one;  r̄ = 0.
    And the other way round."""
    mask, value, lane, *rest = s.args
    assert s.result is not None
    if not isinstance(value.type, Float) or not engine.is_active(s.result):
        return []
    span = s.span
    own = engine.shadow_place(s.result)
    clear = ir.Assign(own, zero(own.type, span), span=span)
    if not active_leaves(engine, value):
        return [clear]
    width = rest[0] if rest else integer(32, span)
    back = engine.names.symbol("seed", value.type, span)
    by = f"{transposed.by}_{value.type}" if transposed.typed else transposed.by
    call = ir.Call(by, (mask, own, lane, width), ir.Var(back, span=span), span=span)
    return [ir.Declare(back, None, span=span), call, clear, *pull(engine, value, ir.Var(back, span=span), span)]
