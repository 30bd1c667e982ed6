"""The program that a function is, with all that its derivative may call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.deep import deep
from hetad.diagnostics import SourceError
from hetad.frontend.fence import supported
from hetad.frontend.managed import managed_variables
from hetad.garbage import seldom_collected
from hetad.passes.manager import run
from hetad.passes.task import Task
from hetad.rules.routines import pullback_name, tangent_name

if TYPE_CHECKING:
    from hetad.frontend.unit import Unit
    from hetad.ir.nodes import Program
    from hetad.rules.user import Rules


@deep
@seldom_collected()
def reach(unit: Unit, name: str) -> Task:
    """The closed program of a function, checked: everything in it is supported."""
    program = unit.reach(name)
    task = Task(program.functions, program.globals, program.structs, program.sources, entry=name)
    try:
        done: Task = run((managed_variables, supported), task)
        return done
    except SourceError as error:
        raise error.attach(program.sources) from None


def reach_for_derivative(unit: Unit, name: str, rules: Rules) -> Program:
    """The same, with the pullbacks and tangents of the libraries' routines that it calls, and the user's."""
    program = with_routines(unit, reach(unit, name))
    for rule in rules.values():
        if rule.pullback is not None and rule.function in program.functions:
            program = replace(program, functions={**reach(unit, rule.pullback).functions, **program.functions})
    return program


def with_routines(unit: Unit, program: Program) -> Program:
    """The program, with the pullbacks and tangents of the libraries' routines that stand in it."""
    for function in list(program.functions.values()):
        for name in (pullback_name(function.name, function.span), tangent_name(function.name, function.span)):
            if name is not None:
                program = _joined(program, unit.of_library(name))
    return program


def _joined(program: Program, more: Program) -> Program:
    structs = tuple(dict.fromkeys((*program.structs, *more.structs)))
    return replace(program, functions={**more.functions, **program.functions}, structs=structs)
