"""Makes generated code read as written by hand.  Nothing here changes a computed value."""

from __future__ import annotations

from hetad.adjoint.canonicalise.branches import merge_branches, turn_round, without_empty_branches
from hetad.adjoint.canonicalise.declarations import (
    drop_idle_restores,
    join_declarations,
    join_lists,
    plain,
    propagate,
    sink,
    without_known_status,
)
from hetad.adjoint.canonicalise.literals import absorbed
from hetad.adjoint.canonicalise.naming import comments, constant, in_order
from hetad.adjoint.canonicalise.order import headers
from hetad.adjoint.canonicalise.sums import merge_additions
from hetad.adjoint.canonicalise.uses import inside
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentitySet
from hetad.ir.places import pointed_to
from hetad.ir.simplify import simplified_body
from hetad.ir.visit import same_or

__all__ = ["in_order", "tidy"]


def tidy(body: ir.Body, aliased: bool = False, kernel: bool = False) -> ir.Body:
    """`aliased`: two pointer parameters may reach the same memory.  `kernel`: memory behind the parameters that a
    condition reads is not written."""
    body = simplified_body(body)
    new = _Blocks(kernel, frozenset(pointed_to(body))).stable(body)
    return constant(comments(absorbed(new if aliased else headers(new)), None)[0])


class _Blocks:
    """Each block is tidied until it stays as it is, those within first, and then not looked at again."""

    def __init__(self, kernel: bool, exposed: frozenset[ir.Symbol]) -> None:
        self._kernel, self._exposed = kernel, exposed
        self._stable = IdentitySet[ir.Body]()

    def stable(self, body: ir.Body) -> ir.Body:
        while body not in self._stable:
            new = self._tidied(body)
            if new is body or new == body:
                self._stable.add(new)
            body = new
        return body

    def _tidied(self, body: ir.Body) -> ir.Body:
        new = same_or(body, tuple(turn_round(inside(self.stable, s)) for s in body))
        new = without_empty_branches(without_known_status(new, self._exposed))
        new = sink(merge_branches(plain(new), self._kernel), self._exposed)
        new = join_lists(join_declarations(drop_idle_restores(new, self._exposed)))
        return same_or(body, merge_additions(propagate(new, self._exposed)))
