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
from enum import Enum

from hetad.ir import nodes as ir
from hetad.ir.verify.calls import Callees, Calls, Signature, unknown
from hetad.ir.verify.forms import ANormal, OneMeaning, Structured, UniqueNames, Untaped
from hetad.ir.verify.rules import InvalidIR, Rules, Setting
from hetad.ir.verify.scopes import Scopes
from hetad.ir.verify.types import Types
from hetad.ir.verify.walk import walk

__all__ = ["DERIVATIVE", "NORMALISED", "Callees", "Form", "InvalidIR", "Signature", "broken_rules", "verify"]


class Form(Enum):
    """What a pass may establish and require; the classes say which rules these are."""

    ONE_MEANING = OneMeaning
    UNIQUE_NAMES = UniqueNames
    STRUCTURED = Structured
    A_NORMAL = ANormal
    UNTAPED = Untaped


NORMALISED = (Form.UNIQUE_NAMES, Form.STRUCTURED, Form.A_NORMAL, Form.UNTAPED)
DERIVATIVE = (Form.ONE_MEANING, Form.UNTAPED)


def verify(program: ir.Program, forms: Collection[Form] = (), callees: Callees = unknown) -> None:
    """Asks every node the rules for it, in one walk.  `callees` tells of the functions of the tables of hetad.

    Raises:
        InvalidIR: a rule is broken, the first one that is.
    """

    def stop(error: InvalidIR) -> None:
        raise error

    walk(program, _groups(forms, callees), stop)


def broken_rules(program: ir.Program, forms: Collection[Form] = (), callees: Callees = unknown) -> list[InvalidIR]:
    """Every rule that is broken, and where."""
    found: list[InvalidIR] = []
    walk(program, _groups(forms, callees), found.append)
    return found


def _groups(forms: Collection[Form], callees: Callees):  # type: ignore[no-untyped-def]
    def calls(setting: Setting) -> Rules:
        return Calls(setting, callees)

    return (Scopes, Types, calls, *(form.value for form in forms))
