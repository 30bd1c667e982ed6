"""What a derivative that is differentiated again keeps and recalls by value: where a value comes back, and which.

Both sweeps name variables as they please, and parts of them are functions of their own.  Once all calls are inlined,
what is recalled and what was kept for it go through one variable, the slot, so that the analyses of values and of
pointers follow it:

    hetad_keep_value(&result, 8);     ->    slot = result; hetad_keep_value(&slot, 8);
    hetad_recall_value(&dot, 8);      ->    hetad_recall_value(&slot, 8); dot = slot;

The record is a stack.  So the reverse sweep mirrors the forward sweep, loop for loop and branch for branch,
and the structure tells what is recalled where.  Where it does not, all values of a type share a slot, which is right
whatever comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hetad.frontend.quote import Quote, Scope
from hetad.host.again.records import recorded_value
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import literal
from hetad.ir.build import Names, address_of
from hetad.ir.identity import IdentityMap
from hetad.ir.types import Array, Float, Pointer, Struct, Type, innermost, of_value, size_of
from hetad.ir.visit import bodies, declared, is_compound, map_body, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import Task, with_function
from hetad.rules import operations, records

T = TypeVar("T", bound=Task)


@program_pass("slots-of-records")
def slots_of_records(task: T) -> T:
    """What is kept by value and recalled elsewhere goes through a variable of both.

    hetad_recall_value(&dot, 8);   ->   hetad_recall_value(&slot, 8); dot = slot;
    """
    body = task.function.body
    if not any(operations.does(s, records.recall_value) for s in walk_stmts(body)):
        return task
    names = Names({s.name for s in (*task.function.params, *declared(body))} | set(task.written))
    return with_function(task, replace(task.function, body=_Slots(body, names).body))


class _Slots:
    """`body`: in which values that belong together have a slot."""

    def __init__(self, body: ir.Body, names: Names) -> None:
        self._names = names
        self._of = IdentityMap[ir.Call, ir.Symbol]()
        slots = [x for group in _together(body) if (x := self._slot(group)) is not None]
        declarations = tuple(ir.Declare(x, None, span=x.span) for x in slots)
        self.body = (*declarations, *map_body(self._statement, body)) if slots else body

    def _slot(self, group: Sequence[ir.Call]) -> ir.Symbol | None:
        """The variable of these, if they need another one than they have."""
        places = [recorded_value(s) for s in group]
        if all(isinstance(p, ir.Var) and p == places[0] for p in places):
            return None
        slot = ir.Symbol(self._names.fresh("slot"), _type(group[0]), group[0].span)
        for s in group:
            self._of[s] = slot
        return slot

    def _statement(self, s: ir.Stmt) -> ir.Stmt | ir.Body:
        slot = self._of.get(s) if isinstance(s, ir.Call) else None
        if slot is None or not isinstance(s, ir.Call):
            return s
        own, place = ir.Var(slot, span=s.span), recorded_value(s)
        pointer = own if isinstance(slot.type, Array) else address_of(own)
        through = replace(s, args=(pointer, *s.args[1:]))
        if operations.does(s, records.keep_value):
            return *self._copied(own, place), through
        return through, *self._copied(place, own)

    def _copied(self, to: ir.Place, from_: ir.Place) -> ir.Body:
        if not isinstance(to.type, Array):
            value = from_ if from_.type == to.type else ir.Cast(from_, to.type, span=to.span)
            return (ir.Assign(to, value, span=to.span),)
        length, of = to.type.length, to.type.of
        assert length is not None
        text = Scope(self._names, to.span, length=length)

        def each() -> ir.Body:
            element, other = (ir.Index(x, text["at"], of, span=to.span) for x in (to, from_))
            return self._copied(element, other)

        return text(_EACH, copy=each)


_EACH = Quote("""
    for (int at = 0; at < length; ++at) {
        copy;
    }
""")


# --- what belongs together ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Nested:
    """What a statement keeps, or recalls, in the order of the text: for each body in it.

    kind: of the statement; a loop of whatever kind is undone by a loop.
    """

    kind: type[ir.Stmt]
    arms: tuple[_Parts, ...]


_Part = ir.Call | _Nested
_Parts = tuple[_Part, ...]


class _Unlike(Exception):
    """The structure does not tell what is recalled."""


def _together(body: ir.Body) -> list[list[ir.Call]]:
    """Groups of calls that may keep, and recall, the same value; of those that matter."""
    pairs: list[tuple[ir.Call, ir.Call]] = []
    try:
        recalled, _ = _left(body, pairs)
        if recalled:
            raise _Unlike
    except _Unlike:
        return _by_type(s for s in walk_stmts(body) if isinstance(s, ir.Call) and _matters(s))
    of: IdentityMap[ir.Call, list[ir.Call]] = IdentityMap()
    for kept, recalled_by in pairs:
        if not (_matters(kept) and _matters(recalled_by)):
            continue
        # Where a function was inlined twice, both may have the very same call.
        group = [*of.get(kept, [kept]), *of.get(recalled_by, [recalled_by])]
        for s in group:
            of[s] = group
    return [*IdentityMap((group, group) for group in of.values()).values()]


def _by_type(calls: Iterable[ir.Call]) -> list[list[ir.Call]]:
    found: dict[Type, list[ir.Call]] = {}
    for s in calls:
        found.setdefault(_type(s), []).append(s)
    return [*found.values()]


def _left(body: ir.Body, pairs: list[tuple[ir.Call, ir.Call]]) -> tuple[_Parts, _Parts]:
    """What a body recalls that was kept before it, and what it keeps for what follows."""
    recalled: list[_Part] = []
    kept: list[_Part] = []
    for s in body:
        takes, leaves = _own_parts(s, pairs)
        for part in takes:
            if kept:
                _pair(kept.pop(), part, pairs)
            else:
                recalled.append(part)
        kept += leaves
    return tuple(recalled), tuple(kept)


def _own_parts(s: ir.Stmt, pairs: list[tuple[ir.Call, ir.Call]]) -> tuple[_Parts, _Parts]:
    if operations.does(s, *records.KEPT):
        return (), (s,)
    if operations.does(s, *records.RECALLED):
        return (s,), ()
    if not is_compound(s):
        return (), ()
    is_loop = isinstance(s, ir.For | ir.While | ir.DoWhile)
    kind = ir.For if is_loop else type(s)
    sides = [_left(arm, pairs) for arm in (bodies(s)[-1:] if is_loop else bodies(s))]
    if isinstance(s, ir.Block):
        return sides[0]
    takes, leaves = (tuple(side[k] for side in sides) for k in (0, 1))
    return (_Nested(kind, takes),) if any(takes) else (), (_Nested(kind, leaves),) if any(leaves) else ()


def _pair(kept: _Part, recalled: _Part, pairs: list[tuple[ir.Call, ir.Call]]) -> None:
    if isinstance(kept, ir.Call) and isinstance(recalled, ir.Call):
        if _shape(kept) != _shape(recalled):
            raise _Unlike
        pairs.append((kept, recalled))
        return
    if isinstance(kept, ir.Call) or isinstance(recalled, ir.Call) or kept.kind is not recalled.kind:
        raise _Unlike
    for arm, back in _matched(kept, recalled):
        for first, last in zip(arm, reversed(back), strict=True):
            _pair(first, last, pairs)


def _matched(kept: _Nested, recalled: _Nested) -> Iterator[tuple[_Parts, _Parts]]:
    """Each body with the one that undoes it; a condition may have been turned round."""
    for arms in (recalled.arms, recalled.arms[::-1]) if kept.kind is ir.If else (recalled.arms,):
        if tuple(map(_shapes, kept.arms)) == tuple(_shapes(arm[::-1]) for arm in arms):
            return zip(kept.arms, arms, strict=True)
    raise _Unlike


def _shapes(parts: _Parts) -> tuple[object, ...]:
    return tuple(_shape(p) if isinstance(p, ir.Call) else p.kind for p in parts)


def _shape(s: ir.Call) -> object:
    """What a record and its like have in common: the extent, and the type of a value."""
    if operations.does(s, *records.OF_VALUES):
        return _type(s)
    return next(kept.name for kept, back in _EXTENTS if operations.does(s, kept, back))


_EXTENTS = tuple(zip(records.KEPT, records.RECALLED, strict=True))


def _type(s: ir.Call) -> Type:
    """The type of a value that is recorded, whoever may change what it leads to."""
    type_ = of_value(recorded_value(s).type)
    return replace(type_, const=False) if isinstance(type_, Pointer) else type_


def _matters(s: ir.Call) -> bool:
    """Whether it is a value, and the whole of it, that may have derivatives or leads to memory that has some."""
    if not operations.does(s, *records.OF_VALUES):
        return False
    type_ = recorded_value(s).type
    return isinstance(innermost(type_), Float | Pointer | Struct) and literal(s.args[1]) in (None, size_of(type_))
