"""What each variable of a run is to the function that the run becomes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from hetad.adjoint.canonicalise.uses import idle, mentioned, occurrences
from hetad.host.outlining.runs import Run
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import exposed, pointed_to, root_symbol, written
from hetad.ir.types import DIM3, Array, Struct, is_volatile, size_of
from hetad.ir.visit import map_body, own_exprs, own_nodes, variables, walk_stmts
from hetad.rules import callees, operations
from hetad.rules.routines import HEADERS

SMALL_STRUCT = 32  # bytes that are passed by value where they are only read

Mode = Literal["local", "value", "pointer", "array"]
_CANNOT_MOVE = ir.Return | ir.Break | ir.Continue | ir.Goto | ir.Label | ir.Opaque | ir.Switch | ir.Push | ir.Pop


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """A run as the body of a function.

    `modes`: a variable of the function itself, a parameter by value, or by pointer (an array: to its first element).
    `declared`: what the caller declares in front of the call.  `moved`: variables that the caller has no more.
    `result`: what the function returns, and where the caller puts it.
    """

    run: Run
    body: ir.Body
    modes: dict[ir.Symbol, Mode]
    declared: tuple[ir.Symbol, ...]
    moved: frozenset[ir.Symbol]
    result: tuple[ir.Symbol, ir.Symbol] | None

    @property
    def pointers(self) -> int:
        """How many single values come back by pointer."""
        return sum(m == "pointer" and not isinstance(x.type, Struct) for x, m in self.modes.items())


def planned(run: Run, pointed: Collection[ir.Symbol]) -> Plan | None:
    """None where the run must stay.  `pointed`: the variables that pointers in variables may lead to."""
    if run.statements[0].span.file in HEADERS:  # of a library: not the user's functions
        return None
    if any(isinstance(s, _CANNOT_MOVE) for s in walk_stmts(run.statements)):
        return None
    return _Planner(run, pointed).plan()


def with_kept_addresses(body: ir.Body) -> set[ir.Symbol]:
    """The variables whose addresses are kept in variables, in memory or on the tape."""
    remember = tuple(s for s in walk_stmts(body) if isinstance(s, ir.Call) and callees.has(s, "remembers addresses"))
    return pointed_to(body) | exposed(remember)


class _Planner:
    def __init__(self, run: Run, pointed: Collection[ir.Symbol]) -> None:
        self.run = run
        self.pointed = pointed
        self.changed = written(run.statements) | set(_given_away(run.statements))
        self.decays = exposed(run.statements)
        self.inner = {s.symbol for s in walk_stmts(run.statements) if isinstance(s, ir.Declare)}
        self.top = {s.symbol: s for s in run.statements if isinstance(s, ir.Declare)}
        self.own: list[ir.Declare] = []  # declared outside, used here alone
        self.handed: list[ir.Symbol] = []  # declared here, used later on

    def plan(self) -> Plan | None:
        modes: dict[ir.Symbol, Mode] = {}
        for symbol in _mentioned(self.run.statements):
            if symbol.storage in ("global", "constant"):
                continue
            mode = self._mode(symbol)
            if mode is None:
                return None
            modes[symbol] = mode
        body, result = _without_line_of_call(self.run.statements, self.run), self._result(modes)
        if result is not None:
            modes[result] = "local"
        body = tuple(x for s in body for x in self._without_handed(s, result))
        given = None if result is None else (result, result)
        if result is not None:
            copied = _copied(body[-1], result)
            if copied is not None and modes.get(copied) == "local" and len(body) > 1:
                body, given = body[:-1], (copied, result)
                del modes[result]
            elif result not in self.top:
                self.own.append(ir.Declare(result, None, span=result.span))
        if given is not None:
            span = body[-1].span
            body = (*body, ir.Return(ir.Var(given[0], span=span), span=span))
        moved = frozenset(d.symbol for d in self.own if d.symbol is not result)
        return Plan(self.run, (*self.own, *body), modes, tuple(self.handed), moved, given)

    def _mode(self, symbol: ir.Symbol) -> Mode | None:
        """None: the variable forbids that the run becomes a function."""
        if symbol.storage not in ("param", "local") or is_volatile(symbol.type):
            return None
        if symbol in self.inner:
            return self._mode_of_inner(symbol)
        if self._is_own(symbol):
            return "local"
        if isinstance(symbol.type, Array):
            return "array" if _only_decays(self.run.statements, symbol) else None
        if symbol in self.changed or symbol in self.pointed or self._is_large(symbol):
            return None if self._is_fixed(symbol) else "pointer"
        return "value"

    def _is_fixed(self, symbol: ir.Symbol) -> bool:
        """Whether the caller declares it `const`."""
        around = [d for scope in self.run.scopes for d in _declarations(scope).get(symbol, ())]
        return symbol.const and (not around or any(d.init is not None for d in around))

    def _mode_of_inner(self, symbol: ir.Symbol) -> Mode | None:
        if symbol in self.pointed:
            return None
        if symbol not in self.top or not self.run.is_mentioned_later(symbol):
            return "local"
        if isinstance(symbol.type, Array | Struct) or isinstance(self.top[symbol].init, ir.Aggregate):
            return None
        self.handed.append(symbol)
        return "pointer"

    def _is_large(self, symbol: ir.Symbol) -> bool:
        if not isinstance(symbol.type, Struct) or symbol.type == DIM3:
            return False
        return symbol in self.decays or size_of(symbol.type) > SMALL_STRUCT

    def _is_own(self, symbol: ir.Symbol) -> bool:
        """Whether the run alone uses a variable that is declared outside; then it is declared inside."""
        if symbol in self.pointed:
            return False
        *outer, block = self.run.scopes
        for scope in (block, *reversed(outer)):
            if symbol not in _declarations(scope):
                continue
            declare = _declarations(scope)[symbol][0]
            same_block = scope is block
            if not idle(declare) or not (same_block or _begins_with(self.run.statements, symbol)):
                return False
            if occurrences(scope).get(symbol, 0) != occurrences(self.run.statements).get(symbol, 0) + 1:
                return False
            self.own.append(declare if same_block else ir.Declare(symbol, None, span=declare.span))
            return True
        return False

    def _result(self, modes: dict[ir.Symbol, Mode]) -> ir.Symbol | None:
        """The one value that the function gives back, if it is one: it is returned."""
        back = [x for x, m in modes.items() if m == "pointer" and not isinstance(x.type, Struct)]
        if len(back) != 1 or back[0] in self.pointed:
            return None
        [symbol] = back
        given = symbol in self.top or _begins_with(self.run.statements, symbol)
        return symbol if given else None

    def _without_handed(self, s: ir.Stmt, result: ir.Symbol | None) -> Iterator[ir.Stmt]:
        """The statement; a declaration whose variable the caller has is an assignment."""
        if not isinstance(s, ir.Declare) or s.symbol not in self.handed or s.symbol is result:
            yield s
        elif s.init is not None:
            yield ir.Assign(ir.Var(s.symbol, span=s.span), s.init, span=s.span)


def _without_line_of_call(body: ir.Body, run: Run) -> ir.Body:
    """Without comments that show the line of the call: they stand above the call of the new function."""
    return map_body(lambda s: None if isinstance(s, ir.Comment) and s.span == run.call.call else s, body)


def _copied(s: ir.Stmt, symbol: ir.Symbol) -> ir.Symbol | None:
    """The variable of which a statement makes `symbol` a copy."""
    match s:
        case ir.Declare(symbol=target, init=ir.Var(symbol=value)) if target is symbol:
            return value
        case ir.Assign(target=ir.Var(symbol=target), value=ir.Var(symbol=value)) if target is symbol:
            return value
    return None


def _mentioned(body: ir.Body) -> dict[ir.Symbol, None]:
    found: dict[ir.Symbol, None] = {}
    for s in walk_stmts(body):
        if isinstance(s, ir.Declare):
            found[s.symbol] = None
        for own in own_exprs(s):
            found.update(dict.fromkeys(variables(own)))
    return found


def _given_away(body: ir.Body) -> Iterator[ir.Symbol]:
    """The variables whose addresses somebody is given that may write there."""
    for s in walk_stmts(body):
        if operations.does(s, operations.push):
            continue
        for e in own_nodes(s):
            root = root_symbol(e.place) if isinstance(e, ir.AddressOf) else None
            if root is not None:
                yield root


def _find_declarations(body: ir.Body) -> Mapping[ir.Symbol, list[ir.Declare]]:
    found: dict[ir.Symbol, list[ir.Declare]] = {}
    for s in body:
        if isinstance(s, ir.Declare):
            found.setdefault(s.symbol, []).append(s)
    return found


_declarations: Fact[ir.Body, Mapping[ir.Symbol, list[ir.Declare]]] = lasting(_find_declarations)


def _only_decays(body: ir.Body, symbol: ir.Symbol) -> bool:
    """Whether an array is used as a pointer to its first element would be."""
    exprs = (e for s in walk_stmts(body) for e in own_nodes(s))
    wholes = (e.place for e in exprs if isinstance(e, ir.AddressOf))
    return not any(isinstance(place, ir.Var) and place.symbol is symbol for place in wholes)


def _begins_with(body: ir.Body, symbol: ir.Symbol) -> bool:
    """Whether the first statement that mentions a variable replaces its value."""
    first = next((s for s in body if symbol in mentioned(s)), None)
    match first:
        case ir.Assign(target=ir.Var(symbol=target), value=value):
            return target is symbol and symbol not in set(variables(value))
        case ir.Call(args=args, result=result):
            if isinstance(result, ir.Var) and result.symbol is symbol:
                return all(symbol not in set(variables(a)) for a in args)
            place = (
                args[0].place if operations.does(first, operations.pop) and isinstance(args[0], ir.AddressOf) else None
            )
            return isinstance(place, ir.Var) and place.symbol is symbol
    return False
