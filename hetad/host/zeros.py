"""Which adjoints are zero in every cell, followed through the reverse sweep while it runs.

An adjoint is zero when it is allocated, and again after the pullback of a launch that has overwritten all of the
memory: its seeds are taken.  It is not, once anything may have been added to it.  Each allocation has a flag
(`emit/support/zeros.c`), which pullbacks ask for that can store where they would add (`device/accumulation/zeros.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from hetad.analysis.no_alias import NoAlias
from hetad.host.derivation import Derivation, on_derivative
from hetad.host.saves.parts import WrittenParts
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer
from hetad.ir.simplify import conjunction
from hetad.ir.types import SIZE_T, Pointer, size_of
from hetad.ir.visit import map_body, variables, walk_stmts
from hetad.rules import callees, operations

_TOLD = (operations.added, operations.added_anywhere, operations.cleared)


def was_zero(adjoint: ir.Expr) -> ir.Expr:
    """Whether the memory is zero in every cell before a launch that adds to it."""
    return operations.was_zero(adjoint, span=adjoint.span)


def cleared(
    parts: WrittenParts, launch: ir.Launch, adjoints: Mapping[int, ir.Expr], kept: Collection[int], no_alias: NoAlias
) -> list[ir.Stmt]:
    """What tells, behind the pullback of a launch, that it has taken all seeds.  `adjoints`: by position, of the
    pointers that the launch is given; those at `kept` are not cleared."""
    found: list[ir.Stmt] = []
    span = launch.span
    for position, adjoint in adjoints.items():
        cells = parts.covered(launch, position) if position not in kept else None
        if cells is None or not isinstance(adjoint.type, Pointer):
            continue
        given = launch.args[position]
        meeting = (i for i in adjoints if i != position and not no_alias.apart(launch, given, launch.args[i]))
        others = (adjoints[i] for i in meeting)
        apart = [operations.apart(adjoint, other, span=span) for other in others]
        sure = conjunction([cells.sure, *(binary("!=", a, integer(0, span)) for a in apart)], span)
        size = integer(size_of(adjoint.type.to), span, SIZE_T)
        found.append(operations.cleared(adjoint, cells.first, cells.last, size, sure, span=span))
    return found


@on_derivative("follow-zeros")
def follow_zeros(derivation: Derivation) -> ir.Body:
    """Where a pullback asks whether an adjoint is zero, all that may add to it says so."""
    return followed(derivation.body, derivation.reversed.shadows.values())


def followed(body: ir.Body, shadows: Iterable[ir.Symbol]) -> ir.Body:
    """The gradient's body, told wherever its reverse sweep may add to adjoints.  `shadows`: the variables that lead to
    them."""
    if not any(_asks(s) for s in walk_stmts(body)):
        return map_body(lambda s: None if operations.does(s, operations.cleared) else s, body)
    leading = set(shadows)
    taken = {(s.span, s.args[0]) for s in walk_stmts(body) if operations.does(s, operations.cleared)}
    start = next(i for i, s in enumerate(body) if operations.does(s, operations.forward_done))

    def tell(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if isinstance(s, ir.Launch):
            return (*(x for x in _added_by(s, leading) if (s.span, x.args[0] if x.args else None) not in taken), s)
        return (s, *_added_to(s, leading)) if isinstance(s, ir.Call | ir.Opaque) else s

    return (*body[:start], *_asked_later(map_body(tell, body[start:]))[0])


def _asked_later(body: ir.Body) -> tuple[ir.Body, bool]:
    """The end of a function, without telling of adjoints that no launch asks about any more; whether one does here."""
    end: list[ir.Stmt] = []  # last to first
    for i in reversed(range(len(body))):
        s = body[i]
        if isinstance(s, ir.If):
            then, asks_then = _asked_later(s.then)
            orelse, asks_else = _asked_later(s.orelse)
            s, asks = replace(s, then=then, orelse=orelse), asks_then or asks_else
        else:
            asks = any(map(_asks, walk_stmts((s,))))  # in a loop each turn may tell the next one
        if asks:
            return (*body[:i], s, *reversed(end)), True
        end += map_body(lambda x: None if operations.does(x, *_TOLD) else x, (s,))
    return tuple(reversed(end)), False


def _asks(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Launch) and any(_is_question(a) for a in s.args)


def _is_question(e: ir.Expr) -> bool:
    return operations.gives(e, operations.was_zero)


def _anywhere(s: ir.Stmt) -> ir.Call:
    return operations.added_anywhere(span=s.span)


def _added_by(s: ir.Launch, leading: AbstractSet[ir.Symbol]) -> list[ir.Call]:
    """In front of a launch: what it may add to, but for what it asks about itself."""
    asked = [a.args[0] for a in s.args if operations.gives(a, operations.was_zero)]
    found: list[ir.Call] = []
    for arg in s.args:
        if _is_question(arg) or arg in asked or leading.isdisjoint(variables(arg)):
            continue
        if not isinstance(arg.type, Pointer) or isinstance(arg.type.to, Pointer):
            return [_anywhere(s)]
        found.append(operations.added(arg, span=s.span))
    return found


def _added_to(s: ir.Call | ir.Opaque, leading: AbstractSet[ir.Symbol]) -> list[ir.Call]:
    """What the statement may add to.  (What the host itself stores to is no memory that launches alone can reach.)"""
    found = [a for a in s.args if not leading.isdisjoint(variables(a))]
    if isinstance(s, ir.Opaque) or callees.kind(s.function) != "support":
        return [_anywhere(s)] if found else []
    if callees.has(s, "adds nothing"):
        return []
    return [operations.added(a, span=s.span) for a in found if isinstance(a.type, Pointer)]
