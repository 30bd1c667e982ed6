"""The rules of the IR, each a method with one sentence; what passes leave behind keeps them all.

- `scopes.py`: variables and where they may stand
- `types.py`:  types of expressions, and of what statements do with them
- `calls.py`:  callees of the program and of the tables of hetad
- `forms.py`:  restrictions beyond these, which passes establish for others that need them

A derivative keeps the rules, and each name in it has one meaning, but it is in no normal form: a further
differentiation brings it there, as it does with programs that come from users.
"""

from __future__ import annotations

from collections.abc import Collection

from hetad.ir import nodes as ir
from hetad.ir.forms import DERIVATIVE, NORMALISED, Form
from hetad.ir.functions import callees as all_callees
from hetad.ir.verify.calls import Callees, Calls, Signature, unknown
from hetad.ir.verify.forms import ANormal, OneMeaning, Structured, UniqueNames, Untaped
from hetad.ir.verify.rules import InvalidIR, Rules, Setting
from hetad.ir.verify.scopes import Scopes
from hetad.ir.verify.types import Types
from hetad.ir.verify.walk import Group, walk

__all__ = ["DERIVATIVE", "NORMALISED", "Callees", "Form", "InvalidIR", "Signature", "broken_rules", "verify"]


RULES: dict[Form, type[Rules]] = {
    Form.ONE_MEANING: OneMeaning,
    Form.UNIQUE_NAMES: UniqueNames,
    Form.STRUCTURED: Structured,
    Form.A_NORMAL: ANormal,
    Form.UNTAPED: Untaped,
}


def verify(
    program: ir.Program,
    forms: Collection[Form] = (),
    callees: Callees = unknown,
    before: ir.Program | None = None,
) -> None:
    """Asks every node the rules for it, in one walk.  `callees` tells of the functions of the tables of hetad.
    `before`: a program that keeps the same rules; functions that are in it too are not asked again.

    Raises:
        InvalidIR: a rule is broken, the first one that is.
    """

    def stop(error: InvalidIR) -> None:
        raise error

    walk(program, _changed(program, before), _groups(forms, callees), stop)


def broken_rules(
    program: ir.Program,
    forms: Collection[Form] = (),
    callees: Callees = unknown,
    before: ir.Program | None = None,
) -> list[InvalidIR]:
    """Every rule that is broken, and where; as `verify`."""
    found: list[InvalidIR] = []
    walk(program, _changed(program, before), _groups(forms, callees), found.append)
    return found


def _changed(program: ir.Program, before: ir.Program | None) -> list[ir.Function]:
    """The functions of which something may be said that was not said of the program before."""
    functions = list(program.functions.values())
    if before is None or program.globals != before.globals:
        return functions
    same = {name for name, f in program.functions.items() if _seen(before.functions.get(name)) == _seen(f)}
    gone = before.functions.keys() - program.functions.keys()
    other = gone | (program.functions.keys() - same)
    return [
        f
        for f in functions
        if before.functions.get(f.name) is not f or (other and not other.isdisjoint(all_callees(f)))
    ]


def _seen(function: ir.Function | None) -> object:
    """What callers see of a function."""
    if function is None:
        return None
    return function.kind, function.returns, tuple(p.type for p in function.params)


def _groups(forms: Collection[Form], callees: Callees) -> list[tuple[type[Rules], Group]]:
    def calls(setting: Setting) -> Rules:
        return Calls(setting, callees)

    return [
        (Scopes, Scopes),
        (Types, Types),
        (Calls, calls),
        *((RULES[form], RULES[form]) for form in Form if form in forms),
    ]
