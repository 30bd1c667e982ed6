"""Stores whose address depends on what they overwrite: `c[c[0] > c[1] ? 0 : 1] *= x`.

Saving, storing, restoring and taking the seed must all mean the same cell.  So what decides the address, and changes
with the store, is kept in a variable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import Array, Pointer

if TYPE_CHECKING:
    from hetad.analysis.effects import Effects
    from hetad.diagnostics import Span
    from hetad.ir.types import Type


Store = TypeVar("Store", ir.Assign | ir.Update, ir.Call)


class Locals(Protocol):
    """What an engine offers to this module."""

    effects: Effects

    def local(self, name: str, type_: Type, span: Span) -> ir.Symbol:
        """A new variable that may be used here."""


def pinned(engine: Locals, s: Store) -> tuple[list[ir.Stmt], Store]:
    """Statements in front of the store, and the store to an address that it leaves alone."""
    pinning = _Pinning(engine, s)
    if isinstance(s, ir.Call):
        args = tuple(pinning.pointer(a) if isinstance(a.type, Pointer | Array) else a for a in s.args)
        result = pinning.place(s.result) if s.result is not None else None
        return pinning.before, replace(s, args=args, result=result) if pinning.before else s
    target = pinning.place(s.target)
    return pinning.before, replace(s, target=target) if pinning.before else s


class _Pinning:
    def __init__(self, engine: Locals, s: ir.Stmt) -> None:
        self._engine, self._stores = engine, isinstance(s, ir.Assign | ir.Update)
        self._changed = set(engine.effects.writes(s))
        self.before: list[ir.Stmt] = []

    def place(self, place: ir.Place) -> ir.Place:
        match place:
            case ir.Index(base=base, index=index):
                return replace(place, base=self.pointer(base), index=self._held(index))
            case ir.Member(base=base):
                return replace(place, base=self._aggregate(base))
        return place

    def _aggregate(self, base: ir.Expr) -> ir.Expr:
        return self.place(base) if isinstance(base, ir.Index | ir.Member) else base

    def pointer(self, e: ir.Expr) -> ir.Expr:
        """An expression that leads to the cell."""
        match e:
            case ir.Select(cond=cond, then=then, orelse=orelse):
                return replace(e, cond=self._held(cond), then=self.pointer(then), orelse=self.pointer(orelse))
            case ir.Binary(left=left, right=right) if isinstance(left.type, Pointer | Array):
                return replace(e, left=self.pointer(left), right=self._held(right))
            case ir.AddressOf(place=place):
                return replace(e, place=self.place(place))
            case ir.Cast(operand=operand):
                return replace(e, operand=self.pointer(operand))
            case ir.Index() | ir.Member() if isinstance(e.type, Array):
                return self.place(e)
            case ir.Var() | ir.Index() | ir.Member() if self._overwrites(e):
                raise UnsupportedError(
                    "this store may overwrite the pointer that leads to it", e.span, "keep that pointer in a variable"
                )
        return e

    def _overwrites(self, pointer: ir.Expr) -> bool:
        return self._stores and isinstance(pointer.type, Pointer) and self._changes(pointer)

    def _held(self, e: ir.Expr) -> ir.Expr:
        if not self._changes(e):
            return e
        kept = ir.Var(self._engine.local("at", e.type, e.span), span=e.span)
        self.before.append(ir.Assign(kept, e, span=e.span))
        return kept

    def _changes(self, e: ir.Expr) -> bool:
        return not self._engine.effects.stable(e, self._changed)
