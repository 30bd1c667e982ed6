"""Functions of a text in the IR, as the front end gives them or normalised: for tests of analyses."""

from __future__ import annotations

from collections.abc import Iterator

import hetad
from hetad.ir import nodes as ir
from hetad.ir.visit import declared, walk_stmts
from hetad.pipeline import normalized, reach


def written(text: str, name: str = "f") -> ir.Function:
    """A function as it is written."""
    return reach(hetad.loads(text).unit, name).functions[name]


def function(text: str, name: str = "f") -> ir.Function:
    """A function with one effect a statement."""
    return normalized(reach(hetad.loads(text).unit, name)).functions[name]


def symbols(f: ir.Function) -> dict[str, ir.Symbol]:
    return {x.name: x for x in (*f.params, *declared(f.body))}


def values(f: ir.Function, name: str) -> Iterator[ir.Expr]:
    """What a variable is given."""
    for s in walk_stmts(f.body):
        if isinstance(s, ir.Declare) and s.symbol.name == name and s.init is not None:
            yield s.init
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and s.target.symbol.name == name:
            yield s.value


def expression(text: str, parameters: str = "int i, int j") -> tuple[ir.Expr, dict[str, ir.Symbol]]:
    """An expression in integer parameters, as the front end reads it."""
    f = written(f"long long f({parameters}) {{ return {text}; }}")
    (given,) = (s.value for s in f.body if isinstance(s, ir.Return))
    assert given is not None
    if isinstance(given, ir.Cast) and given.implicit:
        given = given.operand
    return given, symbols(f)
