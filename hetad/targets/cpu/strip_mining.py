"""A loop whose iterations come in any order, in strips: innermost loops run over neighbouring iterations.

    for (i...)                              for (strip of i...)
        sum = 0                                 for (i in strip) sum[i] = 0
        for (k...)                              for (k...)
            if (i < k) sum += a[k * n + i]          for (i in strip, i < k) sum[i] += a[k * n + i]
        out[i] += sum                           for (i in strip) out[i] += sum[i]

What does not depend on `i` stays outside the new innermost loops, guards on `i` become their bounds, and variables that
live from one of them to the next become arrays.  So a strip of the innermost loop is vector code over neighbouring
elements, without the reordering of any sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hetad.analysis.dataflow import settle
from hetad.analysis.loop_bounds import Counting, bounds, limited, pure
from hetad.emit.walk import mentioned
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import binary
from hetad.ir.places import root_symbol, written
from hetad.ir.simplify import conjunction, conjuncts
from hetad.ir.types import INT, Array, Float, Int, Type
from hetad.ir.visit import declared, map_bodies, map_body, map_exprs, repeated, substitute, variables, walk_stmts
from hetad.rules import operations
from hetad.targets.cpu.index_set_splitting import in_cases
from hetad.targets.cpu.strip_nodes import (
    Group,
    Nest,
    Node,
    cheap,
    computed_again,
    groups_of,
    guarded,
    is_plain,
    opens_loop,
    own_expressions,
)

WIDTH = 512  # iterations in a strip: what they keep fits in the first cache


def in_strips(body: ir.Body) -> ir.Body:
    """`body` with its loops over lanes in strips, where they have a form that this can take apart."""
    body = _without_unused(body)

    def strip(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if isinstance(s, ir.For) and s.lanes:
            loop = replace(s, body=_distinct(s.body, set()))
            found = _Strips(loop).loop()
            if found is None or s.sums:
                return found or s
            return in_cases(loop, found, lambda other: _Strips(other).loop())
        return s

    return map_body(strip, body)


def _without_unused(body: ir.Body) -> ir.Body:
    """Without variables that nothing reads."""

    def smaller(body: ir.Body) -> ir.Body:
        used = set(variables(body))
        return map_body(lambda s: None if isinstance(s, ir.Declare) and s.symbol not in used else s, body)

    return repeated(smaller, body)


def _distinct(body: ir.Body, seen: set[ir.Symbol]) -> ir.Body:
    """With a variable of its own for every declaration: blocks side by side may declare the same one."""
    out: list[ir.Stmt] = []
    while body:
        first, *rest = body
        if isinstance(first, ir.Declare):
            if first.symbol in seen:
                first, *rest = substitute({first.symbol: _copy(first.symbol)}, body)
                assert isinstance(first, ir.Declare)
            seen.add(first.symbol)
        elif isinstance(first, ir.For):  # what its head declares, all of it uses
            (first,) = substitute({x: _copy(x) for x in declared(first.init) if x in seen}, (first,))
            assert isinstance(first, ir.For)
            seen.update(declared(first.init))
            first = replace(first, body=_distinct(first.body, seen))
        else:
            first = map_bodies(lambda inner: _distinct(inner, seen), first)
        out.append(first)
        body = tuple(rest)
    return tuple(out)


def _copy(x: ir.Symbol) -> ir.Symbol:
    return replace(x)


class _NoStrips(Exception):
    """The loop stays as it is."""


_STRIP_END = Quote("end - first > width ? first + width : end")


class _Strips:
    def __init__(self, loop: ir.For) -> None:
        self.whole = loop
        (start,) = loop.init
        assert isinstance(start, ir.Declare) and isinstance(start.symbol.type, Int)
        self.lane = start.symbol
        type_ = start.symbol.type
        self.first = ir.Symbol("strip", type_, loop.span)
        self.end = ir.Symbol("strip_end", type_, loop.span, const=True)
        self.assigned = written(loop.body)
        self.varying = self._varying()
        self.out: list[Node] = []
        self.guards: tuple[ir.Expr, ...] = ()
        self.values: dict[ir.Symbol, ir.Expr] = {}  # of variables that can be computed again
        self.arrays: dict[ir.Symbol, ir.Symbol] = {}

    def loop(self) -> ir.For | None:
        try:
            nodes = self._collected(self.whole.body)
            self._place(nodes)
        except _NoStrips:
            return None
        (start,) = self.whole.init
        assert isinstance(start, ir.Declare) and isinstance(self.whole.cond, ir.Binary)
        span, type_ = self.whole.span, self.lane.type
        assert isinstance(type_, Int)
        first = ir.Var(self.first, span=span)
        width = ir.Const(WIDTH, type_, str(WIDTH) if type_ == INT else None, span=span)
        end = _STRIP_END.value(span, first=first, width=width, end=self.whole.cond.right)
        body: list[ir.Stmt] = [ir.Declare(self.end, end, span=span)]
        body += [ir.Declare(a, None, span=span) for a in self.arrays.values()]
        body += self._text(nodes)
        return replace(
            self.whole,
            init=(replace(start, symbol=self.first),),
            cond=replace(self.whole.cond, left=first),
            step=(ir.Update("+", first, width, span=span),),
            body=tuple(body),
            lanes=False,
            sums=(),
        )

    # -- what lanes have in common

    def _varying(self) -> set[ir.Symbol]:
        """The variables that differ between lanes: set from other such ones or from memory that is not constant, or
        set where only some lanes come."""
        varying = {self.lane}
        settle(varying, lambda: self._spread(self.whole.body, varying, False))
        return varying

    def _spread(self, body: ir.Body, varying: set[ir.Symbol], apart: bool) -> None:
        for s in body:
            differs = any(x in varying for e in own_expressions(s) for x in variables(e))
            match s:
                case ir.Declare(symbol=x, init=init):
                    risky = apart and not (init is not None and pure(init))
                    if differs or risky or x in self.assigned or isinstance(x.type, Array):
                        varying.add(x)
                case ir.Assign() | ir.Update() | ir.Call():
                    varying.update(written((s,)) - set(self.whole.sums))
                case ir.If(then=then, orelse=orelse):
                    self._spread(then, varying, apart or differs)
                    self._spread(orelse, varying, apart or differs)
                case ir.For(cond=cond, body=inner) if self._counts(s, varying):
                    unequal = cond is not None and any(x in varying for x in variables(cond))
                    self._spread(inner, varying, apart or unequal)
                case ir.For() | ir.While():
                    varying.update(written((s,)))
                    varying.update(declared((s,)))
                case ir.Block(body=inner):
                    self._spread(inner, varying, apart)
                case ir.Comment():
                    pass
                case _:
                    varying.update(declared((s,)))

    def _counts(self, s: ir.For, varying: set[ir.Symbol]) -> bool:
        """Whether the loop runs through the same values in all lanes, but for where it ends."""
        if len(s.init) != 1 or len(s.step) != 1 or not isinstance(s.init[0], ir.Declare):
            return False
        counter, start, (step,) = s.init[0].symbol, s.init[0].init, s.step
        if start is None or not isinstance(counter.type, Int) or counter in written(s.body):
            return False
        if not isinstance(step, ir.Update) or not isinstance(step.target, ir.Var) or step.target.symbol is not counter:
            return False
        if any(isinstance(x, ir.Break | ir.Continue | ir.Return) for x in walk_stmts(s.body)):
            return False
        if any(x in varying for x in (*variables(start), *variables(step.value))):
            return False
        cond = s.cond
        if not isinstance(cond, ir.Binary) or not pure(start) or not pure(step.value) or not pure(cond):
            return False
        if not any(x in varying for x in variables(cond)):
            return True
        below = cond.op == "<" and isinstance(cond.left, ir.Var) and cond.left.symbol is counter and step.op == "+"
        return below and isinstance(cond.right, ir.Var) and cond.right.type == counter.type

    def _same(self, e: ir.Expr) -> bool:
        return not any(x in self.varying for x in variables(e))

    # -- taking the body apart

    def _collected(self, body: ir.Body) -> list[Node]:
        outer, self.out = self.out, []
        for s in body:
            self._statement(s)
        found, self.out = self.out, outer
        return found

    def _statement(self, s: ir.Stmt) -> None:
        match s:
            case ir.Declare(symbol=x, init=init) if (
                x not in self.varying and init is not None and (pure(init) or not self.guards)
            ):
                self._once(s, init)
            case ir.Block(body=body) if self._has_structure(body):
                self.out.append(Nest(s, self._collected(body)))
            case ir.If(cond=cond, then=then, orelse=()):
                self._branch(s, conjuncts(cond), then)
            case ir.For() if self._counts(s, self.varying):
                self._count(s)
            case ir.Update(op="+" | "-", target=target) if root_symbol(target) in self.whole.sums and self._same(
                target
            ):
                self._sum(s)
            case _:
                self._each(s)

    def _once(self, s: ir.Declare, init: ir.Expr) -> None:
        """A variable that lanes have in common: before what is collected for each, where that cannot matter."""
        early = pure(init) and self.out and isinstance(self.out[-1], Group)
        self.out.insert(len(self.out) - bool(early), s)

    def _has_structure(self, body: ir.Body) -> bool:
        return any(
            (isinstance(s, ir.For) and self._counts(s, self.varying))
            or (isinstance(s, ir.If) and any(self._same(c) and pure(c) for c in conjuncts(s.cond)))
            for s in walk_stmts(body)
        ) or (len(body) > 1 and isinstance(body[-1], ir.If))

    def _each(self, s: ir.Stmt) -> None:
        """A statement for each lane, in one loop with those before it that pass the same guards."""
        last = self.out[-1] if self.out else None
        if isinstance(last, Group) and last.guards == self.guards and not last.sums:
            last.body.append(s)
        else:
            self.out.append(Group([s], self.guards))

    def _sum(self, s: ir.Update) -> None:
        """All lanes add to one variable: those of a strip to a part of the sum."""
        type_, span = s.target.type, s.span
        part = ir.Symbol("part", type_, span)
        self.out.append(ir.Declare(part, ir.Const(0.0, type_, "0", span=span), span=span))
        self.out.append(Group([replace(s, target=ir.Var(part, span=span))], self.guards, (part,)))
        self.out.append(ir.Update("+", s.target, ir.Var(part, span=span), span=span))

    def _branch(self, s: ir.If, conditions: list[ir.Expr], then: ir.Body) -> None:
        stored = written(then)
        fixed = all(pure(c) and stored.isdisjoint(variables(c)) for c in conditions)
        common = [c for c in conditions if self._same(c)]
        if not fixed or (not common and not opens_loop(then) and is_plain(then) and self.guards):
            self._each(s)
            return
        outer, self.guards = self.guards, (*self.guards, *(c for c in conditions if not self._same(c)))
        inner = self._collected(then)
        self.guards = outer
        if common:
            self.out.append(Nest(replace(s, cond=conjunction(common), then=()), inner))
        else:
            self.out += inner

    def _count(self, s: ir.For) -> None:
        assert isinstance(s.cond, ir.Binary) and isinstance(s.init[0], ir.Declare)
        counter = s.init[0]
        if self._same(s.cond):
            self.out.append(Nest(replace(s, body=()), self._collected(s.body)))
            return
        self._unequal(s, counter, s.cond)

    def _unequal(self, s: ir.For, counter: ir.Declare, cond: ir.Binary) -> None:
        """A loop that ends elsewhere in each lane: first the iterations of all lanes, then those of some."""
        type_, span = counter.symbol.type, s.span
        assert isinstance(type_, Int) and counter.init is not None
        name = counter.symbol.name
        least, most, common = (ir.Symbol(f"{name}_{x}", type_, span) for x in ("least", "most", "common"))
        first, end = counter.init, cond.right

        def chosen(op: str, a: ir.Expr, b: ir.Expr) -> ir.Expr:
            return ir.Select(binary(op, a, b), a, b, type_, span=span)

        low, high, shared = (ir.Var(x, span=span) for x in (least, most, common))
        largest = ir.Const((1 << (type_.bits - 1)) - 1, type_, span=span)
        self.out += [ir.Declare(least, largest, span=span), ir.Declare(most, first, span=span)]
        ends = [ir.Assign(low, chosen("<", end, low), span=span), ir.Assign(high, chosen(">", end, high), span=span)]
        self.out.append(Group(list(ends), self.guards))
        self.out.append(ir.Declare(common, chosen("<", low, high), span=span))
        self.out.append(Nest(replace(s, cond=replace(cond, right=shared), body=()), self._collected(s.body)))
        copies = {x: _copy(x) for x in declared(s.body)}
        self.varying |= {copy for x, copy in copies.items() if x in self.varying}
        self.assigned |= {copy for x, copy in copies.items() if x in self.assigned}
        outer, self.guards = self.guards, (*self.guards, cond)
        rest = self._collected(substitute(copies, s.body))
        self.guards = outer
        start = replace(counter, init=chosen(">", shared, first))
        self.out.append(Nest(replace(s, init=(start,), cond=replace(cond, right=high), body=()), rest))

    # -- variables

    def _place(self, nodes: Sequence[Node]) -> None:
        """What several loops over lanes use is computed again in each, or kept in an array."""
        groups = list(groups_of(nodes))
        used = [set().union(*(variables(g) for g in group.guards), *map(mentioned, group.body)) for group in groups]
        declares = [s for g in groups for s in g.body if isinstance(s, ir.Declare)]
        for s in reversed(
            declares
        ):  # where one is computed again, those before it are used that its value follows from
            if sum(s.symbol in u for u in used) < 2:
                continue
            init = computed_again(s, self.assigned)
            if init is not None and cheap(init):
                self.values[s.symbol] = init
                for u in used:
                    if s.symbol in u:
                        u.update(variables(init))
            elif isinstance(s.symbol.type, Int | Float) and s.symbol.storage == "local":
                kept = Array(s.symbol.type, WIDTH)
                self.arrays[s.symbol] = ir.Symbol(s.symbol.name, kept, s.symbol.span)
            else:
                raise _NoStrips

    # -- text

    def _text(self, nodes: Sequence[Node]) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        for node in nodes:
            match node:
                case Group():
                    out += self._lanes(node)
                case Nest(statement=ir.If() as branch, body=body):
                    out.append(replace(branch, then=tuple(self._text(body))))
                case Nest(statement=ir.For() | ir.Block() as s, body=body):
                    out.append(replace(s, body=tuple(self._text(body))))
                case ir.Declare() | ir.Update():
                    out.append(node)
        return out

    def _lanes(self, group: Group) -> Iterator[ir.Stmt]:
        """The loop over the lanes of a strip for some statements."""
        conditions = list(group.guards)
        body = tuple(group.body)
        known = dict(self.values)
        opening: list[ir.Declare] = []
        while body and isinstance(body[0], ir.Declare) and (init := computed_again(body[0], self.assigned)) is not None:
            known[body[0].symbol] = init
            opening.append(body[0])
            body = body[1:]
        if len(body) == 1 and isinstance(body[0], ir.If) and not body[0].orelse and pure(body[0].cond):
            conditions += conjuncts(body[0].cond)
            body = body[0].then
        if not body:
            return
        found = bounds(conditions, Counting(self.lane, known, self.varying))
        body = guarded(found.others, body) if found.others else body
        for s in reversed(opening):
            if s.symbol in self.arrays or s.symbol in set(variables(body)):
                body = (s, *body)
        needed: dict[ir.Symbol, ir.Expr] = {}
        self._again(body, needed)
        again = tuple(ir.Declare(x, e, span=e.span) for x, e in needed.items())
        span = self.whole.span
        lane = ir.Var(self.lane, span=span)
        first, end = self._limits(found.least, found.below)
        yield ir.For(
            (ir.Declare(self.lane, first, span=span),),
            binary("<", lane, end),
            (ir.Update("+", lane, ir.Const(1, lane.type, span=span), span=span),),
            self._expanded((*again, *body)),
            sums=group.sums,
            span=span,
        )

    def _again(self, body: ir.Body, needed: dict[ir.Symbol, ir.Expr]) -> None:
        """The variables to compute again for a body, each after those it depends on."""
        inside = set(declared(body))
        for x in dict.fromkeys(variables(body)):
            if x in self.values and x not in needed and x not in inside:
                value = self.values[x]
                self._again((ir.Return(value, span=value.span),), needed)
                needed[x] = value

    def _limits(self, least: list[ir.Expr], below: list[ir.Expr]) -> tuple[ir.Expr, ir.Expr]:
        """Where the lanes of a strip begin and end that all bounds admit."""
        span, type_ = self.whole.span, self.lane.type
        assert isinstance(type_, Int)
        first, end = ir.Var(self.first, span=span), ir.Var(self.end, span=span)

        begin = limited(first, least, operations.raised, end, type_)
        return begin, limited(end, below, operations.lowered, first, type_)

    def _expanded(self, body: ir.Body) -> ir.Body:
        """With elements of arrays for the variables that are kept."""

        def element(e: ir.Expr) -> ir.Expr:
            if isinstance(e, ir.Var) and e.symbol in self.arrays:
                return self._element(e.symbol, e.type)
            return e

        def store(s: ir.Stmt) -> ir.Stmt | None:
            if isinstance(s, ir.Declare) and s.symbol in self.arrays:
                if s.init is None:
                    return None
                return ir.Assign(self._element(s.symbol, s.symbol.type), s.init, span=s.span)
            return s

        return map_body(store, map_exprs(element, body))

    def _element(self, symbol: ir.Symbol, type_: Type) -> ir.Index:
        lane, first = (ir.Var(x, span=symbol.span) for x in (self.lane, self.first))
        index = binary("-", lane, first)
        return ir.Index(ir.Var(self.arrays[symbol], span=symbol.span), index, type_, span=symbol.span)
