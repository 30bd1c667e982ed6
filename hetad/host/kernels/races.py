"""Races that the shape of a launch makes: refused where it is known, else looked at in front of the launch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hetad.analysis.affine import UNIT, Polynomial
from hetad.analysis.control_dependence import Position
from hetad.analysis.coordinates import AXES, block_dim, grid_dim
from hetad.analysis.races import refuse_races_in_global_memory
from hetad.device.accumulation.axes import extent_along
from hetad.device.races import Race, races
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.kernels.extents import Extents, number_along
from hetad.host.kernels.versions import holds
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.arithmetic import small
from hetad.ir.build import binary, convert, integer
from hetad.ir.simplify import conjunction
from hetad.ir.types import BOOL, CHAR, UINT, Float, Int, Pointer
from hetad.ir.visit import substituted
from hetad.rules import operations

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Condition:
    """No race where a launch has one thread along `along`, where the memory is `apart`, or where one of `when`, said of
    the launch's arguments, does not hold; `surely`: it has several."""

    race: Race
    along: tuple[Position, ...]
    apart: ir.Expr | None
    when: tuple[ir.Expr, ...]
    surely: bool


class Races:
    """The races that kernels may have, found once for each kernel."""

    def __init__(self, kernels: Mapping[str, ir.Function]) -> None:
        self._kernels = kernels
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
        kernel, own = self._kernels[s.kernel], self._races(s.kernel, ())
        self._refuse_in_blocks(s, extents, active)
        conditions = [_told(s, race, kernel, extents) for race in own if _matters(race, active)]
        seen = {(r.place, r.place.span) for r in own}
        more = [r for r in self._races(s.kernel, merged) if (r.place, r.place.span) not in seen] if merged else []
        for race in (r for r in more if _matters(r, active)):
            conditions.append(_told(s, race, kernel, extents, _elsewhere(s, race)))  # noqa: PERF401
        first = {(c.along, c.apart, c.when): c for c in reversed(conditions) if c.along}
        return [_required(s, c) for c in reversed(first.values())]

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


def _told(
    s: ir.Launch,
    race: Race,
    kernel: ir.Function,
    extents: Extents,
    apart: ir.Expr | None = None,
) -> _Condition:
    """Along what the launch must have one thread, as far as the text does not tell; `apart`: whether the memory that
    would have to be the same is not."""
    told = {p: holds((_alone(p, race.place.span),), kernel.params, s, extents) for p in race.along}
    several = tuple(p for p in race.along if told[p] is False)
    if several and apart is None and not race.when:
        raise UnsupportedError(_message(race, several, s), race.place.span, _remedy(several))
    when = tuple(_in_launch(c, s, kernel) for c in race.when)
    return _Condition(race, tuple(p for p in race.along if told[p] is not True), apart, when, bool(several))


def _in_launch(condition: ir.Expr, s: ir.Launch, kernel: ir.Function) -> ir.Expr:
    """What a condition on the kernel's parameters says of the launch's arguments."""
    return substituted({p: convert(arg, p.type) for p, arg in zip(kernel.params, s.args, strict=True)}, condition)


def _elsewhere(s: ir.Launch, race: Race) -> ir.Expr | None:
    """Whether what is stored to is not given once more as what is read; None where it certainly is."""
    given = [(s.args[i], s.args[k]) for i in sorted(race.given) for k in sorted(race.others) if i != k]
    pairs = [pair for pair in given if all(isinstance(arg.type, Pointer) for arg in pair)]
    if not pairs or any(a == b for a, b in pairs):
        return None
    anything = Pointer(CHAR)
    tests = [(ir.Cast(a, anything, span=s.span), ir.Cast(b, anything, span=s.span)) for a, b in pairs]
    return conjunction([binary("!=", a, b) for a, b in tests])


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
    said = texts.quoted(f"{c.race.place.span}: {_message(c.race, c.along, s)}; {_remedy(c.along)}")
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


def _message(race: Race, along: tuple[Position, ...], s: ir.Launch) -> str:
    what = "store different values to" if race.differ else "read and write"
    return (
        f"a race: threads that differ in {_listed(along)} alone {what} one cell of '{race.name}' in no order, "
        f"in the launch of '{s.kernel}' in line {s.span.line}"
    )


def _remedy(along: tuple[Position, ...]) -> str:
    first = ".".join(along[0])
    return f"launch it with one thread along each of these, let one do it (if ({first} == 0)), or add with atomicAdd"


def _listed(along: tuple[Position, ...]) -> str:
    names = [".".join(p) for p in along]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
