"""Reversing loops: two strategies.

*Recomputing* (kernels): before each iteration the forward loop saves only what the body carries from one
iteration to the next; the reverse iteration restores that, runs the body's forward part again with its saves
in registers, then the body's reverse part.

*Taping* (host): the forward body itself saves whatever it overwrites, and its variables at its end, on the
tape; the reverse body takes everything back from there, but for what it can set again.  Nothing is launched twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.adjoint.fixed import fixed_values
from hetad.adjoint.loops import reversed_header
from hetad.adjoint.origin import Origin
from hetad.analysis.loops import Counted, Geometric, counted, geometric
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import integer
from hetad.ir.types import INT, Int
from hetad.ir.visit import declared, variables, walk_stmts

if TYPE_CHECKING:
    from hetad.adjoint.engine import Engine, Parts


def recompute(engine: Engine, s: ir.For | ir.While, plain: Callable[[ir.Body], ir.Body]) -> Parts:
    """`plain(body)`: what the forward loop executes, without saving."""
    before, loop, after = normal_form(engine, s)
    changed = engine.changes(loop.body)
    inside = set(declared(loop.body)) | set(declared(loop.init))
    header = known_header(engine, loop)
    carried = [
        x for x in changed if isinstance(x, ir.Symbol) and x not in inside and not (header and x is header.index)
    ]
    steps = {x: step for x in carried if (step := _steady_step(engine, x, loop.body)) is not None}
    backwards = tuple(
        ir.Update("-", ir.Var(x, span=s.span), integer(step, s.span, x.type), span=s.span) for x, step in steps.items()
    )
    carried = [x for x in carried if x not in steps]
    values = [replace(place, span=s.span) for x in carried for place in engine.state(x)]
    slots = [engine.names.kept(next(variables(place)), "kept", place.type, s.span) for place in values]
    pushes = tuple(ir.Push(slot, place, span=s.span) for slot, place in zip(slots, values, strict=True))
    pops = tuple(ir.Pop(slot, place, span=s.span) for slot, place in zip(slots, values, strict=True))
    total = not engine.regions[-1].registers
    engine.slot_origins.update(dict.fromkeys(slots, Origin(s, total, (s, *engine.taped_loops()))))
    engine.loops.append((s, False))
    inner = engine.region(loop.body, registers=True)
    engine.loops.pop()
    again = (*inner.declarations, *reversed(pops), *backwards, *inner.forward, *inner.adjoints, *inner.reverse)
    forward = (*pushes, *engine.with_shadows(plain(loop.body)))
    return assemble(engine, loop, header, before, after, forward, again)


def _steady_step(engine: Engine, symbol: ir.Symbol, body: ir.Body) -> int | None:
    """By how much each iteration increases an integer, where the text tells: then it is undone by subtraction."""
    if not isinstance(symbol.type, Int):
        return None
    total = 0
    for s in body:
        match s:
            case ir.Update(op=op, target=ir.Var(symbol=x), value=ir.Const(value=step)) if x is symbol:
                total += int(step) if op == "+" else -int(step)
            case _:
                if any(symbol in engine.effects.writes(inner) for inner in walk_stmts((s,))):
                    return None
    return total


def tape(engine: Engine, s: ir.For | ir.While) -> Parts:
    before, loop, after = normal_form(engine, s)
    header = known_header(engine, loop)
    forward, back = taped_body(engine, s, loop)
    return assemble(engine, loop, header, before, after, forward, back)


def taped_body(engine: Engine, s: ir.For | ir.While, loop: ir.For) -> tuple[ir.Body, ir.Body]:
    """An iteration of `loop`, the normal form of `s`, that saves what it overwrites, and one that undoes it."""
    engine.loops.append((s, True))
    inner = engine.region(loop.body, registers=False)
    engine.loops.pop()
    fixed = fixed_values(engine, loop, tuple(inner.forward), inner.locals)
    kept = [x for x in inner.locals if x not in fixed]
    slots = [engine.names.kept(x, "kept", x.type, s.span) for x in kept]
    engine.slot_origins.update(dict.fromkeys(slots, Origin(s, True, (s, *engine.taped_loops()))))
    pairs = list(zip(slots, kept, strict=True))
    pushes = [ir.Push(slot, ir.Var(x, span=s.span), span=s.span) for slot, x in pairs]
    opening = [ir.Declare(x, None, span=s.span) for x in kept]
    pops = [ir.Pop(slot, ir.Var(x, span=s.span), span=s.span) for slot, x in reversed(pairs)]
    again = [ir.Declare(x, value, span=s.span) for x, value in fixed.items()]
    back = (*opening, *pops, *again, *inner.adjoints, *inner.reverse)
    return (*inner.declarations, *inner.forward, *pushes), back


def normal_form(engine: Engine, s: ir.For | ir.While) -> tuple[Parts, ir.For, list[ir.Stmt]]:
    """The loop as a `For` whose header is counted, or as one whose step and variables are ordinary statements.

    Returns the parts of what runs before it, the loop, and statements that undo its initialisation.
    """
    if isinstance(s, ir.While):
        return ([], []), uncounted(s), []
    header = known_header(engine, s)
    if header is None:
        return engine.nested(s.init), uncounted(s), []
    if isinstance(header, Geometric) or header.declares:
        return ([], []), s, []
    save, restore = engine.save(ir.Var(header.index, span=s.span), s.span)
    return (save, []), s, restore


def uncounted(s: ir.For | ir.While) -> ir.For:
    """The loop as one that runs while its condition holds, and nothing else."""
    if isinstance(s, ir.While):
        return ir.For((), s.cond, (), s.body, span=s.span)
    return replace(s, init=(), step=(), body=(*s.body, *s.step))


def known_header(engine: Engine, loop: ir.For) -> Counted | Geometric | None:
    """The header of a loop of which the reverse sweep knows the index in each iteration."""
    changed = engine.changes(loop.body)
    return counted_header(engine, loop) or geometric(loop, lambda symbol: symbol in changed)


def counted_header(engine: Engine, loop: ir.For) -> Counted | None:
    """The header of a loop whose trip count is known when it starts."""
    if not loop.step:
        return None
    changed = engine.changes(loop.body)
    return counted(loop, lambda e: engine.effects.stable(e, changed), lambda symbol: symbol in changed)


_TRIPS_DOWN = Quote("""
    for (int trip = trips; trip > 0; --trip) {
        body;
    }
""")


def assemble(
    engine: Engine,
    loop: ir.For,
    header: Counted | Geometric | None,
    before: Parts,
    after: list[ir.Stmt],
    forward_body: tuple[ir.Stmt, ...],
    reverse_body: tuple[ir.Stmt, ...],
) -> Parts:
    span = loop.span
    if header is not None:
        forward: list[ir.Stmt] = [*before[0], replace(loop, body=forward_body)]
        back = reversed_header(header, engine.names, loop)
        body = (*back.first, *reverse_body)
        reverse = ir.For(back.init, back.cond, back.step, body, unroll=loop.unroll, primal=loop, span=span)
        return forward, [*back.before, reverse, *after, *before[1]]
    trips = engine.local("trips", INT, span)
    count = ir.Var(trips, span=span)
    one = integer(1, span)
    forward = [
        *before[0],
        ir.Assign(count, integer(0, span), span=span),
        replace(loop, body=(*forward_body, ir.Update("+", count, one, span=span))),
    ]
    return forward, [*_TRIPS_DOWN(engine.names, span, trips=trips, body=reverse_body), *after, *before[1]]
