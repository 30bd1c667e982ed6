"""What a pullback reads of memory, asked for before it computes.

    const double u = x[i];                            const double u = x[i];
    const double w = exp(u) / (1 + sqrt(u));          const double seed = adj_y[i];
    const double seed = adj_y[i];              →      const double w = exp(u) / (1 + sqrt(u));
    adj_x[i] += seed * w;                             adj_x[i] += seed * w;

A thread waits for memory where it first needs what it has asked for.  Seeds stand behind the forward computation, and
compilers do not move them across its branches: so each group of loads is waited for by itself, which takes most of the
time of a kernel that computes much for each number.  What is needed of memory that the kernel only reads, in conditions
too, moves as well, and in front of loops in whose turns it is the same; never what is read under a condition, and only
few numbers, which occupy registers from then on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hetad.adjoint.canonicalise.uses import inside
from hetad.adjoint.expressions import is_seeded
from hetad.analysis.work import arithmetic, known_turns
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import changed_in, reached_by, root_symbol
from hetad.ir.types import Float, Int, Pointer, is_volatile
from hetad.ir.visit import (
    children,
    map_expr,
    map_exprs,
    map_own_exprs,
    own_exprs,
    own_nodes,
    same_or,
    variables,
    walk_expr,
    walk_stmts,
)
from hetad.rules import callees

MOST = 12  # numbers that move in a block
WORTH = 24  # operations between where a load stands and where it may stand
LONG = 400  # statements of a kernel that has no registers to spare


@on_body("load-early")
def loaded_early(draft: Draft) -> ir.Body:
    """What is read of memory behind long computations is asked for in front of them."""
    if draft.overlapping or sum(1 for _ in walk_stmts(draft.body)) > LONG:
        return draft.body
    return _early(draft.body, draft.names)


def _early(body: ir.Body, names: Names) -> ir.Body:
    block = _Block(names)
    for s in body:
        block.add(inside(partial(_early, names=names), s))
    return same_or(body, tuple(block.out))


class _Block:
    """The statements of a block as far as they are known, with the loads of later ones among them."""

    def __init__(self, names: Names) -> None:
        self.out: list[ir.Stmt] = []
        self._names = names
        self._early: list[ir.Declare] = []

    def add(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Declare) and s.init is not None and _memory_of(s.init) is not None:
            at = self._earliest(s.init)
            if self._is_worth(at):
                self._put(at, s, s.init)
                return
        for place in dict.fromkeys(_read_anyhow(s)):
            value = self._value(place)
            if value is not None:
                s = map_own_exprs(partial(_instead, place, value), s)
        for place in dict.fromkeys(_read_in_each_turn(s)):
            value = self._value(place, loop=s)
            if value is not None:
                (s,) = map_exprs(partial(_if_same, place, value), (s,))
        self.out.append(s)

    def _value(self, place: ir.Expr, loop: ir.Stmt | None = None) -> ir.Var | None:
        """A variable that has been given what a place holds, earlier, and has it still, also while `loop` runs; None
        where it is not worth one."""
        at = self._earliest(place)
        for made in self._early:
            since = next((i for i in range(max(at - 1, 0), len(self.out)) if self.out[i] is made), None)
            if made.init == place and since is not None:
                passed = (*self.out[since + 1 :], *((loop,) if loop is not None else ()))
                if made.symbol not in changed_in(passed):
                    return ir.Var(made.symbol, span=place.span)
        if len(self._early) >= MOST or (loop is None and not self._is_worth(at)):
            return None
        value = self._names.symbol(_name(place), place.type, place.span, const=True)
        self._put(at, ir.Declare(value, place, span=place.span), place)
        return ir.Var(value, span=place.span)

    def _is_worth(self, at: int) -> bool:
        return len(self._early) < MOST and arithmetic(tuple(self.out[at:])) >= WORTH

    def _put(self, at: int, s: ir.Declare, place: ir.Expr) -> None:
        """A load stands further up, for all that reads the place from there on."""
        while (
            at < len(self.out)
            and isinstance(first := self.out[at], ir.Declare)
            and first.init is not None
            and _memory_of(first.init)
        ):
            at += 1  # in the order of the text
        value = ir.Var(s.symbol, span=place.span)
        self.out[at:] = [s, *map_exprs(partial(_if_same, place, value), tuple(self.out[at:]))]
        self._early.append(s)

    def _earliest(self, place: ir.Expr) -> int:
        """How many of the statements before it a load has to leave there."""
        memory, needed = _memory_of(place), set(variables(place))
        at = len(self.out)
        while at > 0:
            s = self.out[at - 1]
            if not needed.isdisjoint(changed_in((s,))) or any(x is memory or x is None for x in _all_written(s)):
                break
            at -= 1
        return at


def _memory_of(e: ir.Expr) -> ir.Symbol | None:
    """The parameter through which a number is read of memory."""
    if not isinstance(e, ir.Index | ir.Member) or not isinstance(e.type, Float | Int) or is_volatile(e.type):
        return None
    pointer = reached_by(e)
    known = pointer is not None and pointer.storage == "param" and root_symbol(e) is None
    inner = sum(isinstance(x, ir.Index) for x in walk_expr(e))
    return pointer if known and inner == 1 else None


def _read_anyhow(s: ir.Stmt) -> Iterator[ir.Expr]:
    """What a statement reads of memory, whatever its conditions are."""
    if isinstance(s, ir.Declare | ir.Assign | ir.Update | ir.If):
        waiting = [e for e in own_exprs(s) if not isinstance(s, ir.Assign | ir.Update) or e is s.value]
        while waiting:
            e = waiting.pop()
            if _memory_of(e) is not None:
                yield e
            elif isinstance(e, ir.Select) and is_seeded(e):
                waiting += children(e)
            elif isinstance(e, ir.Select) or (isinstance(e, ir.Binary) and e.op in ("&&", "||")):
                waiting.append(children(e)[0])
            elif not isinstance(e, ir.AddressOf):
                waiting += children(e)


def _read_in_each_turn(s: ir.Stmt) -> Iterator[ir.Expr]:
    """What a loop that runs several times reads in each of its turns, and is the same in all."""
    if not isinstance(s, ir.For) or (known_turns(s) or 0) < 2:
        return
    written, changed = _all_written(s), changed_in((s,))
    for inner in s.body:
        for place in _read_anyhow(inner):
            memory = _memory_of(place)
            if memory not in written and None not in written and changed.keys().isdisjoint(variables(place)):
                yield place


def _find_written(s: ir.Stmt) -> tuple[ir.Symbol | None, ...]:
    """The parameters through which a statement writes to memory; None: it may be any memory, or all threads meet."""
    return tuple(x for inner in walk_stmts((s,)) for x in _memory_written(inner))


_all_written: Fact[ir.Stmt, tuple[ir.Symbol | None, ...]] = lasting(_find_written)


def _memory_written(s: ir.Stmt) -> Iterator[ir.Symbol | None]:
    match s:
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            yield from _behind(place)
    match s:
        case ir.Opaque() | ir.Return() | ir.Break() | ir.Continue():
            yield None
        case ir.Call() if callees.meets(s):
            yield None
        case ir.Call(args=args):
            yield from (x for e in args if isinstance(e.type, Pointer) for x in _behind(e))
    for e in own_nodes(s):
        if isinstance(e, ir.Intrinsic | ir.CallExpr):
            yield from (x for arg in e.args if isinstance(arg.type, Pointer) for x in _behind(arg))


def _behind(place: ir.Expr) -> Iterator[ir.Symbol | None]:
    """The parameter through which memory is reached; nothing for a variable's own."""
    if isinstance(place, ir.AddressOf):
        place = place.place
    if root_symbol(place) is None:
        pointer = reached_by(place)
        yield pointer if pointer is not None and pointer.storage == "param" else None


def _name(place: ir.Expr) -> str:
    """`region_i` for `region[i]`, `rx_k` for `mesh.rx[k]`, `velocity_x` for `velocity[n].x`."""
    match place:
        case ir.Member(base=ir.Index(base=pointer), name=name):
            return f"{_stem(pointer)}_{name}"
        case ir.Index(base=pointer, index=ir.Var(symbol=index)):
            return f"{_stem(pointer)}_{index.name}"
        case ir.Index(base=pointer):
            return f"{_stem(pointer)}_here"
    return "here"


def _stem(pointer: ir.Expr) -> str:
    return next(
        (
            e.name if isinstance(e, ir.Member) else e.symbol.name
            for e in walk_expr(pointer)
            if isinstance(e, ir.Member | ir.Var)
        ),
        "value",
    )


def _instead(place: ir.Expr, value: ir.Var, e: ir.Expr) -> ir.Expr:
    return map_expr(partial(_if_same, place, value), e)


def _if_same(place: ir.Expr, value: ir.Var, e: ir.Expr) -> ir.Expr:
    if isinstance(e, ir.AddressOf) and e.place == value:  # where it lies, not what is there
        return replace(e, place=place)  # type: ignore[arg-type]
    return value if e == place else e
