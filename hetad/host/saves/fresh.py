"""Memory that the program has not written yet.

What it holds is of no use to anyone, so it is not saved.  Where a snapshot may meet memory of which only a part has
been written, the memory is zeroed when it is allocated: a snapshot reads defined values only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import bytes_of
from hetad.analysis.pointer_expressions import out_place
from hetad.analysis.pointers import Location
from hetad.host.derivation import Derivation, on_derivative
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.visit import bodies, map_bodies, map_body, same_or, walk_stmts
from hetad.rules import callees, operations


@on_derivative("drop-snapshots-of-nothing")
def drop_snapshots_of_nothing(derivation: Derivation) -> ir.Body:
    """Memory that the program has not written yet is not saved."""
    return without_snapshots_of_nothing(derivation.body, derivation.setting.effects)


def without_snapshots_of_nothing(body: ir.Body, effects: Effects) -> ir.Body:
    """`body` whose snapshots read only what has been written, or zeros."""
    idle = {s.slot for s in _idle(body, {}, effects)}
    body = map_body(lambda s: None if isinstance(s, ir.Push | ir.Pop) and s.slot in idle else s, body)
    saved = {
        x
        for s in walk_stmts(body)
        if isinstance(s, ir.Push) and s.extent != "value"
        for x in effects.pointers.targets(s.place)
    }
    return _zeroed(body, lambda s, rest: _is_filled(s, rest, effects) or saved.isdisjoint(_behind(s, effects)))


def _behind(s: ir.Call, effects: Effects) -> set[Location]:
    place = out_place(s.args[0])
    return set(effects.pointers.targets(place)) if place is not None else set()


def _is_new(s: ir.Stmt) -> TypeGuard[ir.Call]:
    """Whether the statement allocates memory of the device, with whatever there is in it."""
    return operations.does(s, operations.device_malloc, operations.host_malloc) and not callees.has(s, "on the host")


def _allocated(s: ir.Stmt) -> ir.Symbol | None:
    """The variable that receives fresh memory."""
    if not _is_new(s):
        return None
    place = out_place(s.args[0])
    return place.symbol if isinstance(place, ir.Var) else None


def _idle(body: ir.Body, fresh: dict[ir.Symbol, set[Location]], effects: Effects) -> list[ir.Push]:
    """The snapshots of memory that nothing can have written; `fresh`: the variables that point to the start of such."""
    found: list[ir.Push] = []
    for s in body:
        if isinstance(s, ir.Push) and s.extent != "value" and isinstance(s.place, ir.Var) and s.place.symbol in fresh:
            found.append(s)
        changed = {x for each in walk_stmts((s,)) for x in effects.writes(each)}
        inside = fresh if isinstance(s, ir.If | ir.Block) else {}
        for inner in bodies(s):
            found += _idle(inner, dict(inside), effects)
        for gone in [x for x, behind in fresh.items() if x in changed or not behind.isdisjoint(changed)]:
            del fresh[gone]
        symbol = _allocated(s)
        if symbol is not None:
            fresh[symbol] = set(effects.pointers.targets(ir.Var(symbol, span=s.span)))
    return found


def _zeroed(body: ir.Body, defined: Callable[[ir.Call, ir.Body], bool]) -> ir.Body:
    """`body` with zeros in all new device memory, but for the allocations that are `defined` by what follows."""
    out: list[ir.Stmt] = []
    for number, s in enumerate(body):
        if _is_new(s) and not defined(s, body[number + 1 :]):
            s = operations.device_zeros(*s.args, result=s.result, span=s.span)
        out.append(map_bodies(lambda inner: _zeroed(inner, defined), s))
    return same_or(body, tuple(out))


def _is_filled(s: ir.Call, rest: ir.Body, effects: Effects) -> bool:
    """Whether a copy or a fill of the whole memory is the first to touch what has been allocated."""
    symbol = _allocated(s)
    behind = _behind(s, effects)
    for later in rest:
        if symbol is None:
            return False
        if _fills(later, symbol, s.args[1]):
            return True
        touched = {x for each in walk_stmts((later,)) for x in (*effects.reads(each), *effects.writes(each))}
        if not touched.isdisjoint(behind) or symbol in {x for e in walk_stmts((later,)) for x in effects.writes(e)}:
            return False
    return False


def _fills(s: ir.Stmt, symbol: ir.Symbol, size: ir.Expr) -> bool:
    whole = bytes_of(s)
    to = bare(whole.dst) if whole is not None else None
    return isinstance(to, ir.Var) and to.symbol is symbol and whole is not None and whole.size == size
