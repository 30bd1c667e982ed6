"""Numbers of 16 bits carry no derivative: refused where one would have to pass through them."""

from __future__ import annotations

from collections.abc import Collection

from hetad.analysis.pointers import Location, PointsTo
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.rules.inactive import FROM_HALF, TO_HALF

_CONVERSIONS = frozenset({*FROM_HALF.values(), *TO_HALF.values()})


def refuse_varied_halves(function: ir.Function, pointers: PointsTo, varied: Collection[Location]) -> None:
    """Raises UnsupportedError at the first conversion, from or to half precision, of what depends on `wrt`.

    That is less than activity would allow: what is stored in half precision is not followed any further.
    """
    for s in walk_stmts(function.body):
        for own in own_exprs(s):
            for e in walk_expr(own):
                if not isinstance(e, ir.Intrinsic) or e.name not in _CONVERSIONS:
                    continue
                places = [p for p in walk_expr(e) if isinstance(p, ir.Var | ir.Index | ir.Member)]
                if any(location in varied for p in places for location in pointers.storage(p)):
                    raise UnsupportedError(
                        "active data is in half precision here, which carries no derivative",
                        e.span,
                        "keep what is differentiated in float",
                    )
