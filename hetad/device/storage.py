"""Where a kernel keeps values that its reverse loops need again.

Outside loops they are variables (the engine names them).  Inside a loop of small constant length they go to a local
array.  Else they go to a *tape* in global memory, one for each type, laid out `[slot][thread]` so that neighbouring
threads touch neighbouring cells.  A counting launch of the primal's control flow sizes it: no thread allocates.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.adjoint.liveness import Liveness
from hetad.adjoint.loops import constant_trips, counted, geometric_trips
from hetad.adjoint.names import Names, convert, integer, is_zero
from hetad.adjoint.origin import Origin
from hetad.adjoint.tidy import tidy
from hetad.analysis.effects import BARRIERS, Effects
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import BOOL, INT, SIZE_T, UINT, VOID, Array, Int, Pointer, Type, size_of
from hetad.ir.visit import declared, map_bodies, map_body, variables, walk_stmts

LOCAL_LIMIT = 2 * 1024  # bytes of local arrays a thread may spend on one pullback


@dataclass(frozen=True, slots=True)
class Site:
    """A statement of the primal (by identity) that fills `cells` cells of tape number `tape` each time it runs, a
    loop in each iteration.  `total`: all of them are kept at once; else those of one run of the loop."""

    statement: int
    tape: int
    cells: int
    total: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """A pullback's body with its tape accesses, its tape parameters, and what fills them."""

    body: ir.Body
    tapes: tuple[ir.Symbol, ...]
    sites: tuple[Site, ...]


def store_tape(body: ir.Body, names: Names, effects: Effects, origins: Mapping[ir.Symbol, Origin]) -> Stored:
    """`body` with every `Push` and `Pop` replaced."""
    local: dict[ir.Symbol, tuple[ir.Symbol, ir.Symbol]] = {}
    on_tape: list[ir.Symbol] = []
    spent = 0
    for push in (s for s in walk_stmts(body) if isinstance(s, ir.Push)):
        trips = _most_iterations(origins[push.slot], effects)
        if trips is None or spent + trips * size_of(push.slot.type) > LOCAL_LIMIT:
            on_tape.append(push.slot)
            continue
        spent += trips * size_of(push.slot.type)
        array = names.symbol(push.slot.name, Array(push.slot.type, trips), push.span)
        local[push.slot] = (array, names.symbol(f"{push.slot.name}_top", INT, push.span))
    opening: list[ir.Stmt] = []
    for array, top in local.values():
        opening += [ir.Declare(array, None, span=array.span), ir.Declare(top, integer(0, top.span), span=top.span)]
    tape = _Tape(names, on_tape)
    opening += tape.opening

    def lower(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Push | ir.Pop):
            return s
        if s.slot in local:
            array, top = local[s.slot]
            cell = ir.Index(ir.Var(array, span=s.span), ir.Var(top, span=s.span), s.slot.type, span=s.span)
            return _move(s, cell, top)
        return tape.move(s)

    sites = tuple(
        Site(id(origins[slot].statement), tape.number(slot), _cells(slot.type), origins[slot].total) for slot in on_tape
    )
    return Stored((*opening, *map_body(lower, body)), tuple(tape.parameters), sites)


class _Tape:
    def __init__(self, names: Names, slots: list[ir.Symbol]) -> None:
        self.types = list(dict.fromkeys(_scalar(s.type) for s in slots))
        self.opening: list[ir.Stmt] = []
        self.parameters: list[ir.Symbol] = []
        self.tops: list[ir.Symbol] = []
        if not slots:
            return
        span = slots[0].span
        self.thread, self.threads, self.opening = thread_position(names, span)
        for type_ in self.types:
            suffix = "" if len(self.types) == 1 else f"_{len(self.parameters) + 1}"
            self.parameters.append(names.symbol(f"tape{suffix}", Pointer(type_), span, "param"))
            top = names.symbol(f"top{suffix}", SIZE_T, span)
            self.tops.append(top)
            self.opening.append(ir.Declare(top, integer(0, span, SIZE_T), span=span))

    def number(self, slot: ir.Symbol) -> int:
        return self.types.index(_scalar(slot.type))

    def move(self, s: ir.Push | ir.Pop) -> ir.Body:
        assert isinstance(s.place, ir.Var | ir.Index | ir.Member)
        places = _scalars(s.place, s.span)
        k = self.number(s.slot)
        out: list[ir.Stmt] = []
        for place in places if isinstance(s, ir.Push) else reversed(places):
            row = ir.Binary(
                "*", ir.Var(self.tops[k], span=s.span), ir.Var(self.threads, span=s.span), SIZE_T, span=s.span
            )
            index = ir.Binary("+", row, ir.Var(self.thread, span=s.span), SIZE_T, span=s.span)
            cell = ir.Index(ir.Var(self.parameters[k], span=s.span), index, place.type, span=s.span)
            out += _move(replace(s, place=place), cell, self.tops[k])
        return tuple(out)


def _move(s: ir.Push | ir.Pop, cell: ir.Place, top: ir.Symbol) -> ir.Body:
    one = integer(1, s.span, top.type)
    assert isinstance(s.place, ir.Var | ir.Index | ir.Member)
    if isinstance(s, ir.Push):
        return (*_copy(cell, s.place, s.span), ir.Update("+", ir.Var(top, span=s.span), one, span=s.span))
    return (ir.Update("-", ir.Var(top, span=s.span), one, span=s.span), *_copy(s.place, cell, s.span))


def _copy(to: ir.Place, value: ir.Place, span: Span) -> ir.Body:
    """Element by element where C cannot assign an array."""
    pairs = zip(_scalars(to, span), _scalars(value, span), strict=True)
    return tuple(ir.Assign(a, b, span=span) for a, b in pairs)


def _scalars(place: ir.Place, span: Span) -> list[ir.Place]:
    if not isinstance(place.type, Array):
        return [place]
    assert place.type.length is not None
    cells = (ir.Index(place, integer(i, span), place.type.of, span=span) for i in range(place.type.length))
    return [leaf for cell in cells for leaf in _scalars(cell, span)]


def _scalar(type_: Type) -> Type:
    while isinstance(type_, Array):
        type_ = type_.of
    return type_


def _cells(type_: Type) -> int:
    if isinstance(type_, Array):
        assert type_.length is not None
        return type_.length * _cells(type_.of)
    return 1


def _most_iterations(origin: Origin, effects: Effects) -> int | None:
    """How many values a slot holds at most, where the program text tells."""
    most = 1
    for loop in origin.loops:
        trips = _trips(loop, effects)
        if trips is None:
            return None
        most *= trips
    return most


def _trips(loop: ir.For | ir.While, effects: Effects) -> int | None:
    if not isinstance(loop, ir.For):
        return None
    changed = effects.written(loop.body)
    header = counted(loop, lambda e: effects.stable(e, changed), lambda symbol: symbol in changed)
    return constant_trips(header) if header else geometric_trips(loop, lambda symbol: symbol in changed)


def _index(name: str, axis: str, span: Span) -> ir.Expr:
    return convert(ir.ThreadIndex(name, axis, UINT, span=span), SIZE_T)


def _linear(position: str, extent: str, span: Span) -> ir.Expr:
    """x + nx * (y + ny * z)"""
    inner = _product(_index(extent, "y", span), _index(position, "z", span))
    plane = _product(_index(extent, "x", span), ir.Binary("+", _index(position, "y", span), inner, SIZE_T, span=span))
    return ir.Binary("+", _index(position, "x", span), plane, SIZE_T, span=span)


def _product(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    return ir.Binary("*", a, b, SIZE_T, span=a.span)


def _volume(extent: str, span: Span) -> ir.Expr:
    return _product(_product(_index(extent, "x", span), _index(extent, "y", span)), _index(extent, "z", span))


def thread_position(names: Names, span: Span) -> tuple[ir.Symbol, ir.Symbol, list[ir.Stmt]]:
    """Variables for the number of this thread in the launch, and for how many there are."""
    thread = names.symbol("thread", SIZE_T, span, const=True)
    threads = names.symbol("threads", SIZE_T, span, const=True)
    opening: list[ir.Stmt] = [
        ir.Declare(thread, _linear_thread(span), span=span),
        ir.Declare(threads, _thread_count(span), span=span),
    ]
    return thread, threads, opening


def _linear_thread(span: Span) -> ir.Expr:
    base = _product(_linear("blockIdx", "gridDim", span), _volume("blockDim", span))
    return ir.Binary("+", base, _linear("threadIdx", "blockDim", span), SIZE_T, span=span)


def _thread_count(span: Span) -> ir.Expr:
    return _product(_volume("gridDim", span), _volume("blockDim", span))


def counting_kernel(
    name: str,
    kernel: ir.Function,
    drops: Callable[[ir.Stmt], bool],
    tapes: int,
    sites: Sequence[Site],
    effects: Effects,
    names: Names,
    stale: Container[ir.Symbol],
) -> tuple[ir.Function, tuple[int, ...], set[ir.Symbol]]:
    """A kernel that runs the primal's control flow and leaves, for each tape, the cells that a thread needs at most.

    `drops` tells statements with effects outside the block.  A branch on a `stale` variable, whose value is not to be
    had here, counts with both its arms.  Also the primal parameters it takes, by position, and the variables it uses.
    """
    span = kernel.span
    unknown = _from_stale(kernel.body, stale)
    depth = names.symbol("depth", Pointer(UINT), span, "param")
    counters: dict[tuple[int, bool], ir.Symbol] = {}
    for site in sites:
        counters.setdefault((site.statement, site.total), names.symbol("most", UINT, span))

    def instrument(body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            if isinstance(s, ir.Declare) and s.symbol.storage == "shared":
                out.append(s)
                continue
            if drops(s) and (id(s), True) not in counters:
                continue
            total, most = counters.get((id(s), True)), counters.get((id(s), False))
            if isinstance(s, ir.If) and _both_arms(s, unknown):
                out += [*instrument(s.then), *instrument(s.orelse)]
                continue
            inner = map_bodies(instrument, s)
            if isinstance(s, ir.For):
                inner = replace(s, body=instrument(s.body))
                if any((id(x), True) in counters for x in (*s.init, *s.step)):
                    out += instrument(s.init)
                    inner = replace(inner, init=(), step=(), body=(*inner.body, *instrument(s.step)))
            loop = isinstance(inner, ir.For | ir.While)
            if total is not None:
                step = ir.Update("+", ir.Var(total, span=span), integer(1, span, UINT), span=span)
                if isinstance(inner, ir.For | ir.While):
                    inner = replace(inner, body=(*inner.body, step))
                out.append(step)  # of a loop: what is saved before it
            if most is not None and isinstance(inner, ir.For | ir.While):
                out += _counting(inner, most, names)
            elif loop or not drops(s):
                out.append(inner)
        return tuple(out)

    opening = [ir.Declare(m, integer(0, span, UINT), span=span) for m in counters.values()]
    closing: list[ir.Stmt] = []
    for k in range(tapes):
        total_cells: ir.Expr = integer(0, span, UINT)
        for site in sites:
            if site.tape != k:
                continue
            count: ir.Expr = ir.Var(counters[site.statement, site.total], span=span)
            if site.cells > 1:
                count = ir.Binary("*", integer(site.cells, span, UINT), count, UINT, span=span)
            total_cells = count if is_zero(total_cells) else ir.Binary("+", total_cells, count, UINT, span=span)
        cell = ir.Index(ir.Var(depth, span=span), integer(k, span), UINT, span=span)
        closing.append(ir.Call("atomicMax", (ir.AddressOf(cell, Pointer(UINT), span=span), total_cells), span=span))
    whole = (*opening, *instrument(kernel.body), *closing)
    pruned = Liveness(effects, _is_effect).prune(whole)
    mentioned = set(variables(pruned))
    body = tidy(pruned)
    used = set(variables(body))
    primal = tuple(i for i, p in enumerate(kernel.params) if p in used)
    params = (*(kernel.params[i] for i in primal), depth)
    comment = f"cells of tape that a thread of {kernel.name}'s pullback needs"
    return ir.Function(name, "kernel", params, VOID, body, span, comment=comment), primal, mentioned


def _from_stale(body: ir.Body, stale: Container[ir.Symbol]) -> set[ir.Symbol]:
    """The variables whose value depends on a stale one."""
    found = {x for x in (*declared(body), *variables(body)) if x in stale}
    while True:
        before = len(found)
        for s in walk_stmts(body):
            match s:
                case ir.Declare(symbol=target, init=value) if value is not None:
                    pass
                case ir.Assign(target=ir.Var(symbol=target), value=value):
                    pass
                case ir.Update(target=ir.Var(symbol=target), value=value):
                    pass
                case _:
                    continue
            if any(x in found for x in variables(value)):
                found.add(target)
        if len(found) == before:
            return found


def _both_arms(s: ir.If, stale: Container[ir.Symbol]) -> bool:
    """Whether to count a branch as if both arms ran: its condition is not known, and it sets no whole number that
    could lengthen a loop."""
    if not any(x in stale for x in variables(s.cond)):
        return False
    inside = set(declared((s,)))
    changed = {
        x.target.symbol
        for x in walk_stmts((s,))
        if isinstance(x, ir.Assign | ir.Update) and isinstance(x.target, ir.Var) and isinstance(x.target.type, Int)
    }
    return changed <= inside


def _is_effect(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Call) and (s.function == "atomicMax" or s.function in BARRIERS)


def _counting(loop: ir.For | ir.While, most: ir.Symbol, names: Names) -> list[ir.Stmt]:
    span = loop.span
    n = names.symbol("iterations", UINT, span)
    here, top = ir.Var(n, span=span), ir.Var(most, span=span)
    step = ir.Update("+", here, integer(1, span, UINT), span=span)
    return [
        ir.Declare(n, integer(0, span, UINT), span=span),
        replace(loop, body=(*loop.body, step)),
        ir.If(ir.Binary(">", here, top, BOOL, span=span), (ir.Assign(top, here, span=span),), (), span=span),
    ]
