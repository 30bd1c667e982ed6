"""The state of a loop: what its iterations hand on to each other.

Run from any iteration on with this state restored, the loop does exactly what it did.  So the state is everything that
the body writes and does not declare itself, but for memory of which it is said that its contents mean nothing when an
iteration begins; what an iteration overwrites before it reads it goes later, with whatever else nobody reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import does, operands, stored_at
from hetad.analysis.pointer_expressions import elements, holds_pointer, pointer_parts
from hetad.analysis.pointers import PointsTo, Root
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import is_zero, var
from hetad.ir.types import INT, Array, Pointer, Struct, Type, Void, holds_numbers, size_of
from hetad.ir.visit import declared, variables, walk_stmts
from hetad.rules import operations

Reason = str
_MOST_POINTERS = 64  # in one variable: each is restored by a statement of its own


@dataclass(frozen=True, slots=True)
class State:
    """`variables` by value, and the whole memory behind each of `pointers`, which mean nothing else; behind those of
    them that are `holders` lie pointers.  `reached`: the places of pointers, of which each may mean other memory each
    time, or none; what they lead to."""

    variables: tuple[ir.Symbol, ...]
    pointers: tuple[ir.Symbol, ...]
    holders: tuple[ir.Symbol, ...]
    reached: tuple[ir.Expr, ...]


@dataclass(frozen=True, slots=True)
class Memories:
    """`names` has a pointer to each memory that has one of its own; `single` is the memory of one value of its type.
    `visible`: the variables that can be named anywhere in the function."""

    names: Mapping[Root, ir.Symbol]
    single: frozenset[Root]
    visible: frozenset[ir.Symbol]

    def leads_to(self, root: Root) -> bool:
        """Whether all pointers in that memory can be told from the numbers beside them."""
        if root not in self.names or root.table:
            return False
        type_ = self.names[root].type
        held = type_.to if isinstance(type_, Pointer) else type_
        if not holds_pointer(held) or not holds_numbers(held):
            return holds_pointer(held)
        return root in self.single and len(pointers_behind(self.names[root])) <= _MOST_POINTERS


def state_of(loop: ir.For, effects: Effects, memories: Memories) -> State | Reason:
    """The state of a loop, or why it cannot be saved."""
    for s in walk_stmts(loop.body):
        if _allocates(s):
            return "memory is allocated or freed in it"
    inside = {*declared(loop.body), *declared(loop.init)}
    index = {x for s in loop.step for x in effects.writes(s)}
    written = [x for x in effects.written(loop.body) if x not in inside and x not in index]
    holders = {holder for holder, _ in effects.pointers.target_sets() if holder is not None}
    begin = [s for s in loop.body if operations.does(s, operations.undefined)]
    passing = {x for s in begin for x in effects.pointers.targets(s.args[0])}
    variables: list[ir.Symbol] = []
    pointers: list[ir.Symbol] = []
    tables: list[ir.Symbol] = []
    reached: dict[ir.Expr, None] = {}
    for x in written:
        if x in passing:
            continue
        if isinstance(x, ir.Symbol):
            if len(pointers_in(x)) > _MOST_POINTERS and _mixes(x.type):
                return f"many pointers beside numbers in '{x.name}' change in it"
            variables.append(x)
        elif x in holders and not memories.leads_to(x):
            return f"pointers kept in memory ('{x.name}') may change in it"
        elif x in memories.names:
            pointers.append(memories.names[x])
            tables += [memories.names[x]] if x in holders else []
        else:
            ways = _ways(x, loop, effects.pointers, memories) if x not in holders else None
            if ways is None:
                return f"the memory of '{x.name}' has no name that is its own before the loop"
            reached.update(dict.fromkeys(ways))
    return State(tuple(variables), tuple(pointers), tuple(tables), tuple(reached))


def _ways(root: Root, loop: ir.For, pointers: PointsTo, memories: Memories) -> list[ir.Expr] | None:
    """The places that hold all pointers by which an iteration may come to the memory of an allocation in a loop; None
    where they cannot be named."""
    inside, mentioned = {*declared(loop.body), *declared(loop.init)}, set(variables((loop,)))
    found: list[ir.Expr] = []
    for holder in pointers.holders(root):
        if isinstance(holder, ir.Symbol):
            if holder in inside or (holder not in mentioned and not pointers.holders(holder)):
                continue
            parts = pointers_in(holder) if holder in memories.visible else []
        else:
            parts = pointers_behind(memories.names[holder]) if holder in memories.single else []
        if not 0 < len(parts) <= _MOST_POINTERS:
            return None
        found += [p for p in parts if root in pointers.targets(p)]
    return sorted(found, key=str) or None


def pointers_in(x: ir.Symbol) -> list[ir.Expr]:
    """The pointers that a variable is or holds, one by one."""
    return [part for element in elements(var(x)) for part in pointer_parts(element)]


def pointers_behind(pointer: ir.Symbol) -> list[ir.Expr]:
    """The pointers in the first value behind a pointer."""
    assert isinstance(pointer.type, Pointer)
    base = var(pointer)
    first = ir.Index(base, ir.Const(0, INT, span=pointer.span), pointer.type.to, span=pointer.span)
    return [part for element in elements(first) for part in pointer_parts(element)]


def _allocates(s: ir.Stmt) -> bool:
    return does(s, "allocate", "symbol", "free")


def _mixes(type_: Type) -> bool:
    """Whether values of the type are structs that hold pointers."""
    while isinstance(type_, Array):
        type_ = type_.of
    return isinstance(type_, Struct) and any(isinstance(f.type, Pointer) or _mixes(f.type) for f in type_.fields)


def memories(function: ir.Function, pointers: PointsTo) -> Memories:
    names = _names(function, pointers)
    allocated = [(pointers.heap_roots[s], s) for s in walk_stmts(function.body) if s in pointers.heap_roots]
    single = frozenset(r for r, s in allocated if r in names and _is_one(s, names[r].type))
    visible = frozenset({*function.params, *(s.symbol for s in function.body if isinstance(s, ir.Declare))})
    return Memories(names, single, visible)


def _is_one(s: ir.Stmt, pointer: Type) -> bool:
    """Whether an allocation has the size of what a pointer points to."""
    if not does(s, "allocate") or not isinstance(pointer, Pointer) or isinstance(pointer.to, Void):
        return False
    given = operands(s)
    sizes = [given[role] for role in ("bytes", "count", "size") if role in given]
    numbers = [int(e.value) for e in map(bare, sizes) if isinstance(e, ir.Const)]
    return len(numbers) == len(sizes) > 0 and prod(numbers) == size_of(pointer.to)


def _names(function: ir.Function, pointers: PointsTo) -> dict[Root, ir.Symbol]:
    """For each memory a variable, visible in the whole function, that points to its start, or to nothing before."""
    visible = {s.symbol for s in function.body if isinstance(s, ir.Declare)}
    givers: dict[ir.Symbol, list[ir.Stmt]] = {}
    for s in walk_stmts(function.body):
        for place in _assigned(s):
            if isinstance(place, ir.Var):
                givers.setdefault(place.symbol, []).append(s)

    def reaches(symbol: ir.Symbol, root: Root) -> bool:
        return root.single and pointers.targets(var(symbol)) == (root,)

    found = {root: p for p, root in pointers.parameter_roots.items() if p not in givers and reaches(p, root)}
    for symbol, statements in givers.items():
        given = pointers.heap_roots.get(statements[0]) if len(statements) == 1 else None
        if given is not None and symbol in visible and reaches(symbol, given):
            found[given] = symbol
    return found


def is_null(value: ir.Expr | None) -> bool:
    return value is not None and is_zero(bare(value))


def _assigned(s: ir.Stmt) -> list[ir.Expr]:
    match s:
        case ir.Declare(symbol=symbol, init=init) if init is not None and not is_null(init):
            return [ir.Var(symbol, span=s.span)]
        case ir.Assign(target=target) | ir.Update(target=target):
            return [target]
        case ir.Call(result=result):
            return [p for p in (result, stored_at(s)) if p is not None]
    return []
