"""Memory that each iteration of a loop allocates anew is allocated once, in front of the loop.

What such memory holds when an iteration begins means nothing, so it is no part of the loop's state, and the loop can be
run by a schedule.  Its size must be known in front of the loop: it is computed there from what the loop does not
change, behind the conditions under which the loop comes to the allocation, or behind none where computing it can do no
harm, and it is not negative: a size may be that where the loop does not ask for it.

What the text of a library allocates within a routine serves no longer than the routine: all such memory of a type is
one, as large as the largest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hetad.analysis.carried import is_null
from hetad.analysis.effects import Effects, KernelEffects
from hetad.analysis.memory_calls import allocated, does, freed, size_of_call
from hetad.analysis.pointers import PointsTo, Root, points_to
from hetad.diagnostics import Span
from hetad.host.derivation import Derivation, summaries
from hetad.host.devices import uses_devices
from hetad.host.kernels.routines import with_choices_made
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import Names, binary, convert, integer, var, zero
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.types import BOOL, INT, SIZE_T, Int, Pointer
from hetad.ir.visit import (
    bodies,
    children,
    declared,
    map_bodies,
    map_body,
    own_exprs,
    own_variables,
    substitute,
    substituted,
    variables,
    walk_stmts,
)
from hetad.memops.table import TABLE
from hetad.passes.manager import program_pass
from hetad.passes.task import with_function
from hetad.rules import operations
from hetad.rules.routines import HEADERS

_Loop = ir.For | ir.While


@dataclass(frozen=True, slots=True)
class _Workspace:
    """An allocation in a loop, into the variable `pointer`: `size` bytes where `conditions` hold in front of the loop.

    `numbers`: of the first and the last statement in the loop that mention the memory.  `alone`: nobody else's memory
    may be the same.  `tells`: whether the variable, or NULL in it, may tell if the loop has come to the allocation.
    """

    call: ir.Call
    pointer: ir.Symbol
    size: ir.Expr
    conditions: tuple[ir.Expr, ...]
    numbers: tuple[int, int]
    alone: bool
    tells: bool


@program_pass("hoist-workspaces")
def hoist_workspaces(derivation: Derivation) -> Derivation:
    """Memory that each step of a loop allocates is allocated once, in front of the loop."""
    return with_function(derivation, in_front_of_loops(derivation.function, summaries(derivation)))


def in_front_of_loops(function: ir.Function, kernels: Mapping[str, KernelEffects]) -> ir.Function:
    """The host function, all calls inlined, with such memory in variables of its own."""
    loops = [
        s for s in _outermost(function.body) if any(map(_allocates, walk_stmts(s.body))) and not uses_devices(s.body)
    ]
    if not loops:
        return function
    pointers = points_to(function)
    search = _Search(function, pointers, Effects(pointers, kernels))
    names = Names({s.name for s in (*function.params, *declared(function.body))})
    hoisted = _Hoisted(names, pointers, search.set_once)
    opened = IdentityMap[ir.Stmt, tuple[list[ir.Stmt], list[ir.Stmt]]](
        (s, hoisted.in_front(search.workspaces(s))) for s in loops
    )
    if not hoisted.some:
        return function

    def opening(s: ir.Stmt) -> ir.Body:
        if s not in opened:
            return (map_bodies(around, s),)
        assert isinstance(s, _Loop)
        in_front, marks = opened[s]
        return (*in_front, replace(s, body=(*marks, *s.body)))

    def around(body: ir.Body) -> ir.Body:
        return tuple(x for s in body for x in opening(s))

    body = substitute(hoisted.own, map_body(hoisted.without, around(function.body)))
    return with_choices_made(replace(function, body=(*hoisted.top, *body)))


def _outermost(body: ir.Body) -> Iterator[_Loop]:
    for s in body:
        if isinstance(s, _Loop):
            yield s
        else:
            for inner in bodies(s):
                yield from _outermost(inner)


def _allocates(s: ir.Stmt) -> bool:
    if not does(s, "allocate"):
        return False
    row = TABLE[s.function]
    return row.space != "managed" and not row.zeroed and "bytes" in row.roles


class _Search:
    def __init__(self, function: ir.Function, pointers: PointsTo, effects: Effects) -> None:
        self.function, self.pointers, self.effects = function, pointers, effects
        statements = list(walk_stmts(function.body))
        times: dict[object, int] = {}
        for s in statements:
            for x in effects.writes(s):
                times[x] = times.get(x, 0) + 1
        declarations = [s for s in statements if isinstance(s, ir.Declare)]
        self.values = effects.constants(function.body)
        self.set_once = {s.symbol for s in declarations if s.init is None and times[s.symbol] == 2}
        self.given = {*function.params, *(s.symbol for s in declarations if s.init is not None)}

    def workspaces(self, loop: _Loop) -> list[_Workspace]:
        inside = {*declared((loop,))}
        changed = self.effects.written((loop,))
        return [
            found
            for call, path in _with_path((loop,), ())
            if (found := self._workspace(loop, call, path, inside, changed)) is not None
        ]

    def _workspace(
        self, loop: _Loop, call: ir.Call, path: tuple[tuple[ir.Stmt, bool], ...], inside: set[ir.Symbol],
        changed: Iterable[object],
    ) -> _Workspace | None:  # fmt: skip
        place = allocated(call)
        root = self.pointers.heap_roots.get(call)
        innermost = next(s for s, _ in reversed(path) if isinstance(s, _Loop))
        passing = {*declared(innermost.body)}  # variables of one iteration
        if root is None or not isinstance(place, ir.Var) or not passing.issuperset(self.pointers.holders(root)):
            return None
        numbers = self._span_of(loop, call, place.symbol, root)
        if numbers is None:
            return None
        size = self._early(size_of_call(call), inside, changed)
        if size is None:
            return None
        conditions, complete = self._conditions(path, inside, changed)
        divides = not all(map(_divides_by_constants, (size, *conditions)))
        if self._is_harmless(size):
            if self._is_plain(size) and not any(isinstance(s, ir.If) for s, _ in path):
                conditions = ()
            elif divides or not complete:
                conditions = (binary("<=", convert(size, SIZE_T), _LARGEST),)
        elif divides or not complete:
            return None
        library = call.span.file in HEADERS and all(not isinstance(s, _Loop) for s, _ in path[1:])
        tells = self._tells(innermost, call, place.symbol, root)
        return _Workspace(call, place.symbol, size, conditions, numbers, not library, tells)

    def _tells(self, loop: _Loop, call: ir.Call, pointer: ir.Symbol, root: Root) -> bool:
        """Whether a variable that is NULL at first is mentioned where the loop may not have come to the allocation."""
        statements = list(walk_stmts((loop,)))
        if not any(isinstance(s, ir.Declare) and s.symbol is pointer and s.init is not None for s in statements):
            return False
        around = next(body for s in statements for body in bodies(s) if any(x is call for x in body))
        behind = IdentitySet[ir.Stmt](walk_stmts(around))
        mentioning = (s for s in statements if pointer in own_variables(s) and not isinstance(s, ir.Declare))
        return any(s not in behind and not self._only_frees(s, root) for s in mentioning)

    def _only_frees(self, s: ir.Stmt, root: Root) -> bool:
        """Whether a statement frees that memory, if there is some, and does nothing else."""
        if isinstance(s, ir.If):
            return all(self._only_frees(x, root) for body in bodies(s) for x in body)
        gone = freed(s)
        return gone is not None and self.pointers.targets(gone) == (root,)

    def _span_of(self, loop: _Loop, call: ir.Call, pointer: ir.Symbol, root: Root) -> tuple[int, int] | None:
        """The numbers of the first and last statement that mention the memory; None if the variable may lead elsewhere,
        or the memory may be given up together with other memory."""
        first = last = -1
        for number, s in enumerate(walk_stmts((loop,))):
            if s is call:
                first = last = number
                continue
            mentioned = set(own_variables(s))
            if isinstance(s, ir.Declare) and s.symbol is pointer:
                if s.init is not None and not is_null(s.init):
                    return None
                continue
            if pointer in mentioned and (first < 0 or self._changes(s, pointer)):
                return None
            behind = self.pointers.targets(gone) if (gone := freed(s)) is not None else ()
            if root in behind and behind != (root,):
                return None
            if any(isinstance(x.type, Pointer) and root in self.pointers.targets(var(x)) for x in mentioned):
                last = number
        return (first, last) if first >= 0 else None

    def _changes(self, s: ir.Stmt, pointer: ir.Symbol) -> bool:
        addressed = any(
            isinstance(e, ir.AddressOf) and e.place == var(pointer) for own in own_exprs(s) for e in _nodes(own)
        )
        return addressed or pointer in self.effects.writes(s)

    # -- what is known in front of the loop

    def _early(self, expr: ir.Expr, inside: set[ir.Symbol], changed: Iterable[object]) -> ir.Expr | None:
        """The expression by what has its value in front of the loop already."""
        expanded = self._expanded(expr, inside, 0)
        if expanded is None or not self.effects.stable(expanded, changed):  # type: ignore[arg-type]
            return None
        return expanded if all(isinstance(e, _PLAIN) for e in _nodes(expanded)) else None

    def _expanded(self, expr: ir.Expr, inside: set[ir.Symbol], depth: int) -> ir.Expr | None:
        """Variables of the loop that are set once, by what they are set to."""
        local = {x for x in variables(expr) if x in inside}
        if any(x not in self.values for x in local) or depth > _DEEPEST:
            return None
        values = {x: v for x in local if (v := self._expanded(self.values[x], inside, depth + 1)) is not None}
        if len(values) < len(local):
            return None
        return substituted({x: convert(v, x.type) for x, v in values.items()}, expr)

    def _conditions(
        self, path: tuple[tuple[ir.Stmt, bool], ...], inside: set[ir.Symbol], changed: Iterable[object]
    ) -> tuple[tuple[ir.Expr, ...], bool]:
        """What holds in front of the loop wherever the allocation is come to, and whether that is all there is."""
        found: list[ir.Expr] = []
        for number, (s, holds) in enumerate(path):
            cond = _first_time(s)
            if cond is None:
                return tuple(found), False
            if isinstance(cond, ir.Const) and bool(cond.value) and holds:
                continue
            known = self._early(cond, inside, changed) if number else self._plain(cond, inside)
            if known is None:
                return tuple(found), False
            found.append(known if holds else ir.Unary("!", known, BOOL, span=s.span))
        return tuple(found), True

    def _plain(self, cond: ir.Expr, inside: set[ir.Symbol]) -> ir.Expr | None:
        """The loop's own condition, when it is about to start."""
        if not inside.isdisjoint(variables(cond)) or not all(isinstance(e, _PLAIN) for e in _nodes(cond)):
            return None
        return cond

    def _is_harmless(self, size: ir.Expr) -> bool:
        """Whether it can be computed whatever happens: from numbers that variables are given when they are declared."""
        plain = (ir.Var, ir.Const, ir.Binary, ir.Unary, ir.Cast, ir.Select)
        return (
            all(isinstance(e, plain) for e in _nodes(size))
            and all(x in self.given and isinstance(x.type, Int) for x in variables(size))
            and _divides_by_constants(size)
        )

    def _is_plain(self, size: ir.Expr) -> bool:
        """Whether it is not negative where the function's arguments are not, also where no iteration asks for it."""
        params = set(self.function.params)
        return all(
            (isinstance(e, ir.Binary) and e.op in ("*", "+", "/"))
            or (isinstance(e, ir.Const) and int(e.value) >= 0)
            or (isinstance(e, ir.Var) and e.symbol in params)
            or isinstance(e, ir.Cast)
            for e in _nodes(size)
        )


_LARGEST = ir.Const(2**63 - 1, SIZE_T, "(size_t)-1 / 2", span=Span("support", 1, 1))  # above: a negative number
_DEEPEST = 8  # definitions in definitions
_PLAIN = (ir.Var, ir.Const, ir.Binary, ir.Unary, ir.Cast, ir.Select, ir.Member, ir.Index)


class _Hoisted:
    """Variables for workspaces, and what allocates them.  `own`: what stands for a variable of the loop, and for the
    status of an allocation, which is that of success."""

    def __init__(self, names: Names, pointers: PointsTo, set_once: Collection[ir.Symbol]) -> None:
        self.names, self.pointers, self.set_once = names, pointers, set_once
        self.top: list[ir.Stmt] = []
        self.own: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        self._calls = IdentityMap[ir.Stmt, list[ir.Stmt]]()  # and what stands in their place
        self._roots: set[Root] = set()

    @property
    def some(self) -> bool:
        return bool(self._roots)

    def in_front(self, workspaces: list[_Workspace]) -> tuple[list[ir.Stmt], list[ir.Stmt]]:
        """What stands in front of a loop with these, and what its body begins with."""
        before: list[ir.Stmt] = []
        marks: list[ir.Stmt] = []
        for group in _groups(workspaces):
            own, allocations = self._allocated(group)
            before += allocations
            marks.append(operations.undefined(var(own), span=group[0].call.span))
        return before, marks

    def without(self, s: ir.Stmt) -> ir.Stmt | ir.Body | None:
        """A statement of the loop, which allocates and frees none of it."""
        if isinstance(s, ir.Declare):
            return None if s.symbol in self.own else s
        if not isinstance(s, ir.Call):
            return s
        gone = freed(s)
        frees_own = gone is not None and self._is_own(gone)
        if s in self._calls:
            return (*self._calls[s], *self._succeeded(s))
        return tuple(self._succeeded(s)) if frees_own else s

    def _succeeded(self, s: ir.Call) -> list[ir.Stmt]:
        if s.result is None or isinstance(s.result.type, Pointer):
            return []
        success = zero(s.result.type, s.span)
        if isinstance(s.result, ir.Var) and s.result.symbol in self.set_once:
            self.own[s.result.symbol] = success
            return []
        return [ir.Assign(s.result, success, span=s.span)]

    def _is_own(self, pointer: ir.Expr) -> bool:
        return not self._roots.isdisjoint(self.pointers.targets(pointer))

    def _allocated(self, group: list[_Workspace]) -> tuple[ir.Symbol, list[ir.Stmt]]:
        call, span = group[0].call, group[0].call.span
        own = self.names.symbol(f"{group[0].pointer.name}_space", group[0].pointer.type, span)
        null = ir.Cast(ir.Const(0, INT, span=span), own.type, span=span)
        self.top.append(ir.Declare(own, null, span=span))
        for workspace in group:
            self._calls[workspace.call] = []
            if workspace.tells:
                given = ir.Assign(var(workspace.pointer), var(own), span=workspace.call.span)
                self._calls[workspace.call] = [given]
            else:
                self.own[workspace.pointer] = own
            self._roots.add(self.pointers.heap_roots[workspace.call])
        sizes = dict.fromkeys((workspace.size, workspace.conditions) for workspace in group)
        if len(sizes) == 1:
            size, conditions = next(iter(sizes))
            return own, _behind(conditions, (_call(call, own, size),), span)
        room = self.names.symbol("room", SIZE_T, span)
        many = ir.Var(room, span=span)
        out: list[ir.Stmt] = [ir.Declare(room, integer(0, span, SIZE_T), span=span)]
        for size, conditions in sizes:
            more = binary("<", many, convert(size, SIZE_T))
            larger = ir.Assign(many, convert(size, SIZE_T), span=span)
            out += _behind((*conditions, more), (larger,), span)
        some = binary("!=", many, integer(0, span, SIZE_T))
        return own, [*out, *_behind((some,), (_call(call, own, many),), span)]


def _groups(workspaces: list[_Workspace]) -> list[list[_Workspace]]:
    """Those of a group never need their memory at the same time."""
    groups: list[list[_Workspace]] = []
    for workspace in sorted(workspaces, key=lambda workspace: workspace.numbers):
        fitting = (
            g for g in groups
            if not workspace.alone and not g[0].alone and g[0].pointer.type == workspace.pointer.type
            and g[0].call.function == workspace.call.function and g[-1].numbers[1] < workspace.numbers[0]
        )  # fmt: skip
        group = next(fitting, None)
        if group is None:
            groups.append([workspace])
        else:
            group.append(workspace)
    return groups


def _call(call: ir.Call, own: ir.Symbol, size: ir.Expr) -> ir.Call:
    """The allocation into another variable."""
    row = TABLE[call.function]
    out, at = row.position("out"), row.position("bytes")
    place = ir.Var(own, span=call.span)
    address = ir.AddressOf(place, Pointer(own.type), span=call.span)
    args = list(call.args)
    assert at is not None
    args[at] = convert(size, args[at].type)
    if out is None:
        return replace(call, args=tuple(args), result=place)
    args[out] = ir.Cast(address, args[out].type, span=call.span)
    return replace(call, args=tuple(args), result=None)


def _behind(conditions: Iterable[ir.Expr], body: Iterable[ir.Stmt], span: Span) -> list[ir.Stmt]:
    """Tested one after the other, since a later one may mean something only where the others hold."""
    out = list(body)
    for condition in reversed(list(conditions)):
        out = [ir.If(condition, tuple(out), (), span=span)]
    return out


def _with_path(
    body: ir.Body, path: tuple[tuple[ir.Stmt, bool], ...]
) -> Iterator[tuple[ir.Call, tuple[tuple[ir.Stmt, bool], ...]]]:
    """The allocations in a body, each with the loops and conditions around it, and whether these hold."""
    for s in body:
        if isinstance(s, ir.Call) and _allocates(s):
            yield s, path
        elif isinstance(s, ir.If):
            yield from _with_path(s.then, (*path, (s, True)))
            yield from _with_path(s.orelse, (*path, (s, False)))
        elif isinstance(s, _Loop):
            yield from _with_path(s.body, (*path, (s, True)))
        else:
            for inner in bodies(s):
                yield from _with_path(inner, path)


def _first_time(s: ir.Stmt) -> ir.Expr | None:
    """The condition of a statement when it is come to; of a loop in terms of what its index begins with."""
    if isinstance(s, ir.If | ir.While):
        return s.cond
    assert isinstance(s, ir.For)
    begin: dict[ir.Symbol, ir.Expr] = {}
    for first in s.init:
        match first:
            case ir.Declare(symbol=symbol, init=value) | ir.Assign(target=ir.Var(symbol=symbol), value=value):
                if value is None or not begin.keys().isdisjoint(variables(value)):
                    return None
                begin[symbol] = convert(value, symbol.type)
            case _:
                return None
    if s.cond is None:
        return ir.Const(1, INT, span=s.span)
    return substituted(begin, s.cond)


def _divides_by_constants(expr: ir.Expr) -> bool:
    return all(
        not (isinstance(e, ir.Binary) and e.op in ("/", "%")) or (isinstance(bare(e.right), ir.Const))
        for e in _nodes(expr)
    )


def _nodes(expr: ir.Expr) -> Iterator[ir.Expr]:
    yield expr
    for child in children(expr):
        yield from _nodes(child)
