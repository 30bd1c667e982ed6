"""What the reverse sweep needs of a value that a loop keeps: where that is one function of it, the function's value.

    for (at) { kept[at] = q; s = sinf(q); ... }           for (at) { sincosf(q, &s, &kept[at]); ... }
    for (at, downwards) { q = kept[at]; ... cosf(q) }     for (at, downwards) { ... kept[at] }

The forward loop has most often worked it out already, and sine and cosine come together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hetad.adjoint.canonicalise.uses import mentioned, mentioned_in
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.build import address_of
from hetad.ir.places import changed_in
from hetad.ir.types import Array
from hetad.ir.visit import (
    ExprRewriter,
    bodies,
    map_bodies,
    map_exprs,
    same_or,
    substitute,
    variables,
    walk_exprs,
    with_bodies,
)

_TOGETHER = {"sinf": "cosf", "cosf": "sinf", "sin": "cos", "cos": "sin"}


@on_body("keep-factors")
def factors_kept(draft: Draft) -> ir.Body:
    """A loop keeps what the reverse sweep needs of a value instead of the value."""
    return with_factors(draft.body)


def with_factors(body: ir.Body, later: frozenset[ir.Symbol] = frozenset()) -> ir.Body:
    """The body with values kept in local arrays replaced by what is needed of them.  `later`: variables that are read
    after it."""
    out = list(body)
    for i, s, follows in _compound(body):
        after = later | follows | set(variables(_header(s)))
        looped = isinstance(s, ir.For | ir.While)

        def inner(b: ir.Body, after: frozenset[ir.Symbol] = after, looped: bool = looped) -> ir.Body:
            return with_factors(b, after | _carried(b) if looped else after)

        out[i] = with_bodies(s, body=inner(s.body)) if isinstance(s, ir.For) else map_bodies(inner, s)
        if isinstance(s, ir.For) and s.primal is not None:
            _exchange(out, i, after)
    return same_or(body, tuple(out))


def _compound(body: ir.Body) -> list[tuple[int, ir.Stmt, frozenset[ir.Symbol]]]:
    """The statements with bodies, and what is mentioned after each."""
    found: list[tuple[int, ir.Stmt, frozenset[ir.Symbol]]] = []
    follows: set[ir.Symbol] = set()
    for i in reversed(range(len(body))):
        if bodies(body[i]):
            found.append((i, body[i], frozenset(follows)))
        follows |= mentioned(body[i])
    return found[::-1]


def _header(s: ir.Stmt) -> ir.Body:
    """What a loop evaluates between its iterations."""
    if isinstance(s, ir.For):
        return (replace(s, body=()),)
    return (replace(s, body=()),) if isinstance(s, ir.While) else ()


def _carried(body: ir.Body) -> frozenset[ir.Symbol]:
    """Variables that an iteration may have from the one before it."""
    found = mentioned_in(body)
    for s in body:
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and s.target.symbol in found:
            earlier = mentioned_in(body[: body.index(s)]) | set(variables(s.value))
            found -= {s.target.symbol} - earlier
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Kept:
    """`variable = cell` in a reverse loop, and what is wanted of it."""

    cell: ir.Index
    variable: ir.Symbol
    wanted: ir.Intrinsic


def _exchange(block: list[ir.Stmt], at: int, after: frozenset[ir.Symbol]) -> None:
    """In the reverse loop at `at`, and in the forward loop before it."""
    reverse = block[at]
    assert isinstance(reverse, ir.For)
    for s in reverse.body:
        kept = _taken_back(s, reverse.body)
        if kept is None or kept.variable in after:
            continue
        filling = [i for i in range(at) if kept.cell.base in (e for e in walk_exprs(block[i]))]
        forward = block[filling[0]] if len(filling) == 1 else None
        new = _filled(forward, kept) if isinstance(forward, ir.For) else None
        if new is None:
            continue
        block[filling[0]] = new
        rest = tuple(x for x in reverse.body if x is not s)
        block[at] = replace(reverse, body=map_exprs(_replaced(kept), rest))
        return


def _replaced(kept: _Kept) -> ExprRewriter:
    return lambda e: kept.cell if e == kept.wanted else e


def _taken_back(s: ir.Stmt, body: ir.Body) -> _Kept | None:
    """A restore that serves one function alone."""
    match s:
        case ir.Assign(target=ir.Var(symbol=x), value=ir.Index(base=ir.Var(symbol=array)) as cell):
            pass
        case _:
            return None
    rest = tuple(o for o in body if o is not s)
    if array.storage != "local" or not isinstance(array.type, Array) or x in changed_in(rest):
        return None
    calls = [e for e in walk_exprs(rest) if isinstance(e, ir.Intrinsic) and _only_of(e, x)]
    uses = sum(1 for y in variables(rest) if y is x)
    same = bool(calls) and all(e == calls[0] for e in calls)
    at = body.index(s)
    first = at == 0 or x not in mentioned_in(body[:at])
    if not same or uses != len(calls) or not first or array in mentioned_in(rest):
        return None
    if not changed_in(body[at:]).keys().isdisjoint(variables(cell.index)):
        return None  # another cell by the time of the call
    return _Kept(cell, x, calls[0])


def _only_of(e: ir.Intrinsic, x: ir.Symbol) -> bool:
    return len(e.args) == 1 and isinstance(e.args[0], ir.Var) and e.args[0].symbol is x and e.type == x.type


def _filled(loop: ir.For, kept: _Kept) -> ir.For | None:
    """The forward loop, which keeps what is wanted instead: if it works that out, or what comes with it."""
    body = loop.body
    stores = [s for s in body if isinstance(s, ir.Assign) and s.target == kept.cell]
    uses = sum(1 for e in walk_exprs(body) if e == kept.cell.base)
    if len(stores) != 1 or uses != 1 or stores[0].value != ir.Var(kept.variable, span=loop.span):
        return None
    at = body.index(stores[0])
    for i in range(at + 1, len(body)):
        s = body[i]
        made = _kept_at(s, kept) if isinstance(s, ir.Declare) else None
        if made is not None:
            text, renamed = made
            return replace(loop, body=(*body[:at], *body[at + 1 : i], *text, *substitute(renamed, body[i + 1 :])))
        if not {kept.variable, *variables(kept.cell.index)}.isdisjoint(changed_in((s,))):
            return None
    return None


def _kept_at(s: ir.Declare, kept: _Kept) -> tuple[list[ir.Stmt], dict[ir.Symbol, ir.Symbol | ir.Expr]] | None:
    """What stands for the declaration, and the variable that is declared instead; None if it has nothing to give."""
    span = s.span
    if not isinstance(s.init, ir.Intrinsic) or s.init.args != kept.wanted.args:
        return None
    if s.init == kept.wanted:
        return [s, ir.Assign(kept.cell, ir.Var(s.symbol, span=span), span=span)], {}
    if _TOGETHER.get(s.init.name) != kept.wanted.name:
        return None
    own = replace(s.symbol, const=False)
    sine, cosine = address_of(ir.Var(own, span=span)), address_of(kept.cell)
    if s.init.name.startswith("cos"):
        sine, cosine = cosine, sine
    together = "sincosf" if s.init.name.endswith("f") else "sincos"
    call = ir.Call(together, (*s.init.args, sine, cosine), span=span)
    return [ir.Declare(own, None, span=span), call], {s.symbol: own}
