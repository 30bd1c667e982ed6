"""What a counting launch does not know, and how it counts all the same.

Where control flow depends on what only the launch itself can provide, both arms of a branch are counted, and a counted
loop that may be left early runs to its bound.  What is set there is not known further on.  In the iterations that the
program makes, everything else has the program's values: those that it does not make come after them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from hetad.analysis.dataflow import closed
from hetad.analysis.effects import Effects
from hetad.analysis.loops import counted, geometric_trips
from hetad.device.tape.progress import grows
from hetad.ir import nodes as ir
from hetad.ir.simplify import conjunction, conjuncts
from hetad.ir.visit import bodies, declared, own_exprs, variables


def unknown_variables(body: ir.Body, stale: Container[ir.Symbol], effects: Effects) -> frozenset[ir.Symbol]:
    """The variables whose value depends on a stale one, as the counting launch runs."""
    found = {x for x in (*declared(body), *variables(body)) if x in stale}

    def set_by(s: ir.Stmt) -> Iterable[ir.Symbol]:
        match s:
            case ir.Declare() | ir.Assign() | ir.Update() | ir.Call() if _mentions(s, found):
                return (x for x in effects.writes(s) if isinstance(x, ir.Symbol))
            case ir.If(cond=cond) if not found.isdisjoint(variables(cond)):
                return _set_for_others((*s.then, *s.orelse), effects)
            case ir.For(cond=cond) | ir.While(cond=cond) if cond and not found.isdisjoint(variables(cond)):
                return _set_by_loop(s, body, effects)
        return ()

    return frozenset(closed(found, body, set_by) if found else ())


def _mentions(s: ir.Stmt, found: set[ir.Symbol]) -> bool:
    """Whether what a statement sets depends on these; not where it only sets one of them anew."""
    exprs = list(own_exprs(s))
    if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
        exprs = [s.value]
    return any(not found.isdisjoint(variables(e)) for e in exprs)


def _set_for_others(body: ir.Body, effects: Effects) -> Iterator[ir.Symbol]:
    inside = set(declared(body))
    return (x for x in effects.written(body) if isinstance(x, ir.Symbol) and x not in inside)


def _set_by_loop(s: ir.For | ir.While, body: ir.Body, effects: Effects) -> Iterator[ir.Symbol]:
    """What a loop leaves behind that may run for too long.  Its index is known in it, if it begins with it anew."""
    if isinstance(s, ir.While):
        yield from _set_for_others(s.body, effects)
        return
    begun = {x for x in effects.written(s.init) if isinstance(x, ir.Symbol)}
    own = {x for x in begun if not _read_outside(x, s, body)}
    inside = {*declared(s.init), *declared(s.body), *declared(s.step)}
    for x in effects.written((*s.step, *s.body)):
        if isinstance(x, ir.Symbol) and x not in inside and x not in own:
            yield x


def _read_outside(symbol: ir.Symbol, loop: ir.For, body: ir.Body) -> bool:
    """Whether it is read where no loop has begun with it anew."""
    for s in body:
        if s is loop or (isinstance(s, ir.For) and any(_sets(each, symbol) for each in s.init)):
            continue
        exprs = [s.value] if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) else own_exprs(s)
        if any(symbol in variables(e) for e in exprs) or any(_read_outside(symbol, loop, b) for b in bodies(s)):
            return True
    return False


def _sets(s: ir.Stmt, symbol: ir.Symbol) -> bool:
    match s:
        case ir.Assign(target=ir.Var(symbol=x), value=value):
            return x is symbol and symbol not in variables(value)
    return False


def bounded(s: ir.For, unknown: Container[ir.Symbol], effects: Effects) -> ir.For | None:
    """The loop without the parts of its condition that are not known, if one of the others counts its iterations."""
    parts = conjuncts(s.cond) if s.cond is not None else []
    left = [p for p in parts if not any(x in unknown for x in variables(p))]
    if not any(_counts(replace(s, cond=p), effects) for p in left):
        return None
    return replace(s, cond=conjunction(left))


def known(s: ir.For | ir.While, unknown: Container[ir.Symbol]) -> bool:
    """Whether a launch that only counts knows when the loop ends."""
    return s.cond is None or not any(x in unknown for x in variables(s.cond))


def _counts(loop: ir.For, effects: Effects) -> bool:
    changed = effects.written(loop.body)
    header = counted(loop, lambda e: effects.stable(e, changed), lambda x: x in changed)
    if header is not None:
        return grows(header.step)  # else it may be zero, and the program leave the loop all the same
    return geometric_trips(loop, lambda x: x in changed) is not None
