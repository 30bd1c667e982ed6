"""Branches that are never taken, because of all that the number which they ask for is ever given.

A pointer to a function that is kept, or a `std::function`, is the number of a function, and a call asks which one it
is.  Where it is given few of them, the others are not called, so that nothing depends on what they would do.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.known_numbers import Numbers, asked
from hetad.ir import nodes as ir
from hetad.ir.types import ULLONG
from hetad.ir.visit import map_body, map_expr, map_own_exprs, walk_exprs
from hetad.passes.task import entry_pass


@entry_pass("known-numbers")
def with_known_numbers(function: ir.Function) -> ir.Function:
    """The function without branches that ask for a number that what they look at never is."""
    while True:
        body = _pruned(function)
        if body is function.body:
            return function
        function = replace(function, body=body)


def _pruned(function: ir.Function) -> ir.Body:
    if not any(_asks_for_function(e) for e in walk_exprs(function.body)):
        return function.body
    branches = _Branches(Numbers(function))

    def arm(s: ir.Stmt) -> ir.Stmt | ir.Body:
        s = map_own_exprs(lambda e: map_expr(branches.selected, e), s)
        return branches.taken(s) if isinstance(s, ir.If) else s

    return map_body(arm, function.body)


def _asks_for_function(e: ir.Expr) -> bool:
    found = asked(e) if isinstance(e, ir.Binary) else None
    return found is not None and found[0].type == ULLONG


class _Branches:
    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def _outcome(self, cond: ir.Expr, excluded: frozenset[int]) -> bool | None:
        """Whether a comparison holds of a number that is none of some; None where that is not known."""
        if (found := asked(cond)) is None:
            return None
        place, constant, same = found
        values = self._numbers.values(place) - excluded
        if not values or (constant in values and len(values) > 1):
            return None
        return (constant in values) == same

    def taken(self, s: ir.If, excluded: frozenset[int] = frozenset()) -> ir.If | ir.Body:
        """The arm of a branch that is taken; or the branch, with what is known of it in the one that is the other arm:
        `if (x == 1) … else if (x == 2) … else …`."""
        known = self._outcome(s.cond, excluded)
        if known is not None:
            return s.then if known else s.orelse
        if len(s.orelse) != 1 or not isinstance(inner := s.orelse[0], ir.If) or not _ask_the_same(s.cond, inner.cond):
            return s
        other = self.taken(inner, _excluded(s.cond, excluded))
        return s if other is inner else replace(s, orelse=(other,) if isinstance(other, ir.If) else other)

    def selected(self, e: ir.Expr, excluded: frozenset[int] = frozenset()) -> ir.Expr:
        """Likewise of `x == 1 ? a : x == 2 ? b : c`; other expressions as they are."""
        if not isinstance(e, ir.Select):
            return e
        known = self._outcome(e.cond, excluded)
        if known is not None:
            return e.then if known else e.orelse
        if not isinstance(e.orelse, ir.Select) or not _ask_the_same(e.cond, e.orelse.cond):
            return e
        other = self.selected(e.orelse, _excluded(e.cond, excluded))
        return e if other is e.orelse else replace(e, orelse=other)


def _ask_the_same(one: ir.Expr, other: ir.Expr) -> bool:
    """Whether two conditions ask for the same number."""
    first, second = asked(one), asked(other)
    return first is not None and second is not None and first[0] == second[0]


def _excluded(cond: ir.Expr, excluded: frozenset[int]) -> frozenset[int]:
    """What a number is none of where a condition does not hold."""
    found = asked(cond)
    return excluded | {found[1]} if found is not None and found[2] else frozenset()
