"""Variables that live as long as the program, whose first values it computes: `static Table table(3);`.

They begin as zeros, with a flag beside them that says whether they have their values yet.  One of a function is given
its value where it is declared; one at file scope by a function of its own, which the program calls before anything
else (`unit.py`).  Their ends, when the program has ended, have no effect that anybody sees, and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from pycparser import c_ast
from pycparser.c_parser import Coord

from hetad.frontend.cpp import clang, tree
from hetad.frontend.cpp.clang import Cursor, CursorKind, TypeKind
from hetad.frontend.cpp.tree import Node
from hetad.frontend.items import Item
from hetad.frontend.lower.c_nodes import Constructed, Temporary
from hetad.frontend.lower.context import Qualified
from hetad.ir import nodes as ir
from hetad.ir.types import INT

if TYPE_CHECKING:
    from hetad.frontend.cpp.entities import Entities

_COMPUTED = (c_ast.FuncCall, Temporary, Constructed)


def is_computed(value: Node | None, is_variable: Callable[[str], bool]) -> bool:
    """Whether an initialiser is more than constants and addresses; `is_variable` says what a name stands for."""
    if value is None:
        return False
    if isinstance(value, c_ast.UnaryOp) and value.op in ("&", "sizeof"):
        return False
    if isinstance(value, c_ast.ID):
        return is_variable(value.name)
    if isinstance(value, c_ast.StructRef):
        return is_computed(value.name, is_variable)
    return isinstance(value, _COMPUTED) or any(is_computed(child, is_variable) for _, child in value.children())


def flag_of(name: str) -> str:
    """What the flag of a variable is called."""
    return f"{name}_is_made"


def once(name: str, value: Node, flag: str, is_array: bool) -> Node:
    """The statement that gives a variable its first value, unless it has one."""
    at = value.coord
    place = tree.name(name, at)
    if is_array:
        values = value.exprs if isinstance(value, c_ast.InitList) else [value]
        made = Constructed(place, values, at)
    else:
        made = Constructed(tree.unary("&", place, at), [value], at)
    flagged = tree.name(flag, at)
    marked = tree.assignment("=", flagged, tree.constant("int", "1", at), at)
    return tree.branch(tree.unary("!", flagged, at), tree.block([marked, made], at), None, at)


def flag_declared(name: str, at: Coord | None) -> Node:
    """The declaration of a flag."""
    zero = tree.constant("int", "0", at)
    return tree.declaration(name, tree.declarator(name, Qualified(INT), at), zero, at, ["static"])


class FirstValues:
    """Those of the variables at file scope of one text."""

    def __init__(self, text: Entities) -> None:
        self._text = text
        self._made: dict[str, tuple[Node, Cursor]] = {}  # what gives them their values
        self.variables: list[Cursor] = []

    def without(self, declared: Node, cursor: Cursor, item: Item) -> Node:
        """A declaration without a value that the program computes, for which there is a function from now on."""
        from hetad.frontend.cpp.body import Body

        name, value = declared.name, declared.init  # type: ignore[attr-defined]
        if not is_computed(value, self._text.is_variable):
            return declared
        if item.spaces:
            what = "a value that the program computes of a variable in device memory"
            self._text.source.refuse(what, cursor, "set it with cudaMemcpyToSymbol")
        at, flag = declared.coord, flag_of(name)
        made = once(f"::{name}", value, flag, cursor.type.get_canonical().kind == TypeKind.CONSTANTARRAY)
        self._made[name] = tree.block([flag_declared(flag, at), made], at), cursor
        of = replace(Body(self._text, None).qualified(cursor), const=False)
        return tree.declaration(name, tree.declarator(name, of, at), None, at)

    def function(self, variable: str) -> ir.Function | None:
        """The function that gives a variable the value that the program computes; None of other variables."""
        made = self._made.get(variable)
        return self._text.add(f"make_{variable}", *made) if made is not None else None

    def acting(self, on: Collection[str]) -> Iterator[str]:
        """The variables whose first values are made by what may change some others, of these names."""
        for cursor in () if self._text.device else self.variables:
            if any(f"{name}_".startswith(f"{changed}_") for changed in self._changed[cursor] for name in on):
                name = self._text.variable(cursor).removeprefix("::")
                if isinstance(self._text.global_variable(name), ir.Global):
                    yield name

    @cached_property
    def _changed(self) -> Mapping[Cursor, Collection[str]]:
        return {v: _changed_by(v) for v in self.variables}


def _changed_by(variable: Cursor) -> set[str]:
    """The names of other variables that live as long as the program, and that may change where one gets its value."""
    found: set[str] = set()
    value = clang.initialiser(variable)
    waiting = [value] if value is not None and not variable.type.is_const_qualified() else []
    seen: set[Cursor] = set()
    while waiting:
        for inner in clang.walk(waiting.pop()):
            meant = inner.referenced if inner.kind.is_expression() else None
            if meant is None or meant in seen:
                continue
            seen.add(meant)
            if meant.kind == CursorKind.VAR_DECL and meant != variable and _lives_on(meant):
                found.add(meant.spelling)
            elif meant.kind in _FUNCTIONS and (body := clang.definition(meant)) is not None:
                waiting.append(body)
    return found


_FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR)


def _lives_on(variable: Cursor) -> bool:
    around = variable.semantic_parent
    of_function = around is not None and around.kind in _FUNCTIONS
    return not variable.type.is_const_qualified() and (not of_function or variable.storage_class.name == "STATIC")
