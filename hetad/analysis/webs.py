"""Webs of pointer variables: definitions and uses that belong together because a use may see any of its definitions.

A *cell* is a local pointer variable, or a pointer that is a field of a local struct variable; variables of which the
program makes pointers are left out.  One variable that serves two purposes, one after the other, has two webs.
Source: S. Muchnick, Advanced Compiler Design and Implementation, 1997, section 8.10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hetad.analysis.dataflow import Forward
from hetad.analysis.memory_calls import does, operands, stored_at
from hetad.analysis.pointer_expressions import holds_pointer
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.identity import Identity, IdentityMap
from hetad.ir.places import members, root_symbol
from hetad.ir.types import Pointer, Struct, Type
from hetad.ir.visit import bodies, children, declared, own_exprs, own_nodes, walk_stmts

Cell = tuple[ir.Symbol, tuple[str, ...]]  # a variable, and the fields that lead to a pointer in it
Env = dict[Cell, frozenset[int]]  # the definitions that may be seen


@dataclass(eq=False, slots=True)
class Web:
    """`whole`: the struct that the pointer lies in is used, or set, as a whole while it is there."""

    cell: Cell
    first: int  # the number of its first definition
    on_entry: bool = False  # holds the value that a parameter has on entry, or no value
    used: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Webs:
    """By the statements of a body whose statements are all different objects."""

    webs: Mapping[Cell, list[Web]]  # in the order of their first definitions
    defined: Mapping[tuple[Identity[ir.Stmt], Cell], Web]
    _envs: IdentityMap[ir.Stmt, Env]
    _by_number: Sequence[Web]

    def seen(self, s: ir.Stmt, cell: Cell) -> Web | None:
        """What an expression of a statement sees."""
        definitions = self._envs[s].get(cell)
        return None if definitions is None else self._by_number[min(definitions)]


def place_of(e: ir.Expr) -> tuple[ir.Symbol, tuple[str, ...]] | None:
    """The variable and the fields, for a variable or a field of structs in it."""
    variable, path = members(e)
    return (variable.symbol, path) if isinstance(variable, ir.Var) else None


def pointer_paths(type_: Type) -> Iterator[tuple[str, ...]]:
    """The fields that lead to the pointers in a value of a type, but for those in arrays."""
    if isinstance(type_, Pointer):
        yield ()
    elif isinstance(type_, Struct):
        for f in type_.fields:
            yield from ((f.name, *rest) for rest in pointer_paths(f.type))


def targets(s: ir.Stmt) -> list[ir.Place]:
    """The places that a statement itself sets, as the objects that they are in it."""
    match s:
        case ir.Assign(target=target) | ir.Update(target=target):
            return [target]
        case ir.Call(result=result):
            return [place for place in (result, stored_at(s)) if place is not None]
    return []


def webs(function: ir.Function) -> Webs:
    """The webs of a function, all calls inlined, without jumps."""
    return _Finder(function).result()


class _Finder(Forward[Env]):
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.symbols = _plain_variables(function)
        self.cells: list[Cell] = []  # of each definition
        self.parents: list[int] = []
        self.entries: set[int] = set()
        self.uses: set[int] = set()  # the definitions that are used
        self.wholes: set[int] = set()  # as parts of a whole, or made so
        self.numbers: dict[tuple[Identity[ir.Stmt], Cell], int] = {}
        self.seen = IdentityMap[ir.Stmt, Env]()

    def result(self) -> Webs:
        env: Env = {}
        for p in self.function.params:
            for cell in self._within(p, ()):
                env[cell] = self._entry(cell)
        self.follow(self.function.body, env)
        found: dict[int, Web] = {}
        for n, cell in enumerate(self.cells):
            web = found.setdefault(self._root(n), Web(cell, n))
            web.on_entry |= n in self.entries
            web.used |= n in self.uses
            web.whole |= n in self.wholes
        of_cells: dict[Cell, list[Web]] = {}
        for web in found.values():
            of_cells.setdefault(web.cell, []).append(web)
        by_number = [found[self._root(n)] for n in range(len(self.cells))]
        defined = {key: by_number[n] for key, n in self.numbers.items()}
        return Webs(of_cells, defined, self.seen, by_number)

    # -- statements

    def joined(self, one: Env, other: Env) -> Env:
        if one is other:
            return one
        cells = (*one, *(k for k in other if k not in one))
        return {c: one.get(c, frozenset()) | other.get(c, frozenset()) for c in cells}

    def loop(self, s: ir.Stmt, inside: ir.Body, begin: Env) -> Env:
        """Where the loop goes round, that is seen what was before it, and what it defines anywhere."""
        head = dict(begin)
        for inner in walk_stmts(inside):
            for cell, _ in self._defines(inner):
                if cell in head:
                    head[cell] = head[cell] | {self._number(inner, cell)}
        self.arrive(s, head)
        self.follow(inside, head)
        return head

    def behind(self, s: ir.Stmt, env: Env) -> Env:
        assert not bodies(s)
        cells = list(self._defines(s))
        if not cells:
            return env
        after = dict(env)
        for cell, whole in cells:
            n = self._number(s, cell)
            after[cell] = frozenset({n})
            if isinstance(s, ir.Declare) and s.init is None:
                self.entries.add(n)
            elif whole:
                self.wholes.add(n)
            if isinstance(s, ir.Update):
                self._use(cell, env, whole=False, also=n)
        return after

    def _defines(self, s: ir.Stmt) -> Iterator[tuple[Cell, bool]]:
        """The cells that a statement sets, and whether as part of a whole."""
        places = [ir.Var(s.symbol, span=s.span)] if isinstance(s, ir.Declare) else targets(s)
        for place in places:
            at = place_of(place)
            if at is not None:
                yield from ((cell, cell != at) for cell in self._within(*at))

    # -- uses

    def arrive(self, s: ir.Stmt, env: Env) -> None:
        self.seen[s] = env
        set_here = targets(s)
        for own in own_exprs(s):
            self._uses(own, env, set_here)

    def _uses(self, e: ir.Expr, env: Env, set_here: list[ir.Place]) -> None:
        at = place_of(e)
        if at is not None:
            if not any(e is t for t in set_here):
                for cell in self._within(*at):
                    self._use(cell, env, whole=cell != at)
            return
        for child in children(e):
            self._uses(child, env, set_here)

    def _use(self, cell: Cell, env: Env, whole: bool, also: int | None = None) -> None:
        seen = sorted(env[cell])
        self.uses.update(seen)
        self.wholes.update(seen if whole else ())
        for n in [*seen[1:], *([also] if also is not None else [])]:
            self.parents[self._root(n)] = self._root(seen[0])

    # -- cells and definitions

    def _within(self, symbol: ir.Symbol, path: tuple[str, ...]) -> Iterator[Cell]:
        paths = self.symbols.get(symbol, ())
        return ((symbol, p) for p in paths if p[: len(path)] == path)

    def _number(self, s: ir.Stmt, cell: Cell) -> int:
        key = (Identity(s), cell)
        if key not in self.numbers:
            self.numbers[key] = self._fresh(cell)
        return self.numbers[key]

    def _entry(self, cell: Cell) -> frozenset[int]:
        n = self._fresh(cell)
        self.entries.add(n)
        return frozenset({n})

    def _fresh(self, cell: Cell) -> int:
        self.cells.append(cell)
        self.parents.append(len(self.parents))
        return len(self.parents) - 1

    def _root(self, n: int) -> int:
        while self.parents[n] != n:
            self.parents[n] = self.parents[self.parents[n]]
            n = self.parents[n]
        return n


def _plain_variables(function: ir.Function) -> dict[ir.Symbol, tuple[tuple[str, ...], ...]]:
    """The variables that hold pointers, and where in them these lie, of which no pointers are made."""
    found = {
        x: tuple(pointer_paths(x.type))
        for x in (*function.params, *declared(function.body))
        if x.storage in ("param", "local") and isinstance(x.type, Pointer | Struct)
    }
    pointed = pointed_at(function.body, holds_pointer)
    return {x: paths for x, paths in found.items() if paths and x not in pointed}


def pointed_at(body: ir.Body, counts: Callable[[Type], bool]) -> set[ir.Symbol]:
    """The variables that may change elsewhere, since the body makes pointers to parts of them that count, by type."""
    found: set[ir.Symbol] = set()
    for s in walk_stmts(body):
        allowed = list(_looked_through(s))
        for e in own_nodes(s):
            if isinstance(e, ir.AddressOf) and counts(e.place.type) and not any(e.place is p for p in allowed):
                x = root_symbol(e.place)
                found |= {x} if x is not None else set()
        found.update(s.declares if isinstance(s, ir.Opaque) else ())
    return found


def _looked_through(s: ir.Stmt) -> Iterator[ir.Place]:
    """The places whose address a statement takes only to set the pointer there, or to copy what is there."""
    place = stored_at(s)
    if place is not None:
        yield place
    source = bare(operands(s)["src"]) if does(s, "copy") else None
    if isinstance(source, ir.AddressOf):
        yield source.place
