"""Activity: active = varied ∩ useful.

A location is *varied* when it may depend on an independent (`wrt`), *useful* when a dependent (`of`) may depend on
it.  Derivatives flow through floating operations only; an integer never carries one.
Host functions are looked at in the order of their statements: what is written before anything varied is not varied.
Within loops, and within kernels, the order does not count; a launch is transferred through its kernel.
Source: L. Hascoet, V. Pascual, The Tapenade automatic differentiation tool, 2013, section 4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from hetad.analysis import messages
from hetad.analysis.dataflow import settle
from hetad.analysis.memory_calls import does, operands
from hetad.analysis.pointer_expressions import floating_leaves_of, is_untyped, pointer_parts, pointers_within
from hetad.analysis.pointers import Location, PointsTo, Root, points_to
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.facts import part_of_self
from hetad.ir.identity import IdentityMap
from hetad.ir.types import Float, Pointer, Struct
from hetad.ir.visit import bodies, children, declared, own_nodes, walk_stmts
from hetad.memops.table import TABLE
from hetad.rules import callees
from hetad.rules.math import is_math

Flow = tuple[frozenset[Location], frozenset[Location]]  # from sources to targets
_Leads = tuple[dict[Location, list[frozenset[Location]]], list[ir.Launch]]


class Activity:
    """Activity of one inlined function; `kernels` are the inlined kernels it may launch.

    `passive` are locations that carry no derivative, whatever is written to them: a launch of which all that flows
    through a buffer is constant has no adjoint of that buffer to give.
    """

    def __init__(
        self, function: ir.Function, pointers: PointsTo, kernels: Mapping[str, ir.Function],
        passive: Collection[Location] = (),
    ) -> None:  # fmt: skip
        self.function = function
        self._passive = frozenset(passive)
        self.pointers = pointers
        self.kernels = kernels
        self._summaries: dict[str, Activity] = {}
        self._statements = list(walk_stmts(function.body))
        self._launches = [s for s in self._statements if isinstance(s, ir.Launch)]
        self._given_to = part_of_self(self._outside)
        self._sent, self._received = self._messages()
        self._within: dict[tuple[str, frozenset[Location], bool], set[Location]] = {}  # what a kernel makes of it
        self._floats: set[Location] | None = None
        # Of a loop, or of the whole body of a kernel, by the first statement.
        self._leads = {forward: IdentityMap[ir.Stmt, _Leads]() for forward in (True, False)}

    def varied(self, independents: Iterable[Location]) -> set[Location]:
        return self._closure(set(independents), forward=True)

    def useful(self, dependents: Iterable[Location]) -> set[Location]:
        return self._closure(set(dependents), forward=False)

    def active(self, independents: Iterable[Location], dependents: Iterable[Location]) -> set[Location]:
        """Varied and useful locations, closed over pointers.

        If one target of a pointer is active, all are, since the pointer's shadow must point somewhere; so are all that
        an expression chooses from.  Memory that holds such a pointer has a shadow, which holds the pointer's.
        """
        return self.closed(self.holding(self.varied(independents) & self.useful(dependents)))

    def closed(self, found: set[Location]) -> set[Location]:
        sets = [*self.pointers.target_sets(), *self._chosen()]

        def pointed() -> None:
            for holder, targets in sets:
                if any(t in found for t in targets):
                    found.update(t for t in targets if self._may_hold(t))
                    found.update(() if holder is None else (holder,))

        settle(found, pointed)
        return found

    def _messages(self) -> Flow:
        """All that is sent, and all that is received, but for variables without floating numbers."""
        sent: set[Location] = set()
        received: set[Location] = set()
        for s in self._statements:
            row = messages.moves(s)
            if row is not None and isinstance(s, ir.Call):
                sent.update(*map(self._behind, messages.sent(s, row)))
                received.update(*map(self._behind, messages.received(s, row)))
        others = {x for x in sent | received if isinstance(x, ir.Symbol) and not self.pointers.floating_types(x)}
        return frozenset(sent - others), frozenset(received - others)

    def _chosen(self) -> Iterator[tuple[None, tuple[Location, ...]]]:
        """The targets of each `c ? p : q`, which need not be held by any variable; and what messages carry: where one
        has an adjoint, the reverse sweep sends one for each."""
        yield None, tuple(self._sent | self._received)
        for s in self._statements:
            for e in own_nodes(s):
                if isinstance(e, ir.Select) and isinstance(e.type, Pointer):
                    yield None, tuple(self.pointers.targets(e))

    def everything(self) -> set[Location]:
        """Every location that can carry a derivative: what `active` would be without analysis.  Memory of which only
        bytes are known is one where numbers may get there."""
        places: list[Location] = [*self.function.params, *declared(self.function.body), *self.pointers.roots()]
        held = {
            x for x in places if self._may_hold(x) and not (isinstance(x, ir.Symbol) and isinstance(x.type, Pointer))
        }
        seen = {x for x in held if self.pointers.floating_types(x)}
        return self.closed(seen | (held & self.varied(seen)))

    def holding(self, locations: Iterable[Location]) -> set[Location]:
        """Without memory of integers, which has no adjoint though it is given to kernels beside memory that has one."""
        return {x for x in locations if not isinstance(x, Root) or is_untyped(x.symbol.type) or self._has_floats(x)}

    def _has_floats(self, root: Root) -> bool:
        """Whether the function, or a kernel that it launches, sees floating numbers there."""
        if self._floats is None:
            self._floats = set()
            for s in self._launches:
                seen = self._inside(s.kernel).pointers
                for x, given in self._given_to(s).items():
                    if isinstance(x, Root) and (is_untyped(x.symbol.type) or seen.floating_types(x)):
                        self._floats |= given
        return bool(self.pointers.floating_types(root)) or root in self._floats

    def _may_hold(self, location: Location) -> bool:
        """Whether numbers with derivatives may lie there."""
        if isinstance(location, ir.Symbol) and location.storage not in ("param", "local", "shared"):
            return False
        return bool(self.pointers.floating_types(location)) or (
            isinstance(location, Root) and location.heap and is_untyped(location.symbol.type)
        )

    def _closure(self, first: set[Location], forward: bool) -> set[Location]:
        sent, received = (self._sent, self._received) if forward else (self._received, self._sent)
        found = set(first)
        self._sweep(self.function.body, found, forward)
        if not sent.isdisjoint(found):  # another process may be ahead, or behind
            found |= received
            self._sweep(self.function.body, found, forward)
        return found

    def _sweep(self, body: ir.Body, found: set[Location], forward: bool) -> None:
        """What is found spreads by the statements in their order; by those of a loop, and by those of threads, which
        need not keep step, in any.  So it does in a launch, of which two pointers may lead to one buffer: the kernel
        takes them for two, and what it stores through one it may load through the other."""
        if self.function.kind == "kernel":
            self._settle(body, found, forward)
            return
        for s in body if forward else reversed(body):
            if isinstance(s, ir.For | ir.While | ir.DoWhile | ir.Launch):
                self._settle((s,), found, forward)
                continue
            for inner in bodies(s) if forward else bodies(s)[::-1]:
                self._sweep(inner, found, forward)
            found |= self._step(s, found, forward)

    def _step(self, s: ir.Stmt, found: set[Location], forward: bool) -> set[Location]:
        """What one statement adds to what is found."""
        flows = (flow if forward else flow[::-1] for flow in self._flows(s))
        return {x for sources, targets in flows if not sources.isdisjoint(found) for x in targets}

    def _settle(self, body: ir.Body, found: set[Location], forward: bool) -> None:
        leads, launches = self._leading(body, forward)
        new = list(found)
        while new:
            while new:
                for reached in leads.get(new.pop(), ()):
                    new += reached - found
                    found |= reached
            for s in launches if forward else reversed(launches):
                new += self._launch(s, found, forward) - found
                found.update(new)

    def _leading(self, body: ir.Body, forward: bool) -> _Leads:
        """Where values go from each location in one statement of a body, or come from; its launches apart."""
        if not body:
            return {}, []
        known = self._leads[forward]
        if body[0] not in known:
            leads: dict[Location, list[frozenset[Location]]] = {}
            statements = list(walk_stmts(body))
            for sources, targets in (flow for s in statements for flow in self._flows(s)):
                for x in sources if forward else targets:
                    leads.setdefault(x, []).append(targets if forward else sources)
            known[body[0]] = leads, [s for s in statements if isinstance(s, ir.Launch)]
        return known[body[0]]

    def _flows(self, s: ir.Stmt) -> Iterator[Flow]:
        for sources, targets in self._all_flows(s):
            yield sources - self._passive, targets - self._passive

    def _all_flows(self, s: ir.Stmt) -> Iterator[Flow]:
        match s:
            case ir.Declare(symbol=symbol, init=init) if init is not None:
                yield self._leaves(init), frozenset({symbol})
            case ir.Assign(target=target, value=value) | ir.Update(target=target, value=value):
                yield self._leaves(value), frozenset(self.pointers.storage(target))
            case ir.Call() if does(s, "copy"):
                given = operands(s)
                yield self._behind(given["src"]), self._behind(given["dst"])
            case ir.Call(function=name, args=args, result=result) if callees.kind(name) == "atomic":
                yield self._leaves(args[1]), self._behind(args[0])
                if result is not None:
                    yield self._behind(args[0]), frozenset(self.pointers.storage(result))
            case ir.Call(function=name, args=args, result=result) if is_math(name):
                into = frozenset().union(*(self._behind(a) for a in args if isinstance(a.type, Pointer)))
                if result is not None:
                    into |= frozenset(self.pointers.storage(result))
                yield frozenset().union(*(self._leaves(a) for a in args)), into
            case ir.Call(function=name, args=args, result=result) if name not in TABLE and result is not None:
                yield frozenset().union(*(self._leaves(a) for a in args)), frozenset(self.pointers.storage(result))

    def _inside(self, kernel: str) -> Activity:
        """Of a kernel."""
        if kernel not in self._summaries:
            function = self.kernels[kernel]
            self._summaries[kernel] = Activity(function, points_to(function), {})
        return self._summaries[kernel]

    def _outside(self, s: ir.Launch) -> dict[Location, frozenset[Location]]:
        """What a launch gives for each place of the kernel.  What is passed by value flows in only: a struct's numbers
        stay as they were, whatever is written behind it."""
        params = self.kernels[s.kernel].params
        found: dict[Location, frozenset[Location]] = {
            p: self._leaves(arg) for p, arg in zip(params, s.args, strict=True) if not isinstance(p.type, Pointer)
        }
        for i in range(len(params)):
            for root, given in self._given_behind(s, i):
                found[root] = found.get(root, frozenset()) | given
        return found

    def _given_behind(self, s: ir.Launch, position: int) -> Iterator[tuple[Root, frozenset[Location]]]:
        """The memory that a kernel reaches through a parameter, each with what this launch gives for it."""
        known = self._inside(s.kernel).pointers
        p, arg = self.kernels[s.kernel].params[position], s.args[position]
        if p in known.parameter_roots:
            yield known.parameter_roots[p], self._behind(arg)
        for root, ways in known.given_by.items():
            for param, number in ways:
                if param is p:
                    yield root, frozenset(self.pointers.targets(pointers_within(arg)[number]))

    def partly_active(self, s: ir.Launch, position: int, active: Collection[Location]) -> bool:
        """Whether a pullback of the kernel, with respect to all that it reaches through this parameter, would do work
        for memory that is not active."""
        inner = self._inside(s.kernel)
        chosen = {x for x, given in self._given_to(s).items() if not given.isdisjoint(active)}
        behind = dict(self._given_behind(s, position))
        idle = {root for root in behind if root not in chosen and inner.pointers.floating_types(root)}
        if not idle or chosen.isdisjoint(behind):
            return False
        return not idle.isdisjoint(inner.varied(chosen) | inner.useful(chosen))

    def _launch(self, s: ir.Launch, found: set[Location], forward: bool) -> frozenset[Location]:
        """Where what was found goes in a launch, or comes from."""
        inner = self._inside(s.kernel)
        outside = self._given_to(s)
        memory = {x for x in outside if isinstance(x, Root)}
        seeds = frozenset(x for x in (outside if forward else memory) if not outside[x].isdisjoint(found))
        question = (s.kernel, seeds, forward)
        if question not in self._within:
            self._within[question] = (inner.varied(seeds) & memory) if forward else inner.useful(seeds)
        return frozenset().union(*(outside[x] for x in self._within[question] if x in outside))

    def _behind(self, arg: ir.Expr) -> frozenset[Location]:
        arg = bare(arg)
        if isinstance(arg.type, Struct):
            return frozenset(t for part in pointer_parts(arg) for t in self.pointers.targets(part))
        return frozenset(self.pointers.targets(arg)) if not isinstance(arg.type, Float) else frozenset()

    def _given(self, arg: ir.Expr) -> frozenset[Location]:
        return self._behind(arg) | {t for p in pointers_within(arg) for t in self.pointers.targets(p)}

    def _leaves(self, expr: ir.Expr) -> frozenset[Location]:
        return frozenset(self._floating_leaves(expr))

    def _floating_leaves(self, expr: ir.Expr) -> Iterator[Location]:
        waiting = [expr]  # sums may be long
        while waiting:
            part = waiting.pop()
            if not isinstance(part.type, Float | Struct) and not isinstance(part, ir.Aggregate):
                continue
            match part:
                case ir.Var() | ir.Index() | ir.Member():
                    if floating_leaves_of(part.type):
                        yield from self.pointers.storage(part)
                case ir.Select(then=then, orelse=orelse):
                    waiting += (orelse, then)
                case ir.Binary() | ir.Unary() | ir.Cast() | ir.Intrinsic() | ir.Aggregate():
                    waiting += children(part)[::-1]
