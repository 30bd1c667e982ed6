"""What lowering knows while it works: scopes, the statement list being built, positions, fresh names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn, Protocol

from pycparser import c_ast
from pycparser.c_parser import Coord

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir.nodes import Const, Declare, Expr, Global, Kind, Stmt, Storage, Symbol, Var
from hetad.ir.types import Opaque, Type, of_value
from hetad.rules.operations import Operation


@dataclass(frozen=True, slots=True)
class Qualified:
    """A type as declared, with the constness of the thing itself; a reference is the pointer that stands for it."""

    type: Type
    const: bool = False
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """A function of the program as its callers see it; `defaults` are lowered by the caller."""

    name: str
    kind: Kind
    returns: Type
    params: tuple[Type, ...]
    names: tuple[str, ...]
    defaults: tuple[c_ast.Node | None, ...]  # per parameter
    span: Span
    references: tuple[bool, ...] = ()  # per parameter: whether it is a reference, passed as a pointer


@dataclass(frozen=True, slots=True)
class Reference:
    """A name that stands for a place."""

    place: Expr


@dataclass(frozen=True, slots=True)
class Ending:
    """What is done for a variable at its end: `node`, or, without one, its memory is freed; see `Temporary`."""

    symbol: Symbol | None
    node: c_ast.Node | None = None
    anywhere: bool = False


OBJECT = Opaque("auto")  # the type of a C++ object that hetad does not follow

# A variable, an enumerator, a typedef, a C++ reference; what a quote calls.
Entry = Symbol | Const | Qualified | Reference | Operation


class Outer(Protocol):
    """The names at file scope, lowered when they are first needed."""

    def type_named(self, name: str) -> Qualified | None: ...
    def tag(self, name: str) -> Type | None: ...
    def value(self, name: str) -> Symbol | Const | None: ...
    def signature(self, name: str) -> Signature | None: ...
    def operation(self, name: str) -> Operation | None: ...
    def keep(self, variable: Global) -> None: ...
    def program_name(self, name: str) -> str: ...
    def has_writable_variables(self) -> bool: ...
    def callable_names(self) -> list[str]: ...


def _coord(node: c_ast.Node) -> Coord | None:
    """Of the node, or else of the first one inside that has one: lists of initialisers have none."""
    while node.coord is None and (children := node.children()):
        node = children[0][1]
    return node.coord


class Context:
    """One function, or the file scope, while it is lowered."""

    def __init__(
        self, outer: Outer, lengths: Mapping[tuple[str, int, int], int], function: Signature | None, item: Span
    ) -> None:
        self.outer = outer
        self._item = item
        self.function = function
        self.scopes: list[dict[str, Entry]] = [{}]
        self.tags: list[dict[str, Type]] = [{}]
        self.out: list[Stmt] | None = None  # None: at file scope, where nothing can be emitted
        self.unroll: str | None = None
        self.targets: list[tuple[str, int]] = []  # "loop" or "switch" and the scopes around it, the innermost last
        self.endings: list[list[Ending]] = [[]]  # per scope: what is done when it is left, the last first
        self.temporaries: list[Ending] = []  # what is done at the end of the full expression
        self.sizes: dict[Symbol, Var] = {}  # of these arrays, in bytes
        self.jumps = False  # whether there was a goto or a label
        self.references: set[Symbol] = set()  # the pointers behind local references
        self.chosen: dict[Symbol, tuple[Expr, ...]] = {}  # copies for const references, and the places copied from
        self.of_library: dict[Symbol, str] = {}  # what holds the value of a variable of the C library
        self.integers: dict[Symbol, int] = {}  # const variables whose value is a constant expression
        self.shared: dict[str, Symbol] = {}  # arrays at file scope that the function uses as its own
        self._lengths = lengths
        self.lasting: list[Symbol] = []  # variables for the whole function that no declaration of the program's makes
        self._names: set[str] = set()
        self._lost: set[str] = set()

    # --- positions -----------------------------------------------------------------------------

    def span(self, node: c_ast.Node | None) -> Span:
        """The place of a pycparser node."""
        return self.place(node) or (self.function.span if self.function is not None else self._item)

    def place(self, node: c_ast.Node | None) -> Span | None:
        """The same, where pycparser knows it of the node or of one inside."""
        coord = _coord(node) if node is not None else None
        if coord is None:
            return None
        column = coord.column or 1
        return Span(coord.file, coord.line, column, self._lengths.get((coord.file, coord.line, column), 1))

    def refuse(self, what: str, node: c_ast.Node | Span, remedy: str = "") -> NoReturn:
        """Raise that `what` is not supported, at a pycparser node or a Span."""
        raise UnsupportedError(
            f"hetad does not support {what}", node if isinstance(node, Span) else self.span(node), remedy
        )

    # --- scopes --------------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.scopes.append({})
        self.tags.append({})
        self.endings.append([])
        try:
            yield
        finally:
            self.scopes.pop()
            self.tags.pop()
            self.endings.pop()

    @contextmanager
    def inside(self, what: str) -> Iterator[None]:
        """In a loop or a switch, where a break leads out of it."""
        self.targets.append((what, len(self.scopes)))
        try:
            yield
        finally:
            self.targets.pop()

    def define(self, name: str, entry: Entry) -> None:
        self.scopes[-1][name] = entry
        self._names.add(name)

    def lose(self, names: Iterable[str]) -> None:
        """Tells of names whose declarations are refused."""
        self._lost.update(names)

    def is_lost(self, name: str) -> bool:
        return name in self._lost and self.local(name) is None

    def local(self, name: str) -> Entry | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def local_tag(self, name: str) -> Type | None:
        for tags in reversed(self.tags):
            if name in tags:
                return tags[name]
        return None

    # --- statements ----------------------------------------------------------------------------

    def emit(self, stmt: Stmt) -> None:
        if self.out is None:
            message = "the initialiser of a variable at file scope must be a constant"
            raise UnsupportedError(message, stmt.span, "initialise it in a function")
        self.out.append(stmt)

    @contextmanager
    def collect(self) -> Iterator[list[Stmt]]:
        """The statements emitted inside go into the list given."""
        saved, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = saved

    @contextmanager
    def peek(self) -> Iterator[None]:
        """What is lowered inside leaves nothing behind."""
        names, objects = set(self._names), len(self.temporaries)
        with self.collect():
            try:
                yield
            finally:
                self._names = names
                del self.temporaries[objects:]

    def fresh(self, name: str, type_: Type, span: Span, storage: Storage = "local") -> Symbol:
        """A new local variable, named so that it clashes with none seen so far."""
        return Symbol(self.unused(name), of_value(type_), span, storage)

    def unused(self, name: str) -> str:
        candidate, number = name, 0
        while candidate in self._names:
            number += 1
            candidate = f"{name}_{number}"
        self._names.add(candidate)
        return candidate

    def hold(self, value: Expr, name: str, span: Span) -> Var:
        """A fresh variable that has this value from here on."""
        symbol = self.fresh(name, value.type, span)
        self.emit(Declare(symbol, value, span=span))
        return Var(symbol, span=span)
