"""Makes generated code read as written by hand.  Nothing here changes a computed value."""

from __future__ import annotations

from hetad.adjoint.tidy.branches import merge_branches, turn_round
from hetad.adjoint.tidy.declarations import drop_idle_restores, join_declarations, join_lists, plain, propagate, sink
from hetad.adjoint.tidy.literals import absorbed
from hetad.adjoint.tidy.naming import comments, constants, renumber
from hetad.adjoint.tidy.order import headers
from hetad.adjoint.tidy.sums import merge_atomics
from hetad.adjoint.tidy.uses import exposed_variables, inside, same_or
from hetad.ir import nodes as ir

__all__ = ["tidy"]


def tidy(body: ir.Body, aliased: bool = False, kernel: bool = False) -> ir.Body:
    """`aliased`: two pointer parameters may reach the same memory.  `kernel`: memory behind the parameters that a
    condition reads is not written."""
    exposed = exposed_variables(body)
    while True:
        new = _block(body, kernel, exposed)
        if new == body:
            return renumber(constants(comments(absorbed(new if aliased else headers(new)), None)[0]))
        body = new


def _block(body: ir.Body, kernel: bool, exposed: frozenset[ir.Symbol]) -> ir.Body:
    body = same_or(body, tuple(turn_round(inside(lambda b: _block(b, kernel, exposed), s)) for s in body))
    body = sink(merge_branches(plain(body), kernel))
    body = join_lists(join_declarations(drop_idle_restores(body, exposed)))
    return merge_atomics(propagate(body, exposed))
