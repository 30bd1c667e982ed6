"""What is asked of pycparser's nodes in several places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycparser import c_ast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pycparser.c_parser import Coord

    from hetad.frontend.lower.context import Qualified
    from hetad.ir.types import Type


REFERENCE = "_Atomic"  # the qualifier of the pointer that stands for a reference, which no program of C++ has
CONSTEXPR = "hetad$constexpr"  # called around the condition of `if constexpr`


def called(node: c_ast.FuncCall) -> str:
    """The name in a call by name."""
    assert isinstance(node.name, c_ast.ID)
    return node.name.name


def arguments(node: c_ast.FuncCall) -> list[c_ast.Node]:
    """What a call passes."""
    return list(node.args.exprs) if node.args is not None else []


def innermost(node: c_ast.Decl | c_ast.Typename) -> c_ast.TypeDecl:
    """The part of a declarator that stands at the name, behind stars and brackets."""
    inner = node.type
    while isinstance(inner, c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.FuncDecl):
        inner = inner.type
    assert isinstance(inner, c_ast.TypeDecl)
    return inner


def declared_name(node: c_ast.Decl) -> str:
    """The name of a variable or function; a struct alone declares none."""
    assert node.name is not None
    return node.name


class Resolved(c_ast.Node):
    """A type that another front end has found out, in the place of a specifier."""

    __slots__ = ("__weakref__", "coord", "qualified")
    attr_names = ()

    def __init__(self, qualified: Qualified, coord: Coord | None = None) -> None:
        self.qualified = qualified
        self.coord = coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return ()


class Known(c_ast.Node):
    """A constant that another front end has found out, in the place of an expression."""

    __slots__ = ("__weakref__", "coord", "type", "value")
    attr_names = ()

    def __init__(self, value: float, type_: Type, coord: Coord | None = None) -> None:
        self.value = value
        self.type = type_
        self.coord = coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return ()


class Copied(c_ast.Node):
    """The value of an expression that may denote a place: no reference refers to that."""

    __slots__ = ("__weakref__", "coord", "expr")
    attr_names = ()

    def __init__(self, expr: c_ast.Node, coord: Coord | None = None) -> None:
        self.expr = expr
        self.coord = coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return (("expr", self.expr),)


class AtEnd(c_ast.Node):
    """What is to be done wherever the scope of a variable is left; `alias` names the variable in `node`."""

    __slots__ = ("__weakref__", "alias", "coord", "name", "node")
    attr_names = ()

    def __init__(self, name: str, alias: str, node: c_ast.Node, coord: Coord | None = None) -> None:
        self.name = name
        self.alias = alias
        self.node = node
        self.coord = coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return (("node", self.node),)


class Temporary(c_ast.Node):
    """An object without a name, for which `node` is done where its full expression ends; or `anywhere` behind what it
    is used for, as it only gives its memory back."""

    __slots__ = ("__weakref__", "alias", "anywhere", "coord", "expr", "node")
    attr_names = ()

    def __init__(
        self, expr: c_ast.Node, alias: str, node: c_ast.Node, coord: Coord | None = None, anywhere: bool = False
    ) -> None:
        self.expr = expr
        self.alias = alias
        self.node = node
        self.coord = coord
        self.anywhere = anywhere

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return (("expr", self.expr), ("node", self.node))


class Named(c_ast.Node):
    """The place that an expression denotes, evaluated once: `alias` stands for it from here on."""

    __slots__ = ("__weakref__", "alias", "coord", "expr")
    attr_names = ()

    def __init__(self, alias: str, expr: c_ast.Node, coord: Coord | None = None) -> None:
        self.alias = alias
        self.expr = expr
        self.coord = coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return (("expr", self.expr),)


class Given(c_ast.Node):
    """A local variable that becomes the result of its function: its end is not here."""

    __slots__ = ("__weakref__", "coord", "expr")
    attr_names = ()

    def __init__(self, expr: c_ast.ID, coord: Coord | None = None) -> None:
        self.expr = expr
        self.coord = coord

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        return (("expr", self.expr),)


class Constructed(c_ast.Node):
    """The pointer `memory`, to which an object has been made of each of `inits`, and, where there is a `count`, one of
    `rest` at each place behind them."""

    __slots__ = ("__weakref__", "coord", "count", "inits", "memory", "rest")
    attr_names = ()

    def __init__(
        self,
        memory: c_ast.Node,
        inits: Sequence[c_ast.Node],
        coord: Coord | None = None,
        count: c_ast.Node | None = None,
        rest: c_ast.Node | None = None,
    ) -> None:
        self.memory = memory
        self.inits = list(inits)
        self.coord = coord
        self.count = count
        self.rest = rest

    def children(self) -> tuple[tuple[str, c_ast.Node], ...]:
        parts = [
            ("memory", self.memory),
            *(("inits", i) for i in self.inits),
            ("count", self.count),
            ("rest", self.rest),
        ]
        return tuple((name, node) for name, node in parts if node is not None)
