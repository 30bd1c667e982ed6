"""Numbers made of bits: refused where the bits may be those of an active number.

Integers never carry derivatives.  That is wrong only if the bits of a floating number are kept in an integer and made
into a number again, so integers that may hold such bits are followed.
"""

from __future__ import annotations

from collections.abc import Mapping

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location, PointsTo, Root, floating_leaves_of
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import Float, Int, Pointer
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.rules.refused import needs_constant, table


def refuse_bits(host: ir.Function, kernels: Mapping[str, ir.Function]) -> None:
    """Raises UnsupportedError at the first number made of bits that may have come from another number.

    `host` launches `kernels`; all calls are inlined.
    """
    bodies = [(f, Effects(PointsTo(f), {})) for f in (host, *kernels.values())]
    holds = [_holding_bits(host, bodies[0][1], set())]
    given = _given_bits(host, bodies[0][1], holds[0], kernels)
    holds += [_holding_bits(f, effects, given[f.name]) for f, effects in bodies[1:]]
    in_memory = any(isinstance(x, Root) for found in holds for x in found)
    if in_memory:  # whose memory that is, is not asked
        holds = [_holding_bits(f, e, found | _memory(e)) for (f, e), found in zip(bodies, holds, strict=True)]
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


def _holding_bits(function: ir.Function, effects: Effects, found: set[Location]) -> set[Location]:
    """Integers of a function, and structs and arrays of them, that may hold the bits of a floating number: those in
    `found`, and what is made of them."""
    while True:
        before = len(found)
        for s in walk_stmts(function.body):
            value = s.init if isinstance(s, ir.Declare) else s.value if isinstance(s, ir.Assign | ir.Update) else None
            if value is not None and not isinstance(value.type, Float | Pointer):
                if _reads_bits(value) or not found.isdisjoint(effects.loads(value)):
                    found.update(effects.writes(s))
            elif isinstance(s, ir.Call) and (_reads_bits(s) or not found.isdisjoint(effects.reads(s))):
                into = (x for x in effects.writes(s) if not isinstance(x, ir.Symbol) or not isinstance(x.type, Float))
                found.update(into)
        if len(found) == before:
            return found


def _memory(effects: Effects) -> set[Location]:
    return {*effects.pointers.roots(), *effects.pointers.field_roots.values()}


def _given_bits(
    host: ir.Function, effects: Effects, found: set[Location], kernels: Mapping[str, ir.Function]
) -> dict[str, set[Location]]:
    """The parameters of each kernel that are given such integers by value."""
    given: dict[str, set[Location]] = {name: set() for name in kernels}
    for s in walk_stmts(host.body):
        if isinstance(s, ir.Launch):
            for param, arg in zip(kernels[s.kernel].params, s.args, strict=True):
                by_value = not isinstance(param.type, Float | Pointer)
                if by_value and (_reads_bits(arg) or not found.isdisjoint(effects.loads(arg))):
                    given[s.kernel].add(param)
    return given


def _reads_bits(node: ir.Expr | ir.Call) -> bool:
    own = own_exprs(node) if isinstance(node, ir.Call) else (node,)
    return any(_is_bits(e) for each in own for e in walk_expr(each))


def _is_bits(e: ir.Expr) -> bool:
    if isinstance(e, ir.Intrinsic) and e.name in table() and isinstance(e.type, Int):
        return True
    if isinstance(e, ir.Index) and isinstance(e.type, Int) and isinstance(e.base, ir.Cast):
        given = e.base.operand.type
        return isinstance(given, Pointer) and bool(floating_leaves_of(given))
    return False
