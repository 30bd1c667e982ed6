"""Statements that only move values between variables, as `t = a; a = b; b = t` does: a swap, a rotation.

What each of the variables held is still in one of them.  So the reverse sweep moves it back, and only what no variable
holds any more is saved: nothing for a swap, one value for a history that is shifted by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import Float, Int, Pointer, is_volatile

if TYPE_CHECKING:
    from hetad.adjoint.engine import Engine, Parts

Move = ir.Declare | ir.Assign
Back = dict[ir.Symbol, ir.Symbol]  # where the old value of a variable is


@dataclass(frozen=True, slots=True)
class Moves:
    """A run of moves; `back`: where their undoing takes the old values from, `lost`: variables whose is nowhere."""

    run: tuple[Move, ...]
    back: Back
    lost: tuple[ir.Symbol, ...]


def grouped(engine: Engine, body: ir.Body) -> Iterator[ir.Stmt | Moves]:
    """The statements, with those runs of moves as one that keep an old value."""
    run: list[Move] = []
    for s in body:
        move = _as_move(engine, s)
        if move is not None and (not run or _like(engine, run[-1], move)):
            run.append(move)
            continue
        yield from _as_one(run)
        run = [move] if move is not None else []
        if move is None:
            yield s
    yield from _as_one(run)


def reverse_moves(engine: Engine, moves: Moves) -> Parts:
    """The moves, of shadows too, and what undoes them."""
    forward: list[ir.Stmt] = []
    reverse: list[ir.Stmt] = []
    span = moves.run[0].span
    shadowed = engine.is_active_symbol(_target(moves.run[0]))
    for symbol in moves.lost:
        for x in (symbol, engine.shadow(symbol)) if shadowed else (symbol,):
            save, restore = engine.save(ir.Var(x, span=span), span)
            forward += save
            reverse = [*restore, *reverse]
    for s in moves.run:
        if isinstance(s, ir.Declare):
            forward += engine.declare(s)[0]
            continue
        if shadowed:
            forward.append(engine.point(s.target, s.value, s.span))
        forward.append(s)
    back = list(_in_order(engine, moves.back, span))
    if shadowed:
        shadows = {engine.shadow(x): engine.shadow(y) for x, y in moves.back.items()}
        back += _in_order(engine, shadows, span)
    return forward, [*back, *reverse]


def _as_one(run: list[Move]) -> Iterator[ir.Stmt | Moves]:
    holds: Back = {}  # which variable's old value each holds
    for s in run:
        value = _value(s)
        holds[_target(s)] = holds.get(value, value)
    declared = {s.symbol for s in run if isinstance(s, ir.Declare)}
    kept = set(holds.values())
    back: Back = {}
    for symbol, value in holds.items():
        holders = [x for x, old in holds.items() if old is symbol and x is not symbol]
        # A variable that gets its own value back is the better source: nothing else may need the others.
        holders.sort(key=lambda x: (x not in kept, x in declared))
        if holders and symbol not in declared and value is not symbol:
            back[symbol] = holders[0]
    lost = tuple(x for x in holds if x not in back and x not in declared and holds[x] is not x)
    if back:
        yield Moves(tuple(run), back, lost)
    else:
        yield from run


def _in_order(engine: Engine, back: Mapping[ir.Symbol, ir.Symbol], span: Span) -> Iterator[ir.Stmt]:
    """Moves that do the same as all of `back` at once."""
    waiting = dict(back)
    while waiting:
        free = next((x for x in waiting if x not in waiting.values()), None)
        if free is not None:
            yield ir.Assign(ir.Var(free, span=span), ir.Var(waiting.pop(free), span=span), span=span)
            continue
        first = next(iter(waiting))  # of a cycle: its value goes elsewhere before it is overwritten
        name = engine.names.adjoint if first.adjoint else engine.names.symbol
        aside = name("aside", first.type, span)
        engine.pointers.add(aside, engine.pointers.held(first))
        yield ir.Declare(aside, ir.Var(first, span=span), span=span)
        waiting = {x: aside if y is first else y for x, y in waiting.items()}


def _as_move(engine: Engine, s: ir.Stmt) -> Move | None:
    match s:
        case ir.Declare(init=ir.Var()) | ir.Assign(target=ir.Var(), value=ir.Var()):
            both = (_target(s), _value(s))
            return s if all(_moves(engine, x) for x in both) and both[0].type == both[1].type else None
    return None


def _moves(engine: Engine, symbol: ir.Symbol) -> bool:
    """Whether only its name reaches the variable, and it holds a pointer, or a number that carries no derivative."""
    if symbol.storage not in ("local", "param") or symbol in engine.pointers.pointed():
        return False
    if isinstance(symbol.type, Int | Float):
        return symbol not in engine.active and not is_volatile(symbol.type)
    return isinstance(symbol.type, Pointer)


def _like(engine: Engine, before: Move, move: Move) -> bool:
    one, other = _target(before), _target(move)
    alike = isinstance(one.type, Pointer) == isinstance(other.type, Pointer)
    return alike and engine.is_active_symbol(one) == engine.is_active_symbol(other)


def _target(s: Move) -> ir.Symbol:
    if isinstance(s, ir.Declare):
        return s.symbol
    assert isinstance(s.target, ir.Var)
    return s.target.symbol


def _value(s: Move) -> ir.Symbol:
    value = s.init if isinstance(s, ir.Declare) else s.value
    assert isinstance(value, ir.Var)
    return value.symbol
