"""What Clang will have to be asked of a function, found before any of it is lowered.

For its questions Clang reads the program once more, so that all are asked at once: about the instances of class
templates that the function mentions, and that the functions do which it reaches.
"""

from __future__ import annotations

from hetad.frontend.cpp.binding import RawCursor, library
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import bases
from hetad.frontend.cpp.questions import Question, Unasked
from hetad.frontend.cpp.special import Specials, elements

_EXPRESSIONS = range(100, 200)  # from CXCursor_FirstExpr on
_VARIABLES = frozenset(k.value for k in (CursorKind.VAR_DECL, CursorKind.PARM_DECL))
_USES = frozenset(k.value for k in (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.CALL_EXPR))
_FUNCTIONS = frozenset(
    k.value
    for k in (
        CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
    )
)  # fmt: skip


def foreseen(function: Cursor) -> list[Question]:
    """Those that are not answered, in the order in which they come up."""
    return list(_Reach(function).questions)


class _Reach:
    """The functions that a function reaches, and the classes of what they mention; not yet what they would reach by an
    answer that is not there."""

    def __init__(self, function: Cursor) -> None:
        self.questions: dict[Question, None] = {}
        self._unit = function.unit
        self._specials = Specials()
        self._types: set[bytes] = set()
        self._classes: set[Type] = set()
        self._mentioned: set[bytes] = set()
        self._functions = {function}
        self._waiting = [function]
        while self._waiting:
            self._read(self._waiting.pop(0))

    def _read(self, function: Cursor) -> None:
        lib = library()
        for key in function.inside():
            raw = RawCursor.from_buffer_copy(key)
            if raw.kind not in _EXPRESSIONS and raw.kind not in _VARIABLES:
                continue
            type_ = bytes(lib.clang_getCursorType(raw))
            if type_ not in self._types:
                self._types.add(type_)
                self._class(self._unit.type_of(type_))
            if raw.kind in _USES:
                self._mention(bytes(lib.clang_getCursorReferenced(raw)))

    def _mention(self, key: bytes) -> None:
        if key in self._mentioned:
            return
        self._mentioned.add(key)
        if RawCursor.from_buffer_copy(key).kind in _FUNCTIONS:
            self._function(self._unit.cursor_of(key))

    def _function(self, function: Cursor | None) -> None:
        found = function.get_definition() if function is not None else None
        if found is not None and found not in self._functions:
            self._functions.add(found)
            self._waiting.append(found)

    def _class(self, type_: Type) -> None:
        """A class, what it is made of and how it is made and copied; of other types, what they are made of."""
        type_ = elements(type_)
        if type_.kind != TypeKind.RECORD:
            return
        type_ = type_.get_declaration().type  # without const
        if type_ in self._classes:
            return
        self._classes.add(type_)
        for field in type_.get_fields():
            self._class(field.type)
        try:
            for base in bases(type_.get_declaration()):
                self._class(base.type)
        except Unasked as unasked:
            self.questions[unasked.question] = None
        try:
            for member in vars(self._specials.of(type_)).values():
                self._function(member)
        except Unasked as unasked:
            self.questions[unasked.question] = None
