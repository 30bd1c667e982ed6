"""The normalised form that `hetad/ir/nodes.py` describes: what analyses and the reverse engine accept.

Nothing here changes the order of floating-point operations or their types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from hetad.diagnostics import recoverable
from hetad.frontend.normalize.a_normal_form import hoist
from hetad.frontend.normalize.names import rename
from hetad.frontend.normalize.norms import write_out_norms
from hetad.frontend.normalize.structure import structure
from hetad.ir.build import Names
from hetad.ir.forms import Form
from hetad.ir.nodes import Function, Program
from hetad.ir.visit import declared
from hetad.passes.manager import Pass, run

P = TypeVar("P", bound=Program)


def _named(name: str) -> Callable[[Callable[[Function, Names], Function]], Pass[Any]]:
    """Marks a function that rewrites each function of a program, given the names that are taken, as a pass."""

    def marked(rewrite: Callable[[Function, Names], Function]) -> Pass[Any]:
        def each(program: P) -> P:
            reserved = {*program.functions, *(g.symbol.name for g in program.globals)}
            functions = {}
            for own, f in program.functions.items():
                local = () if rewrite is rename else (s.name for s in (*f.params, *declared(f.body)))
                with recoverable():
                    functions[own] = rewrite(f, Names({*reserved, *local}, first=1))
            return replace(program, functions=functions)

        each.__doc__ = rewrite.__doc__
        return Pass(name, each)

    return marked


unique_names = _named("unique-names")(rename).leaving(Form.UNIQUE_NAMES, Form.UNTAPED)


@_named("a-normal-form")
def a_normal_form(function: Function, names: Names) -> Function:
    """Calls, floating intrinsics and floating choices are statements: `y = f(g(x));` is `t = g(x); y = f(t);`."""
    return replace(function, body=hoist(function.body, names))


@_named("array-functions")
def array_functions(function: Function, names: Names) -> Function:
    """Norms of arrays are loops."""
    return replace(function, body=write_out_norms(function.body, names))


structured_control = _named("structured-control")(structure)

NORMAL_FORM = (
    unique_names,
    a_normal_form.needing(Form.UNIQUE_NAMES),
    array_functions,
    structured_control.leaving(Form.STRUCTURED, Form.A_NORMAL),
)


def normalize(program: P) -> P:
    """Every function of the program in normalised form."""
    done: P = run(NORMAL_FORM, program)
    return done
