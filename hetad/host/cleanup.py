"""What the generated host function need not do: allocate what is not used, restore what is not written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from hetad.adjoint.liveness import Liveness
from hetad.analysis.effects import Effects
from hetad.analysis.pointer_expressions import out_place
from hetad.analysis.pointers import Location, Root
from hetad.ir import nodes as ir
from hetad.ir.types import EVENT, STREAM, Struct
from hetad.ir.visit import children, map_bodies, map_body, own_exprs, repeated, variables, walk_stmts
from hetad.memops.table import TABLE
from hetad.rules import callees, operations

HANDLES = (STREAM, EVENT)


def keeps(s: ir.Stmt, is_pullback: Callable[[str], bool]) -> bool:
    """Statements with an effect beyond the primal memory they write."""
    match s:
        case ir.Opaque():
            return True
        case ir.Launch(kernel=kernel):
            return is_pullback(kernel)
        case ir.Call(function=name):
            return callees.find(name).kept and callees.kind(name) != "unknown"
    return False


def drop_dead_allocations(body: ir.Body, liveness: Liveness, live_at_end: set[Root]) -> ir.Body:
    """Without the allocations, and their releases, of memory that only its own release mentions."""

    def smaller(body: ir.Body) -> ir.Body:
        known = allocated(body)
        without = map_body(lambda s: None if _released(s) in known else s, body)
        dead = known - allocated(liveness.prune(without, live_at_end))
        return map_body(lambda s: None if _released(s) in dead or _allocated(s) in dead else s, body)

    return repeated(smaller, body)


def surviving_handles(body: ir.Body, liveness: Liveness, live_at_end: set[Root]) -> set[ir.Symbol]:
    """The streams and events whose creation is needed, so that they must be destroyed as well."""
    if not any(_destroyed(s) for s in walk_stmts(body)):
        return set()
    kept = walk_stmts(liveness.prune(body, live_at_end))
    calls = (s for s in kept if isinstance(s, ir.Call) and s.function in TABLE)
    return {x for s in calls if TABLE[s.function].stores in HANDLES for x in variables(s.args[0])}


def destroys(s: ir.Stmt, handles: set[ir.Symbol]) -> bool:
    """Whether the statement destroys one of these."""
    return not handles.isdisjoint(_destroyed(s))


def _destroyed(s: ir.Stmt) -> set[ir.Symbol]:
    is_destruction = isinstance(s, ir.Call) and s.function in ("cudaStreamDestroy", "cudaEventDestroy")
    return set(variables(s.args[0])) if is_destruction and isinstance(s, ir.Call) else set()


def allocated(body: ir.Body) -> set[ir.Symbol]:
    """The variables that receive memory from a support function somewhere in the body."""
    return {x for x in map(_allocated, walk_stmts(body)) if x is not None}


def _allocated(s: ir.Stmt) -> ir.Symbol | None:
    """The variable that receives memory from a support function."""
    if not callees.calls(s, "support") or callees.find(s.function).kept:
        return None
    place = s.result if callees.has(s, "on the host") else out_place(s.args[0])
    return place.symbol if isinstance(place, ir.Var) else None


def _released(s: ir.Stmt) -> ir.Symbol | None:
    if operations.does(s, *operations.ENDS) and isinstance(s.args[0], ir.Var):
        return s.args[0].symbol
    return None


def drop_untouched(body: ir.Body) -> ir.Body:
    """Without saves that are restored at once: what was done in between has gone."""
    out: list[ir.Stmt] = []
    for s in body:
        s = map_bodies(drop_untouched, s)
        before = next((i for i in reversed(range(len(out))) if not _only_marks(out[i])), None)
        saved = out[before] if before is not None else None
        if before is not None and isinstance(s, ir.Pop) and isinstance(saved, ir.Push) and _undoes(s, saved):
            del out[before]
        else:
            out.append(s)
    return tuple(out) if len(out) < len(body) or any(a is not b for a, b in zip(out, body, strict=True)) else body


def drop_unread_restores(body: ir.Body, pointed: Collection[Location]) -> ir.Body:
    """Without giving back to members of the function's own structs what nobody reads after that, as what they held
    before memory was allocated for them.  `pointed`: variables that pointers lead to."""
    own = {s.symbol for s in body if isinstance(s, ir.Declare)}.difference(pointed)
    read: dict[ir.Symbol, set[tuple[str, ...]]] = {}
    out: list[ir.Stmt] = []  # last to first
    for s in reversed(body):
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Var):
            symbol, path = _part(s.target) or (None, ())
            if symbol in own and not any(a[: len(path)] == path[: len(a)] for a in read.get(symbol, ())):
                continue
        for symbol, path in (part for inner in walk_stmts((s,)) for e in own_exprs(inner) for part in _parts(e)):
            read.setdefault(symbol, set()).add(path)
        out.append(s)
    return tuple(reversed(out)) if len(out) < len(body) else body


def _part(place: ir.Expr) -> tuple[ir.Symbol, tuple[str, ...]] | None:
    """A variable, and the members that lead to a part of it; all members of a union are one part."""
    path: list[str] = []
    while isinstance(place, ir.Member):
        one = isinstance(place.base.type, Struct) and place.base.type.is_union
        path = [] if one else [place.name, *path]
        place = place.base
    return (place.symbol, tuple(path)) if isinstance(place, ir.Var) else None


def _parts(expr: ir.Expr) -> Iterator[tuple[ir.Symbol, tuple[str, ...]]]:
    """All parts of variables that an expression mentions."""
    todo = [expr]
    while todo:
        e = todo.pop()
        part = _part(e)
        if part is not None:
            yield part
        else:
            todo += children(e)


def _only_marks(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Comment) or operations.does(s, operations.forward_done)


def _undoes(pop: ir.Pop, push: ir.Push) -> bool:
    return (pop.slot, pop.place, pop.extent, pop.bytes) == (push.slot, push.place, push.extent, push.bytes)


def drop_idle_restores(body: ir.Body, effects: Effects, roots: set[Root]) -> ir.Body:
    """Without saving on entry and restoring at the end what is not written."""
    written: dict[Location, None] = {}
    for s in walk_stmts(body):
        if not is_entry(s):
            written.update(dict.fromkeys(effects.writes(s)))
    return without_entries(body, effects, {root for root in roots if root not in written})


def is_entry(s: ir.Stmt) -> bool:
    """Whether the statement saves an argument on entry, or restores it at the end."""
    return isinstance(s, ir.Push | ir.Pop) and s.slot.storage == "entry"


def without_entries(body: ir.Body, effects: Effects, idle: set[Root]) -> ir.Body:
    """Without saving on entry, and restoring at the end, these."""

    def keep(s: ir.Stmt) -> ir.Stmt | None:
        if isinstance(s, ir.Push | ir.Pop) and is_entry(s):
            if all(t in idle for t in effects.pointers.targets(s.place)):
                return None
        return s

    return map_body(keep, body)
