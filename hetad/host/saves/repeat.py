"""Steps that run again: what only their first run does, and whether the others come to the same.

A step of a time loop that is run again does not print or touch files a second time.  What a file, a clock or a
generator of random numbers gave may be something else then, so nothing but output may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.adjoint.engine import Engine
from hetad.analysis.dataflow import closed
from hetad.analysis.pointers import Location
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import zero
from hetad.ir.types import INT, Pointer, Type
from hetad.ir.visit import bodies, declared, map_body, walk_stmts
from hetad.memops.table import TABLE
from hetad.rules import callees, operations

_Sets = ir.Declare | ir.Assign | ir.Update


def obstacle(engine: Engine, body: ir.Body) -> str:
    """Why a step cannot be run again; "" if it can, with other ranks where it meets them."""
    for s in walk_stmts(body):
        if isinstance(s, ir.Call) and _reads_on(s.function):
            return f"'{s.function}' in it reads on in a file, which cannot be done again"
    if _Repeated(engine, body).is_harmless(body):
        return ""
    names = ", ".join(f"'{n}'" for n in dict.fromkeys(_sources(body)))
    return f"it cannot be run again: more than output depends on what {names} gives"


def silent(body: ir.Body) -> ir.Body:
    """A step as it runs again: without output, and with zero for what came from files and generators."""

    def keep(s: ir.Stmt) -> ir.Stmt | ir.Body:
        return _instead(s) if _happens_once(s) else s

    return map_body(keep, body)


def once(body: ir.Body) -> ir.Body:
    """A step that is silent in all runs but the first."""

    def keep(s: ir.Stmt) -> ir.Stmt:
        return ir.If(operations.first_run(span=s.span), (s,), _instead(s), span=s.span) if _happens_once(s) else s

    return map_body(keep, body)


def _instead(s: ir.Stmt) -> ir.Body:
    if isinstance(s, ir.Call) and s.result is not None:
        return (ir.Assign(s.result, _zero(s.result.type, s.span), span=s.span),)
    return ()


def _zero(type_: Type, span: Span) -> ir.Expr:
    return ir.Cast(ir.Const(0, INT, span=span), type_, span=span) if isinstance(type_, Pointer) else zero(type_, span)


def _happens_once(s: ir.Stmt) -> bool:
    if not isinstance(s, ir.Call):
        return isinstance(s, ir.Opaque)
    callee = callees.find(s.function)
    return (callee.once or callee.stops) and callee.kind != "formatted"


def _reads_on(function: str) -> bool:
    """Whether a function brings what comes next in a file into memory."""
    callee = callees.find(function)
    return callee.once and (callee.kind == "formatted" or callee.position("dst") is not None)


def _varies(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Call) and s.function in TABLE and TABLE[s.function].varies


def _sources(body: ir.Body) -> Iterator[str]:
    for s in walk_stmts(body):
        if isinstance(s, ir.Call) and (_varies(s) or (_happens_once(s) and s.result is not None)):
            yield s.function


class _Repeated:
    """What may be something else when a body runs again: `uncertain`."""

    def __init__(self, engine: Engine, body: ir.Body) -> None:
        self.engine = engine
        self.effects = engine.effects
        self.uncertain: set[Location] = set()
        closed(self.uncertain, body, self._follows)

    def is_harmless(self, body: ir.Body) -> bool:
        """Whether nothing but output, and no adjoint, depends on what is uncertain."""
        return all(self._is_harmless(s) for s in body)

    def _is_harmless(self, s: ir.Stmt) -> bool:
        if not all(self.is_harmless(inner) for inner in bodies(s)):
            return False
        if _happens_once(s) or not self._depends(s):
            return True
        if isinstance(s, ir.If):
            return all(self._may_be_left_out(x) for x in walk_stmts((*s.then, *s.orelse)))
        return self._only_sets(s)

    def _may_be_left_out(self, s: ir.Stmt) -> bool:
        return _happens_once(s) or isinstance(s, ir.If | ir.Block | ir.For) or self._only_sets(s)

    def _only_sets(self, s: ir.Stmt) -> bool:
        """Whether all that the statement does is to set something inactive."""
        if isinstance(s, ir.Call):
            return _is_plain(s)
        if not isinstance(s, _Sets):
            return False
        place = ir.Var(s.symbol, span=s.span) if isinstance(s, ir.Declare) else s.target
        return not self.engine.is_active(place)

    def _depends(self, s: ir.Stmt) -> bool:
        return not self.uncertain.isdisjoint(self.effects.reads(s))

    def _follows(self, s: ir.Stmt) -> set[Location]:
        """What a statement makes uncertain."""
        if isinstance(s, ir.If) and self._depends(s):
            inner = (*s.then, *s.orelse)
            return {x for each in walk_stmts(inner) for x in self.effects.writes(each)} - set(declared(inner))
        if isinstance(s, ir.Call) and (_varies(s) or _happens_once(s)):
            return set(self.effects.writes(s))
        plain = isinstance(s, _Sets) or (isinstance(s, ir.Call) and _is_plain(s))
        return set(self.effects.writes(s)) if plain and self._depends(s) else set()


def _is_plain(s: ir.Call) -> bool:
    """Calls that set variables, in any run."""
    callee = callees.find(s.function)
    inert = callee.operation is not None and callee.operation.action in ("inert", "text")
    return inert or callee.kind == "formatted"
