"""Forms: what is promised of all functions of a program beyond the rules that always hold.

A pass says which forms it requires, establishes and destroys; `ir/verify/forms.py` has the rules of each.
"""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    ONE_MEANING = "a name in scope means one variable"
    UNIQUE_NAMES = "one name, one variable in a function"
    STRUCTURED = "control flow is `if`, `for` and `while`; a function returns at its end"
    A_NORMAL = "what has a derivative of its own stands alone"
    UNTAPED = "nothing is left to the tape"


NORMALISED = frozenset({Form.UNIQUE_NAMES, Form.STRUCTURED, Form.A_NORMAL, Form.UNTAPED})
DERIVATIVE = frozenset({Form.ONE_MEANING, Form.UNTAPED})
