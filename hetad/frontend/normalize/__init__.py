"""The normalised form that `hetad/ir/nodes.py` describes: what analyses and the reverse engine accept.

Nothing here changes the order of floating-point operations or their types.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.diagnostics import recoverable
from hetad.frontend.normalize.hoist import hoist
from hetad.frontend.normalize.names import Names, rename
from hetad.frontend.normalize.norms import write_out_norms
from hetad.frontend.normalize.structure import structure
from hetad.ir.nodes import Function, Program


def normalize(program: Program) -> Program:
    """Every function of the program in normalised form."""
    reserved = {*program.functions, *(g.symbol.name for g in program.globals)}
    functions = {}
    for name, f in program.functions.items():
        with recoverable():
            functions[name] = normalize_function(f, reserved)
    return replace(program, functions=functions)


def normalize_function(function: Function, reserved: set[str]) -> Function:
    """One function; its local names avoid `reserved`."""
    names = Names(reserved)
    function = rename(function, names)
    function = replace(function, body=write_out_norms(hoist(function.body, names), names))
    return structure(function, names)
