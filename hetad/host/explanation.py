"""What differentiation decided, for people: what is active, what is saved and why, how adjoints are accumulated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from hetad.analysis.pointers import Location
from hetad.diagnostics import Span
from hetad.host.checkpoint import TimeLoop
from hetad.ir import nodes as ir
from hetad.ir.types import Array, size_of
from hetad.ir.visit import walk_stmts


@dataclass(frozen=True, slots=True)
class Saved:
    """One value or buffer that the forward sweep saves: in `function`, for the statement at `span`."""

    function: str
    what: str
    how: str
    bytes: str
    span: Span


@dataclass(frozen=True, slots=True)
class Accumulated:
    """One update of an adjoint that several threads may share."""

    function: str
    what: str
    how: str
    span: Span


@dataclass(frozen=True, slots=True)
class Explanation:
    active: dict[str, tuple[str, ...]]
    saved: tuple[Saved, ...]
    accumulated: tuple[Accumulated, ...]
    loops: tuple[TimeLoop, ...] = ()  # under a memory limit


_EXTENTS = {"value": "value on the tape", "range": "copied range", "allocation": "snapshot of the whole buffer"}


def names_of(locations: Iterable[Location]) -> tuple[str, ...]:
    return tuple(sorted({location.name for location in locations}))


def saves(function: str, body: ir.Body, checkpoints: Collection[ir.Symbol] = ()) -> Iterator[Saved]:
    """What a function saves before the tape is lowered, each once; not the slots of `checkpoints`."""
    seen: set[ir.Symbol] = set()
    for s in walk_stmts(body):
        if not isinstance(s, ir.Push) or s.slot in seen or s.slot in checkpoints:
            continue
        seen.add(s.slot)
        amount = "the buffer"
        if s.extent == "value":
            amount = f"{size_of(s.place.type)} per iteration" if not isinstance(s.place.type, Array) else "the array"
        elif s.extent == "range":
            amount = "the bytes copied"
        yield Saved(function, _name(s.place), _EXTENTS[s.extent], amount, s.span)


def accumulations(function: ir.Function, turns: bool = False, where: str = "") -> Iterator[Accumulated]:
    """How a pullback kernel updates adjoint memory; `turns`: one thread works for all; `where`: in launches where."""
    for found in _accumulations(function, turns):
        yield replace(found, how=f"{found.how}, where {where}") if where else found


def _accumulations(function: ir.Function, turns: bool) -> Iterator[Accumulated]:
    shadows = {p for p in function.params if p.name.startswith("adj_")}
    for s in walk_stmts(function.body):
        match s:
            case ir.Call(function="atomicAdd", args=args):
                yield Accumulated(
                    function.name, _name(args[0]), "atomicAdd: threads may meet, or additions would wait", s.span
                )
            case ir.Call(function="hetad_add_run", args=args):
                yield Accumulated(function.name, _name(args[0]), "atomic additions, as vectors", s.span)
            case ir.Call(function=name, args=args) if name.startswith("hetad_block_add"):
                yield Accumulated(function.name, _name(args[0]), "uniform: block reduction, one atomic a block", s.span)
            case ir.Call(function=name, args=args) if name.startswith("hetad_block_sum"):
                yield Accumulated(function.name, _name(args[0]), "uniform: block reduction, in a fixed order", s.span)
            case ir.Update(target=target) if _root(target) in shadows:
                yield Accumulated(function.name, _name(target), _updated(function, turns), s.span)


def _updated(function: ir.Function, turns: bool) -> str:
    if turns:
        return "in turn: one thread works for all, for a fixed order"
    return "gather: summed by a thread for each cell" if "_gather_" in function.name else "exclusive: plain +="


def _root(place: ir.Expr) -> ir.Symbol | None:
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Index(base=base) | ir.Member(base=base) | ir.Binary(left=base) | ir.Cast(operand=base):
            return _root(base)
        case ir.AddressOf(place=inner):
            return _root(inner)
    return None


def _name(place: ir.Expr) -> str:
    root = _root(place)
    return root.name if root is not None else "memory"
