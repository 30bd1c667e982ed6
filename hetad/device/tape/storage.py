"""Where a kernel keeps values that its reverse loops need again.

Outside loops they are variables (the engine names them).  Inside a loop of small constant length they go to a local
array.  Else they go to a *tape* in global memory, one for each type, laid out `[slot][thread]` so that neighbouring
threads touch neighbouring cells.  A counting launch of the primal's control flow sizes it: no thread allocates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hetad.adjoint.origin import Origin
from hetad.analysis.effects import Effects
from hetad.analysis.loops import constant_trips, counted, geometric_trips
from hetad.device.draft import Draft, with_body
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import integer_value
from hetad.ir.build import Names, convert, integer
from hetad.ir.identity import Identity
from hetad.ir.places import changed_in
from hetad.ir.types import INT, SIZE_T, UINT, Array, Pointer, Type, innermost, size_of
from hetad.ir.visit import bodies, map_body, walk_stmts
from hetad.passes.manager import program_pass

LOCAL_LIMIT = 2 * 1024  # bytes of local arrays a thread may spend on one pullback
ALONE_LIMIT = 32 * 1024  # where one thread runs at a time: what the first cache of a processor holds


@dataclass(frozen=True, eq=False, slots=True)
class Taped:
    """A statement of the primal that fills `cells` cells of tape number `tape` each time it runs, a
    loop in each iteration.  `total`: all of them are kept at once; else those of one run of the loop."""

    statement: ir.Stmt
    tape: int
    cells: int
    total: bool

    @property
    def counted(self) -> tuple[Identity[ir.Stmt], bool]:
        """What shares a counter."""
        return Identity(self.statement), self.total


@dataclass(frozen=True, slots=True)
class Stored:
    """A pullback's body with its tape accesses, its tape parameters, and what fills them."""

    body: ir.Body
    tapes: tuple[ir.Symbol, ...]
    taped: tuple[Taped, ...]


@program_pass("store-tape")
def stored_tape(draft: Draft) -> Draft:
    """What is saved goes to variables, to arrays of the thread where its size is known and small, else to a tape in
    global memory."""
    assert draft.effects is not None
    origins = draft.reversed.engine.slot_origins
    stored = store_tape(draft.body, draft.names, draft.effects, origins, draft.limit)
    return with_body(replace(draft, stored=stored), stored.body)


def store_tape(
    body: ir.Body, names: Names, effects: Effects, origins: Mapping[ir.Symbol, Origin], limit: int = LOCAL_LIMIT
) -> Stored:
    """`body` with every `Push` and `Pop` replaced, with at most `limit` bytes of local arrays."""
    local: dict[ir.Symbol, tuple[ir.Symbol, ir.Symbol | None]] = {}
    numbered = {x: i for x, i in numbered_slots(body).items() if len(origins[x].loops) == 1}
    on_tape: list[ir.Symbol] = []
    spent = 0
    for push in (s for s in walk_stmts(body) if isinstance(s, ir.Push)):
        trips = _most_iterations(origins[push.slot], effects)
        if trips is None or spent + trips * size_of(push.slot.type) > limit:
            on_tape.append(push.slot)
            continue
        spent += trips * size_of(push.slot.type)
        array = names.symbol(push.slot.name, Array(push.slot.type, max(trips, 1)), push.span)
        top = names.symbol(f"{push.slot.name}_top", INT, push.span) if push.slot not in numbered else None
        local[push.slot] = (array, top)
    opening: list[ir.Stmt] = []
    for array, top in local.values():
        opening.append(ir.Declare(array, None, span=array.span))
        opening += [ir.Declare(top, integer(0, top.span), span=top.span)] if top is not None else []
    tape = _Tape(names, on_tape)
    opening += tape.opening

    def lower(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Push | ir.Pop):
            return s
        if s.slot in local:
            array, top = local[s.slot]
            at = ir.Var(top if top is not None else numbered[s.slot], span=s.span)
            cell = ir.Index(ir.Var(array, span=s.span), at, s.slot.type, span=s.span)
            return _move(s, cell, top)
        return tape.move(s)

    taped = tuple(
        Taped(origins[slot].statement, tape.number(slot), _cells(slot.type), origins[slot].total) for slot in on_tape
    )
    return Stored((*opening, *map_body(lower, body)), tuple(tape.parameters), taped)


def numbered_slots(body: ir.Body) -> dict[ir.Symbol, ir.Symbol]:
    """Slots that a loop from zero upwards fills once in each iteration, with its index."""
    filled: dict[ir.Symbol, list[ir.Symbol | None]] = {}
    emptied: dict[ir.Symbol, list[ir.Symbol | None]] = {}

    def visit(inner: ir.Body, index: ir.Symbol | None) -> None:
        for s in inner:
            if isinstance(s, ir.Push | ir.Pop):
                (filled if isinstance(s, ir.Push) else emptied).setdefault(s.slot, []).append(index)
            own = _index_from_zero(s) if isinstance(s, ir.For) else index if isinstance(s, ir.Block) else None
            for part in bodies(s):
                visit(part, own)

    visit(body, None)
    return {
        slot: index
        for slot, (index, *more) in filled.items()
        if index is not None and not more and emptied.get(slot) == [index]
    }


def _index_from_zero(loop: ir.For) -> ir.Symbol | None:
    whole = loop.primal if loop.primal is not None else loop
    changed = set(changed_in(whole.body))
    header = counted(whole, lambda e: integer_value(e) is not None, lambda x: x in changed)
    if header is None or header.down or integer_value(header.start) != 0 or integer_value(header.step) != 1:
        return None
    stepped = {x for s in loop.step for x in changed_in((s,))}
    return header.index if stepped == {header.index} else None


_CELL = Quote("tape[top * threads + thread]")


class _Tape:
    def __init__(self, names: Names, slots: list[ir.Symbol]) -> None:
        self.types = list(dict.fromkeys(innermost(s.type) for s in slots))
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
        return self.types.index(innermost(slot.type))

    def move(self, s: ir.Push | ir.Pop) -> ir.Body:
        assert isinstance(s.place, ir.Var | ir.Index | ir.Member)
        places = _scalars(s.place, s.span)
        k = self.number(s.slot)
        out: list[ir.Stmt] = []
        for place in places if isinstance(s, ir.Push) else reversed(places):
            cell = _CELL.value(
                s.span, tape=self.parameters[k], top=self.tops[k], threads=self.threads, thread=self.thread
            )
            assert isinstance(cell, ir.Index)
            out += _move(replace(s, place=place), cell, self.tops[k])
        return tuple(out)


def _move(s: ir.Push | ir.Pop, cell: ir.Place, top: ir.Symbol | None) -> ir.Body:
    """`top`: counts the cells, where no loop does."""
    assert isinstance(s.place, ir.Var | ir.Index | ir.Member)
    if top is None:
        return _copy(cell, s.place, s.span) if isinstance(s, ir.Push) else _copy(s.place, cell, s.span)
    one = integer(1, s.span, top.type)
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


_BLOCK = Quote("blockIdx.x + gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z)")
_BLOCKS = Quote("(size_t)gridDim.x * gridDim.y * gridDim.z")
_THREAD = Quote("threadIdx.x + blockDim.x * (threadIdx.y + (size_t)blockDim.y * threadIdx.z)")
_POSITION = Quote("""
    const size_t thread = block * ((size_t)blockDim.x * blockDim.y * blockDim.z) + here;
    const size_t threads = blocks * ((size_t)blockDim.x * blockDim.y * blockDim.z);
""")


def thread_position(names: Names, span: Span) -> tuple[ir.Symbol, ir.Symbol, list[ir.Stmt]]:
    """Variables for the number of this thread in the launch, and for how many there are."""
    text = Scope(names, span)
    opening = text(_POSITION, block=_BLOCK.value(span), here=_THREAD.value(span), blocks=_BLOCKS.value(span))
    return text["thread"].symbol, text["threads"].symbol, list(opening)


def thread_in_block(axes: Collection[str], span: Span) -> ir.Expr:
    """The number of this thread in its block, which has several threads along `axes` alone."""
    if set(axes) <= {"x"}:
        return ir.ThreadIndex("threadIdx", "x", UINT, span=span)
    return convert(_THREAD.value(span), UINT)


def block_position(span: Span) -> ir.Expr:
    """The number of this thread's block in the launch."""
    return _BLOCK.value(span)


def block_count(span: Span) -> ir.Expr:
    return _BLOCKS.value(span)
