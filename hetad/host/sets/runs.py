"""Loops over the sets of a batch: arithmetic of the host that differs between them, in the order of the program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from hetad.host.sets.refusal import OneByOne
from hetad.host.sets.variables import Differing, is_plain
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, integer, var, zero
from hetad.ir.identity import IdentitySet
from hetad.ir.places import base
from hetad.ir.types import SIZE_T, Array, Pointer
from hetad.ir.visit import bodies, declared, map_bodies, own_exprs, substitute, variables, walk_exprs, walk_stmts
from hetad.rules import operations

MOST_ELEMENTS = 64  # of an array that is given its elements one by one


class Runs:
    """`body`, with each run of such statements in a block; `beyond`: the variables that differ and do not belong to one
    run alone."""

    def __init__(self, body: ir.Body, differing: Differing) -> None:
        self._differing = differing
        self._found: IdentitySet[ir.Stmt] = IdentitySet()
        self.body = self._grouped(body)
        self.beyond = self._beyond()

    def __contains__(self, s: ir.Stmt) -> bool:
        return s in self._found

    def _grouped(self, body: ir.Body) -> ir.Body:
        found: list[ir.Stmt] = []
        run: list[ir.Stmt] = []
        for s in (*body, None):
            if s is not None and is_plain(s) and self._differing.statement(s):
                run.append(s)
                continue
            if run:
                found.append(ir.Block(tuple(run), span=run[0].span))
                self._found.add(found[-1])
                run = []
            if s is not None:
                found.append(s if is_plain(s) else self._inside(s))
        return tuple(found)

    def _inside(self, s: ir.Stmt) -> ir.Stmt:
        if not bodies(s):
            return s
        header = (*s.init, *s.step) if isinstance(s, ir.For) else ()
        if any(map(self._differing.expr, own_exprs(s))) or any(map(self._differing.statement, header)):
            raise OneByOne("what the host does next differs between the sets", s.span)
        if isinstance(s, ir.For):
            return replace(s, body=self._grouped(s.body), primal=None)
        return map_bodies(self._grouped, s)

    def _beyond(self) -> list[ir.Symbol]:
        place: dict[ir.Symbol, int] = {}
        beyond: dict[ir.Symbol, None] = {}
        for number, s in enumerate(self._units(self.body)):
            mentioned = variables((s,)) if s in self else (x for e in own_exprs(s) for x in variables(e))
            for x in (*mentioned, *(d.symbol for d in self._declarations(s))):
                if x in self._differing.symbols and place.setdefault(x, number) != number:
                    beyond[x] = None
        inside = {d.symbol for s in self._units(self.body) if s in self for d in self._declarations(s)}
        return [*beyond, *(x for x in place if x not in beyond and x not in inside)]

    def _units(self, body: ir.Body) -> Iterator[ir.Stmt]:
        for s in body:
            yield s
            if s not in self:
                for inner in bodies(s):
                    yield from self._units(inner)

    def _declarations(self, s: ir.Stmt) -> list[ir.Declare]:
        return [d for d in (bodies(s)[0] if s in self else (s,)) if isinstance(d, ir.Declare)]


def loop_over_sets(
    body: ir.Body, sets: ir.Symbol, own: Mapping[ir.Symbol, ir.Symbol], shared: Collection[ir.Symbol], names: Names
) -> ir.Stmt:
    """`own`: for variables, the pointers to what each set has in their place."""
    span = body[0].span
    set_ = names.symbol("set", SIZE_T, span)
    inside = set(declared(body))
    opening: list[ir.Stmt] = []
    replaced: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    for x in dict.fromkeys(variables(body)):
        if x in inside:
            continue
        pointer = own.get(x, x if isinstance(x.type, Pointer) and x not in shared else None)
        if pointer is None:
            continue
        here = names.symbol(f"{x.name}_here", pointer.type, span)
        there = operations.of_set(var(pointer), var(set_), span=span)
        opening.append(ir.Declare(here, ir.Cast(there, pointer.type, span=span), span=span))
        replaced[x] = ir.Index(var(here), integer(0, span), x.type, span=span) if x in own else here
    _check(body, inside)
    written = substitute(replaced, body)
    return ir.For(
        (ir.Declare(set_, integer(0, span, SIZE_T), span=span),),
        binary("<", var(set_), var(sets)),
        (ir.Update("+", var(set_), integer(1, span, SIZE_T), span=span),),
        (*opening, *written),
        span=span,
    )


def without_declarations(body: ir.Body, own: Collection[ir.Symbol]) -> ir.Body:
    """Without those of variables that are there already."""
    return tuple(s for d in body for s in _assigned(d, own))


def _assigned(s: ir.Stmt, own: Collection[ir.Symbol]) -> Iterator[ir.Stmt]:
    if not isinstance(s, ir.Declare) or s.symbol not in own:
        yield s
    elif s.init is not None:
        yield from _initialised(ir.Var(s.symbol, span=s.span), s.init)


def _initialised(place: ir.Place, value: ir.Expr) -> Iterator[ir.Stmt]:
    """What gives an array its elements, each by itself."""
    if not isinstance(place.type, Array):
        yield ir.Assign(place, value, span=place.span)
        return
    if not isinstance(value, ir.Aggregate) or place.type.length is None or place.type.length > MOST_ELEMENTS:
        raise OneByOne("an array of the host differs between the sets", place.span)
    for i in range(place.type.length):
        at = ir.Index(place, integer(i, place.span), place.type.of, span=place.span)
        given = value.elements[i] if i < len(value.elements) else zero(place.type.of, place.span)
        yield from _initialised(at, given)


def _check(body: ir.Body, inside: Collection[ir.Symbol]) -> None:
    """Memory is reached through variables that are pointers, so that it is known where a set has its own."""
    for e in walk_exprs(body):
        if isinstance(e, ir.Index) and isinstance(e.base.type, Pointer):
            root = base(e)
            if root is None or not isinstance(root.type, Pointer):
                raise OneByOne("the host reaches memory through a pointer that lies in memory", e.span)
            inner = e.base
            while isinstance(inner, ir.Index | ir.Member):
                inner = inner.base
                if isinstance(inner.type, Pointer) and not isinstance(inner, ir.Var):
                    raise OneByOne("the host reaches memory through a pointer that lies in memory", e.span)
        if isinstance(e, ir.Intrinsic) and operations.gives(e, operations.now):
            raise OneByOne("the host reads memory that has moved", e.span)
    for s in walk_stmts(body):
        if isinstance(s, ir.Assign | ir.Update) and isinstance(s.target.type, Pointer):
            if not isinstance(s.target, ir.Var) or s.target.symbol not in inside:
                raise OneByOne("a pointer differs between the sets", s.span)
