"""Additions of all lanes of a warp to one cell: their sum is added once.

    for (int k = 0; k < n; ++k)                                for (int k = 0; k < n; ++k)
        hetad_warp_add_float(&adj_w[k], seed * x[i + k]);  for     atomicAdd(&adj_w[k], seed * x[i + k]);

Which cell a lane adds to is compared when the program runs; here it is only decided where that is worth a try: where
nothing that the address is made of comes from `threadIdx.x`.
"""

from __future__ import annotations

from hetad.adjoint.canonicalise.uses import inside
from hetad.device.accumulation.differences import Differences
from hetad.device.accumulation.increments import increment
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.places import through_pointer
from hetad.ir.types import Float
from hetad.ir.visit import same_or, walk_expr
from hetad.rules import operations


@on_body("warp-sums")
def summed_over_warps(draft: Draft) -> ir.Body:
    """What the lanes of a warp add to one cell is summed first, and added once."""
    return with_warp_sums(draft.body)


def with_warp_sums(body: ir.Body) -> ir.Body:
    """With the additions whose cell does not depend on the lane summed over warps."""
    lanes = Differences(body, of_warp=True)
    return _summed(body, lanes)


def _summed(body: ir.Body, lanes: Differences) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        found = increment(s)
        if isinstance(s, ir.If) and picks(s.cond, lanes):
            out.append(s)
        elif found is not None and isinstance(s, ir.Call) and _is_shared(found.place, lanes):
            out.append(operations.warp_add(*s.args, span=s.span))
        else:
            out.append(inside(lambda b: _summed(b, lanes), s))
    return same_or(body, tuple(out))


def _is_shared(place: ir.Place, lanes: Differences) -> bool:
    return isinstance(place.type, Float) and through_pointer(place) and not lanes.differ_in(place)


def picks(cond: ir.Expr, lanes: Differences) -> bool:
    """Whether a condition is for few lanes: `threadIdx.x == 0`."""
    return any(isinstance(e, ir.Binary) and e.op == "==" and lanes.differ_in(e) for e in walk_expr(cond))
