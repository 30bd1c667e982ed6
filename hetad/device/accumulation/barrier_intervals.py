"""Statements on shared memory in which no two threads meet between two barriers; there, adjoints need no atomics.

A *piece* is a run of statements without a barrier.  What threads do at the same time is in one piece, or in pieces that
follow each other without a barrier between them.  Where only one of those touches an array, the piece is looked at as a
kernel of its own, launched with one block, in which everything that the threads of a block agree on is a parameter:
the access maps then tell whether two threads touch the same cell.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Accesses
from hetad.analysis.conflicts import Conflicts
from hetad.analysis.coordinates import AXES
from hetad.device.accumulation.accumulate import LaunchAssumptions, without_atomics
from hetad.device.accumulation.differences import Differences
from hetad.device.accumulation.increments import increment, takes
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import var
from hetad.ir.identity import IdentitySet
from hetad.ir.places import exposed, keeps_pointer, pointed_to, root_symbol, written
from hetad.ir.types import UINT, Array, Int
from hetad.ir.visit import (
    bodies,
    declared,
    map_bodies,
    map_body,
    map_exprs,
    own_exprs,
    own_nodes,
    substitute,
    variables,
    walk_stmts,
)
from hetad.rules import callees

Touched = Callable[[ir.Stmt], list[ir.Place]]


@dataclass(eq=False, slots=True)
class Piece:
    """Statements without a barrier; `before`: declarations in front of them, in the same block and in those around."""

    before: tuple[ir.Stmt, ...]
    statements: list[ir.Stmt] = field(default_factory=list)
    next: list[Piece] = field(default_factory=list)  # pieces that follow without a barrier

    @property
    def reached(self) -> set[Piece]:
        found: set[Piece] = set()
        todo = list(self.next)
        while todo:
            piece = todo.pop()
            if piece not in found:
                found.add(piece)
                todo += piece.next
        return found


@dataclass(frozen=True, slots=True)
class Dynamic:
    """The adjoints of dynamic shared memory: all threads of the block have the pointer `base` to them.

    param: that pointer where a piece is a kernel of its own.
    derived: the pointers that are declared for good with places reached from it.
    names: of all pointers that lead there.
    """

    base: ir.Symbol
    param: ir.Symbol
    derived: frozenset[ir.Symbol]
    names: frozenset[ir.Symbol]


def with_plain_phases(body: ir.Body, ground: LaunchAssumptions) -> ir.Body:
    """With plain updates of shared adjoints where between two barriers each cell belongs to one thread."""
    if not any(_waits(s) for s in walk_stmts(body)):
        return body
    dynamic = _dynamic(body, ground.behind) if ground.behind is not None else None
    memories = [frozenset((x,)) for x in _shared_adjoints(body)] + ([dynamic.names] if dynamic is not None else [])
    if not memories:
        return body
    phases = Phases(body, ground.span, dynamic)
    proven = IdentitySet[ir.Stmt]()
    for names in memories:
        proven.update(phases.apart(ground, lambda s: _cells(s, names)))  # noqa: B023
    return map_body(lambda s: without_atomics(s) if s in proven else s, body)


def _shared_adjoints(body: ir.Body) -> list[ir.Symbol]:
    """The arrays of the block to which threads add, or of which they take seeds, and which have no other name."""
    roots = [root_symbol(p) for s in walk_stmts(body) for p in _updated(s)]
    renamed = pointed_to(body)
    return list(dict.fromkeys(x for x in roots if x is not None and x.storage == "shared" and x not in renamed))


def _dynamic(body: ir.Body, behind: ir.Symbol) -> Dynamic | None:
    """None if other variables may lead there."""
    changed, found = written(body) | exposed(body), {behind}
    direct: list[ir.Declare] = []
    for s in walk_stmts(body):
        mentioned = {x for e in own_exprs(s) for x in variables(e)}
        if not keeps_pointer(s) or found.isdisjoint(mentioned):
            continue
        if not isinstance(s, ir.Declare) or not changed.isdisjoint((s.symbol, *mentioned)):
            return None
        found.add(s.symbol)
        direct += [s] if behind in mentioned else []
    alone = direct[0] if len(direct) == 1 else None  # of bytes, as a rule, which are numbers by another name
    whole = alone is not None and alone.init is not None and isinstance(bare(alone.init), ir.Var)
    base = alone.symbol if alone is not None and whole else behind
    param = replace(base, storage="param")
    return Dynamic(base, param, frozenset(found - {base, behind}), frozenset((*found, param)))


def _array(cell: ir.Expr) -> ir.Symbol | None:
    """The array that a cell belongs to, or the pointer by which it is reached at once."""
    if isinstance(cell, ir.Index) and isinstance(cell.base, ir.Var):
        return cell.base.symbol
    return root_symbol(cell)


def _updated(s: ir.Stmt) -> list[ir.Place]:
    found = increment(s)
    return [found.place] if found is not None else list(takes(s))


def _waits(s: ir.Stmt) -> bool:
    return callees.is_block_barrier(s)


class Phases:
    """The pieces of a body, and which of them follow each other."""

    def __init__(self, body: ir.Body, span: Span, dynamic: Dynamic | None = None) -> None:
        self.pieces: list[Piece] = []
        self._span, self._dynamic = span, dynamic
        self._differences = Differences(body)
        self._written = written(body) | exposed(body)
        self._body(body, self._piece(()), ())

    def _piece(self, before: tuple[ir.Stmt, ...]) -> Piece:
        self.pieces.append(Piece(before))
        return self.pieces[-1]

    def _body(self, body: ir.Body, piece: Piece, before: tuple[ir.Stmt, ...]) -> tuple[Piece, tuple[ir.Stmt, ...]]:
        """Goes on in `piece`; the piece at the end of the body, and the declarations so far."""
        for s in body:
            if _waits(s):
                piece = self._piece(before)
            elif isinstance(s, ir.Block):
                piece, before = self._body(s.body, piece, before)
            elif any(_waits(x) for x in walk_stmts((s,))):
                piece = self._around(s, piece, before)
            else:
                piece.statements.append(s)
                before += (s,) if self._defines(s) else ()
        return piece, before

    def _around(self, s: ir.Stmt, piece: Piece, before: tuple[ir.Stmt, ...]) -> Piece:
        """A statement with barriers inside: a piece for its conditions and steps, and those of its bodies."""
        own, after = self._piece(before), self._piece(before)
        own.statements.append(replace(s, body=()) if isinstance(s, ir.For) else map_bodies(lambda _: (), s))
        piece.next.append(own)
        own.next.append(after)
        for inner in (s.body,) if isinstance(s, ir.For) else bodies(s):
            start = self._piece(before)
            end, _ = self._body(inner, start, before)
            own.next.append(start)
            end.next.append(after if isinstance(s, ir.If) else own)
        return after

    def _defines(self, s: ir.Stmt) -> bool:
        """Whether the statement declares an integer for good, by what does not change either; or a pointer to adjoints
        of dynamic memory."""
        if not isinstance(s, ir.Declare) or s.init is None:
            return False
        if self._dynamic is not None and s.symbol in self._dynamic.derived:
            return True
        if not isinstance(s.symbol.type, Int):
            return False
        return self._written.isdisjoint((s.symbol, *variables(s.init)))

    def apart(self, ground: LaunchAssumptions, touched: Touched) -> IdentitySet[ir.Stmt]:
        """The statements that touch something, if between two barriers no two threads of a block touch one
        cell."""
        proven = IdentitySet[ir.Stmt]()
        where = [p for p in self.pieces if any(map(touched, walk_stmts(p.statements)))]
        for piece in where:
            alone = piece.reached.isdisjoint(where) and not any(piece in p.reached for p in where)
            if alone and self._exclusive(piece, ground, touched):
                proven.update(s for s in walk_stmts(piece.statements) if touched(s))
        return proven

    def _exclusive(self, piece: Piece, ground: LaunchAssumptions, touched: Touched) -> bool:
        whole = (*piece.before, *piece.statements)
        accesses = Accesses(self._as_kernel(whole, piece), ground.span, touched, AXES)
        conflicts = Conflicts(AccessMaps(accesses.coordinates, ground.axes.threads, ground.known))
        given = set(variables(whole))  # of what is no parameter of the kernel, no launch can be asked
        assumed = (a for value in accesses.coordinates.assumed for m in value.terms for a in m)
        return conflicts.exclusive(accesses.all) and given.issuperset(
            a.symbol for a in assumed if isinstance(a, ir.Var)
        )

    def _as_kernel(self, whole: ir.Body, piece: Piece) -> ir.Body:
        """With parameters for what all threads of a block agree on."""
        own = {*declared(whole), *written(tuple(piece.statements))}
        free = [x for x in dict.fromkeys(variables(whole)) if x not in own and x.storage == "local"]
        agreed = [x for x in free if not self._differences.differ_in(var(x))]
        params: dict[ir.Symbol, ir.Symbol | ir.Expr] = {x: replace(x, storage="param") for x in agreed}
        if self._dynamic is not None:
            params[self._dynamic.base] = self._dynamic.param
        here = {a: ir.Symbol(f"block_{a}", UINT, self._span, "param") for a in AXES}

        def fixed(e: ir.Expr) -> ir.Expr:
            if isinstance(e, ir.ThreadIndex) and e.name == "blockIdx":
                return ir.Var(here[e.axis], span=e.span)
            return e

        return map_exprs(fixed, substitute(params, whole))


def _cells(s: ir.Stmt, names: Collection[ir.Symbol]) -> list[ir.Place]:
    """The elements of the array with these names that the statement itself mentions; the array, if it mentions it
    otherwise."""
    if isinstance(s, ir.Declare) and s.symbol in names:
        return []
    inside = list(own_nodes(s))
    cells = (e for e in inside if isinstance(e, ir.Index) and not isinstance(e.type, Array))
    elements: list[ir.Place] = [*(e for e in cells if _array(e) in names)]
    named = [e for e in inside if isinstance(e, ir.Var) and e.symbol in names]
    if len(named) > len(elements):
        elements.append(named[0])
    return elements
