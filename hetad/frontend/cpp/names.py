"""What functions, variables and types of C++ are called in the program."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind

_OPERATORS = {
    "+": "plus", "-": "minus", "*": "times", "/": "over", "%": "modulo", "==": "equal", "!=": "differs", "<": "less",
    ">": "greater", "<=": "at_most", ">=": "at_least", "()": "call", "[]": "at", "=": "assign", "+=": "add",
    "-=": "subtract", "*=": "multiply", "/=": "divide", "!": "not", "~": "complement", "&": "and", "|": "or",
    "^": "xor", "&&": "both", "||": "either", "++": "increment", "--": "decrement", "->": "arrow", "<<": "left",
    ">>": "right", "%=": "reduce", "&=": "and_into", "|=": "or_into", "^=": "xor_into", "<<=": "shift_left",
    ">>=": "shift_right", ",": "comma",
}  # fmt: skip
_RECORDS = (
    CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL, CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
)  # fmt: skip
GROUPS = (CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL)  # what declarations stand in
_PARAMETERS = (
    CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER, CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
)  # fmt: skip


def key(cursor: Cursor) -> tuple[str, int, int, int]:
    """What tells entities apart."""
    first = cursor.canonical
    return first.get_usr(), first.location.line, first.location.column, first.hash


def record_key(type_: Type) -> str:
    """What tells class types apart."""
    canonical = type_.get_canonical()
    declaration = canonical.get_declaration()
    spelling = declaration.type.spelling
    lambdas = spelling if LAMBDA in spelling else ""  # those of one function have one USR
    return f"{declaration.get_usr()} {declaration.location.line}:{declaration.location.column}{lambdas}"


class EntityNames:
    """Gives each entity a name of its own, the plain one where it is free."""

    def __init__(self) -> None:
        self._by_key: dict[object, str] = {}
        self._taken: set[str] = set()

    def of(self, wanted: str, cursor: Cursor, apart: str = "", given: Sequence[Cursor] = (), text: int = 0) -> str:
        """The name of an entity of a text, of a function one for what it is given; where another has it, with words
        that tell the two apart."""
        return self.by_key(wanted, (text, key(cursor), *map(key, given)), apart)

    def by_key(self, wanted: str, own: object, apart: str = "") -> str:
        if own not in self._by_key:
            name = wanted
            if name in self._taken and apart:
                name = f"{wanted}_{apart}"
            number, stem = 1, name
            while name in self._taken:
                number += 1
                name = f"{stem}_{number}"
            self._taken.add(name)
            self._by_key[own] = name
        return self._by_key[own]


def function_name(cursor: Cursor, owner: str) -> str:
    """`scale_float_16`, `Vector_float_3_dot`, `Matrix_at` for `operator[]`."""
    name = cursor.spelling
    if cursor.kind == CursorKind.CONSTRUCTOR:
        return f"{owner}_make"
    if cursor.kind == CursorKind.DESTRUCTOR:
        return f"{owner}_end"
    if cursor.kind == CursorKind.CONVERSION_FUNCTION:
        name = f"to_{word(cursor.result_type.spelling)}"
    elif name.startswith("operator") and not name[8:9].isalnum() and name[8:9] != "_":
        name = _OPERATORS.get(name[8:].strip(), "operator")
    else:
        name = re.sub(r"<.*", "", name)
    parts = [owner, name] if owner else [name]
    return "_".join((*parts, *_arguments(cursor)))


def mentioned(cursor: Cursor) -> str:
    """The word that a use of a function has: its name, an operator's sign, of a constructor its class."""
    if cursor.kind == CursorKind.CONSTRUCTOR:
        return str(cursor.semantic_parent.spelling)
    name = cursor.spelling
    is_operator = name.startswith("operator") and not name[8:9].isidentifier()
    return str(name[8:].strip()) if is_operator else re.sub(r"<.*", "", name)


def display_name(cursor: Cursor) -> str:
    """As C++ has it: `scale<float, 16>`, `Vector<float>::dot`, `lambda`; "" where the binding does not tell."""
    given = [_written(cursor, i) for i in range(max(cursor.get_num_template_arguments(), 0))]
    name = re.sub(r"<.*", "", cursor.spelling) if given else cursor.spelling
    shown = f"{name}<{', '.join(given)}>" if given else name
    parent = cursor.semantic_parent
    if is_record(parent):
        owner = parent.type.spelling
        shown = "lambda" if "(lambda" in owner else f"{owner}::{shown}"
    return shown if all(given) and "(lambda" not in shown else ""


def _written(cursor: Cursor, i: int) -> str:
    """A template argument."""
    kind = _kind(cursor, i)
    if kind == "TYPE":
        return str(cursor.get_template_argument_type(i).spelling)
    return _number(cursor, i) if kind == "INTEGRAL" else ""


def _number(cursor: Cursor, i: int) -> str:
    value = cursor.get_template_argument_value(i)
    return ("true" if value else "false") if _is_truth(cursor, i) else str(value)


def _arguments(cursor: Cursor) -> list[str]:
    """The template arguments of an instance."""
    found = []
    for i in range(max(cursor.get_num_template_arguments(), 0)):
        kind = _kind(cursor, i)
        if kind == "TYPE":
            type_ = cursor.get_template_argument_type(i)
            if type_.kind != TypeKind.VOID:  # what is not given
                found.append(closure_name(type_) if LAMBDA in type_.spelling else word(type_.spelling))
        elif kind == "INTEGRAL":
            found.append(word(_number(cursor, i)))
    return found


def _is_truth(cursor: Cursor, i: int) -> bool:
    """Whether a template's parameter is a bool."""
    found = template_parameters(cursor)
    return i < len(found) and found[i].type.get_canonical().kind == TypeKind.BOOL


def template_parameters(cursor: Cursor) -> list[Cursor]:
    """Those of the template that a function or a class is an instance of."""
    template = clang.pattern(cursor)
    return [c for c in template.get_children() if c.kind in _PARAMETERS] if template is not None else []


def example(template: Cursor) -> str:
    """An instance of a template of functions as a user could name it: `scale<float, 16>`."""
    kinds = [c.kind for c in template.get_children() if c.kind in _PARAMETERS]
    given = ("float" if kind == CursorKind.TEMPLATE_TYPE_PARAMETER else "16" for kind in kinds)
    return f"{template.spelling}<{', '.join(given)}>"


def template_numbers(cursor: Cursor) -> dict[str, str]:
    """The template arguments of an instance that are numbers, by the names of the parameters."""
    named = enumerate(template_parameters(cursor))
    return {p.spelling: str(cursor.get_template_argument_value(i)) for i, p in named if _kind(cursor, i) == "INTEGRAL"}


LAMBDA = "(lambda at"


def closure_name(type_: Type) -> str:
    """`f_lambda` for a lambda in `f`; of another type that one stands in, as a reference to it, what it says."""
    maker = type_.get_declaration().semantic_parent
    if maker is None:
        return word(type_.spelling)
    return f"{maker.spelling}_lambda" if maker.spelling.isidentifier() else "lambda"


def _kind(cursor: Cursor, i: int) -> str:
    """The kind of a template argument; "" for those that the binding does not know, as packs."""
    try:
        return str(cursor.get_template_argument_kind(i).name)
    except ValueError:
        return ""


def parameters(cursor: Cursor) -> str:
    """The types of a function's parameters, for the name of an overload."""
    return "_".join(word(a.type.spelling) for a in cursor.get_arguments())


def word(text: str) -> str:
    """A type's or a number's text as part of a name."""
    text = re.sub(r"\(lambda at [^)]*\)", "lambda", text)
    text = re.sub(r"\b(struct|class|const)\b|&|\b\w+::", " ", text)
    return re.sub(r"\W+", "_", text.replace("*", " ptr ").replace("-", " minus ").strip()).strip("_")


def apart(names: list[str]) -> list[str]:
    """The same names; equal ones, as those of what a pack becomes, with numbers."""
    taken = set(names)
    found: list[str] = []
    for name in names:
        own, number = name, 1
        while own and own in found:
            number += 1
            own = f"{name}_{number}"
            own += "_" * (own in taken)
        found.append(own)
    return found


def is_record(cursor: Cursor | None) -> bool:
    return cursor is not None and cursor.kind in _RECORDS
