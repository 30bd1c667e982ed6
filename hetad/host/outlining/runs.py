"""Runs: neighbouring statements of a gradient function that come from one inlined call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hetad.adjoint.canonicalise.uses import idle, inside, mentioned, root_of
from hetad.analysis.dataflow import settle
from hetad.diagnostics import Inlined
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.types import Float
from hetad.ir.visit import same_or, walk_stmts
from hetad.rules import callees


@dataclass(frozen=True, slots=True)
class Run:
    """`before`: declarations from elsewhere that stood among the statements.  `end`: where the rest of the block is.
    `scopes`: the blocks around the run, its own last."""

    call: Inlined
    reverse: bool
    statements: ir.Body
    before: ir.Body
    end: int
    scopes: tuple[ir.Body, ...]

    def is_mentioned_later(self, symbol: ir.Symbol) -> bool:
        return last_mentions(self.scopes[-1]).get(symbol, -1) >= self.end


Rewriter = Callable[[Run], "ir.Body | None"]


def map_runs(fn: Rewriter, body: ir.Body, of: Collection[str], scopes: tuple[ir.Body, ...] = ()) -> ir.Body:
    """`body` with `fn` applied to its runs that come from calls of some functions, none of which calls another.
    None leaves a run as it is."""
    scopes = (*scopes, body)
    out: list[ir.Stmt] = []
    at = 0
    while at < len(body):
        end = _end(body, at, of)
        if end == at:
            out.append(inside(lambda inner: map_runs(fn, inner, of, scopes), body[at]))
            at += 1
            continue
        new = fn(_run(body, at, end, of, scopes))
        out += body[at:end] if new is None else new
        at = end
    return same_or(body, tuple(out))


def callees_first(body: ir.Body) -> list[list[str]]:
    """The inlined functions: those that call no other, then those that call them, and so on."""
    callers: dict[str, set[str]] = {}
    for s in walk_stmts(body):
        chain = [i.function for i in s.span.inlinings()]
        callers.update({name: set() for name in chain if name not in callers})
        for inner, outer in pairwise(chain):
            callers[inner].add(outer)
    heights = dict.fromkeys(callers, 0)

    def raised() -> None:
        for inner, outer in ((f, g) for f, found in callers.items() for g in found):
            heights[outer] = max(heights[outer], heights[inner] + 1)

    settle(lambda: sum(heights.values()), raised)
    return [[f for f in callers if heights[f] == h] for h in sorted(set(heights.values()))]


def _run(body: ir.Body, at: int, end: int, of: Collection[str], scopes: tuple[ir.Body, ...]) -> Run:
    call = _inlining(body[at], of)
    assert call is not None
    before = tuple(s for s in body[at:end] if _is_neutral(s, call, of))
    statements = tuple(s for s in body[at:end] if not _is_neutral(s, call, of))
    return Run(call, any(map(_reverses, statements)), statements, before, end, scopes)


def _end(body: ir.Body, at: int, of: Collection[str]) -> int:
    """Where the run ends that begins here; `at` if none does.  The reverse sweep begins a run of its own."""
    call = _inlining(body[at], of)
    if call is None or _is_neutral(body[at], call, of):
        return at
    end, reverse = at + 1, _reverses(body[at])
    for k in range(at + 1, len(body)):
        if _is_neutral(body[k], call, of):
            continue
        if _inlining(body[k], of) is not call or (not reverse and _reverses(body[k])):
            break
        end = k + 1
    return end


def _inlining(s: ir.Stmt, of: Collection[str]) -> Inlined | None:
    """The call of one of these functions that a statement comes from."""
    return next((i for i in s.span.inlinings() if i.function in of), None)


def _is_neutral(s: ir.Stmt, call: Inlined, of: Collection[str]) -> bool:
    """A declaration that may as well stand in front of the run."""
    if not isinstance(s, ir.Declare):
        return False
    return s.init is None or (idle(s) and _inlining(s, of) is not call)


def _reverses(s: ir.Stmt) -> bool:
    """Whether the statement, or one in it, is of the reverse sweep."""
    return any(_is_of_reverse_sweep(x) for x in walk_stmts((s,)))


def _is_of_reverse_sweep(s: ir.Stmt) -> bool:
    match s:
        case ir.Comment():
            return True
        case ir.Call():
            return callees.has(s, "of reverse sweep")
        case ir.Assign(target=target) | ir.Update(target=target) if isinstance(target.type, Float):
            root = root_of(target)
            return root is not None and root.adjoint
    return False


def _find_last_mentions(body: ir.Body) -> Mapping[ir.Symbol, int]:
    return {x: k for k, s in enumerate(body) for x in mentioned(s)}


last_mentions: Fact[ir.Body, Mapping[ir.Symbol, int]] = lasting(_find_last_mentions)  # positions, of each variable
