"""How much a body computes, about: what optimisations weigh against what memory takes."""

from __future__ import annotations

from hetad.analysis.loops import constant_trips, counted
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.types import Float
from hetad.ir.visit import bodies, own_nodes

OFTEN = 8  # how often a loop runs of which nobody knows more
_DIVISION, _FUNCTION = 10, 20  # in the time of a product


def arithmetic(body: ir.Body) -> int:
    """About how many floating operations a body makes, all branches counted."""
    return sum(map(_of_statement, body))


def turns(s: ir.Stmt) -> int:
    """About how often the bodies of a statement run."""
    if not isinstance(s, ir.For | ir.While | ir.DoWhile):
        return 1
    known = known_turns(s) if isinstance(s, ir.For) else None
    return OFTEN if known is None else known


def known_turns(loop: ir.For) -> int | None:
    """How often a loop runs that counts to a literal."""
    header = counted(loop, lambda _: True, lambda _: False)
    return constant_trips(header) if header is not None else None


def _find_of_statement(s: ir.Stmt) -> int:
    own = sum(_of_node(e) for e in own_nodes(s))
    own += isinstance(s, ir.Update) and isinstance(s.target.type, Float)
    return own + turns(s) * sum(map(arithmetic, bodies(s)))


_of_statement: Fact[ir.Stmt, int] = lasting(_find_of_statement)


def _of_node(e: ir.Expr) -> int:
    if not isinstance(e.type, Float):
        return 0
    match e:
        case ir.Binary(op="/"):
            return _DIVISION
        case ir.Binary():
            return 1
        case ir.Intrinsic():
            return _FUNCTION
    return 0
