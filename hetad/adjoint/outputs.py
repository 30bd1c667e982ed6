"""Mathematical functions that store results through pointers: sincos, modf, frexp and their like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hetad.adjoint.expressions import active_leaves, pull
from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import convert, times
from hetad.ir.types import Float
from hetad.rules import math
from hetad.rules.row import Row

if TYPE_CHECKING:
    from hetad.adjoint.engine import Engine, Parts


def stores_results(name: str) -> bool:
    row = math.ROWS.get(name)
    return row is not None and any(p.output for p in row.params)


def reverse_call(engine: Engine, s: ir.Call) -> Parts:
    """Forward: saves what is overwritten, calls.  Reverse: restores, then each result's seed goes to the inputs."""
    row = math.ROWS[s.function]
    places = {p.name: _place(s, arg) for p, arg in zip(row.params, s.args, strict=True) if p.output}
    if s.result is not None:
        places["r"] = s.result
    saves: list[ir.Stmt] = []
    restores: list[ir.Stmt] = []
    values: list[ir.Stmt] = []
    after: dict[str, ir.Expr] = {}
    seeds: list[tuple[str, ir.Expr]] = []
    taken: list[ir.Stmt] = []
    for name, place in places.items():
        save, restore = engine.save(place, s.span)
        saves += save
        restores = [*restore, *restores]
        kept = engine.names.symbol(f"{name}_after", place.type, s.span, const=True)
        values.append(ir.Declare(kept, place, span=s.span))
        after[name] = ir.Var(kept, span=s.span)
        if isinstance(place.type, Float) and engine.is_active(place):
            statements, seed = engine.take(place, engine.shadow_place(place), True, s.span)
            taken += statements
            seeds.append((name, seed))
    pulled = [p for name, seed in seeds for p in _pulled(engine, s, row, name, seed, after)]
    return [*saves, s], [*values, *restores, *taken, *pulled]


def _pulled(engine: Engine, s: ir.Call, row: Row, name: str, seed: ir.Expr, after: dict[str, ir.Expr]) -> list[ir.Stmt]:
    out: list[ir.Stmt] = []
    for i, (param, arg) in enumerate(zip(row.params, s.args, strict=True)):
        if param.output or not active_leaves(engine, arg):
            continue
        partial = _partial(s.function, name, i, s.args, after, s.span)
        if partial is None:
            continue
        product = times(seed, convert(partial, seed.type))
        held = engine.names.seed(product.type, s.span)
        out.append(ir.Declare(held, product, span=s.span))
        out += pull(engine, arg, convert(ir.Var(held, span=s.span), arg.type), s.span)
    return out


def _partial(
    function: str, name: str, index: int, args: Sequence[ir.Expr], after: dict[str, ir.Expr], span: Span
) -> ir.Expr | None:
    if name == "r":
        return math.partial(function, index, args, after["r"], span, after)
    return math.output_partial(function, name, index, args, after, span)


def _place(s: ir.Call, arg: ir.Expr) -> ir.Place:
    place = out_place(arg)
    if place is not None:
        return place
    raise UnsupportedError(
        f"the result of {s.function} goes through a pointer variable", arg.span, "pass the address of a variable"
    )
