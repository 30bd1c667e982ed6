"""Programs as Clang reads them, and what is asked of their cursors."""

from __future__ import annotations

from collections.abc import Iterator

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError
from hetad.frontend.cpp.binding import Cursor, Type, Unit, library

__all__ = ["Cursor", "CursorKind", "Type", "TypeKind", "Unit", "children", "parse"]

_ARGUMENTS = (
    "-x cuda --cuda-host-only -nocudainc -nocudalib -nostdinc -nostdinc++ -fno-builtin -w -ferror-limit=0 "
    "--cuda-gpu-arch=sm_90"
).split()

BINARY = (
    "", "", "", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||",
    "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ",",
)  # fmt: skip
UNARY = ("", "p++", "p--", "++", "--", "&", "*", "+", "-", "~", "!", "", "", "", "")


def parse(name: str, text: str, standard: str = "c++17") -> Unit:
    """Reads a program; what Clang objects to is in its diagnostics."""
    try:
        library()
    except cindex.LibclangError as error:
        message = f"libclang cannot be loaded: {error}"
        raise UnsupportedError(message, Span(name, 1, 1), "install the package libclang again") from error
    try:
        arguments = [*_ARGUMENTS, f"-std={standard}"]
        return Unit(cindex.Index.create().parse(name, args=arguments, unsaved_files=[(name, text)]))
    except cindex.TranslationUnitLoadError as error:
        raise SyntaxProblem("Clang cannot read this program", Span(name, 1, 1)) from error


def binary(cursor: Cursor) -> str:
    """The operator of a binary expression or a compound assignment."""
    return BINARY[cursor.binary_operator]


def unary(cursor: Cursor) -> str:
    """The operator of a unary expression; `p++` where it follows."""
    return UNARY[cursor.unary_operator]


def kind(cursor: Cursor) -> str:
    """The name of a cursor's kind; of kinds newer than the binding, their number."""
    try:
        return str(cursor.kind.name)
    except ValueError:
        return str(cursor.kind_number)


def children(cursor: Cursor) -> list[Cursor]:
    """What lies in a cursor."""
    return list(cursor.get_children())


def walk(cursor: Cursor) -> Iterator[Cursor]:
    """The cursor and all in it, in order."""
    yield cursor
    for child in cursor.get_children():
        yield from walk(child)


def only(cursor: Cursor) -> Cursor | None:
    """The single child, if there is one."""
    found = children(cursor)
    return found[0] if len(found) == 1 else None


def expressions(cursor: Cursor) -> list[Cursor]:
    """The expressions right in a cursor."""
    return [c for c in cursor.get_children() if c.kind.is_expression()]


def object_of(reference: Cursor) -> Cursor | None:
    """What stands before the dot of a member; None where it is the object of the method. Behind `Array<T, 3>::` there
    are expressions too."""
    found = expressions(reference)
    start = reference.extent.start.offset
    return found[0] if found and (found[0].extent.start.offset == start or start == 0) else None


def pattern(cursor: Cursor) -> Cursor | None:
    """The template that a cursor is an instance of: its definition, where there is one."""
    found = cursor.template
    return None if found is None or found.kind.is_invalid() else found.get_definition() or found


class Result:
    """The value of a constant expression."""

    def __init__(self, cursor: Cursor) -> None:
        lib = library()
        self.value: int | float | None = None
        found = lib.clang_Cursor_Evaluate(cursor.raw)
        if not found:
            return
        kind = lib.clang_EvalResult_getKind(found)
        if kind == _INTEGER:
            unsigned = lib.clang_EvalResult_isUnsignedInt(found)
            get = lib.clang_EvalResult_getAsUnsigned if unsigned else lib.clang_EvalResult_getAsLongLong
            self.value = int(get(found))
        elif kind == _FLOATING:
            self.value = float(lib.clang_EvalResult_getAsDouble(found))
        lib.clang_EvalResult_dispose(found)


_INTEGER, _FLOATING = 1, 2


def evaluate(cursor: Cursor) -> int | float | None:
    """The value of an expression, or of a variable, that Clang can compute; None where it cannot."""
    return Result(cursor).value


def body(function: Cursor) -> Cursor | None:
    """The statements of a function, in a block; of `f() try { ... } catch`, those that are tried."""
    found = next((c for c in function.get_children() if c.kind in _BODIES), None)
    return children(found)[0] if found is not None and found.kind == CursorKind.CXX_TRY_STMT else found


_BODIES = (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT)


def initialiser(cursor: Cursor) -> Cursor | None:
    """The value that a declaration gives to a variable, or the default of a parameter."""
    found = cursor.initialiser
    return None if found is None or found.kind.is_invalid() else found


def is_copy(constructor: Cursor) -> bool:
    """Whether a constructor copies or moves."""
    return bool(constructor.is_copy_constructor() or constructor.is_move_constructor())


def definition(cursor: Cursor) -> Cursor | None:
    """The definition of what a cursor declares."""
    return cursor.get_definition()
