"""Programs as texts that are equal where two front ends mean the same: variables by the order of their declarations."""

from __future__ import annotations

import re
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.printer import program_text
from hetad.ir.visit import declared, map_body, map_exprs


def canonical(program: ir.Program) -> str:
    """The text of a program, with variables numbered, and constants by their values."""
    functions = {name: _renamed(f) for name, f in program.functions.items()}
    text = re.sub(r"unsigned long\b(?! long)", "size_t", program_text(replace(program, functions=functions)))
    return "\n".join(sorted(text.split("\n\n")))


def _renamed(function: ir.Function) -> ir.Function:
    symbols = list(dict.fromkeys((*function.params, *declared(function.body))))
    new = {s: replace(s, name=f"v{n}", const=False) for n, s in enumerate(symbols)}

    def named(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Var) and e.symbol in new:
            return replace(e, symbol=new[e.symbol])
        return replace(e, text=None) if isinstance(e, ir.Const) else e

    def statement(s: ir.Stmt) -> ir.Stmt:
        return replace(s, symbol=new[s.symbol]) if isinstance(s, ir.Declare) else s

    body = map_body(statement, map_exprs(named, function.body))
    return replace(function, params=tuple(new[p] for p in function.params), body=body)
