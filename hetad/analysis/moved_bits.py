"""Active numbers in other clothes: as raw bits, of which no derivative is known.

Activity follows floating values.  Here what depends on `wrt` is followed further, as long as it is moved about unread
(an active array copied into one of integers), and refused where a number is made of it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hetad.analysis.dataflow import closed
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import does
from hetad.analysis.pointers import Location, Root
from hetad.diagnostics import UnsupportedError, report
from hetad.ir import nodes as ir
from hetad.ir.types import Float, Pointer
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.rules.refused import needs_constant


@dataclass(frozen=True, slots=True)
class Varied:
    """A function, and what in it depends on `wrt`."""

    function: ir.Function
    effects: Effects
    locations: frozenset[Location]


def refuse_carried(parts: Iterable[Varied]) -> None:
    """Raises UnsupportedError at the first number made of what may be bits of an active one."""
    parts = tuple(parts)
    carriers = [_carriers(p) for p in parts]
    in_memory = any(isinstance(x, Root) for p, found in zip(parts, carriers, strict=True) for x in found - p.locations)
    for p, found in zip(parts, carriers, strict=True):
        for s in walk_stmts(p.function.body):
            carried = in_memory or not found.isdisjoint(_copied(p.effects, s))
            if carried and copies_integers_to_numbers(p.effects, s):
                report(bits_copied(s))
        for e in _intrinsics(p.function):
            if not needs_constant(e.name):
                continue
            read = _unread(p.effects, e)
            if not read.isdisjoint(found) or (in_memory and any(isinstance(x, Root) for x in read)):
                report(_made_of_bits(e))


def _carriers(part: Varied) -> set[Location]:
    """What may hold active numbers, as such or as bits."""
    found = set(part.locations)

    def moved(s: ir.Stmt) -> Iterable[Location]:
        given = _moves(s) and any(not _unread(part.effects, e).isdisjoint(found) for e in _values(s))
        copied = does(s, "copy") and not found.isdisjoint(_copied(part.effects, s))
        return part.effects.writes(s) if given or copied else ()

    return closed(found, part.function.body, moved)


def _moves(s: ir.Stmt) -> bool:
    """Whether a statement may store bits as they are; an integer that becomes a floating number is converted."""
    match s:
        case ir.Declare(symbol=symbol):
            return not isinstance(symbol.type, Float)
        case ir.Assign(target=target) | ir.Update(target=target):
            return not isinstance(target.type, Float)
    return isinstance(s, ir.Call)


def _values(s: ir.Stmt) -> Iterator[ir.Expr]:
    for e in own_exprs(s):
        if not (isinstance(s, ir.Assign) and e is s.target):
            yield e


def _unread(effects: Effects, expr: ir.Expr) -> set[Location]:
    """Where the parts of an expression lie that may be bits of numbers: no floating numbers, and no pointers."""
    places = (e for e in walk_expr(expr) if isinstance(e, ir.Var | ir.Index | ir.Member))
    return {x for e in places if not isinstance(e.type, Float | Pointer) for x in effects.pointers.storage(e)}


def bits_copied(s: ir.Stmt) -> UnsupportedError:
    return UnsupportedError("this copies what may be bits of active numbers", s.span, "copy the numbers themselves")


def copies_integers_to_numbers(effects: Effects, s: ir.Stmt) -> bool:
    """Whether memory that is never seen as floating numbers is copied to where such numbers are."""
    if not does(s, "copy"):
        return False
    typed = effects.pointers.floating_types
    return any(typed(x) for x in effects.writes(s)) and any(not typed(x) for x in _copied(effects, s))


def _copied(effects: Effects, s: ir.Stmt) -> set[Location]:
    """What a copy reads, not what holds the pointers to it."""
    behind = {x for arg in s.args for x in effects.behind(arg)} if isinstance(s, ir.Call) else set()
    return behind.intersection(effects.reads(s))


def _intrinsics(function: ir.Function) -> Iterator[ir.Intrinsic]:
    for s in walk_stmts(function.body):
        for own in own_exprs(s):
            yield from (e for e in walk_expr(own) if isinstance(e, ir.Intrinsic))


def _made_of_bits(e: ir.Intrinsic) -> UnsupportedError:
    return UnsupportedError(
        f"'{e.name}' makes a number of bits that may be those of an active one",
        e.span,
        "keep the number itself, or give the function a rule with hetad.pullback",
    )
