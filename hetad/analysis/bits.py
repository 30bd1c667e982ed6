"""Numbers made of bits: refused where the bits may be those of an active number.

Integers never carry derivatives.  That is wrong only if the bits of a floating number are kept in an integer and made
into a number again, so integers that may hold such bits are followed.
"""

from __future__ import annotations

from collections.abc import Iterable

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location, PointsTo, Root, floating_leaves_of
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import Int, Pointer
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.rules.refused import needs_constant, table


def refuse_bits(functions: Iterable[ir.Function]) -> None:
    """Raises UnsupportedError at the first number made of bits that may have come from another number."""
    bodies = [(f, Effects(PointsTo(f), {})) for f in functions]
    holds = [_holding_bits(f, effects) for f, effects in bodies]
    in_memory = any(isinstance(x, Root) for found in holds for x in found)
    for (f, effects), found in zip(bodies, holds, strict=True):
        for s in walk_stmts(f.body):
            for own in own_exprs(s):
                for e in walk_expr(own):
                    if isinstance(e, ir.Intrinsic) and needs_constant(e.name):
                        loads = set(effects.loads(e))
                        stored = in_memory and any(isinstance(x, Root) for x in loads)
                        if _reads_bits(e) or stored or not loads.isdisjoint(found):
                            raise UnsupportedError(
                                f"'{e.name}' makes a number of bits that may be those of an active one",
                                e.span,
                                "keep the number itself, or give the function a rule with hetad.pullback",
                            )


def _holding_bits(function: ir.Function, effects: Effects) -> set[Location]:
    """Integers of a function that may hold the bits of a floating number."""
    found: set[Location] = set()
    while True:
        before = len(found)
        for s in walk_stmts(function.body):
            value = s.init if isinstance(s, ir.Declare) else s.value if isinstance(s, ir.Assign | ir.Update) else None
            if value is not None and isinstance(value.type, Int):
                if _reads_bits(value) or not found.isdisjoint(effects.loads(value)):
                    found.update(effects.writes(s))
        if len(found) == before:
            return found


def _reads_bits(expr: ir.Expr) -> bool:
    for e in walk_expr(expr):
        if isinstance(e, ir.Intrinsic) and e.name in table() and isinstance(e.type, Int):
            return True
        if isinstance(e, ir.Index) and isinstance(e.type, Int) and isinstance(e.base, ir.Cast):
            given = e.base.operand.type
            if isinstance(given, Pointer) and floating_leaves_of(given):
                return True
    return False
