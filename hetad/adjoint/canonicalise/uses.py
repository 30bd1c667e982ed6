"""What statements mention, assign and expose: the questions that every tidying asks.

What a statement mentions is found once, from that of the statements within.  Bodies are asked by symbol: `Uses` knows
where in a body each is mentioned and assigned, and is told of what is replaced.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.build import is_zero
from hetad.ir.facts import Fact, lasting
from hetad.ir.visit import (
    bodies,
    is_compound,
    map_bodies,
    own_nodes,
    own_variables,
    same_or,
    substitute,
    variables,
    with_bodies,
)

Symbols = frozenset[ir.Symbol]


def inside(fn: Callable[[ir.Body], ir.Body], s: ir.Stmt) -> ir.Stmt:
    """The statement with its bodies rewritten; the header of a loop is no block of its own."""
    if not is_compound(s):
        return s
    if isinstance(s, ir.For):
        inner = fn(s.body)
        return with_bodies(s, body=inner)
    return map_bodies(fn, s)


def idle(s: ir.Stmt) -> bool:
    """A comment, or a declaration that computes nothing."""
    if not isinstance(s, ir.Declare):
        return isinstance(s, ir.Comment)
    return s.init is None or is_zero(s.init) or (isinstance(s.init, ir.Aggregate) and not s.init.elements)


def without_empty_comments(body: ir.Body) -> ir.Body:
    return same_or(body, tuple(s for s in body if not (isinstance(s, ir.Comment) and not s.text)))


def _with_nested(found: set[ir.Symbol], fact: Callable[[ir.Stmt], Symbols], s: ir.Stmt) -> Symbols:
    if not is_compound(s):
        return frozenset(found)
    return frozenset(found).union(*(fact(inner) for body in bodies(s) for inner in body))


def _mentioned(s: ir.Stmt) -> Symbols:
    found = set(own_variables(s))
    if isinstance(s, ir.Declare):
        found.add(s.symbol)
    elif isinstance(s, ir.Push | ir.Pop):
        found.add(s.slot)
    elif isinstance(s, ir.For) and s.primal is not None:  # whose header it may have again
        found.update(variables((replace(s.primal, body=()),)))
    return _with_nested(found, mentioned, s)


def _changed(s: ir.Stmt) -> Symbols:
    found = {x for e in own_nodes(s) if isinstance(e, ir.AddressOf) for x in variables(e.place)}
    match s:
        case ir.Assign(target=ir.Var(symbol=x)) | ir.Update(target=ir.Var(symbol=x)) | ir.Pop(place=ir.Var(symbol=x)):
            found.add(x)
        case ir.Call(result=ir.Var(symbol=x)):
            found.add(x)
    return _with_nested(found, changed, s)


def _declares(s: ir.Stmt) -> Symbols:
    found = {s.symbol} if isinstance(s, ir.Declare) else set()
    return _with_nested(found, _declared, s)


def _find_occurrences(s: ir.Stmt) -> Mapping[ir.Symbol, int]:
    found = Counter(own_variables(s))
    if isinstance(s, ir.Declare):
        found[s.symbol] += 1
    for body in bodies(s):
        _add(occurrences(body), found)
    return found


def _find_occurrences_in_body(body: ir.Body) -> Mapping[ir.Symbol, int]:
    found = Counter[ir.Symbol]()
    for s in body:
        _add(_occurrences(s), found)
    return found


def _add(more: Mapping[ir.Symbol, int], counts: Counter[ir.Symbol]) -> None:
    for symbol, times in more.items():
        counts[symbol] += times


mentioned: Fact[ir.Stmt, Symbols] = lasting(_mentioned)
changed: Fact[ir.Stmt, Symbols] = lasting(_changed)  # by an assignment, or perhaps through its address
_declared: Fact[ir.Stmt, Symbols] = lasting(_declares)
_occurrences: Fact[ir.Stmt, Mapping[ir.Symbol, int]] = lasting(_find_occurrences)
# How often a body mentions each variable, declarations included.
occurrences: Fact[ir.Body, Mapping[ir.Symbol, int]] = lasting(_find_occurrences_in_body)


def mentioned_in(body: ir.Body, among: Set[ir.Symbol] | None = None) -> set[ir.Symbol]:
    return set().union(*(mentioned(s) if among is None else mentioned(s) & among for s in body))


def next_mention(body: ir.Body, start: int, symbol: ir.Symbol) -> int | None:
    for k in range(start, len(body)):
        if symbol in mentioned(body[k]):
            return k
    return None


def assigned(body: ir.Body, symbol: ir.Symbol) -> bool:
    return any(symbol in changed(s) or symbol in _declared(s) for s in body)


class Uses:
    """The statements of a body by their first positions, which stay as they are, and where each symbol `among` these is
    used."""

    def __init__(self, body: ir.Body, among: Set[ir.Symbol]) -> None:
        self.body: list[ir.Stmt | None] = list(body)
        self._among = among
        self._mentions = self._where(mentioned)
        self._changes: dict[ir.Symbol, list[int]] | None = None  # until somebody asks

    def _where(self, fact: Callable[[ir.Stmt], Symbols]) -> dict[ir.Symbol, list[int]]:
        found: dict[ir.Symbol, list[int]] = {}
        for k, s in enumerate(self.body):
            for x in _at(s, fact) & self._among:
                found.setdefault(x, []).append(k)
        return found

    def result(self) -> ir.Body:
        return tuple(s for s in self.body if s is not None)

    def put(self, k: int, s: ir.Stmt | None) -> None:
        """Replaces the statement at a position, or drops it."""
        old = self.body[k]
        self.body[k] = s
        self._moved(self._mentions, mentioned, k, old)
        if self._changes is not None:
            self._moved(self._changes, _set_in, k, old)

    def _moved(
        self, found: dict[ir.Symbol, list[int]], fact: Callable[[ir.Stmt], Symbols], k: int, old: ir.Stmt | None
    ) -> None:
        before, now = _at(old, fact) & self._among, _at(self.body[k], fact) & self._among
        for x in before - now:
            found[x].remove(k)
        for x in now - before:
            insort(found.setdefault(x, []), k)

    def after(self, k: int, symbol: ir.Symbol) -> list[int]:
        """Where the symbol is mentioned after a position."""
        found = self._mentions.get(symbol, [])
        return found[bisect_right(found, k) :]

    def next(self, k: int, symbol: ir.Symbol) -> int | None:
        """Where the symbol is mentioned first after a position."""
        return _following(self._mentions.get(symbol, []), k)

    def changed_after(self, k: int, symbol: ir.Symbol) -> int | None:
        """Where the symbol is assigned or declared first after a position."""
        if self._changes is None:
            self._changes = self._where(_set_in)
        return _following(self._changes.get(symbol, []), k)

    def substitute(self, k: int, old: ir.Symbol, new: ir.Expr) -> None:
        """Puts a value in the place of a symbol, after a position."""
        for position in self.after(k, old):
            s = self.body[position]
            assert s is not None
            (changed_statement,) = substitute({old: new}, (s,))
            self.put(position, changed_statement)


def _set_in(s: ir.Stmt) -> Symbols:
    return changed(s) | _declared(s)


def _at(s: ir.Stmt | None, fact: Callable[[ir.Stmt], Symbols]) -> Symbols:
    return fact(s) if s is not None else frozenset()


def _following(positions: list[int], k: int) -> int | None:
    at = bisect_right(positions, k)
    return positions[at] if at < len(positions) else None


def root_of(place: ir.Expr) -> ir.Symbol | None:
    """The variable through which a place is named; distinct shadows reach distinct memory (see device/reverse)."""
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Index(base=base) | ir.Member(base=base):
            return root_of(base)
        case ir.Binary(op="+" | "-", left=left):
            return root_of(left)
    return None
