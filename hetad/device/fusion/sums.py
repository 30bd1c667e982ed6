"""Sums of a loop that only later adjoints need, formed in the loop that reverses it: there their terms are worked out
once more anyway.

    for (k) { d = x - a[k]; s += 1 / d; }           for (k, reversed) {
    adj_s = seed * c;                                   d = x - a[k];
    adj_c += seed * s;                        →         s += 1 / d;
    for (k, reversed) {                                 adj_x -= adj_s / (d * d);
        d = x - a[k];                               }
        adj_x -= adj_s / (d * d);                   adj_c += seed * s;
    }

Adjoints that need the sum wait for it; those that the loop itself needs cannot, and it stays as it is.  The terms are
those of the recomputation in the reversed loop, which has the primal's variables, added from the last to the first.

What one condition guards comes together for that, where what stands between may wait: `if (c) A; M; if (c) B; N`, of
which M needs A, is `if (c) { A B } M; N`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from hetad.adjoint.canonicalise import tidy
from hetad.adjoint.canonicalise.branches import steady_condition
from hetad.adjoint.canonicalise.uses import inside, mentioned, mentioned_in
from hetad.analysis.work import arithmetic
from hetad.device.draft import Draft, with_body
from hetad.device.fusion.footprints import Symbols, footprint, footprint_of, reading
from hetad.device.fusion.sinking import sunk
from hetad.device.last_bits import LastBits
from hetad.ir import nodes as ir
from hetad.ir.build import Names, is_var
from hetad.ir.places import exposed
from hetad.ir.types import Float, is_volatile
from hetad.ir.visit import declared, own_nodes, same_or, substitute, variables, walk_expr
from hetad.passes.manager import program_pass


@program_pass("sums-in-reverse")
def summed_in_reverse(draft: Draft) -> Draft:
    """Sums that only adjoints need are formed in the reversed loop, where their terms are worked out anyway."""
    adjoints = {*draft.shadows, *draft.parameters.values()}
    body = draft.body if draft.overlapping else fused(draft.body, adjoints, draft.names.copy())
    if body is not draft.body and draft.options.tidy:
        body = tidy(body, kernel=True)
    return with_body(draft, body)


def fused(body: ir.Body, adjoints: Collection[ir.Symbol], names: Names) -> ir.Body:
    """`adjoints`: the variables that are, or lead to, adjoints."""
    return _Fusion(names, body, adjoints).block(body)


class _Fusion:
    def __init__(self, names: Names, whole: ir.Body, adjoints: Collection[ir.Symbol]) -> None:
        self._names, self._whole, self._adjoints = names, whole, adjoints

    @cached_property
    def _exposed(self) -> Symbols:
        return frozenset(exposed(self._whole))

    @cached_property
    def _last_bits(self) -> LastBits:
        return LastBits(self._whole, self._adjoints)

    def block(self, body: ir.Body) -> ir.Body:
        """The block, outer loops first."""
        new = body
        for at in reversed(range(len(body))):
            new = self._at(new, at)
        return same_or(body, tuple(inside(self.block, s) for s in new))

    def _at(self, body: ir.Body, at: int) -> ir.Body:
        """The block with the loop or branch there fused with what comes before it."""
        if at >= len(body):
            return body
        match body[at]:
            case ir.For(primal=ir.For()) as loop:
                first = _last(_reversed_by(loop), body[:at])
                return body if first is None else self._loops(body, first, at)
            case ir.If(cond=cond):
                first = _last(lambda s: isinstance(s, ir.If) and s.cond == cond, body[:at])
                return body if first is None else self._branches(body, first, at)
        return body

    # -- branches

    def _branches(self, body: ir.Body, first: int, second: int) -> ir.Body:
        """The two branches as one, if loops in them can be fused then."""
        a, b = body[first], body[second]
        assert isinstance(a, ir.If)
        assert isinstance(b, ir.If)
        pairs = ((a.then, b.then), (a.orelse, b.orelse))
        if not any(any(map(_reversed_by(r), fs)) for fs, rs in pairs for r in rs if isinstance(r, ir.For)):
            return body
        if not steady_condition(a.cond, kernel=True):
            return body
        parts = sunk(body[first + 1 : second], footprint(a).changes, footprint(b))
        if parts is None:
            return body
        stay, wait = parts
        if not footprint_of(stay).commutes(footprint(a)) or not footprint(a).changes.isdisjoint(reading(a.cond).reads):
            return body
        if not _own(a.then).isdisjoint(_own(b.then)) or not _own(a.orelse).isdisjoint(_own(b.orelse)):
            return body
        merged = ir.If(a.cond, (*a.then, *b.then), (*a.orelse, *b.orelse), span=a.span)
        new = replace(merged, then=self.block(merged.then), orelse=self.block(merged.orelse))
        if new == merged:
            return body
        return (*body[:first], *stay, new, *wait, *body[second + 1 :])

    # -- loops

    def _loops(self, body: ir.Body, first: int, second: int) -> ir.Body:
        loop, reverse = body[first], body[second]
        assert isinstance(loop, ir.For)
        assert isinstance(reverse, ir.For)
        if _reads_memory(loop):
            return body  # it may be dealt out (accumulation/redistribution.py), where it has to be the last
        between = body[first + 1 : second]
        moved = [s for s in _sums(loop) if self._may_move(s.symbol, loop, reverse)]
        fixed = footprint_of((*between, *reverse.body)).changes
        terms = _Terms(loop, reverse, fixed | footprint_of(loop.body).changes, self._names)
        moved = [s for s in moved if terms.add(s)]
        rest = _without(loop, moved)
        if not moved or 2 * arithmetic(rest) > arithmetic(loop.body):
            return body
        new = replace(reverse, body=terms.body())
        late = [s.symbol for s in moved]
        parts = sunk(between, late, footprint(new), formed=late)
        if parts is None:
            return body
        stay, wait = parts
        left = (replace(loop, body=rest),) if rest else ()
        return (*body[:first], *left, *stay, new, *wait, *body[second + 1 :])

    def _may_move(self, symbol: ir.Symbol, loop: ir.For, reverse: ir.For) -> bool:
        own = symbol.storage == "local" and isinstance(symbol.type, Float) and not is_volatile(symbol.type)
        used = symbol in mentioned(reverse) or symbol in self._exposed
        free = self._last_bits.are_free(symbol)  # terms are added in another order
        return own and free and not used and symbol not in set(declared((loop,)))


def _last(fits: Callable[[ir.Stmt], bool], body: ir.Body) -> int | None:
    return next((i for i in reversed(range(len(body))) if fits(body[i])), None)


def _reversed_by(loop: ir.For) -> Callable[[ir.Stmt], bool]:
    """Whether another loop runs the same iterations forwards, with the same index."""
    header = None if loop.primal is None else replace(loop.primal, body=())
    own = set(declared((loop,)))

    def runs_forwards(s: ir.Stmt) -> bool:
        return isinstance(s, ir.For) and s.primal is None and _index(s) in own and replace(s, body=()) == header

    return runs_forwards


def _reads_memory(loop: ir.For) -> bool:
    """Whether memory tells how long the loop is."""
    return any(isinstance(e, ir.Index) for e in own_nodes(loop))


def _own(body: ir.Body) -> Symbols:
    """What a block declares itself."""
    return frozenset(s.symbol for s in body if isinstance(s, ir.Declare))


def _index(loop: ir.For) -> ir.Symbol | None:
    first = loop.init[0] if len(loop.init) == 1 else None
    return first.symbol if isinstance(first, ir.Declare) else None


# --- sums


@dataclass(frozen=True, slots=True)
class _Sum:
    """A variable that a loop only adds to, once in an iteration."""

    symbol: ir.Symbol
    op: str
    term: ir.Expr
    statements: tuple[ir.Stmt, ...]  # that do it


def _sums(loop: ir.For) -> Iterator[_Sum]:
    for i, s in enumerate(loop.body):
        found = _sum(s, loop.body[:i])
        if found is None:
            continue
        rest = tuple(x for x in loop.body if not any(x is y for y in found.statements))
        inner = {x.symbol for x in found.statements if isinstance(x, ir.Declare)}
        if not {found.symbol, *inner} & (mentioned_in(rest) | mentioned(replace(loop, body=(), primal=None))):
            yield found


def _sum(s: ir.Stmt, before: ir.Body) -> _Sum | None:
    match s:
        case ir.Update(op="+" | "-" as op, target=ir.Var(symbol=x), value=term) if x not in variables(term):
            return _Sum(x, op, term, (s,))
        case ir.Assign(target=ir.Var(symbol=x), value=ir.Var(symbol=total)):
            for d in reversed(before):
                if isinstance(d, ir.Declare) and d.symbol is total and d.init is not None:
                    added = _added_to(d.init, x)
                    return _Sum(x, "+", added, (d, s)) if added is not None else None
    return None


def _added_to(e: ir.Expr, x: ir.Symbol) -> ir.Expr | None:
    if not isinstance(e, ir.Binary) or e.op != "+":
        return None
    for one, other in ((e.left, e.right), (e.right, e.left)):
        if is_var(one, x) and x not in variables(other):
            return other
    return None


def _without(loop: ir.For, sums: Iterable[_Sum]) -> ir.Body:
    """What the body of a loop does beside sums, and what that needs."""
    gone = [s for one in sums for s in one.statements]
    own = _own(loop.body)
    needed: set[ir.Symbol] = set()
    kept: list[ir.Stmt] = []
    for s in reversed(loop.body):
        if any(s is x for x in gone):
            continue
        found = footprint(s)
        if found.stays or not found.changes <= own - needed:
            kept.append(s)
            needed |= mentioned(s)
    body = tuple(reversed(kept))
    return body if any(not isinstance(s, ir.Comment) for s in body) else ()


# --- their terms in the reversed loop


class _Terms:
    """The body of a reversed loop with the terms of sums of the forward loop.

    Both have the primal's variables: where each gives one its value at the same place, and once, the value is the same.
    Variables that the reversed loop does without are declared there too.  `changed`: variables from outside the forward
    loop that may have another value by then.
    """

    def __init__(self, loop: ir.For, reverse: ir.For, changed: Symbols, names: Names) -> None:
        self._forward, self._body, self._changed, self._names = loop.body, reverse.body, changed, names
        self._index, self._counts = _index(loop), set(declared(reverse.init))
        self._own = _own(loop.body)
        self._known = _own(reverse.body)
        self._mentioned = mentioned(reverse)
        self._after: dict[int, list[ir.Stmt]] = {}  # what comes behind a statement of the body
        self._at: dict[ir.Symbol, int] = {}
        self._renamed: dict[ir.Symbol, ir.Symbol] = {}

    def add(self, s: _Sum) -> bool:
        """Adds to the sum; False if its term cannot be had."""
        declarations: list[ir.Declare] = []
        at = self._expression(s.term, _position(s.statements[0], self._forward), declarations)
        if at is None:
            return False
        after = self._after.setdefault(at, [])
        after += self._renewed(declarations)
        target = ir.Var(s.symbol, span=s.term.span)
        after += substitute(self._renamed, (ir.Update(s.op, target, s.term, span=s.term.span),))
        for d in declarations:
            self._at[d.symbol] = at
        return True

    def body(self) -> ir.Body:
        out = list(self._after.get(-1, ()))
        for i, s in enumerate(self._body):
            out += [s, *self._after.get(i, ())]
        return tuple(out)

    def _renewed(self, declarations: Iterable[ir.Declare]) -> Iterator[ir.Stmt]:
        for d in declarations:
            if d.symbol in self._mentioned:
                self._renamed[d.symbol] = self._names.symbol(d.symbol.name, d.symbol.type, d.span, const=d.symbol.const)
            yield from substitute(self._renamed, (d,))

    def _expression(self, e: ir.Expr, used: int, declarations: list[ir.Declare]) -> int | None:
        """Behind which statement of the reversed body an expression has the value that it has before the statement
        `used` of the forward body, with these declarations in front of it; None: nowhere."""
        if any(is_volatile(x.type) for x in walk_expr(e)) or reading(e).stays or reading(e).changes:
            return None
        last = -1
        for x in dict.fromkeys(variables(e)):
            at = self._variable(x, used, declarations)
            if at is None:
                return None
            last = max(last, at)
        return last

    def _variable(self, x: ir.Symbol, used: int, declarations: list[ir.Declare]) -> int | None:
        if x in self._at:
            return self._at[x]
        if any(d.symbol is x for d in declarations):
            return -1
        if x is self._index:
            opening = [i for i, s in enumerate(self._body) if isinstance(s, ir.Declare) and s.symbol is x]
            return opening[0] if opening else -1 if x in self._counts else None
        if x not in self._own:
            return None if x in self._changed else -1
        forward = _defined(x, self._forward)
        if forward is None or forward[0] >= used:
            return None
        if x in self._known:
            reverse = _defined(x, self._body)
            return reverse[0] if reverse is not None and reverse[1] == forward[1] else None
        made = [s for s in self._forward if isinstance(s, ir.Declare) and s.symbol is x]
        if len(made) != 1 or made[0].init is None or self._forward[forward[0]] is not made[0]:
            return None
        at = self._expression(made[0].init, forward[0], declarations)
        if at is not None:
            declarations.append(made[0])
        return at


def _position(s: ir.Stmt, body: ir.Body) -> int:
    return next(i for i, x in enumerate(body) if x is s)


Shape = tuple[object, ...]


def _defined(x: ir.Symbol, body: ir.Body) -> tuple[int, Shape] | None:
    """The last statement of a body that gives a variable a value, and how all do so that together certainly give it
    one; None where they do not, or that cannot be told."""
    shapes: list[Shape] = []
    last, certain = -1, False
    for i, s in enumerate(body):
        if not _sets(s, x):
            continue
        found = _shape(x, s)
        if found is None or not (certain or found[1]):
            return None
        shapes.append(found[0])
        last, certain = i, True
    return (last, tuple(shapes)) if certain else None


def _shape(x: ir.Symbol, s: ir.Stmt) -> tuple[Shape, bool] | None:
    """How a statement gives a variable a value, and whether it certainly does."""
    match s:
        case ir.Declare(init=value) | ir.Assign(target=ir.Var(), value=value) if value is not None:
            return ("=", _said(value, s)), True
        case ir.Update(op=op, target=ir.Var(), value=value):
            return (op, _said(value, s)), False
        case ir.If(cond=cond, then=then, orelse=orelse):
            one, other = _defined(x, then), _defined(x, orelse)
            return None if one is None or other is None else ((cond, one[1], other[1]), True)
        case ir.For(body=body):
            updates = [each for each in body if _sets(each, x)]
            found = [_shape(x, each) for each in updates]
            header = replace(s, body=(), primal=None)
            return ((header, *(f[0] for f in found if f is not None)), False) if None not in found else None
    return None


def _said(value: ir.Expr, s: ir.Stmt) -> object:
    """What is computed is told by the statement of the primal's; restores are of its statements too, but copies."""
    copies = isinstance(value, ir.Var | ir.Index | ir.Member | ir.Const)
    return value if copies else s.span


def _sets(s: ir.Stmt, x: ir.Symbol) -> bool:
    if isinstance(s, ir.Declare) and s.init is None:
        return False
    return x in footprint(s).changes or (footprint(s).stays and x in mentioned(s))
