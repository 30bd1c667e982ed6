"""Races that the shape of a launch makes: refused where it is known, else looked at in front of the launch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hetad.analysis.affine import UNIT, Polynomial
from hetad.analysis.control_dependence import Position
from hetad.analysis.coordinates import AXES, block_dim, grid_dim
from hetad.analysis.given_pointers import follows_memory
from hetad.analysis.pointers import PointsTo, Root
from hetad.analysis.races import refuse_races_in_global_memory
from hetad.device.accumulation.axes import extent_along
from hetad.device.races import Race, races
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.kernels.extents import Extents, number_along
from hetad.host.kernels.versions import holds
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.arithmetic import small
from hetad.ir.build import Names, binary, convert, integer
from hetad.ir.simplify import conjunction
from hetad.ir.types import BOOL, CHAR, UINT, VOID, Array, Float, Int, Pointer
from hetad.ir.visit import map_expr, substituted, walk_expr
from hetad.rules import operations

_MANY = 16  # elements of an array of pointers are asked for one by one up to here
Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Condition:
    """No race where a launch has one thread along `along`, where the memory is `apart`, or where one of `when`, said of
    the launch's arguments, does not hold; `surely`: it has several; `perhaps`: nobody can tell whether it is apart."""

    race: Race
    along: tuple[Position, ...]
    apart: ir.Expr | None
    when: tuple[ir.Expr, ...]
    surely: bool
    perhaps: bool


class Races:
    """The races that kernels may have, found once for each kernel."""

    def __init__(self, kernels: Mapping[str, ir.Function], pointers: PointsTo, names: Names) -> None:
        self._kernels, self._pointers, self._names = kernels, pointers, names
        self._found: dict[tuple[str, Groups], tuple[Race, ...]] = {}
        self._right: set[object] = set()  # blocks of kernels in which no race is proven

    def looked_at(
        self,
        s: ir.Launch,
        extents: Extents,
        active: Collection[int],
        merged: Groups,
    ) -> list[ir.Stmt]:
        """Statements that end the program where the launch has a race; raises UnsupportedError where it certainly does.

        `active`: the arguments that have adjoints; `merged`: groups of parameters that may reach the same memory.
        """
        if any(extent == 0 for extent in _numbers(s.grid, extents)):
            return []  # no thread runs
        kernel = self._kernels[s.kernel]
        self._refuse_in_blocks(s, extents, active)
        found = _Tables(self._pointers, self._names)
        conditions = [_told(s, r, kernel, extents, found) for r in self._races(s.kernel, merged) if _matters(r, active)]
        first = {(c.along, c.apart, c.when, c.perhaps): c for c in reversed(conditions) if c.along}
        return [*found.statements, *(_required(s, c) for c in reversed(first.values()))]

    def _refuse_in_blocks(self, s: ir.Launch, extents: Extents, active: Collection[int]) -> None:
        """Refuses what threads of a block certainly do to each other, where the text tells how large blocks are."""
        kernel, sizes = self._kernels[s.kernel], _numbers(s.block, extents)
        given = frozenset(p for i, p in enumerate(kernel.params) if i in active and isinstance(p.type, Pointer))
        numbers = {p: small(arg) for p, arg in zip(kernel.params, s.args, strict=True)}
        known = {p: n for p, n in numbers.items() if n is not None and isinstance(p.type, Int)}
        key = s.kernel, given, sizes, frozenset(known.items())
        if key in self._right or not all(sizes):
            return
        x, y, z = (n or 1 for n in sizes)
        refuse_races_in_global_memory(kernel, given, (x, y, z), known)
        self._right.add(key)

    def _races(self, kernel: str, merged: Groups) -> tuple[Race, ...]:
        if (kernel, merged) not in self._found:
            self._found[kernel, merged] = races(self._kernels[kernel], merged)
        return self._found[kernel, merged]


def _numbers(extent: ir.Expr, known: Extents) -> tuple[int | None, ...]:
    return tuple(number_along(extent, axis, known) for axis in AXES)


class _Tables:
    """Pointers that lie in tables, which lie on the host: `statements` look for them there."""

    def __init__(self, pointers: PointsTo, names: Names) -> None:
        self.statements: list[ir.Stmt] = []
        self._pointers, self._names = pointers, names
        self._known: dict[ir.Expr, ir.Symbol] = {}

    def looked_up(self, e: ir.Expr) -> ir.Expr | None:
        """A pointer of the launch's arguments as the host may write it; None where it lies in other memory."""
        if not any(map(follows_memory, walk_expr(e))):
            return _by_number(e)
        if not isinstance(e, ir.Index | ir.Member) or not isinstance(e.type, Pointer):
            return None
        holders = self._pointers.storage(e)
        if not holders or not all(isinstance(x, Root) and x.table for x in holders):
            return None
        if e not in self._known:
            place = self._within(e)
            if place is None:
                return None
            pointer = self._known[e] = self._names.symbol("listed", Pointer(VOID), e.span)
            address = ir.AddressOf(place, Pointer(place.type), span=e.span)
            look = operations.pointer_at(address, result=ir.Var(pointer, span=e.span), span=e.span)
            self.statements += [ir.Declare(pointer, None, span=e.span), look]
        return ir.Cast(ir.Var(self._known[e], span=e.span), e.type, span=e.span)

    def _within(self, place: ir.Place) -> ir.Place | None:
        """The place, in a table that may itself lie in a table."""
        if not isinstance(place, ir.Index | ir.Member):
            return place
        base = place.base
        if isinstance(base.type, Pointer):
            found = self.looked_up(base)
        else:
            found = self._within(base) if isinstance(base, ir.Var | ir.Index | ir.Member) else None
        return replace(place, base=found) if found is not None else None


def _by_number(e: ir.Expr) -> ir.Expr | None:
    """`k == 1 ? p[1] : p[0]` for `p[k]`, which is no read beside the array whatever k is."""
    for part in walk_expr(e):
        if isinstance(part, ir.Index) and small(part.index) is None and isinstance(part.base.type, Array):
            found: ir.Expr | None = None
            for number in range(min(part.base.type.length or 0, _MANY)):
                at = ir.Index(part.base, integer(number, e.span), part.type, span=e.span)
                one = _by_number(_with(e, part, at))
                if one is None:
                    return None
                test = binary("==", part.index, integer(number, e.span))
                found = one if found is None else ir.Select(test, one, found, e.type, span=e.span)
            return found if (part.base.type.length or 0) <= _MANY else None
    return e


def _with(e: ir.Expr, part: ir.Expr, other: ir.Expr) -> ir.Expr:
    return map_expr(lambda x: other if x == part else x, e)


def _told(s: ir.Launch, race: Race, kernel: ir.Function, extents: Extents, tables: _Tables) -> _Condition:
    """Along what the launch must have one thread, as far as the text does not tell."""
    told = {p: holds((_alone(p, race.place.span),), kernel.params, s, extents) for p in race.along}
    several = tuple(p for p in race.along if told[p] is False)
    apart, perhaps = _apart(s, race, kernel, tables)
    if several and apart is None and not race.when:
        raise UnsupportedError(_message(race, several, s, perhaps=perhaps), race.place.span, _remedy(several))
    when = tuple(_in_launch(c, s, kernel) for c in race.when)
    return _Condition(race, tuple(p for p in race.along if told[p] is not True), apart, when, bool(several), perhaps)


def _apart(s: ir.Launch, race: Race, kernel: ir.Function, tables: _Tables) -> tuple[ir.Expr | None, bool]:
    """Whether no two pointers of the launch are the same of which two would have to be; None if they certainly are, or
    if that cannot be told: then True beside it."""
    if race.pairs is None:
        return None, True
    pairs = [(_in_launch(a, s, kernel), _in_launch(b, s, kernel)) for a, b in race.pairs]
    if not pairs or any(a == b for a, b in pairs):
        return None, False
    anything = Pointer(CHAR)
    tests: list[ir.Expr] = []
    for pair in pairs:
        a, b = map(tables.looked_up, pair)
        if a is None or b is None:
            return None, True
        first, second = ir.Cast(a, anything, span=s.span), ir.Cast(b, anything, span=s.span)
        nothing = ir.Const(0, anything, "NULL", span=s.span)  # which is what empty arrays may have
        tests.append(binary("||", binary("!=", first, second), binary("==", first, nothing)))
    return conjunction(tests), not race.exact


def _in_launch(condition: ir.Expr, s: ir.Launch, kernel: ir.Function) -> ir.Expr:
    """What a condition on the kernel's parameters says of the launch's arguments."""
    return substituted({p: convert(arg, p.type) for p, arg in zip(kernel.params, s.args, strict=True)}, condition)


def _required(s: ir.Launch, c: _Condition) -> ir.Stmt:
    span, tests = s.span, []
    for name, axis in c.along if not c.surely else ():
        extent = extent_along(s.block if name == "threadIdx" else s.grid, axis)
        tests.append(binary("<=", extent, integer(1, span, UINT)))
    whole = conjunction(tests) if tests else None
    blocks = [extent_along(s.grid, axis) for axis in AXES]
    others: list[ir.Expr] = [c.apart] if c.apart is not None else []
    others += [binary("==", e, integer(0, span, UINT)) for e in blocks if small(e) is None]
    for other in (*others, *(ir.Unary("!", w, BOOL, span=span) for w in c.when)):
        whole = binary("||", whole, other) if whole is not None else other
    assert whole is not None
    said = texts.quoted(f"{c.race.place.span}: {_message(c.race, c.along, s, perhaps=c.perhaps)}; {_remedy(c.along)}")
    return operations.require(whole, ir.String(said, Pointer(CHAR), span=span), span=span)


def _matters(race: Race, active: Collection[int]) -> bool:
    """Whether what the race decides may enter a derivative."""
    if not race.own:
        return True
    if not isinstance(race.place.type, Float):
        return False
    return not race.given or not race.given.isdisjoint(active)


def _alone(position: Position, span: Span) -> Polynomial:
    """Not negative where there is one thread along it."""
    name, axis = position
    extent = block_dim(axis, span) if name == "threadIdx" else grid_dim(axis, span)
    return UNIT - Polynomial({(extent,): 1})


def _message(race: Race, along: tuple[Position, ...], s: ir.Launch, *, perhaps: bool) -> str:
    doubt = ", unless the kernel keeps its pointers apart" if perhaps else ""
    what = "store different values to" if race.differ else "read and write"
    return (
        f"a race{doubt}: threads that differ in {_listed(along)} alone {what} one cell of '{race.name}' in no order, "
        f"in the launch of '{s.kernel}' in line {s.span.line}"
    )


def _remedy(along: tuple[Position, ...]) -> str:
    first = ".".join(along[0])
    return f"launch it with one thread along each of these, let one do it (if ({first} == 0)), or add with atomicAdd"


def _listed(along: tuple[Position, ...]) -> str:
    names = [".".join(p) for p in along]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
