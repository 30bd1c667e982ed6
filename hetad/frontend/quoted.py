"""Reads the text of quotes with the C front end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from pycparser import c_ast
from pycparser.c_parser import CParser

from hetad.diagnostics import Span
from hetad.frontend.lower import convert, expressions, statements
from hetad.frontend.lower.builtins import TYPES
from hetad.frontend.lower.context import Context, Qualified
from hetad.ir import nodes as ir
from hetad.ir.types import BOOL, INT, Float, Int, Type
from hetad.ir.visit import map_exprs
from hetad.rules.operations import Operation

_NOWHERE = Span("quote", 1, 1, 1)


def lowered(text: str, words: Collection[str], holes: Mapping[str, object]) -> tuple[ir.Body, Mapping[str, ir.Symbol]]:
    """The statements of a text with these words, and the variables in them that stand for the holes."""
    context = Context(_Alone(), {}, None, _NOWHERE)
    stands_for: dict[str, ir.Symbol] = {}
    for name, x in holes.items():
        if isinstance(x, bool | int):
            context.define(name, ir.Const(x, BOOL if isinstance(x, bool) else INT, span=_NOWHERE))
        elif isinstance(x, Type):
            context.define(name, Qualified(x))
        elif isinstance(x, Operation):
            context.define(name, x)
        elif isinstance(x, ir.Symbol | ir.Expr):
            stands_for[name] = ir.Symbol(name, x.type, _NOWHERE)
            context.define(name, stands_for[name])
    types = [name for name, x in holes.items() if isinstance(x, Type)]
    parsed = _parsed(text, [name for name in (*types, *TYPES) if name in words])
    match parsed.block_items:
        case [c_ast.ArrayRef() | c_ast.BinaryOp() | c_ast.TernaryOp() | c_ast.Cast() as only, *_]:
            body: ir.Body = (ir.Return(expressions.value(context, only), span=_NOWHERE),)
        case _:
            body = statements.body(context, parsed)
    return map_exprs(_unwritten, body), stands_for


def _parsed(text: str, types: list[str]) -> c_ast.Compound:
    """As pycparser has it, with marks for statements that are holes."""
    known = "".join(f"typedef int {name}; " for name in types)
    text = text.replace("__shared__", "[[hetad::shared]]")
    function = CParser(dialect="c23").parse(f"{known}void quote(void) {{ {text}; }}").ext[-1]
    assert isinstance(function, c_ast.FuncDef)
    _mark_holes(function.body)
    return function.body


def _unwritten(e: ir.Expr) -> ir.Expr:
    """Numbers as hetad writes them: the text of a quote is not the user's."""
    if isinstance(e, ir.Cast) and isinstance(e.operand, ir.Const) and isinstance(e.type, Int):
        e = convert.arithmetic(e.operand, e.type)
    if not isinstance(e, ir.Const):
        return e
    return replace(e, text="0" if isinstance(e.type, Float) and e.value == 0 else None)


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
