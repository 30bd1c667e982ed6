"""Quotes: pieces of generated code as CUDA C with holes, read by hetad's own front end.

    CLEAR = Quote('''
        for (unsigned int k = first; k < words; k += threads) {
            ((unsigned int *)memory)[k] = 0;
        }
    ''')
    CLEAR(names, span, first=thread, words=words, threads=block_size, memory=array)

A hole is a name that the text does not declare.  What fills it tells what it is: an expression, a variable of the
caller's, a whole number (which a constant expression may have), a type, or statements (where the text has the name
alone, as `body;`).  Variables that the text declares get fresh names, but for those that the caller hands in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from pycparser import c_ast
from pycparser.c_parser import CParser

from hetad.diagnostics import Span
from hetad.frontend.lower import statements
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.context import Context, Qualified
from hetad.ir import nodes as ir
from hetad.ir.types import BOOL, INT, Type
from hetad.ir.visit import declared, map_body, map_spans, substitute

Filling = ir.Expr | ir.Symbol | int | Type | ir.Body
_NOWHERE = Span("quote", 1, 1, 1)


class Names(Protocol):
    """Where fresh names come from."""

    def fresh(self, wanted: str) -> str: ...


class Quote:
    """`text`: statements of CUDA C."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lowered: dict[tuple[object, ...], tuple[ir.Body, Mapping[str, ir.Symbol]]] = {}

    def __call__(self, names: Names, span: Span, **holes: Filling) -> ir.Body:
        """The statements at a place of the user's program; `names`: of the function they go to."""
        body, stands_for = self._of_types(holes)
        given = {name: x for name, x in holes.items() if isinstance(x, ir.Symbol)}
        renamed: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        for x in declared(body):
            renamed[x] = given.get(x.name) or replace(x, name=names.fresh(x.name), span=span)
        for name, x in stands_for.items():
            filling = holes[name]
            assert not isinstance(filling, int | Type | tuple), f"'{name}' is no value"
            renamed[x] = filling
        placed = substitute(renamed, map_spans(lambda _: span, body))

        def filled(s: ir.Stmt) -> ir.Stmt | ir.Body:
            whole = holes[s.label] if isinstance(s, ir.Goto) else s
            assert isinstance(whole, tuple | ir.Stmt)
            return whole

        return map_body(filled, placed) if any(isinstance(x, tuple) for x in holes.values()) else placed

    def _of_types(self, holes: Mapping[str, Filling]) -> tuple[ir.Body, Mapping[str, ir.Symbol]]:
        """The statements, and the variables in them that stand for the holes."""
        key = tuple((name, _kind(x)) for name, x in sorted(holes.items()))
        if key not in self._lowered:
            self._lowered[key] = self._lower(holes)
        return self._lowered[key]

    def _lower(self, holes: Mapping[str, Filling]) -> tuple[ir.Body, Mapping[str, ir.Symbol]]:
        context = Context(_Alone(), {}, None, _NOWHERE)
        stands_for: dict[str, ir.Symbol] = {}
        for name, x in holes.items():
            if isinstance(x, bool | int):
                context.define(name, ir.Const(x, BOOL if isinstance(x, bool) else INT, span=_NOWHERE))
            elif isinstance(x, Type):
                context.define(name, Qualified(x))
            elif not isinstance(x, tuple):
                stands_for[name] = ir.Symbol(name, x.type, _NOWHERE)
                context.define(name, stands_for[name])
        types = [name for name, x in holes.items() if isinstance(x, Type)]
        return statements.body(context, self._parsed(types)), stands_for

    def _parsed(self, types: list[str]) -> c_ast.Compound:
        """As pycparser has it, with marks for statements that are holes."""
        words = set(re.findall(r"\w+", self.text))
        known = "".join(f"typedef int {name}; " for name in (*types, *TYPES) if name in words)
        text = self.text.replace("__shared__", "[[hetad::shared]]")
        function = CParser(dialect="c23").parse(f"{known}void quote(void) {{ {text} }}").ext[-1]
        assert isinstance(function, c_ast.FuncDef)
        _mark_holes(function.body)
        return function.body


def _kind(x: Filling) -> object:
    """What decides how the text is read."""
    if isinstance(x, tuple):
        return "statements"
    return x if isinstance(x, int | Type) else x.type


def _mark_holes(node: c_ast.Node) -> None:
    """Makes jumps of the names that stand alone: code of hetad's own has none."""
    for _, child in node.children():
        _mark_holes(child)
    if isinstance(node, c_ast.Compound):
        items = node.block_items or []
        node.block_items = [c_ast.Goto(x.name) if isinstance(x, c_ast.ID) else x for x in items]


class _Alone:
    """What a quote can see at file scope: what CUDA has, and nothing else."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None

    def program_name(self, name: str) -> str:
        return name

    def callable_names(self) -> list[str]:
        return []
