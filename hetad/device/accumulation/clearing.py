"""Seeds that a loop takes are cleared behind it: loads that no store stands between can be under way together.

for (int q = 0; q < 19; ++q) {                            for (int q = 0; q < 19; ++q) {
    const float seed = adj_y[q * n + i];                      const float seed = take(&adj_y[q * n + i]);
    …                                                         …
}                                                    for  }
for (int q = 0; q < 19; ++q) {
    adj_y[q * n + i] = 0;
}
"""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.canonicalise.uses import inside
from hetad.device.accumulation.increments import takes
from hetad.ir import nodes as ir
from hetad.ir.build import zero
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.places import changed_in
from hetad.ir.visit import bodies, own_exprs, same_or, variables, walk_expr, walk_stmts


def cleared_behind_loops(body: ir.Body, once: IdentitySet[ir.Stmt]) -> tuple[ir.Body, IdentitySet[ir.Stmt]]:
    """The body with clearing loops behind those that hold takes of `once`, and the takes that are plain reads then.

    `once`: statements, each of which takes no cell that anybody else touches, and none twice.
    """
    done = IdentitySet[ir.Stmt]()

    def block(body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            clearing = _clearings(s, once) if isinstance(s, ir.For) else IdentityMap()
            done.update(clearing)
            out += [s, *clearing.values()] if clearing else [inside(block, s)]
        return same_or(body, tuple(out))

    return block(body), done


def _clearings(loop: ir.For, once: IdentitySet[ir.Stmt]) -> IdentityMap[ir.Stmt, ir.Stmt]:
    """By take in the loop, what clears its cells; empty if that is not known for all of them."""
    found = [(x, _clearing(loop, x)) for x in walk_stmts(loop.body) if x in once]
    known = IdentityMap((take, clearing) for take, clearing in found if clearing is not None)
    return known if len(known) == len(found) else IdentityMap()


def _clearing(loop: ir.For, take: ir.Stmt) -> ir.Stmt | None:
    """The loops around the take again, with nothing in them but the clearing; None if that may be another cell, or if
    there is more around it than loops."""
    path = _path(loop, take)
    (place,) = takes(take)
    headers = [x for s in path for x in (*s.init, *s.step)]
    header_exprs = [e for s in path for e in (s.cond, *(x for h in (*s.init, *s.step) for x in own_exprs(h))) if e]
    if not path or any(isinstance(e, ir.Index) for whole in header_exprs for e in walk_expr(whole)):
        return None
    inside_loop = [s for s in walk_stmts(loop.body) if not any(s is h for h in headers)]
    changed = set(changed_in(tuple(s for s in inside_loop if not bodies(s))))
    if not changed.isdisjoint((*variables(place), *(x for e in header_exprs for x in variables(e)))):
        return None
    clearing: ir.Stmt = ir.Assign(place, zero(place.type, take.span), span=take.span)
    for around in reversed(path):
        clearing = replace(around, body=(clearing,), primal=None, sums=())
    return clearing


def _path(loop: ir.For, take: ir.Stmt) -> list[ir.For]:
    """The loops around the take, from the outside in; empty if there is more around it."""
    inner = next(x for x in loop.body if any(y is take for y in walk_stmts((x,))))
    if inner is take:
        return [loop]
    below = _path(inner, take) if isinstance(inner, ir.For) else []
    return [loop, *below] if below else []
