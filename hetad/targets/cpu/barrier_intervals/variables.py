"""Where the variables of a kernel in regions live.

A variable that one region declares and uses is a plain local there.  One that lives across regions is

* declared in the only region that uses it, if its declaration stands in an earlier one and gives no value;
* computed anew in each region, if its value follows from thread indices and parameters that nothing changes: this
  keeps addresses in a form that the compiler can see through;
* a table, outside the loops, if it is a constant array;
* else an array with an element for each thread, as is one that a pointer leads to that lives across regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hetad.analysis.dataflow import settle
from hetad.emit.walk import mentioned
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.places import exposed, root_symbol, written
from hetad.ir.types import CHAR, INT, SIZE_T, Array, Float, Int, Pointer, size_of
from hetad.ir.visit import children, map_body, walk_expr, walk_stmts
from hetad.targets.cpu.barrier_intervals.collector import changed
from hetad.targets.cpu.barrier_intervals.nodes import Branch, Loop, Node, Once, Region, Scope, Structure
from hetad.targets.cpu.block_ir import THREAD, THREADS

_CHEAP = 24  # nodes of an expression that is better computed than kept


def regions(nodes: Iterable[Node]) -> Iterator[Region]:
    """The regions of a structure, in order."""
    for node in nodes:
        match node:
            case Region():
                yield node
            case Scope(body=body):
                yield from regions(body)
            case Branch(then=then, orelse=orelse):
                yield from regions(then)
                yield from regions(orelse)
            case Loop(body=body, step=step):
                yield from regions(body)
                yield from regions(step)


def uniform_statements(nodes: Iterable[Node]) -> Iterator[ir.Stmt]:
    for node in nodes:
        match node:
            case Once(statement=statement):
                yield statement
            case Scope(body=body):
                yield from uniform_statements(body)
            case Branch(then=then, orelse=orelse):
                yield from uniform_statements(then)
                yield from uniform_statements(orelse)
            case Loop(body=body, step=step):
                yield from uniform_statements(body)
                yield from uniform_statements(step)


@dataclass(slots=True)
class Variables:
    """The decision for each variable; `place` rewrites the regions accordingly."""

    kernel: ir.Function
    structure: Structure
    kept: dict[ir.Symbol, None] = field(default_factory=dict)  # an array element for each thread
    again: dict[ir.Symbol, ir.Expr] = field(default_factory=dict)  # computed anew, in order
    tables: dict[ir.Symbol, ir.Expr] = field(default_factory=dict)
    copied: dict[ir.Symbol, None] = field(default_factory=dict)  # parameters that a block changes for all its threads

    def place(self) -> None:
        everywhere = list(regions(self.structure.nodes))
        self._parameters()
        own = {*self.structure.arrays, *self.structure.scalars, THREAD, THREADS}
        where = {s: found for s, found in _mentions(everywhere).items() if s not in own}
        fixed = self._fixed()
        addressed = exposed(self.kernel.body)
        across = {s for s, found in where.items() if len(found) > 1 and not isinstance(s.type, Int | Float)}
        reached = _led_to(self.kernel.body, across)
        for symbol, found in where.items():
            if symbol in reached and symbol.storage == "local" and not self.structure.uniformity.is_uniform(symbol):
                self.kept[symbol] = None
                continue
            if all(any(_declares(s, symbol) for s in walk_stmts(r.body)) for r in found):
                continue  # each region has its own
            declaring = [r for r in found if any(_declares(s, symbol) for s in r.body)]
            local = symbol.storage in ("local", "static") and not self.structure.uniformity.is_uniform(symbol)
            if not local or len(found) < 2:
                continue
            once = sum(_declares(s, symbol) for r in found for s in walk_stmts(r.body)) == 1
            if once and len(declaring) == 1 and self._decide(symbol, found, declaring[0], fixed, addressed):
                continue
            self.kept[symbol] = None
        for region in everywhere:
            region.body = map_body(lambda s: tuple(self._assigning(s)), region.body)
        self._recompute(everywhere)

    def _parameters(self) -> None:
        changed = written(self.kernel.body) | exposed(self.kernel.body)
        for p in self.kernel.params:
            if p in changed:
                (self.copied if self.structure.uniformity.is_uniform(p) else self.kept)[p] = None

    def _fixed(self) -> set[ir.Symbol]:
        """What never changes while a variable that depends on it is visible."""
        fixed = {p for p in self.kernel.params if p not in self.kept and p not in self.copied}
        once = list(uniform_statements(self.structure.nodes))
        for s in once:
            if isinstance(s, ir.Declare) and s.init is not None and sum(s.symbol in changed(x) for x in once) == 1:
                fixed.add(s.symbol)
        return fixed

    def _decide(
        self, symbol: ir.Symbol, found: list[Region], first: Region, fixed: set[ir.Symbol], addressed: set[ir.Symbol]
    ) -> bool:
        """Find a variable that is declared in region `first` a better place than memory."""
        declare = next(s for s in first.body if isinstance(s, ir.Declare) and s.symbol is symbol)
        others = [r for r in found if r is not first]
        assigned = [s for r in found for s in walk_stmts(r.body) if symbol in written((s,)) and _is_simple(s)]
        if declare.init is None and not any(_uses(s, symbol) for s in first.body):
            if len(others) == 1 and others[0].loops == first.loops:
                first.body = tuple(s for s in first.body if s is not declare)
                others[0].body = (declare, *others[0].body)
                return True
        if symbol in addressed:
            return False
        value = declare.init
        if isinstance(symbol.type, Array):
            if value is not None and not assigned and symbol.const and _is_table(value):
                self.tables[symbol] = value
                first.body = tuple(s for s in first.body if s is not declare)
                return True
            return False
        if value is None and len(assigned) == 1 and any(s is assigned[0] for s in first.body):
            only = assigned[0]
            value = only.value if isinstance(only, ir.Assign) and isinstance(only.target, ir.Var) else None
        elif assigned:
            return False
        if value is None or not isinstance(symbol.type, Int | Pointer) or not self._is_cheap(value, fixed):
            return False
        self.again[symbol] = value
        first.body = tuple(s for s in first.body if s is not declare and not (assigned and s is assigned[0]))
        return True

    def _is_cheap(self, expr: ir.Expr, fixed: set[ir.Symbol]) -> bool:
        return sum(1 for _ in walk_expr(expr)) <= _CHEAP and self._follows(expr, fixed)

    def _follows(self, expr: ir.Expr, fixed: set[ir.Symbol]) -> bool:
        """Whether an expression has the same value wherever a thread evaluates it."""
        match expr:
            case ir.Const() | ir.ThreadIndex():
                return True
            case ir.Var(symbol=symbol):
                return symbol in fixed or symbol in self.again or _is_shared_array(symbol)
            case ir.Member(base=base):
                return root_symbol(expr) in fixed and self._follows(base, fixed)
            case ir.AddressOf(place=ir.Index(base=base, index=index)):
                return self._follows(base, fixed) and self._follows(index, fixed)
            case ir.Unary() | ir.Binary() | ir.Select() | ir.Cast():
                return all(self._follows(c, fixed) for c in children(expr))
        return False

    def _assigning(self, s: ir.Stmt) -> Iterator[ir.Stmt]:
        """A declaration of a kept variable only gives it its value."""
        if not isinstance(s, ir.Declare) or s.symbol not in self.kept:
            yield s
        elif s.init is not None:
            yield from _store(ir.Var(s.symbol, span=s.span), s.init)

    def _recompute(self, everywhere: list[Region]) -> None:
        needs = {symbol: [s for s in self.again if s in _symbols(value)] for symbol, value in self.again.items()}
        for region in everywhere:
            wanted: set[ir.Symbol] = set()
            todo = [s for each in region.body for s in mentioned(each) if s in self.again]
            while todo:
                symbol = todo.pop()
                if symbol not in wanted:
                    wanted.add(symbol)
                    todo += needs[symbol]
            anew = tuple(ir.Declare(s, value, span=s.span) for s, value in self.again.items() if s in wanted)
            region.body = (*anew, *region.body)


def _led_to(body: ir.Body, pointers: set[ir.Symbol]) -> set[ir.Symbol]:
    """The variables to which some of these pointers, or structs and arrays of such, may lead."""
    given: list[tuple[set[ir.Symbol], ...]] = []  # what is given which addresses, of what else
    for s in walk_stmts(body):
        match s:
            case ir.Declare(symbol=symbol, init=value) if value is not None:
                targets = {symbol}
            case ir.Assign(target=target, value=value):
                targets = _symbols(target)
            case _:
                continue
        if not isinstance(value.type, Int | Float):
            roots = {root_symbol(e.place) for e in walk_expr(value) if isinstance(e, ir.AddressOf)}
            arrays = {v for v in _symbols(value) if isinstance(v.type, Array)}
            given.append((targets, {r for r in roots if r is not None} | arrays, _symbols(value)))
    reached = set(pointers)

    def led() -> None:
        for targets, addresses, others in given:
            reached.update(addresses | others if targets & reached else ())

    settle(reached, led)
    return {x for targets, addresses, _ in given if targets & reached for x in addresses}


def _mentions(everywhere: list[Region]) -> dict[ir.Symbol, list[Region]]:
    found: dict[ir.Symbol, list[Region]] = {}
    for region in everywhere:
        ordered: dict[ir.Symbol, None] = {}
        for s in region.body:
            ordered.update(dict.fromkeys(sorted(mentioned(s), key=lambda x: (x.span.line, x.span.column, x.name))))
        for symbol in ordered:
            found.setdefault(symbol, []).append(region)
    return found


def _declares(s: ir.Stmt, symbol: ir.Symbol) -> bool:
    return isinstance(s, ir.Declare) and s.symbol is symbol


def _is_shared_array(symbol: ir.Symbol) -> bool:
    return symbol.storage == "shared" and isinstance(symbol.type, Array)


def _uses(s: ir.Stmt, symbol: ir.Symbol) -> bool:
    return not _declares(s, symbol) and symbol in mentioned(s)


def _is_simple(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Assign | ir.Update | ir.Call)


def _symbols(expr: ir.Expr) -> set[ir.Symbol]:
    return {e.symbol for e in walk_expr(expr) if isinstance(e, ir.Var)}


def _is_table(value: ir.Expr) -> bool:
    return all(isinstance(e, ir.Const | ir.Aggregate | ir.String) or _is_constant(e) for e in walk_expr(value))


def _is_constant(e: ir.Expr) -> bool:
    return isinstance(e, ir.Cast | ir.Unary | ir.Binary) and isinstance(e.type, Int | Float)


def _store(place: ir.Place, value: ir.Expr) -> Iterator[ir.Stmt]:
    """Give a variable its initial value: an array element by element."""
    span = value.span
    if not isinstance(place.type, Array):
        yield ir.Assign(place, value, span=span)
        return
    length = place.type.length or 0
    elements = value.elements if isinstance(value, ir.Aggregate) else tuple(_characters(value))
    if len(elements) < length:
        size = ir.Const(size_of(place.type), SIZE_T, span=span)
        yield ir.Call("memset", (place, ir.Const(0, INT, "0", span=span), size), span=span)
    for i, each in enumerate(elements[:length]):
        yield from _store(ir.Index(place, ir.Const(i, INT, str(i), span=span), place.type.of, span=span), each)


def _characters(value: ir.Expr) -> Iterator[ir.Expr]:
    assert isinstance(value, ir.String)
    for code in texts.octets(value.text):
        yield ir.Const(code - 256 * (code > 127), CHAR, span=value.span)
